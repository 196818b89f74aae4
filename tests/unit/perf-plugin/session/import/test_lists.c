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
	assert_int_equal(names_make(&n, &list[0].name, 7, sizeof(list[0])), 0);
	assert_int_equal(n.nr, 7);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(names_find(&n, cases[i].name), cases[i].number);
	names_free(&n);
	assert_null(n.v);
	assert_int_equal(names_find(&n, str("b")), -1);
	assert_int_equal(names_make(&n, NULL, 0, 8), 0);
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

/* What one trace source has; a register's name may be the begin of another one's. */
static void cores(void **state)
{
	const struct core *m33 = core_by_name("Cortex-M33", 10), *a5 = core_by_name("cortex-a5", 9);
	uint64_t v = 0;

	(void)state;
	assert_string_equal(m33->name, "cortex-m33");
	assert_string_equal(core_by_name("cortex-m3", 9)->name, "cortex-m3");
	assert_null(core_by_name("cortex-m", 8));
	assert_null(core_by_name("cortex-m333", 11));
	assert_int_equal(m33->kind, KIND_ETMV4);
	assert_true(core_reg_value(m33, "TRCIDR0", &v) && v == 0x280006e1);
	assert_true(core_reg_value(m33, "TRCIDR1", &v) && v == 0x4100f421);
	assert_true(core_reg_value(m33, "TRCIDR11", &v) && v == 0);
	assert_true(core_reg_value(m33, "trcidr12", &v) && v == 1);
	assert_true(core_reg_value(m33, "TRCDEVARCH", &v) && v == 0x47724a13);
	assert_true(core_reg_value(a5, "ETMIDR", &v) && v == 0x410cf250);
	v = 5;
	assert_false(core_reg_value(a5, "ETMCCER", &v));
	assert_false(core_reg_value(a5, "ETMID", &v));
	assert_false(core_reg_value(core_by_name("etmv3", 5), "ETMIDR", &v));
	assert_int_equal(v, 5);
}

/* Each kind has the registers of its rows, in order; TRCIDR1 and TRCDEVARCH are assumed where they may be missing. */
static void registers(void **state)
{
	static const struct {
		enum core_kind kind;
		const char *type, *names;
	} cases[] = {
		{ KIND_ETMV3, "ETM3.5", " ETMTRACEIDR ETMIDR ETMCCR ETMCCER ETMCR" },
		{ KIND_PTM, "PTM1.1", " ETMTRACEIDR ETMIDR ETMCCR ETMCCER ETMCR" },
		{ KIND_ETMV4, "ETM4", " TRCTRACEIDR TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR3 TRCIDR4 TRCIDR5 TRCIDR6 TRCIDR7 TRCIDR8 "
		  "TRCIDR9 TRCIDR10 TRCIDR11 TRCIDR12 TRCIDR13 TRCDEVARCH TRCAUTHSTATUS TRCCONFIGR" },
		{ KIND_ETE, "ETE", " TRCTRACEIDR TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR3 TRCIDR4 TRCIDR5 TRCIDR6 TRCIDR7 TRCIDR8 "
		  "TRCIDR9 TRCIDR10 TRCIDR11 TRCIDR12 TRCIDR13 TRCDEVARCH TRCAUTHSTATUS TRCCONFIGR" },
		{ KIND_ITM, "ITM", " ITMTCR" },
		{ KIND_STM, "STM", " STMTCSR STMSPFEAT1R STMSPFEAT3R STMDEVID STMHEFEAT1R" },
	};
	static const struct {
		enum core_kind kind;
		const char *name;
		enum core_reg_rule rule;
		uint32_t value;
		uint8_t shift;
	} values[] = {
		{ KIND_ETMV4, "TRCTRACEIDR", REG_TRACE_ID, 0, 0 }, { KIND_ETMV4, "trcidr0", REG_REQUIRED, 0, 0 },
		{ KIND_ETMV4, "TRCIDR1", REG_ASSUMED, 0x4100f403, 0 }, { KIND_ETE, "TRCIDR1", REG_OPTIONAL, 0, 0 },
		{ KIND_ETE, "TRCIDR2", REG_REQUIRED, 0, 0 }, { KIND_ETMV4, "TRCIDR8", REG_ASSUMED, 0, 0 },
		{ KIND_ETMV4, "TRCDEVARCH", REG_OPTIONAL, 0, 0 }, { KIND_ETE, "TRCDEVARCH", REG_ASSUMED, 0x47705a13, 0 },
		{ KIND_ETMV4, "TRCCONFIGR", REG_CONFIG, 1, 0 }, { KIND_ETE, "TRCCONFIGR", REG_CONFIG, 1, 0 },
		{ KIND_PTM, "ETMTRACEIDR", REG_TRACE_ID, 0, 0 }, { KIND_ETMV3, "ETMIDR", REG_REQUIRED, 0, 0 },
		{ KIND_PTM, "ETMCR", REG_ASSUMED, 0, 0 }, { KIND_ITM, "ITMTCR", REG_TRACE_ID, 1, 16 },
		{ KIND_STM, "STMTCSR", REG_TRACE_ID, 1, 16 }, { KIND_STM, "STMDEVID", REG_OPTIONAL, 0, 0 },
	};
	const struct core_reg *r;
	char text[400];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(core_source_type(cases[i].kind), cases[i].type);
		*text = '\0';
		for (r = core_next_reg(cases[i].kind, NULL); r; r = core_next_reg(cases[i].kind, r))
			strcat(strcat(text, " "), r->name);
		assert_string_equal(text, cases[i].names);
	}
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		r = core_reg_by_name(values[i].kind, values[i].name, strlen(values[i].name));
		assert_non_null(r);
		assert_int_equal(r->rule, values[i].rule);
		assert_int_equal(r->value, values[i].value);
		assert_int_equal(r->shift, values[i].shift);
		assert_int_equal(r->meaning != NULL, (r->rule == REG_ASSUMED || r->rule == REG_CONFIG || r->kinds == 1u << KIND_ITM));
	}
	assert_null(core_reg_by_name(KIND_STM, "ITMTCR", 6));
	assert_null(core_reg_by_name(KIND_ETMV4, "TRCIDR", 6));
	assert_null(core_reg_by_name(KIND_ETMV4, "TRCIDR111", 9));
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

static void dropped(void **state)
{
	struct drops drops = { .name = "out\n", .count = 2 };
	struct said said;
	const char *text;

	(void)state;
	said_begin(&said);
	drops_add(&drops, 3, "%d of \033", 7);
	drops_profile(&drops, 9);
	text = said_end(&said);
	assert_string_equal(text, "cstrace convert: out\\x0a: dropped: 7 of \\x1b\n"
			    "cstrace convert: out\\x0a: dropped: the profile of CPU 9, which is not A: its trace is decoded "
			    "wrongly from here\n");
	assert_int_equal(drops.count, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(sources), cmocka_unit_test(cores),
		cmocka_unit_test(registers), cmocka_unit_test(verbs), cmocka_unit_test(dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
