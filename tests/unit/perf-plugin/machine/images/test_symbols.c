/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols of kernels, of phones' kernels and of generated code (kallsyms, perf-PID.map). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/kallsyms.h"
#include "machine/images/perf_maps.h"
#include "machine/images/perfmap.h"
#include "perfdata/reader.h"
#include "session/decode/locate.h"
#include "session/internal.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

static const char kallsyms[] =
	"ffff800008000000 t _head\n"
	"ffff800008010000 T _stext\n"
	"ffff800008010000 t __first\n"
	"ffff800008010000 T first\n"
	"ffff800008010100 t twice\n"
	"ffff800008010200 t twice\n"
	"ffff800008010300 W weak\n"
	"ffff800008010400 D data\n"
	"not a line\n"
	"ffff800008010500\n"
	"ffff800008010600 T \n"
	"\n"
	"ffff800000001000 t init_module\t[one]\n"
	"ffff800000001100 T shared\t[one]\n"
	"ffff800000002000 t init_module\t[two_b]\n"
	"ffff800000002100 t shared\t[two_b]\n"
	"ffff800000002200 t same\t[two_b]\n"
	"ffff800000002200 t same\t[two_b]\n"
	"ffff800000002400 t last";

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void kernel_symbols(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name;	/* NULL: none */
		uint64_t start, end;
	} rows[] = {
		{ 0xffff800008010004, "first", 0xffff800008010000, 0xffff800008010100 },
		{ 0xffff8000080103ff, "weak", 0xffff800008010300, 0xffff800008010400 },
		{ 0xffff800008010404, NULL, 0, 0 },	/* data */
		{ 0x1000, NULL, 0, 0 },
		{ 0xffff800000001104, "shared", 0xffff800000001100, 0xffff800000002000 },
	};
	struct kallsyms *ks = kallsyms_read(kallsyms, sizeof(kallsyms) - 1);
	uint64_t start, end, addr;
	const char *name;
	size_t i;

	(void)state;
	assert_non_null(ks);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start = end = 0;
		if (!kallsyms_find(ks, rows[i].addr, &name, &start, &end))
			name = NULL;
		if (!same(name, rows[i].name) || start != rows[i].start || end != rows[i].end)
			fail_msg("row %zu: %s", i, name ? name : "none");
	}
	assert_true(kallsyms_address(ks, "_stext", NULL, &addr));
	assert_int_equal(addr, 0xffff800008010000);
	assert_false(kallsyms_address(ks, "twice", NULL, &addr));
	assert_false(kallsyms_address(ks, "init_module", NULL, &addr));
	assert_true(kallsyms_address(ks, "init_module", "two_b", &addr));
	assert_int_equal(addr, 0xffff800000002000);
	assert_true(kallsyms_address(ks, "same", "two_b", &addr));
	assert_false(kallsyms_address(ks, "first", "one", &addr));
	assert_false(kallsyms_address(ks, "", NULL, &addr));
	/* only global functions of modules are for others */
	assert_true(kallsyms_exported(ks, "shared", &addr));
	assert_int_equal(addr, 0xffff800000001100);
	assert_false(kallsyms_exported(ks, "init_module", &addr));
	assert_false(kallsyms_exported(ks, "first", &addr));
	kallsyms_free(ks);
}

