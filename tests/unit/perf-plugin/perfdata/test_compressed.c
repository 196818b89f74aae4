/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed records that expand to more than the reader keeps at a time, or cannot be expanded for lack of memory. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parts.h"
#include "perfdata/reader.h"
#include "unit/perf-plugin/perfdata_open.h"
#include "unit/temp_dir.h"

#define ST	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

TEMP_DIR("compressed")

static const struct pdb_attr attr = { .type = 8, .size = 128, .sample_type = ST, .sample_id_all = true, .ids = { 100 },
				      .nr_ids = 1 };

/* Puts a record of this number, compressed; `cut`: without the bytes of its end. */
static void put_compressed(struct pdb *b, uint32_t number, size_t cut)
{
	struct pdb_sid sid = { .pid = 5, .tid = 6, .time = number, .id = 100, .cpu = 3 };
	struct pdb raw = { 0 };

	pdb_mmap2(&raw, number, 0x400000, 0x2000, 0x1000, "/compressed", ST, &sid);
	raw.len -= cut;
	pdb_compressed(b, &raw, raw.len, true);
	pdb_free(&raw);
}

/*
 * The files of a folder are compressed independently of each other: one that is damaged, or ends inside a record, costs its own
 * records, in each pass anew.
 */
static void test_files_of_a_folder(void **state)
{
	enum { FILES = 5 };
	static const int after[FILES] = { 0, ERR_ZSTD, 0, ERR_CUT, 0 };
	struct pdb data = { 0 }, file = { 0 }, format = { 0 };
	const struct pdb_feature feature = { PD_FEAT_DIR_FORMAT, &format };
	struct perfdata *pd;
	struct pd_record r;
	struct error err;
	char name[16];
	uint32_t i;
	int pass;

	(void)state;
	NEEDS(ZSTD);
	pdb_u64(&format, 1);
	put_compressed(&data, 1, 0);
	pdb_file(&file, &attr, 1, 0, &data, &feature, 1);
	temp_write(dir, "data", file.p, file.len);
	pdb_free(&data);
	for (i = 0; i < FILES; i++) {
		put_compressed(&data, 10 * i, 0);
		if (after[i] == ERR_ZSTD)
			memset(data.p + 16, 0xff, 12);
		if (after[i] == ERR_CUT) {
			pdb_free(&data);
			put_compressed(&data, 10 * i, 8);
		}
		snprintf(name, sizeof(name), "data.%u", i);
		temp_write(dir, name, data.p, data.len);
		pdb_free(&data);
	}
	pd = perfdata_open(dir, &err);
	assert_non_null(pd);
	for (pass = 0; pass < 2; pass++) {
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(r.file, 0);
		for (i = 0; i < FILES; i++) {
			int rc = perfdata_next(pd, &r);

			if (rc != (after[i] ? after[i] : 1))
				fail_msg("pass %d, file %u: %d, %s", pass, i, rc, perfdata_error(pd)->msg);
			if (after[i])
				continue;
			assert_int_equal(r.file, i + 1);
			assert_int_equal(r.ev->mmap2.pid, 10 * i);
			assert_int_equal(r.sid.time, 10 * i);
		}
		assert_int_equal(perfdata_next(pd, &r), 0);
		perfdata_rewind(pd);
	}
	perfdata_close(pd);
	pdb_free(&format);
	pdb_free(&file);
}

#define EXPANDED \
	"mem: offset %#zx: found compressed records that expand from %zu to more than %zu bytes, " \
	"expected less; the compressed records from here on are left out, --max-expand=SIZE " \
	"takes more"

/*
 * What expands to more than the limit is lost from the record on that exceeds it, with one message; what is not compressed is
 * read. The limit holds for each pass.
 */
static void test_limit(void **state)
{
	enum { NAMES = 6 };
	struct pdb_sid sid = { .pid = 5, .tid = 6, .id = 100, .cpu = 3 };
	struct pdb raw = { 0 }, data = { 0 };
	const struct pd_stats *stats;
	uint64_t len[3], at[3];
	struct perfdata *pd;
	struct pd_record r;
	char want[400];
	unsigned int i, n, pass, less;
	size_t where;

	(void)state;
	NEEDS(ZSTD);
	for (i = 0; i < NAMES; i++)
		pdb_comm(&raw, i, i, "compressed", ST, &sid);
	/* three records, of two names each */
	pdb_compressed(&data, &raw, raw.len / 3, false);
	for (i = 0, where = 0; i < 3; i++) {
		at[i] = where;
		len[i] = (uint64_t)(data.p[where + 6] | data.p[where + 7] << 8);
		where += len[i];
	}
	assert_int_equal(where, data.len);
	pdb_comm(&data, 77, 77, "plain", ST, &sid);
	pd = pdb_open(&attr, 1, &data, NULL, 0);
	for (less = 0; less < 3; less++) {
		perfdata_set_max_expand(pd, less == 2 ? raw.len / 3 : raw.len - less);
		for (pass = 0; pass < 2; pass++) {
			perfdata_rewind(pd);
			n = less == 0 ? NAMES : less == 1 ? 4 : 2;
			for (i = 0; i < n; i++) {
				assert_int_equal(perfdata_next(pd, &r), 1);
				assert_int_equal(r.ev->comm.pid, i);
			}
			stats = perfdata_stats(pd);
			if (less) {
				i = less == 1 ? 2 : 1;
				assert_int_equal(perfdata_next(pd, &r), ERR_EXPAND);
				snprintf(want, sizeof(want), EXPANDED, (size_t)(0x100 + at[i]),
					 (size_t)(at[i] + len[i] - 8 * (i + 1)),
					 less == 2 ? raw.len / 3 : raw.len - less);
				assert_string_equal(perfdata_error(pd)->msg, want);
			}
			assert_int_equal(perfdata_next(pd, &r), 1);
			assert_int_equal(r.ev->comm.pid, 77);
			assert_int_equal(perfdata_next(pd, &r), 0);
			assert_int_equal(stats->compressed_records, 3);
			assert_int_equal(stats->compressed_bytes, where - 3 * 8);
			assert_int_equal(stats->lost_compressed, less);
			assert_int_equal(stats->lost_bytes, less == 2 ? len[2] - 8 : 0);
		}
	}
	perfdata_close(pd);
	pdb_free(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_files_of_a_folder),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
