/* SPDX-License-Identifier: BSD-3-Clause */
/* Which event a record is of, by the ID in it; where the ID is, and whose it is. */
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

/* If two attrs have the ID at different places of a record, a record has the first attr, whatever its ID is. */
static void other_positions(void **state)
{
	static const struct {
		uint64_t st;
		bool same;
	} cases[] = {
		{ PERF_SAMPLE_ID | PERF_SAMPLE_TIME, true }, { PERF_SAMPLE_ID | PERF_SAMPLE_TID, true },
		{ PERF_SAMPLE_ID, false }, { PERF_SAMPLE_ID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, false },
		{ PERF_SAMPLE_IDENTIFIER, false }, { PERF_SAMPLE_TIME, false },
	};
	static const uint64_t ids[2] = { 5, 6 };
	uint64_t record[3] = { 0, 1000, 6 };
	const struct perf_event_header h = { .type = PERF_RECORD_SAMPLE, .size = 24 };
	struct pd_attrs as;
	size_t i, k;

	(void)state;
	memcpy(record, &h, 8);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_attr attr = { .sample_type = cases[0].st, .sample_id_all = 1 };

		pd_attrs_init(&as);
		for (k = 0; k < 2; k++, attr.sample_type = cases[i].st)
			assert_non_null(pd_attrs_add(&as, &attr, sizeof(attr), &ids[k], 1));
		assert_int_equal(as.same_pos, cases[i].same);
		assert_ptr_equal(pd_attrs_of_event(&as, (const union perf_event *)record, false), as.v[cases[i].same]);
		/* another one like the first does not change that */
		attr.sample_type = cases[0].st;
		assert_non_null(pd_attrs_add(&as, &attr, sizeof(attr), NULL, 0));
		assert_int_equal(as.same_pos, cases[i].same);
		record[2] = __builtin_bswap64(6);
		assert_ptr_equal(pd_attrs_of_event(&as, (const union perf_event *)record, true), as.v[cases[i].same]);
		record[2] = 6;
		pd_attrs_free(&as);
	}
}

/* Each ID has the first attr that came with it, however many there are. */
static void many_ids(void **state)
{
	enum { ATTRS = 40, EACH = 33 };
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_ID };
	uint64_t ids[EACH];
	struct pd_attrs as;
	unsigned int i, k;

	(void)state;
	pd_attrs_init(&as);
	assert_null(pd_attrs_by_id(&as, 0));
	for (i = 0; i < 32; i++)
		ids[i] = i;
	assert_non_null(pd_attrs_add(&as, &attr, sizeof(attr), ids, 32));
	assert_int_equal(as.nr_slots, 64);
	assert_non_null(pd_attrs_add(&as, &attr, sizeof(attr), &ids[31], 1));
	assert_int_equal(as.nr_slots, 128);
	assert_int_equal(as.nr_ids, 33);
	assert_ptr_equal(pd_attrs_by_id(&as, 31), as.v[0]);
	pd_attrs_free(&as);
	assert_null(pd_attrs_by_id(&as, 31));
	for (i = 0; i < ATTRS; i++) {
		for (k = 0; k < EACH; k++)
			ids[k] = (uint64_t)i << 44 | k << (i % 3 * 10);
		attr.config = i;
		assert_non_null(pd_attrs_add(&as, &attr, sizeof(attr), ids, EACH));
		assert_true(as.nr_slots >= 2 * as.nr_ids && !(as.nr_slots & (as.nr_slots - 1)));
		assert_int_equal(as.v[i]->index, i);
		assert_int_equal(as.v[i]->nr_ids, EACH);
		assert_memory_equal(as.v[i]->ids, ids, sizeof(ids));
	}
	for (i = 0; i < ATTRS; i++) {
		assert_int_equal(as.v[i]->attr.config, i);
		for (k = 0; k < EACH; k++)
			assert_ptr_equal(pd_attrs_by_id(&as, (uint64_t)i << 44 | k << (i % 3 * 10)), as.v[i]);
		assert_null(pd_attrs_by_id(&as, (uint64_t)i << 44 | 1 << 19));
	}
	pd_attrs_free(&as);
	assert_int_equal(as.nr + as.cap + as.nr_slots + as.nr_ids, 0);
}

/* Attrs of older and newer recorders, and names, which are replaced. */
static void sizes_and_names(void **state)
{
	struct {
		struct perf_event_attr attr;
		uint8_t newer[8];
	} file = { .attr = { .type = 7, .config = 9, .sample_type = 5 }, .newer = { 1, 2, 3 } };
	struct pd_attrs as;
	struct pd_attr *a;

	(void)state;
	pd_attrs_init(&as);
	a = pd_attrs_add(&as, &file, sizeof(file), NULL, 0);
	assert_int_equal(a->file_size, sizeof(file));
	assert_memory_equal(&a->attr, &file.attr, sizeof(a->attr));
	assert_null(a->ids);
	a = pd_attrs_add(&as, &file, 16, NULL, 0);
	assert_int_equal(a->file_size, 16);
	assert_int_equal(a->attr.type, 7);
	assert_int_equal(a->attr.config, 9);
	assert_int_equal(a->attr.sample_type, 0);
	assert_null(a->name);
	assert_true(pd_attr_set_name(a, "cycles", 3));
	assert_string_equal(a->name, "cyc");
	assert_true(pd_attr_set_name(a, "x", 9));
	assert_string_equal(a->name, "x");
	pd_attrs_free(&as);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions),
		cmocka_unit_test(other_positions),
		cmocka_unit_test(many_ids),
		cmocka_unit_test(sizes_and_names),
		cmocka_unit_test(test_attr_of_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