static void names_of_generated_code(void **state)
{
	static const char text[] =
		"6000 10 highest\n"	/* in no order, as code is generated where there is room */
		"1000 100 old name\n"
		"1000 80 new name(int, char)\n"
		"800 10 lowest\n"
		"2000 10 b\n"
		"zz 10 c\n"
		"3000 d\n"
		"4000 10\n"
		"99999999999999999 10 too much\n"
		"a040 20 freed\n"
		"a0f0 20 freed, too\n"
		"a000 100 compiled later\n"
		"b000 100 first\n"
		"b080 100 second\n"
		"b100 100 third\n"
		"c000 0 nothing\n"
		"fffffffffffffff0 ff to the end\n"
		"5000 20 end";
	static const struct {
		uint64_t addr;
		const char *name;	/* NULL: none */
		uint64_t start, size;
	} rows[] = {
		{ 0x1010, "new name(int, char)", 0x1000, 0x80 }, { 0x10f0, NULL, 0, 0 },
		{ 0xfff, NULL, 0, 0 }, { 0x2010, NULL, 0, 0 }, { 0x3000, NULL, 0, 0 },
		{ 0x4000, NULL, 0, 0 },
		{ 0x501f, "end", 0x5000, 0x20 }, { 0x6000, "highest", 0x6000, 0x10 },
		{ 0x800, "lowest", 0x800, 0x10 },
		/* a smaller one that was there before */
		{ 0xa050, "compiled later", 0xa000, 0x100 },
		{ 0xa0f8, "compiled later", 0xa000, 0x100 },
		{ 0xa108, NULL, 0, 0 },
		/* one after the other */
		{ 0xb010, NULL, 0, 0 }, { 0xb0f0, NULL, 0, 0 }, { 0xb100, "third", 0xb100, 0x100 },
		{ 0xc000, NULL, 0, 0 },
		{ 0xfffffffffffffff8, "to the end", 0xfffffffffffffff0, 0xff },
	};
	struct perf_map *pm = perf_map_read(strdup(text));
	uint64_t start, size;
	const char *name;
	size_t i;

	(void)state;
	assert_non_null(pm);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start = size = 0;
		if (!perf_map_find(pm, rows[i].addr, &name, &start, &size))
			name = NULL;
		if (!same(name, rows[i].name) || start != rows[i].start || size != rows[i].size)
			fail_msg("row %zu: %s", i, name ? name : "none");
	}
	perf_map_free(pm);
	pm = perf_map_read(strdup(""));
	assert_false(perf_map_find(pm, 0, &name, &start, &size));
	perf_map_free(pm);
}

/* /tmp of the recorded machine is that below its files; this machine's only if it is the same. */
static void files_of_processes(void **state)
{
	const int pid = (int)getpid();
	char symfs[] = "/tmp/cstrace-perfmap-XXXXXX", file[32];
	struct utsname host;
	uint64_t start, size;
	const char *name;
	unsigned int i;

	(void)state;
	assert_int_equal(uname(&host), 0);
	assert_non_null(mkdtemp(symfs));
	snprintf(file, sizeof(file), "tmp/perf-%d.map", pid);
	temp_write(symfs, file, "1000 10 below\n", 14);
	temp_write("/", file, "1000 10 here\n", 13);
	for (i = 0; i < 5; i++) {
		struct perf_maps pms = { .symfs = i & 1 ? symfs : NULL,
					 .hostname = i < 2 ? "another machine" : i < 4 ? host.nodename : NULL };
		const struct perf_map *pm = perf_maps_get(&pms, pid);

		name = NULL;
		perf_map_find(pm, 0x1000, &name, &start, &size);
		assert_true(same(name, i & 1 ? "below" : i == 2 ? "here" : NULL));
		/* read once; one that is not there has no names */
		assert_ptr_equal(perf_maps_get(&pms, pid), pm);
		pm = perf_maps_get(&pms, pid + 1000000000);
		assert_false(perf_map_find(pm, 0x1000, &name, &start, &size));
		perf_maps_free(&pms);
	}
	unlink(temp_path("/", file));
	assert_int_equal(temp_remove(symfs), 0);
}

/* The idle task has a name that no record tells; what no thread is known for has none. */
static void name_of_idle_task(void **state)
{
	struct stream s = { .tid = 0 };

	(void)state;
	assert_string_equal(session_comm(&s), "swapper");
	s.tid = -1;
	assert_null(session_comm(&s));
}

/* ---- what simpleperf writes of a phone's kernel ------------------------------------- */

#define MODULES 0xffffffc000800000ull

static const char symbols[] = "ffffffc008000000 T _text\nffffffc008001000 T do_work\n";

/* The symbols' record, whose bytes are split into pieces of this size; 0: it is whole. */
static void symbol_record(struct pdb *b, size_t piece, uint32_t claimed)
{
	struct pdb whole = { 0 };
	size_t at = pdb_begin(&whole, PD_RECORD_SP_KERNEL_SYMBOL, 0), i, n;

	pdb_u32(&whole, claimed);
	pdb_bytes(&whole, symbols, sizeof(symbols) - 1);
	pdb_zero(&whole, -whole.len & 7);
	pdb_end(&whole, at);
	if (!piece) {
		pdb_bytes(b, whole.p, whole.len);
	} else {
		for (i = 0; i < whole.len; i += n) {
			n = whole.len - i < piece ? whole.len - i : piece;
			at = pdb_begin(b, PD_RECORD_SP_SPLIT, 0);
			pdb_bytes(b, whole.p + i, n);
			pdb_end(b, at);
		}
		at = pdb_begin(b, PD_RECORD_SP_SPLIT_END, 0);
		pdb_end(b, at);
	}
	pdb_free(&whole);
}

