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
#include "machine/images/dso_table.h"
#include "machine/images/kernel.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

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

#define TEXT_ADDR	0xffff800008000000ull
#define BOOT		"ffff800008000000 T _text\nffff800008001000 T one\n"
#define OTHER_BOOT	"ffff800009000000 T _text\nffff800009001000 T one\n"

static void write_text(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

#define AT_OTHER_PLACE ": _text is at 0xffff800009000000 there, the recorded kernel had it at 0xffff800008000000: not used; " \
	"give the symbols of the boot that was recorded\n"

/* Symbols of a file are used unless it is of another boot; else those of the recording. They are read, and reported, once. */
static void symbols_of_a_boot(void **state)
{
	static const struct {
		const char *file, *recorded;
		uint64_t ref_addr;
		const char *ref_sym;
		uint64_t one;		/* address of the symbol "one"; 0: unknown */
		const char *said;
	} cases[] = {
		{ "boot", NULL, TEXT_ADDR, "_text", 0xffff800008001000, "" },
		{ "other", NULL, TEXT_ADDR, "_text", 0, "cstrace: DIR/other" AT_OTHER_PLACE },
		{ "other", "30 T one\n", TEXT_ADDR, "_text", 0x30, "cstrace: DIR/other" AT_OTHER_PLACE },
		{ "other", "30 T one\n", 0, "", 0xffff800009001000, "" },
		{ "other", "30 T one\n", TEXT_ADDR, "_sinittext", 0xffff800009001000, "" },
		{ "missing", "30 T one\n", TEXT_ADDR, "_text", 0x30, "cstrace: DIR/missing: No such file or directory\n" },
		{ "zeros", NULL, TEXT_ADDR, "_text", 0, "cstrace: DIR/zeros: no symbol with an address in it: copy /proc/kallsyms as root, "
		  "or with kernel.kptr_restrict=0\n" },
		{ NULL, "30 T one\n", TEXT_ADDR, "_text", 0x30, "" },
		{ NULL, NULL, TEXT_ADDR, "_text", 0, "" },
	};
	static struct said said;
	struct kernel_images k;
	char text[600];
	uint64_t addr;
	size_t i;
	int again;

	(void)state;
	write_text("boot", BOOT);
	write_text("other", OTHER_BOOT);
	write_text("zeros", "0000000000000000 T _text\n");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&k, 0, sizeof(k));
		if (cases[i].file)
			k.kallsyms_path = strdup(at(cases[i].file));
		if (cases[i].recorded) {
			k.recorded_kallsyms = strdup(cases[i].recorded);
			k.recorded_kallsyms_len = strlen(cases[i].recorded);
		}
		k.ref_addr = cases[i].ref_addr;
		strcpy(k.ref_sym, cases[i].ref_sym);
		said_begin(&said);
		for (again = 0; again < 2; again++) {
			addr = 0;
			if (kernel_symbol_address(&k, "one", &addr) != (cases[i].one != 0) || addr != cases[i].one)
				fail_msg("case %zu: at 0x%llx", i, (unsigned long long)addr);
			assert_false(kernel_symbol_address(&k, "two", &addr));
			assert_int_equal(kernel_kallsyms(&k) != NULL, cases[i].one != 0);
		}
		temp_hide(dir, said_end(&said), text, sizeof(text));
		assert_string_equal(text, cases[i].said);
		assert_int_equal(k.kallsyms_path != NULL, cases[i].file && !*cases[i].said);
		kernel_free(&k);
	}
}

/* What the symbols do not have, the image of the kernel has, as far from its link address as the kernel was. */
static void symbols_of_the_image(void **state)
{
	struct dso_symbol_entry syms[] = { { .vaddr = 0x1000, .size = 4, .name = "one" },
					   { .vaddr = 0x2000, .size = 4, .name = "two" } };
	struct dso image = { .path = "vmlinux",
			     .state = DSO_LOADED,
			     .symbols.symbols_read = true,
			     .symbols.syms = syms,
			     .symbols.nr_syms = 2 };
	struct kernel_images k = { .vmlinux = &image, .delta = 0x80000 };
	const uint32_t *order;
	uint64_t addr = 0;

	(void)state;
	k.recorded_kallsyms = strdup("30 T one\n");
	k.recorded_kallsyms_len = 9;
	assert_true(kernel_symbol_address(&k, "one", &addr));
	assert_int_equal(addr, 0x30);
	assert_true(kernel_symbol_address(&k, "two", &addr));
	assert_int_equal(addr, 0x82000);
	assert_false(kernel_symbol_address(&k, "three", &addr));
	/* sorted by name once */
	order = image.symbols.name_order;
	assert_non_null(order);
	assert_true(dso_symbol_address(&image, "one", &addr));
	assert_int_equal(addr, 0x1000);
	assert_ptr_equal(image.symbols.name_order, order);
	free(image.symbols.name_order);
	kernel_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken), cmocka_unit_test(not_there),
		cmocka_unit_test(symbols_of_a_boot), cmocka_unit_test(symbols_of_the_image),
	};

	return cmocka_run_group_tests_name("images kcore", tests, make_copies, remove_dir);
}
