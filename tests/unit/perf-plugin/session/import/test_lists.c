/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists that are searched by name: names of a package, its trace sources, the table of cores, verbs of records; drops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/records.h"
#include "session/import/cores.h"
#include "session/import/drops.h"
#include "session/import/fields.h"
#include "session/import/names.h"
#include "session/import/sources.h"
#include "unit/perf-plugin/said.h"

static struct cst_str str(const char *s)
{
	return (struct cst_str){ s, strlen(s) };
}

/* Of equal names the first; a part of a name is another one. */
static void names(void **state)
{
	static const struct {
		const char *name;
		uint64_t other;
	} list[] = { { "b", 1 }, { "abc", 1 }, { "b", 1 }, { "ab", 1 }, { "", 1 }, { "c", 1 }, { "abc", 1 } };
	static const struct {
		struct cst_str name;
		long number;
	} cases[] = {
		{ { "b", 1 }, 0 }, { { "abc", 3 }, 1 }, { { "abcd", 3 }, 1 }, { { "abcd", 2 }, 3 }, { { "abcd", 4 }, -1 },
		{ { "abcd", 1 }, -1 }, { { "abcd", 0 }, 4 }, { { "c", 1 }, 5 }, { { "d", 1 }, -1 }, { { "ba", 2 }, -1 },
		{ { "ab\0", 3 }, -1 }, { { NULL, 0 }, -1 },
	};
	struct names n;
	size_t i;

	(void)state;
	names_make(&n, &list[0].name, 7, sizeof(list[0]));
	assert_int_equal(n.nr, 7);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(names_find(&n, cases[i].name), cases[i].number);
	names_free(&n);
	assert_null(n.v);
	assert_int_equal(names_find(&n, str("b")), -1);
	names_make(&n, NULL, 0, 8);
	assert_int_equal(names_find(&n, str("")), -1);
	names_free(&n);
}

static void sources(void **state)
{
	struct source_name v[] = { { "cpu1", 1, 0 }, { "cpu10", 10, 0 }, { "cpu1", 3, 0 }, { "", 4, 0 } };
	const struct source_names s = { .v = v, .nr = 4 };

	(void)state;
	assert_ptr_equal(source_of_cpu(&s, 1), &v[0]);
	assert_ptr_equal(source_of_cpu(&s, 3), &v[2]);
	assert_null(source_of_cpu(&s, 0));
	assert_ptr_equal(source_by_name(&s, str("cpu1")), &v[0]);
	assert_ptr_equal(source_by_name(&s, str("cpu10")), &v[1]);
	assert_null(source_by_name(&s, str("cpu")));
	assert_null(source_by_name(&s, str("cpu2")));
	assert_null(source_by_name(&s, str("cpu100")));
	/* an event without a name belongs to no source, not to one without a name */
	assert_null(source_by_name(&s, str("")));
	assert_null(source_by_name(&s, (struct cst_str){ NULL, 0 }));
}

/* Each record with fixed layout has a verb: its size, and place, size and sign of each of its fields. */
static void verbs(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		const char *layout;
	} cases[] = {
		{ "x_fragment", PERF_RECORD_AUX, "32+ offset:8/8 size:16/8 flags:24/8" },
		{ "x_itrace_start", PERF_RECORD_ITRACE_START, "16+ pid:8/4s tid:12/4s" },
		{ "x_switch", PERF_RECORD_SWITCH, "8+" },
		{ "x_switch_cpu_wide", PERF_RECORD_SWITCH_CPU_WIDE, "16+ pid:8/4s tid:12/4s" },
		{ "x_lost", PERF_RECORD_LOST, "24+ id:8/8 lost:16/8" },
		{ "x_lost_samples", PERF_RECORD_LOST_SAMPLES, "16+ lost:8/8" },
		{ "x_time_conv", PERF_RECORD_TIME_CONV, "56 shift:8/8 mult:16/8 zero:24/8 cycles:32/8 mask:40/8 cap_zero:48/1 cap_short:49/1" },
	};
	const struct record_verb *v;
	char text[200];
	size_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		v = record_verb_by_name(cases[i].name, strlen(cases[i].name));
		assert_non_null(v);
		assert_ptr_equal(record_verb_of(cases[i].type), v);
		n = (size_t)snprintf(text, sizeof(text), "%u%s", (unsigned int)v->size, v->trailer ? "+" : "");
		for (k = 0; v->fields[k].key; k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s:%u/%u%s", v->fields[k].key,
					      (unsigned int)v->fields[k].at, (unsigned int)v->fields[k].width,
					      v->fields[k].is_signed ? "s" : "");
		assert_string_equal(text, cases[i].layout);
	}
	assert_null(record_verb_of(PERF_RECORD_MMAP));
	assert_null(record_verb_by_name("x_los", 5));
	assert_null(record_verb_by_name("x_lost_", 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(sources),
		cmocka_unit_test(verbs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