static struct session *open_recording(struct pdb *data, const struct pdb *files)
{
	const struct pdb_feature feat = { PD_FEAT_SP_FILE2, files };
	struct session_opts so = { .symfs = "/nonexistent" };

	return sb_open(data, &so, files ? &feat : NULL);
}

static const struct dso *file_of(const struct session *ss, const char *path)
{
	size_t i;

	for (i = 0; i < ss->images.dsos.nr; i++)
		if (!strcmp(dso_path(ss->images.dsos.all[i]), path))
			return ss->images.dsos.all[i];
	fail_msg("no %s", path);
	return NULL;
}

/* A record of no symbols is none, and pieces of nothing are no record. */
static void symbols_of_phones(void **state)
{
	struct pdb data = { 0 };
	struct session *ss;

	(void)state;
	sb_side_band(&data, "/two.bin");
	symbol_record(&data, 0, 0);
	pdb_end(&data, pdb_begin(&data, PD_RECORD_SP_SPLIT, 0));
	pdb_end(&data, pdb_begin(&data, PD_RECORD_SP_SPLIT_END, 0));
	ss = open_recording(&data, NULL);
	assert_int_equal(ss->side.bad_records, 1);
	assert_null(ss->images.kernel.recorded_kallsyms);
	session_close(ss);
	sb_side_band(&data, "/two.bin");
	symbol_record(&data, 0, 0);
	symbol_record(&data, 16, sizeof(symbols) - 1);	/* the first one with any */
	ss = open_recording(&data, NULL);
	assert_int_equal(ss->side.bad_records, 0);
	assert_int_equal(ss->images.kernel.recorded_kallsyms_len, sizeof(symbols) - 1);
	session_close(ss);
}

static void put_file(struct pdb *b, const char *path, uint8_t type, uint8_t vaddr, uint8_t offset)
{
	const uint8_t tail[] = { 0x10, type, 0x18, vaddr, 0x3a, 0x02, 0x08, offset };
	uint8_t n = (uint8_t)strlen(path);

	pdb_u32(b, 2u + n + (uint32_t)sizeof(tail));
	pdb_bytes(b, "\x0a", 1);
	pdb_bytes(b, &n, 1);
	pdb_bytes(b, path, n);
	pdb_bytes(b, tail, sizeof(tail));
}

static void modules_of_phones(void **state)
{
	struct pdb data = { 0 }, files = { 0 };
	const struct dso *d;
	struct session *ss;
	unsigned int damaged;

	(void)state;
	for (damaged = 0; damaged < 2; damaged++) {
		sb_side_band(&data, "/two.bin");
		sb_kernel_map(&data, 10, MODULES, 0x4000, 0, "/vendor/lib/a.ko");
		sb_kernel_map(&data, 10, MODULES + 0x8000, 0x4000, 0, "/vendor/lib/b.ko");
		sb_kernel_map(&data, 10, MODULES + 0x10000, 0x4000, 0, "/vendor/lib/c.ko");
		files = (struct pdb){ 0 };
		put_file(&files, "/two.bin", 2, 1, 1);
		put_file(&files, "/vendor/lib/a.ko", 1, 0x40, 0x48);
		if (damaged)
			pdb_bytes(&files, "\x01\0\0\0\xff", 5);
		put_file(&files, "/vendor/lib/b.ko", 1, 0, 0);	/* its file was not found */
		put_file(&files, "/vendor/lib/c.ko", 1, 0, 0x10);
		ss = open_recording(&data, &files);
		assert_int_equal(ss->side.bad_records, damaged);
		d = file_of(ss, "/vendor/lib/a.ko");
		assert_int_equal(d->kind, DSO_MODULE);
		assert_true(d->module.text.known && d->module.text.in_file == 0x40 &&
			    d->module.text.in_memory == 0x48);
		assert_false(file_of(ss, "/vendor/lib/b.ko")->module.text.known);
		d = file_of(ss, "/vendor/lib/c.ko");
		assert_int_equal(d->module.text.known, !damaged);
		session_close(ss);
		pdb_free(&files);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_processes), cmocka_unit_test(symbols_of_phones),
		cmocka_unit_test(modules_of_phones), cmocka_unit_test(kernel_symbols),
		cmocka_unit_test(names_of_generated_code), cmocka_unit_test(name_of_idle_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
