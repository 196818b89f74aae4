/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of the kernel's memory that are named by an option: which files are taken, and what is said of those that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "images/dso_table.h"
#include "images/kernel.h"
#include "said.h"
#include "temp_dir.h"

TEMP_DIR("kcore")

static const char *at(const char *name)
{
	return temp_path(dir, name);
}

static int make_copies(void **state)
{
	if (make_dir(state))
		return -1;
	temp_write(dir, "whole/kcore", "k", 1);
	temp_write(dir, "whole/kallsyms", "s", 1);
	temp_write(dir, "bare/kcore", "k", 1);
	temp_write(dir, "symbols/kallsyms", "s", 1);
	temp_write(dir, "data/kcore_dir/kcore", "k", 1);
	temp_write(dir, "data/kcore_dir/kallsyms", "s", 1);
	/* links to themselves cannot be followed */
	return mkdir(at("loop"), 0777) || symlink("kcore", at("loop/kcore")) || symlink("kallsyms", at("loop/kallsyms"));
}

/* Returns what is said. `kcore`, `kallsyms`: the files that are taken, NULL: none. */
static const char *find(const char *option, const char *symbols, const char *data, int want, const char *kcore, const char *kallsyms)
{
	static struct said said;
	struct kernel_images k = { .kcore_path = NULL };
	struct dso_table t;

	dso_table_init(&t);
	t.search.kcore = option;
	t.search.kallsyms = symbols;
	said_begin(&said);
	assert_int_equal(kernel_find_kcore(&k, &t, data), want);
	said_end(&said);
	assert_true(!kcore == !k.kcore_path);
	assert_true(!kallsyms == !k.kallsyms_path);
	if (kcore) {
		assert_string_equal(k.kcore_path, kcore);
		assert_true(want || k.kcore);
	}
	if (kallsyms)
		assert_string_equal(k.kallsyms_path, kallsyms);
	free(k.kcore_path);
	free(k.kallsyms_path);
	dso_table_free(&t);
	return said.text;
}

static void taken(void **state)
{
	(void)state;
	assert_string_equal(find(at("whole"), NULL, NULL, 0, at("whole/kcore"), at("whole/kallsyms")), "");
	assert_string_equal(find(at("whole/kcore"), NULL, NULL, 0, at("whole/kcore"), at("whole/kallsyms")), "");
	assert_string_equal(find(at("bare"), NULL, NULL, 0, at("bare/kcore"), NULL), "");
	assert_string_equal(find(at("bare/kcore"), at("symbols/kallsyms"), NULL, 0, at("bare/kcore"), at("symbols/kallsyms")), "");
	/* a copy of any name, with the symbols next to it; those of the option come first */
	assert_string_equal(find(at("symbols/kallsyms"), NULL, NULL, 0, at("symbols/kallsyms"), at("symbols/kallsyms")), "");
	assert_int_equal(access(at("whole/kallsyms"), R_OK), 0);
	assert_string_equal(find(at("whole"), at("symbols/kallsyms"), NULL, 0, at("whole/kcore"), at("symbols/kallsyms")), "");
	/* of the recording, where no option names another */
	assert_string_equal(find(NULL, NULL, at("data"), 0, at("data/kcore_dir/kcore"), at("data/kcore_dir/kallsyms")), "");
	assert_string_equal(find(at("bare"), NULL, at("data"), 0, at("bare/kcore"), NULL), "");
	assert_string_equal(find(NULL, NULL, at("symbols"), 0, NULL, NULL), "");
	assert_string_equal(find(NULL, at("symbols/kallsyms"), NULL, 0, NULL, at("symbols/kallsyms")), "");
}

static void file_without_folder(void **state)
{
	char was[4096];

	(void)state;
	assert_non_null(getcwd(was, sizeof(was)));
	assert_int_equal(chdir(at("whole")), 0);
	assert_string_equal(find("kcore", NULL, NULL, 0, "kcore", "./kallsyms"), "");
	assert_int_equal(chdir(was), 0);
}

static void not_there(void **state)
{
	char want[600];

	(void)state;
	snprintf(want, sizeof(want), "cstrace: --kcore %s: No such file or directory\n", at("none"));
	assert_string_equal(find(at("none"), NULL, NULL, ERR_REPORTED, NULL, NULL), want);
	snprintf(want, sizeof(want), "cstrace: --kallsyms %s: No such file or directory\n", at("none"));
	assert_string_equal(find(at("whole"), at("none"), NULL, ERR_REPORTED, NULL, NULL), want);
	snprintf(want, sizeof(want), "cstrace: --kcore %s: no readable file kcore in this directory\n", at("symbols"));
	assert_string_equal(find(at("symbols"), NULL, NULL, ERR_REPORTED, NULL, at("symbols/kallsyms")), want);
	snprintf(want, sizeof(want), "cstrace: %s: Too many levels of symbolic links; make it readable, or name another copy with "
		 "--kcore\ncstrace: %s: Too many levels of symbolic links; make it readable, or name another copy with --kcore\n",
		 at("loop/kcore"), at("loop/kallsyms"));
	assert_string_equal(find(at("loop"), NULL, NULL, ERR_REPORTED, NULL, NULL), want);
	/* the copy itself is named, and what lies beside it cannot be read */
	assert_int_equal(access(at("loop/copy"), F_OK), -1);
	temp_write(dir, "loop/copy", "x", 1);
	assert_non_null(strstr(find(at("loop/copy"), NULL, NULL, ERR_REPORTED, at("loop/copy"), NULL), "make it readable"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(file_without_folder),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests_name("images kcore", tests, make_copies, remove_dir);
}
