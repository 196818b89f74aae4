/* SPDX-License-Identifier: BSD-3-Clause */
/* What simpleperf writes of a phone's kernel: its symbols in pieces, and where modules were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "perfdata/reader.h"
#include "session/internal.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/session_open.h"

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
static void no_symbols(void **state)
{
	struct pdb data = { 0 };
	struct session *ss;
	unsigned int i;

	(void)state;
	sb_side_band(&data, "/two.bin");
	symbol_record(&data, 0, 0);
	for (i = 0; i < 2; i++)
		pdb_end(&data, pdb_begin(&data, i ? PD_RECORD_SP_SPLIT_END : PD_RECORD_SP_SPLIT, 0));
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

static void modules(void **state)
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
		assert_true(d->text.known && d->text.in_file == 0x40 && d->text.in_memory == 0x48);
		assert_false(file_of(ss, "/vendor/lib/b.ko")->text.known);
		d = file_of(ss, "/vendor/lib/c.ko");
		assert_int_equal(d->text.known, !damaged);
		session_close(ss);
		pdb_free(&files);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_symbols), cmocka_unit_test(modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
