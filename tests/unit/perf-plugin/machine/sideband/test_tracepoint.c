/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sched:sched_switch by the layout that a recording carries: in both byte orders, with the fields elsewhere,
 * cut at every byte, damaged at every byte.
 */
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
	struct sched_switch sw;
	struct tracepoint *tp;
	const char *problem;
	int swap;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	for (swap = 0; swap < 2; swap++) {
		struct pdb data = { .swap = swap }, raw = { .swap = swap };

		td_build(&data, td_format);
		td_switch(&raw, 100, 4000000);
		assert_int_equal(raw.len, TD_RAW_SIZE);
		tp = tracepoint_new(data.p, data.len, &problem);
		assert_null(problem);
		assert_non_null(tp);
		assert_int_equal(tracepoint_id(tp), TD_SWITCH_ID);
		assert_true(tracepoint_switch(tp, raw.p, raw.len, &sw));
		assert_int_equal(sw.prev, 100);
		assert_int_equal(sw.next, 4000000);
		/* from and to the idle task */
		pdb_free(&raw);
		raw = (struct pdb){ .swap = swap };
		td_switch(&raw, 0, 5);
		assert_true(tracepoint_switch(tp, raw.p, raw.len, &sw));
		assert_int_equal(sw.prev, 0);
		assert_int_equal(sw.next, 5);
		pdb_free(&raw);
		raw = (struct pdb){ .swap = swap };
		td_switch(&raw, 5, 0);
		assert_true(tracepoint_switch(tp, raw.p, raw.len, &sw));
		assert_int_equal(sw.next, 0);
		/* a number that no thread has */
		pdb_free(&raw);
		raw = (struct pdb){ .swap = swap };
		td_switch(&raw, 5, 0x80000000u);
		assert_false(tracepoint_switch(tp, raw.p, raw.len, &sw));
		pdb_free(&raw);
		raw = (struct pdb){ .swap = swap };
		td_switch(&raw, 100, 4000000);
		/* up to the last field that is read */
		assert_true(tracepoint_switch(tp, raw.p, 60, &sw));
		assert_false(tracepoint_switch(tp, raw.p, 59, &sw));
		assert_false(tracepoint_switch(tp, raw.p, 0, &sw));
		assert_false(tracepoint_switch(tp, NULL, 64, &sw));
		tracepoint_free(tp);
		pdb_free(&data);
		pdb_free(&raw);
	}
}

