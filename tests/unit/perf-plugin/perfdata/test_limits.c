/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and counts at their limits: attribute entries, ids, payloads, strings; and what a file that is something else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/feature.h"
#include "perfdata/reader.h"
#include "unit/perf-plugin/session_build.h"

#define HEADER		104

static struct pdb data, file;

static int tear_down(void **state)
{
	(void)state;
	pdb_free(&data);
	pdb_free(&file);
	memset(&data, 0, sizeof(data));
	memset(&file, 0, sizeof(file));
	return 0;
}

static void put_comm(void)
{
	struct pdb_sid s = sb_sid(10);

	pdb_comm(&data, 7, 7, "it", SB_ST, &s);
}

static struct perfdata *open_file(struct error *err)
{
	return perfdata_open_memory(file.p, file.len, "test", err);
}

/* The place of the ids is at the end of the entry, or behind a shorter attribute; if neither is in the file, it is damaged. */
static void place_of_ids(void **state)
{
	static const uint64_t nowhere[2] = { UINT64_MAX / 2, 8 };
	const size_t entry = HEADER + 8;	/* behind one id */
	struct pdb_attr attr = sb_attr;
	const struct pd_attr *a;
	struct perfdata *pd;
	struct error err;
	unsigned int round;

	(void)state;
	attr.size = 64;
	for (round = 0; round < 3; round++) {
		put_comm();
		pdb_file(&file, &attr, 1, 144, &data, NULL, 0);
		if (round) {
			memcpy(file.p + entry + 64, round == 1 ? file.p + entry + 128 : (const uint8_t *)nowhere, 16);
			memcpy(file.p + entry + 128, nowhere, 16);
		}
		pd = open_file(&err);
		if (!pd)
			fail_msg("%s", err.msg);
		a = perfdata_attr(pd, 0);
		assert_int_equal(a->damaged, round == 2);
		assert_int_equal(a->nr_ids, round < 2);
		assert_int_equal(perfdata_nr_warnings(pd), round == 2);
		if (round < 2)
			assert_int_equal(a->ids[0], 50);
		perfdata_close(pd);
		tear_down(NULL);
	}
}

/* The bytes of tracing data are padded to eight, and the next record follows them. */
static void tracing_data(void **state)
{
	struct pd_record rec;
	struct perfdata *pd;
	struct error err;
	uint32_t size;
	size_t at;

	(void)state;
	for (size = 0; size <= 17; size++) {
		at = pdb_begin(&data, 66, 0);
		pdb_u32(&data, size);
		pdb_u32(&data, 0);
		pdb_end(&data, at);
		pdb_zero(&data, (size + 7) / 8 * 8);
		put_comm();
		pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
		pd = open_file(&err);
		assert_non_null(pd);
		assert_int_equal(perfdata_next(pd, &rec), 1);
		assert_int_equal(rec.payload_size, (size + 7) / 8 * 8);
		if (perfdata_next(pd, &rec) != 1 || strcmp(rec.ev->comm.comm, "it"))
			fail_msg("no record behind tracing data of %u bytes", size);
		assert_int_equal(perfdata_next(pd, &rec), 0);
		perfdata_close(pd);
		tear_down(NULL);
	}
}

/* An id that no event has is counted, unless there is only one event that it can belong to. */
static void unknown_ids(void **state)
{
	const struct pdb_attr attrs[2] = { { .type = 8, .size = 128, .sample_type = SB_ST, .sample_id_all = true, .ids = { 60 },
					     .nr_ids = 1 }, { .type = 8, .size = 128, .sample_type = SB_ST, .sample_id_all = true,
					     .ids = { 61 }, .nr_ids = 1 } };
	struct pd_record rec;
	struct perfdata *pd;
	struct error err;
	unsigned int nr;

	(void)state;
	for (nr = 1; nr <= 2; nr++) {
		put_comm();
		pdb_file(&file, attrs, nr, 0, &data, NULL, 0);
		pd = open_file(&err);
		assert_non_null(pd);
		assert_int_equal(perfdata_next(pd, &rec), 1);
		assert_int_equal(rec.sid.id, 50);
		assert_int_equal(perfdata_stats(pd)->unknown_ids, nr - 1);
		perfdata_close(pd);
		tear_down(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(place_of_ids, tear_down),
		cmocka_unit_test_teardown(tracing_data, tear_down),
		cmocka_unit_test_teardown(unknown_ids, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
