/* SPDX-License-Identifier: BSD-3-Clause */
/* Which event a record is of, and where its ID is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/attr.h"

/* The attr whose ID a record has where attrs have theirs; the first one for what is too short for it or has none. */
static void test_attr_of_event(void **state)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr), .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, .sample_id_all = 1,
	};
	static const uint64_t ids[2] = { 5, 6 };
	static const struct {
		uint32_t type;
		unsigned int words;	/* behind the header */
		uint64_t id[3];
		unsigned int attr;
	} cases[] = {
		{ PERF_RECORD_SAMPLE, 2, { 6, 1000 }, 1 }, { PERF_RECORD_SAMPLE, 2, { 5, 1000 }, 0 },
		{ PERF_RECORD_SAMPLE, 1, { 6 }, 1 }, { PERF_RECORD_SAMPLE, 0, { 6 }, 0 },
		{ PERF_RECORD_SAMPLE, 2, { 7, 6 }, 0 }, { PERF_RECORD_SAMPLE, 2, { 0, 6 }, 0 },
		{ PERF_RECORD_COMM, 3, { 5, 1000, 6 }, 1 }, { PERF_RECORD_COMM, 3, { 6, 1000, 5 }, 0 },
		{ PERF_RECORD_COMM, 1, { 6 }, 1 }, { PERF_RECORD_COMM, 0, { 6 }, 0 },
	};
	uint64_t record[4];
	struct perf_event_header h;
	struct pd_attr *a[2];
	struct pd_attrs as;
	size_t i;

	(void)state;
	pd_attrs_init(&as);
	assert_null(pd_attrs_of_event(&as, (const union perf_event *)record, false));
	for (i = 0; i < 2; i++) {
		a[i] = pd_attrs_add(&as, &attr, sizeof(attr), &ids[i], 1);
		assert_non_null(a[i]);
	}
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		h = (struct perf_event_header){ .type = cases[i].type, .size = (uint16_t)(8 + 8 * cases[i].words) };
		memcpy(record, &h, 8);
		memcpy(record + 1, cases[i].id, 24);
		assert_ptr_equal(pd_attrs_of_event(&as, (const union perf_event *)record, false), a[cases[i].attr]);
	}
	pd_attrs_free(&as);
}

/* Where the ID is in samples and in other records, and how long the sample_id of these is. */
static void positions(void **state)
{
	static const struct {
		uint64_t st;
		int id_pos, is_pos;
		unsigned int trailer;
	} cases[] = {
		{ PERF_SAMPLE_IDENTIFIER, 0, 1, 8 },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_CPU, 0, 1, 24 },
		{ PERF_SAMPLE_ID, 0, 1, 8 }, { PERF_SAMPLE_ID | PERF_SAMPLE_IP, 1, 1, 8 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_TID, 1, 1, 16 }, { PERF_SAMPLE_ID | PERF_SAMPLE_TIME, 1, 1, 16 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_ADDR, 1, 1, 8 }, { PERF_SAMPLE_ID | PERF_SAMPLE_CPU, 0, 2, 16 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID, 0, 2, 16 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
		  PERF_SAMPLE_STREAM_ID, 4, 3, 40 },
		{ PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, -1, -1, 16 }, { 0, -1, -1, 0 },
	};
	struct pd_attrs as;
	size_t i, all;

	(void)state;
	for (all = 0; all < 2; all++)
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const struct perf_event_attr attr = { .sample_type = cases[i].st, .sample_id_all = all };
			struct pd_attr *a;

			pd_attrs_init(&as);
			a = pd_attrs_add(&as, &attr, sizeof(attr), NULL, 0);
			assert_non_null(a);
			assert_int_equal(a->id_pos, cases[i].id_pos);
			assert_int_equal(a->is_pos, cases[i].is_pos);
			assert_int_equal(a->trailer, all ? cases[i].trailer : 0);
			pd_attrs_free(&as);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions), cmocka_unit_test(test_attr_of_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