static void of_another_event(void **state)
{
	struct pdb data = { 0 }, raw = { 0 };
	struct sched_switch sw;
	struct tracepoint *tp;
	const char *problem;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	td_build(&data, td_format);
	td_switch(&raw, 1, 2);
	raw.p[0]++;
	tp = tracepoint_new(data.p, data.len, &problem);
	assert_false(tracepoint_switch(tp, raw.p, raw.len, &sw));
	/* a thread number that is none */
	raw.p[0]--;
	raw.p[59] = 0x80;
	assert_false(tracepoint_switch(tp, raw.p, raw.len, &sw));
	tracepoint_free(tp);
	pdb_free(&data);
	pdb_free(&raw);
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

static void not_there(void **state)
{
	static const char *const broken[] = {
		"name: sched_switch\nID: 5\nformat:\n\tfield:pid_t next_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
		"name: sched_switch\nnonsense",
		"name: sched_switch\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:pid_t next_pid;\toffset:99999;\tsize:4;\tsigned:1;\n"
		"\tfield:pid_t prev_pid;\toffset:8;\tsize:3;\tsigned:1;\n\nprint fmt: \"\"\n",
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

#define HEAD	"name: sched_switch\nID: 5\nformat:\n"
#define TYPE	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
#define PIDS	"\tfield:pid_t next_pid;\toffset:4;\tsize:4;\tsigned:1;\n\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
#define END	"\nprint fmt: \"\"\n"
#define NUMBERS(n)	";\toffset:" n ";\tsize:4;\tsigned:1;\n"
#define A16	"aaaaaaaaaaaaaaaa"
#define A64	A16 A16 A16 A16

static const char unread[] = "its format cannot be read";
static const char no_fields[] = "its format has not the fields common_type, prev_pid and next_pid";

/* What the parser is given has the kernel's form, with as many words and digits as there may be. */
static void forms(void **state)
{
	static const struct {
		const char *format, *problem;
	} cases[] = {
		{ HEAD TYPE PIDS END, NULL },
		{ HEAD TYPE PIDS "print fmt: \"\"\n", NULL },
		{ HEAD TYPE PIDS "\tfield:int" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:int x" NUMBERS("12") END, NULL },
		{ HEAD TYPE PIDS "\tfield:a b c d e f g x" NUMBERS("12") END, NULL },
		{ HEAD TYPE PIDS "\tfield:a b c d e f g h x" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:int " A64 NUMBERS("12") END, NULL },
		{ HEAD TYPE PIDS "\tfield:int a" A64 NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:int x9" NUMBERS("12") END, NULL },
		{ HEAD TYPE PIDS "\tfield:int 9x" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:int 0x" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:int  x" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:int *x" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:char x[16]" NUMBERS("12") END, NULL },
		{ HEAD TYPE PIDS "\tfield:char x[]" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:char x[16" NUMBERS("12") END, unread },
		{ HEAD TYPE PIDS "\tfield:int x" NUMBERS("123456") END, NULL },
		{ HEAD TYPE PIDS "\tfield:int x" NUMBERS("1234567") END, unread },
		{ HEAD TYPE PIDS "\tfield:int x" NUMBERS("") END, unread },
		{ HEAD TYPE PIDS "\tfield:int x;\toffset:12;\tsize:;\tsigned:1;\n" END, unread },
		{ HEAD TYPE PIDS "\tfield:int x;\toffset:12;\tsigned:1;\n" END, unread },
		{ HEAD TYPE PIDS "\tfield:int x;\tsize:4;\tsigned:1;\n" END, unread },
		{ HEAD TYPE PIDS "\tfield:int x;\toffset:12;\tsize:4;\tsigned:0;\n" END, NULL },
		{ HEAD TYPE PIDS "\tfield:int x;\toffset:12;\tsize:4;\tsigned:2;\n" END, unread },
		{ HEAD TYPE PIDS "\tfield:int x;\toffset:12;\tsize:4;\tsigned:;\n" END, unread },
		{ HEAD TYPE PIDS "\tfield:int x;\toffset:12;\tsize:4;\tsigned:1; \n" END, unread },
		{ HEAD TYPE PIDS "\tint x" NUMBERS("12") END, unread },
		{ "name: sched_switch\nID: \nformat:\n" TYPE PIDS END, unread },
		{ "name: sched_switch\nID: 1234567\nformat:\n" TYPE PIDS END, unread },
		{ "name: sched_switch\nID: 5\n" TYPE PIDS END, unread },
		{ HEAD END, unread },
		/* the fields that are read */
		{ HEAD PIDS END, no_fields },
		{ HEAD TYPE "\tfield:pid_t next_pid" NUMBERS("4") END, no_fields },
		{ HEAD TYPE "\tfield:pid_t prev_pid" NUMBERS("4") END, no_fields },
		{ HEAD TYPE "\tfield:pid_t next_pid" NUMBERS("4096") "\tfield:pid_t prev_pid" NUMBERS("4096") END, NULL },
		{ HEAD TYPE "\tfield:pid_t next_pid" NUMBERS("4097") "\tfield:pid_t prev_pid" NUMBERS("4096") END, no_fields },
		{ HEAD TYPE "\tfield:pid_t next_pid" NUMBERS("4096") "\tfield:pid_t prev_pid" NUMBERS("4097") END, no_fields },
	};
	struct tracepoint *tp;
	const char *problem;
	size_t i;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pdb data = { 0 };

		td_build(&data, cases[i].format);
		tp = tracepoint_new(data.p, data.len, &problem);
		if (!tp != !!cases[i].problem)
			print_error("case %zu\n", i);
		assert_int_equal(tp != NULL, !cases[i].problem);
		if (cases[i].problem)
			assert_string_equal(problem, cases[i].problem);
		tracepoint_free(tp);
		pdb_free(&data);
	}
}

/* A format of 64 KiB, with 64 fields, behind 4095 other systems is found; a longer one, with more, or behind more is not. */
static void most_that_is_read(void **state)
{
	static const char head[] = HEAD TYPE PIDS, field[] = "\tfield:int x" NUMBERS("12");
	static char format[(64 << 10) + 100];
	const char *problem;
	struct tracepoint *tp;
	unsigned int i, k;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	for (i = 0; i < 6; i++) {
		struct pdb data = { 0 };
		unsigned int long_by = i == 1, fields = i == 2 ? 62 : 61, others = i == 3 ? 4096 : 4095;
		size_t len = sizeof(head) - 1;

		memset(format, '\n', sizeof(format));
		memcpy(format, head, len);
		for (k = 0; k < fields; k++, len += sizeof(field) - 1)
			memcpy(format + len, field, sizeof(field) - 1);
		memcpy(format + (64 << 10) + long_by, END, sizeof(END));
		td_build_behind(&data, others, format);
		if (i == 4)	/* a byte of the format is NUL */
			*(uint8_t *)memmem(data.p, data.len, "\n\n\n\n", 4) = 0;
		if (i == 5)	/* another system has an event of this name */
			memcpy(memmem(data.p, data.len, "sched", 6), "schad", 5);
		tp = tracepoint_new(data.p, data.len, &problem);
		assert_int_equal(tp != NULL, i == 0);
		if (i == 0 || i == 3 || i == 5)
			assert_null(problem);
		else
			assert_string_equal(problem, i == 2 ? unread : "it ends early, or a size in it is wrong");
		tracepoint_free(tp);
		pdb_free(&data);
	}
}

/* What is behind the last system, and behind the last event of a system, is none, whatever it looks like. */
static void no_more_than_are_counted(void **state)
{
	static const char head[] = HEAD TYPE PIDS END;
	struct tracepoint *tp;
	const char *problem;
	unsigned int i;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	for (i = 0; i < 3; i++) {
		struct pdb data = { 0 };
		uint8_t *systems, *events;

		td_build(&data, head);
		systems = memmem(data.p, data.len, "raw_syscalls", 12);
		events = memmem(data.p, data.len, "sched", 6);
		assert_non_null(systems);
		assert_non_null(events);
		systems -= 4;
		events += 6;
		assert_int_equal(systems[0], 2);
		assert_int_equal(events[0], 2);
		if (i)
			--*(i == 1 ? systems : events);
		tp = tracepoint_new(data.p, data.len, &problem);
		assert_null(problem);
		if ((tp != NULL) != !i)
			fail_msg("without the last %s: the event is%s found", i == 1 ? "system" : "event", tp ? "" : " not");
		tracepoint_free(tp);
		pdb_free(&data);
	}
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

static void cut_anywhere(void **state)
{
	struct pdb data = { 0 };
	const char *problem;
	struct tracepoint *tp;
	size_t len, whole;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	td_build(&data, td_format);
	whole = data.len - 16;	/* what follows the formats is not read */
	for (len = 0; len <= data.len; len++) {
		tp = parse_copy(data.p, len, &problem);
		if (len < whole) {
			assert_null(tp);
			assert_string_equal(problem, len < 10 ? "it does not start as tracing data does" :
					    "it ends early, or a size in it is wrong");
		} else {
			assert_non_null(tp);
		}
		tracepoint_free(tp);
	}
	pdb_free(&data);
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
		cmocka_unit_test(both_byte_orders),
		cmocka_unit_test(of_another_event),
		cmocka_unit_test(fields_elsewhere),
		cmocka_unit_test(not_there),
		cmocka_unit_test(forms),
		cmocka_unit_test(most_that_is_read),
		cmocka_unit_test(no_more_than_are_counted),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(damaged_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
