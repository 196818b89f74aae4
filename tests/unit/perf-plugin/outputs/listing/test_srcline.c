/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines of more files than there is room for at first: each is opened once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/images/dso.h"
#include "outputs/listing/srcline.h"
#include "unit/perf-plugin/said.h"

#define FILES	100u
#define APART	61u	/* places in memory for each of them, so that some have the same place in a table of any size */

static struct dso dsos[FILES * APART];
static char paths[FILES][32];

/* Files that cannot be opened: a message for each of them, once. */
static void many_files(void **state)
{
	struct srclines *t = srclines_new();
	static struct said said;
	const char *line;
	struct dso *dso;
	unsigned int i, k;
	char want[128];

	(void)state;
	assert_non_null(t);
	said_begin(&said);
	for (k = 0; k < 3; k++)
		for (i = 0; i < FILES; i++) {
			snprintf(paths[i], sizeof(paths[i]), "/nowhere/lib%03u.so", i);
			dso = &dsos[i * APART + i * i * 7919 % APART];
			*dso = (struct dso){ .path = paths[i], .image.file = paths[i],
					     .state = DSO_LOADED, .image.is_elf = true };
			if (!i && !k)
				assert_false(srclines_unread(t));
			snprintf(want, sizeof(want), "lib%03u.so[%x]", i, 0x1000 * (k + 1) + i);
			assert_string_equal(srclines_text(t, dso, 0x1000 * (k + 1) + i), want);
			assert_true(srclines_unread(t));
		}
	line = said_end(&said);
	for (i = 0; i < FILES; i++, line = strchr(line, '\n') + 1) {
		snprintf(want, sizeof(want), "cstrace script: /nowhere/lib%03u.so: its source "
			 "lines are not known: it cannot be opened: No such file or directory\n",
			 i);
		assert_int_equal(strncmp(line, want, strlen(want)), 0);
	}
	assert_string_equal(line, "");
	srclines_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_files),
	};

	return cmocka_run_group_tests_name("listing srcline", tests, NULL, NULL);
}
