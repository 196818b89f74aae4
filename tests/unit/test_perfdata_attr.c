/* SPDX-License-Identifier: BSD-3-Clause */
/* Which event a record is of, by the ID in it. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr_of_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
