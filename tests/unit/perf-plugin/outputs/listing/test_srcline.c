/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines of more files than there is room for at first: each is opened once, and a place without a line has an address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/images/dso.h"
#include "outputs/listing/srcline.h"

#define FILES	200u

#define APART	61u	/* places in memory for each of them, so that some have the same place in a table of any size */

static struct dso dsos[FILES * APART];
static char paths[FILES][32];

/* Standard error goes to `file` until restore(). */
static int capture(FILE *file)
{
	int saved = dup(STDERR_FILENO);

	assert_true(saved >= 0);
	fflush(stderr);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	return saved;
}

static void restore(int saved)
{
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

/* Files that cannot be opened: a message for each of them, once. */
static void many_files(void **state)
{
	struct srclines *t = srclines_new();
	char want[128], line[256];
	FILE *log = tmpfile();
	struct dso *dso;
	unsigned int i, k;
	int saved;

	(void)state;
	assert_non_null(t);
	assert_non_null(log);
	saved = capture(log);
	for (k = 0; k < 3; k++)
		for (i = 0; i < FILES; i++) {
			snprintf(paths[i], sizeof(paths[i]), "/nowhere/lib%03u.so", i);
			dso = &dsos[i * APART + i * i * 7919 % APART];
			*dso = (struct dso){ .path = paths[i], .file = paths[i], .state = DSO_LOADED, .is_elf = true };
			if (!i && !k)
				assert_false(srclines_unread(t));
			snprintf(want, sizeof(want), "lib%03u.so[%x]", i, 0x1000 * (k + 1) + i);
			assert_string_equal(srclines_text(t, dso, 0x1000 * (k + 1) + i), want);
			assert_true(srclines_unread(t));
		}
	restore(saved);
	rewind(log);
	for (i = 0; fgets(line, sizeof(line), log); i++) {
		snprintf(want, sizeof(want), "cstrace script: /nowhere/lib%03u.so: its source lines are not known:", i);
		assert_int_equal(strncmp(line, want, strlen(want)), 0);
		assert_non_null(strstr(line, ": it cannot be opened: No such file or directory\n"));
	}
	assert_int_equal(i, FILES);
	fclose(log);
	srclines_free(t);
}

/* An address by the segments of the file; of a file that is no ELF file, and code outside of the segments, the offset. */
static void addresses(void **state)
{
	struct dso_segment seg = { .offset = 0x1000, .vaddr = 0x401000, .filesz = 0x100, .exec = true };
	struct dso raw = { .path = (char *)"raw.bin", .file = (char *)"raw.bin", .state = DSO_LOADED };
	struct dso linked = { .path = (char *)"/opt/prog", .state = DSO_MISSING, .is_elf = true, .segs = &seg, .nr_segs = 1 };
	struct srclines *t = srclines_new();

	(void)state;
	assert_non_null(t);
	assert_string_equal(srclines_text(t, &raw, 0x1010), "raw.bin[1010]");
	assert_string_equal(srclines_text(t, &linked, 0x1010), "prog[401010]");
	assert_string_equal(srclines_text(t, &linked, 0x2000), "prog[2000]");
	assert_string_equal(srclines_text(t, &raw, 0x1010), "raw.bin[1010]");
	assert_false(srclines_unread(t));
	srclines_free(t);
}

/* The first 2048 bytes of a long name are shown, and the whole address. */
static void long_name(void **state)
{
	char path[3001], want[2100];
	struct dso raw = { .path = path, .file = path, .state = DSO_LOADED };
	struct srclines *t = srclines_new();

	(void)state;
	assert_non_null(t);
	memset(path, 'n', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	snprintf(want, sizeof(want), "%.2048s[123456789abcdef0]", path);
	assert_string_equal(srclines_text(t, &raw, 0x123456789abcdef0), want);
	srclines_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(many_files), cmocka_unit_test(addresses), cmocka_unit_test(long_name) };

	return cmocka_run_group_tests_name("listing srcline", tests, NULL, NULL);
}
