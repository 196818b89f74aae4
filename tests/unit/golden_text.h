/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GOLDEN_TEXT_H
#define TESTS_GOLDEN_TEXT_H

/* Text that a test makes, against the file that has what is expected. With REBASE=1 the file is written anew. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* `text` has whole lines; it is changed. */
static inline void golden_text(const char *path, char *text)
{
	char line[2000], *p, *end;
	unsigned int nr = 0;
	FILE *f;

	if (getenv("REBASE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_true(fputs(text, f) >= 0);
		assert_int_equal(fclose(f), 0);
	}
	f = fopen(path, "r");
	assert_non_null(f);
	for (p = text; fgets(line, sizeof(line), f); p = end + 1) {
		nr++;
		end = strchr(p, '\n');
		if (!end)
			fail_msg("%s:%u: %s is not there any more", path, nr, line);
		*end = '\0';
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(p, line))
			fail_msg("%s:%u: found '%s', expected '%s'", path, nr, p, line);
	}
	assert_int_equal(*p, '\0');
	fclose(f);
}

#endif
