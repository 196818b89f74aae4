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

#define TEXT_ADDR	0xffff800008000000ull
#define BOOT		"ffff800008000000 T _text\nffff800008001000 T one\n"
#define OTHER_BOOT	"ffff800009000000 T _text\nffff800009001000 T one\n"

static void write_text(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

/* One copy in the cache of a kernel with the build-id abcdef01; `symbols` NULL: without them. */
static void cache_copy(const char *cache, const char *date, const char *symbols)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/[kernel.kcore]/abcdef01/%s/kcore", cache, date);
	write_text(name, "k");
	snprintf(name, sizeof(name), "%s/[kernel.kcore]/abcdef01/%s/kallsyms", cache, date);
	if (symbols)
		write_text(name, symbols);
}

/* Of the copies in the build-id cache the latest one of the boot that was recorded is taken, unless another kernel is given. */
static void cached(void **state)
{
	static const struct {
		const char *what, *cache, *home, *kallsyms, *vmlinux, *bundled, *symbol;
		bool id;
		uint64_t addr;
		const char *kcore, *symbols;	/* NULL: none */
	} cases[] = {
		{ "the latest", "cache", NULL, NULL, NULL, NULL, "_text", true, TEXT_ADDR,
		  "cache/[kernel.kcore]/abcdef01/20240201/kcore", "cache/[kernel.kcore]/abcdef01/20240201/kallsyms" },
		{ "another boot", "cache", NULL, NULL, NULL, NULL, "_text", true, TEXT_ADDR + 0x1000000,
		  "cache/[kernel.kcore]/abcdef01/20240301/kcore", "cache/[kernel.kcore]/abcdef01/20240301/kallsyms" },
		{ "no such boot", "cache", NULL, NULL, NULL, NULL, "_text", true, TEXT_ADDR + 8, NULL, NULL },
		{ "no address", "cache", NULL, NULL, NULL, NULL, "_text", true, 0, NULL, NULL },
		{ "no such symbol", "cache", NULL, NULL, NULL, NULL, "_stext", true, TEXT_ADDR, NULL, NULL },
		{ "no symbol", "cache", NULL, NULL, NULL, NULL, "", true, TEXT_ADDR, NULL, NULL },
		{ "no build-id", "cache", NULL, NULL, NULL, NULL, "_text", false, TEXT_ADDR, NULL, NULL },
		{ "at home", NULL, "home", NULL, NULL, NULL, "_text", true, TEXT_ADDR,
		  "home/.debug/[kernel.kcore]/abcdef01/20230101/kcore", "home/.debug/[kernel.kcore]/abcdef01/20230101/kallsyms" },
		{ "not at home", "cache", "home", NULL, NULL, NULL, "_text", true, TEXT_ADDR,
		  "cache/[kernel.kcore]/abcdef01/20240201/kcore", "cache/[kernel.kcore]/abcdef01/20240201/kallsyms" },
		{ "nowhere", NULL, NULL, NULL, NULL, NULL, "_text", true, TEXT_ADDR, NULL, NULL },
		{ "an empty cache", "bare", NULL, NULL, NULL, NULL, "_text", true, TEXT_ADDR, NULL, NULL },
		{ "given symbols", "cache", NULL, "symbols/kallsyms", NULL, NULL, "_text", true, TEXT_ADDR,
		  "cache/[kernel.kcore]/abcdef01/20240201/kcore", "symbols/kallsyms" },
		{ "a given kernel", "cache", NULL, NULL, "bare/kcore", NULL, "_text", true, TEXT_ADDR, NULL, NULL },
		{ "the input's", "cache", NULL, NULL, NULL, "whole", "_text", true, TEXT_ADDR, "whole/kcore", "whole/kallsyms" },
		{ "the input's, and given symbols", "cache", NULL, "symbols/kallsyms", NULL, "whole", "_text", true, TEXT_ADDR,
		  "whole/kcore", "symbols/kallsyms" },
	};
	char *was = getenv("HOME"), home[128], cache[128], vmlinux[128], symbols[128];
	struct kernel_images k;
	struct dso_table t;
	struct dso *d;
	size_t i;

	(void)state;
	was = was ? strdup(was) : NULL;
	cache_copy("cache", "20240101", BOOT);
	cache_copy("cache", "20240201", BOOT);
	cache_copy("cache", "20240301", OTHER_BOOT);
	cache_copy("cache", "20240401", NULL);
	cache_copy("cache", ".20240501", BOOT);
	cache_copy("home/.debug", "20230101", BOOT);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&k, 0, sizeof(k));
		dso_table_init(&t);
		snprintf(home, sizeof(home), "%s/%s", dir, cases[i].home ? cases[i].home : "");
		snprintf(cache, sizeof(cache), "%s/%s", dir, cases[i].cache ? cases[i].cache : "");
		snprintf(vmlinux, sizeof(vmlinux), "%s/%s", dir, cases[i].vmlinux ? cases[i].vmlinux : "");
		snprintf(symbols, sizeof(symbols), "%s/%s", dir, cases[i].kallsyms ? cases[i].kallsyms : "");
		if (cases[i].home)
			setenv("HOME", home, 1);
		else
			unsetenv("HOME");
		t.search.buildid_dir = cases[i].cache ? cache : NULL;
		t.search.vmlinux = cases[i].vmlinux ? vmlinux : NULL;
		t.search.kallsyms = cases[i].kallsyms ? symbols : NULL;
		if (cases[i].bundled) {
			t.search.bundle.kcore = strdup(at("whole/kcore"));
			t.search.bundle.kallsyms = strdup(at("whole/kallsyms"));
		}
		/* other files before it, and a map of the kernel that names no symbol */
		assert_non_null(dso_table_add(&t, "/bin/a", DSO_FILE));
		assert_non_null(dso_table_add(&t, "[kernel.vmlinux]", DSO_VMLINUX));
		d = dso_table_add(&t, "[kernel.kallsyms]", DSO_VMLINUX);
		assert_non_null(d);
		strcpy(d->ref_sym, cases[i].symbol);
		d->ref_addr = cases[i].addr;
		if (cases[i].id)
			d->recorded = (struct build_id){ 4, { 0xab, 0xcd, 0xef, 0x01 } };
		assert_int_equal(kernel_find_kcore(&k, &t, NULL), 0);
		if (!k.kcore_path != !cases[i].kcore || !k.kallsyms_path != !cases[i].symbols)
			fail_msg("%s: %s, %s", cases[i].what, k.kcore_path ? k.kcore_path : "no copy",
				 k.kallsyms_path ? k.kallsyms_path : "no symbols");
		if (cases[i].symbols)
			assert_string_equal(k.kallsyms_path, at(cases[i].symbols));
		assert_int_equal(k.kcore != NULL, cases[i].kcore != NULL);
		if (cases[i].kcore) {
			assert_string_equal(k.kcore_path, at(cases[i].kcore));
			assert_string_equal(k.kcore->path, k.kcore_path);
			assert_int_equal(k.kcore->kind, DSO_KCORE);
		}
		assert_string_equal(k.ref_sym, cases[i].symbol);
		assert_true(k.ref_addr == (*cases[i].symbol ? cases[i].addr : 0));
		kernel_free(&k);
		dso_table_free(&t);
	}
	if (was)
		setenv("HOME", was, 1);
	free(was);
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
	struct dso image = { .path = "vmlinux", .state = DSO_LOADED, .symbols_read = true, .syms = syms, .nr_syms = 2 };
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
	order = image.name_order;
	assert_non_null(order);
	assert_true(dso_symbol_address(&image, "one", &addr));
	assert_int_equal(addr, 0x1000);
	assert_ptr_equal(image.name_order, order);
	free(image.name_order);
	kernel_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(file_without_folder),
		cmocka_unit_test(not_there),
		cmocka_unit_test(cached),
		cmocka_unit_test(symbols_of_a_boot),
		cmocka_unit_test(symbols_of_the_image),
	};

	return cmocka_run_group_tests_name("images kcore", tests, make_copies, remove_dir);
}
