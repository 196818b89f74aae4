/* SPDX-License-Identifier: BSD-3-Clause */
/* sched:sched_switch by the layout that a recording carries: elsewhere, absent, damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/sideband/tracepoint.h"
#include "parts.h"
#include "unit/perf-plugin/tracing_data.h"

static void both_byte_orders(void **state)
{
	static const struct {
		uint32_t prev, next;
		size_t size;
		bool taken;
	} rows[] = {
		{ 100, 4000000, TD_RAW_SIZE, true },
		/* from and to the idle task */
		{ 0, 5, TD_RAW_SIZE, true }, { 5, 0, TD_RAW_SIZE, true },
		/* a number that no thread has */
		{ 5, 0x80000000u, TD_RAW_SIZE, false },
		/* up to the last field that is read */
		{ 100, 4000000, 60, true }, { 100, 4000000, 59, false }, { 100, 4000000, 0, false },
	};
	struct sched_switch sw;
	struct tracepoint *tp;
	const char *problem;
	size_t i;
	int swap;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	for (swap = 0; swap < 2; swap++) {
		struct pdb data = { .swap = swap };

		td_build(&data, td_format);
		tp = tracepoint_new(data.p, data.len, &problem);
		assert_null(problem);
		assert_non_null(tp);
		assert_int_equal(tracepoint_id(tp), TD_SWITCH_ID);
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct pdb raw = { .swap = swap };

			td_switch(&raw, rows[i].prev, rows[i].next);
			assert_int_equal(raw.len, TD_RAW_SIZE);
			sw = (struct sched_switch){ (int)rows[i].prev, (int)rows[i].next };
			if (tracepoint_switch(tp, raw.p, rows[i].size, &sw) != rows[i].taken ||
			    sw.prev != (int)rows[i].prev || sw.next != (int)rows[i].next)
				fail_msg("row %zu: from %d to %d", i, sw.prev, sw.next);
			pdb_free(&raw);
		}
		tracepoint_free(tp);
		pdb_free(&data);
	}
}

/* Kernels differ in what stands before the fields, and old ones have 32-bit longs. */
static void fields_elsewhere(void **state)
{
	static const char format[] =
		"name: sched_switch\nID: 40000\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:pid_t next_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%d\", ((((((((( REC->next_pid\n";
	const uint8_t raw[] = { 0x40, 0x9c, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0 };
	struct pdb data = { 0 };
	struct sched_switch sw;
	struct tracepoint *tp;
	const char *problem;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	td_build(&data, format);
	tp = tracepoint_new(data.p, data.len, &problem);
	assert_null(problem);
	assert_non_null(tp);
	assert_int_equal(tracepoint_id(tp), 40000);
	assert_true(tracepoint_switch(tp, raw, sizeof(raw), &sw));
	assert_int_equal(sw.next, 7);
	assert_int_equal(sw.prev, 9);
	tracepoint_free(tp);
	pdb_free(&data);
}

/* A format with this line for the field next_pid. */
#define FORMAT(field) "name: sched_switch\nID: 5\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	"\tfield:" field ";\tsize:4;\n" \
	"\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"
#define A8	"aaaaaaaa"

static void not_there(void **state)
{
	static const char *const broken[] = {
		"name: sched_switch\nID: 5\nformat:\n"
		"\tfield:pid_t next_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
		"name: sched_switch\nnonsense",
		FORMAT("pid_t next_pid;\toffset:99999"), FORMAT("pid_t next_pid;\toffset:4097"),
		/* numbers, names and words that are longer than any, or too few */
		FORMAT("pid_t next_pid;\toffset:0000004"), FORMAT("next_pid;\toffset:4"),
		FORMAT("a b c d e f g h next_pid;\toffset:4"), FORMAT("pid_t 4next_pid;\toffset:4"),
		FORMAT("pid_t " A8 A8 A8 A8 A8 A8 A8 A8 "a next_pid;\toffset:4"),
	};
	const char *problem;
	size_t i;

	(void)state;
	for (i = 0; i <= sizeof(broken) / sizeof(broken[0]); i++) {
		struct pdb data = { 0 };

		td_build(&data, i ? broken[i - 1] : NULL);
		assert_null(tracepoint_new(data.p, data.len, &problem));
		if (i)
			assert_non_null(problem);
		else
			assert_null(problem);	/* a recording of other events is none */
		pdb_free(&data);
	}
	assert_null(tracepoint_new("tracing", 7, &problem));
	assert_non_null(problem);
	assert_null(tracepoint_new(NULL, 0, &problem));
	assert_non_null(problem);
}

/* The bytes in memory of their own, so that reading past them is found. */
static struct tracepoint *parse_copy(const uint8_t *p, size_t len, const char **problem)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct tracepoint *tp;

	memcpy(copy, p, len);
	tp = tracepoint_new(copy, len, problem);
	free(copy);
	return tp;
}

static void damaged_anywhere(void **state)
{
	static const uint8_t with[] = { 0x00, 0xff, 0x80, '\n', '9' };
	struct pdb data = { 0 }, raw = { 0 };
	struct sched_switch sw;
	const char *problem;
	struct tracepoint *tp;
	size_t i, k;
	uint8_t was;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	td_build(&data, td_format);
	td_switch(&raw, 1, 2);
	for (i = 0; i < data.len; i++)
		for (k = 0; k < sizeof(with); k++) {
			was = data.p[i];
			data.p[i] = with[k];
			tp = parse_copy(data.p, data.len, &problem);
			if (tp)
				tracepoint_switch(tp, raw.p, raw.len, &sw);
			tracepoint_free(tp);
			data.p[i] = was;
		}
	tp = parse_copy(data.p, data.len, &problem);
	assert_non_null(tp);
	tracepoint_free(tp);
	pdb_free(&data);
	pdb_free(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders), cmocka_unit_test(fields_elsewhere),
		cmocka_unit_test(not_there), cmocka_unit_test(damaged_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
