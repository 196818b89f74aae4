/* SPDX-License-Identifier: BSD-3-Clause */
/* Complete logs of system states: with the events that follow from others, in both directions, within limits. */
#include <cstrace/files/files.h>

#include "unit/lib/state_random.h"

static int append(void *ctx, const void *data, size_t len)
{
	struct lines *l = ctx;

	if (l->cap - l->len < len + 1) {
		l->cap = (l->len + len) * 2 + 1;
		l->text = realloc(l->text, l->cap);
		assert_non_null(l->text);
	}
	memcpy(l->text + l->len, data, len);
	l->len += len;
	l->text[l->len] = '\0';
	return 0;
}

static void complete_within(const char *text, struct lines *out, uint64_t bad_lines, const struct cst_state_limits *limits)
{
	const struct cst_sink sink = { out, append };
	struct cst_state *st;
	struct cst_event_reader *r;
	uint64_t bad;

	memset(out, 0, sizeof(*out));
	assert_int_equal(cst_state_new(&st, limits), 0);
	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
	assert_int_equal(cst_state_complete(st, r, &sink, &bad), 0);
	assert_int_equal(bad, bad_lines);
	cst_event_reader_free(r);
	cst_state_free(st);
}

static void complete_text(const char *text, struct lines *out, uint64_t bad_lines)
{
	complete_within(text, out, bad_lines, NULL);
}

static int full_sink(void *ctx, const void *data, size_t len)
{
	unsigned int *left = ctx;

	(void)data;
	(void)len;
	assert_true(*left > 0);
	return --*left ? 0 : -CST_ERR_IO;
}

/* A complete log that cannot be written ends with the error, at whichever line. */
static void test_complete_refused(void **state)
{
	static const char text[] = "1 declare_process(CURRENT, 7, None, None, comm=a)\n"
				   "2 declare_library(START, 7, 0x1000, \"l\", size=0x2000)\n3 declare_library(END, 7, 0x1800, None, size=0x100)\n"
				   "4 declare_process(CURRENT, 7, 0x10, \"b\")\n5 declare_library(START, 7, 0x1000, \"l\", size=0x2000)\n";
	unsigned int lines = 1, left;
	struct cst_event_reader *r;
	struct lines all;
	struct cst_state *st;
	int err;

	(void)state;
	do {
		const struct cst_sink sink = { &left, full_sink };

		left = lines;
		st = new_state();
		assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
		err = cst_state_complete(st, r, &sink, NULL);
		assert_int_equal(err, left ? 0 : -CST_ERR_IO);
		cst_event_reader_free(r);
		cst_state_free(st);
	} while (err && ++lines < 100);
	complete_text(text, &all, 0);
	assert_int_equal(lines, count_lines(all.text, all.len) + 1);
	free(all.text);
}

/* What an END says of what ends is replaced by what is known of that; without parameters it says so. */
static void test_complete_ends(void **state)
{
	static const char in[] = "1 declare_process(START, 8, None, None, comm=c)\n"
				 "2 declare_process(END, 8, None, None, of_comm=b, of_x=1, at_cpu=1)\n"
				 "3 declare_process(START, 9, None, None)\n"
				 "4 declare_process(END, 9, None, None, exit=1, of_comm=b)\n"
				 "5 declare_process(END, 10, None, None, of_comm=d)\n";
	static const char want[] = "1 declare_process(START, 8, None, None, comm=c)\n"
				   "2 declare_process(END, 8, None, None, at_cpu=1, of_comm=c)\n"
				   "3 declare_process(START, 9, None, None)\n"
				   "4 declare_process(END, 9, None, None, exit=1, of_none=1)\n"
				   "5 declare_process(END, 10, None, None, of_comm=d)\n";
	struct cst_state *st = new_state();
	struct cst_event_reader *r;
	struct cst_event ev = { 0 };
	struct lines out;
	char *text;

	(void)state;
	complete_text(in, &out, 0);
	assert_string_equal(out.text, want);
	/* backwards each END has what it says, and of_none is no parameter */
	assert_int_equal(cst_event_reader_new(&r, out.text, out.len, 0), 0);
	cst_event_rewind(r, 1);
	while (cst_event_prev(r, &ev, NULL) > 0 && ev.time != 3)
		assert_int_equal(cst_state_unapply(st, &ev), 0);
	text = dump(st);
	assert_string_equal(text, "- declare_process(CURRENT, 9, None, None)\n- declare_process(CURRENT, 10, None, None, comm=d)\n");
	free(text);
	cst_event_reader_free(r);
	cst_state_free(st);
	free(out.text);
}

/* What has no room in the state is in the log all the same. */
static void test_complete_limits(void **state)
{
	const struct cst_state_limits limits = { .memory = 4096 };
	struct lines in = { 0 }, out;
	char line[80];
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++)
		append(&in, line, (size_t)snprintf(line, sizeof(line), "%u declare_library(START, 1, 0x%x, \"a\", size=0x1)\n", i, 16 + i));
	complete_within(in.text, &out, 0, &limits);
	assert_true(out.len > in.len && count_lines(out.text, out.len) < 200);
	assert_memory_equal(out.text, in.text, in.len);
	free(in.text);
	free(out.text);
}

/* Records of two CPUs: not in order of time. What an event says of itself stays with it alone. */
static void test_complete(void **state)
{
	static const char in[] =
		"# comment\n"
		"- x_info(1, 1)\n"
		"10 declare_process(CURRENT, 7, None, None, comm=a, at_cpu=0)\n"
		"11 declare_library(START, 7, 0x1000, \"lib\", size=0x2000, at_cpu=0, perf=<00>, prot=5)\n"
		"30 declare_process(START, 8, None, None, comm=b, at_cpu=0)\n"
		"30 declare_library(START, 8, 0x5000, \"b\", size=0x1000)\n"
		"nonsense\n"
		"20 declare_process(START, 8, None, None, inherit=7, at_cpu=1)\n"
		"- x_same_time_as_that()\n"
		"25 declare_library(END, 8, 0x1000, None, size=0x1000)\n"
		"40 declare_process(END, 8, None, None, at_cpu=1)\n";
	static const char want[] =
		"- x_info(1, 1)\n"
		"10 declare_process(CURRENT, 7, None, None, comm=a, at_cpu=0)\n"
		"11 declare_library(START, 7, 0x1000, \"lib\", size=0x2000, at_cpu=0, perf=<00>, prot=5)\n"
		"20 declare_process(START, 8, None, None, inherited=7, at_cpu=1)\n"
		"20 declare_library(START, 8, 0x1000, \"lib\", size=0x2000, implied=1, prot=5)\n"
		"- x_same_time_as_that()\n"
		"25 declare_library(END, 8, 0x1000, \"lib\", size=0x2000, prot=5)\n"
		"25 declare_library(START, 8, 0x2000, \"lib\", size=0x1000, offset=0x1000, prot=5, rest=1)\n"
		"30 declare_library(END, 8, 0x2000, \"lib\", size=0x1000, offset=0x1000, implied=1, prot=5, rest=1)\n"
		"30 declare_process(END, 8, None, None, implied=1, inherited=7)\n"
		"30 declare_process(START, 8, None, None, comm=b, at_cpu=0)\n"
		"30 declare_library(START, 8, 0x5000, \"b\", size=0x1000)\n"
		"40 declare_library(END, 8, 0x5000, \"b\", size=0x1000, implied=1)\n"
		"40 declare_process(END, 8, None, None, at_cpu=1, of_comm=b)\n"
		"40 declare_process(CURRENT, 7, None, None, implied=1, comm=a)\n"
		"40 declare_library(CURRENT, 7, 0x1000, \"lib\", size=0x2000, implied=1, prot=5)\n";
	struct lines out, again;
	struct record rec;

	(void)state;
	complete_text(in, &out, 1);
	assert_string_equal(out.text, want);
	rec = forwards(out.text, out.len, count_lines(out.text, out.len));
	assert_int_equal(rec.n, count_lines(want, strlen(want)) + 1);
	free_record(&rec);
	/* A complete log has nothing to add but its end once more. */
	complete_text(out.text, &again, 0);
	assert_memory_equal(again.text, out.text, out.len);
	free(again.text);
	free(out.text);
}

static void test_complete_both_directions(void **state)
{
	struct cst_event_param params[2];
	struct cst_event ev;
	struct lines raw, out;
	struct record rec;
	unsigned int round, i;
	uint64_t seed;

	(void)state;
	for (round = 1; round <= 40; round++) {
		seed = round * 31337;
		memset(&raw, 0, sizeof(raw));
		for (i = 0; i < 100; i++) {
			do
				random_event(&seed, &ev, params);
			while (ev.state == CST_STATE_END);
			ev.time = rnd(&seed, 50);
			add_line(&raw, &ev);
		}
		raw.text = realloc(raw.text, raw.len + 1);
		raw.text[raw.len] = '\0';
		complete_text(raw.text, &out, 0);
		rec = forwards(out.text, out.len, count_lines(out.text, out.len));
		compare_backwards(out.text, out.len, &rec, 0);
		free_record(&rec);
		free(raw.text);
		free(out.text);
	}
}

struct timed {
	unsigned int time, number;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->number < y->number ? -1 : x->number > y->number;
}

static void count_call(void *ctx)
{
	++*(unsigned int *)ctx;
}

/*
 * Events in any order come out in order of time, those of one time as they were, and those without a time behind the one
 * before them: logs of one run, of few long ones, and of as many as there are events.
 */
static void test_complete_sorts(void **state)
{
	enum { EVENTS = 300 };
	struct timed all[EVENTS];
	const char *at;
	struct lines raw, out;
	unsigned int i, kind, time, calls;
	struct cst_event_reader *r;
	struct cst_event ev = { 0 };
	uint64_t seed = 5;
	char line[64];

	(void)state;
	for (kind = 1; kind <= EVENTS; kind += kind < 8 ? 1 : 97) {
		memset(&raw, 0, sizeof(raw));
		for (i = time = 0; i < EVENTS; i++) {
			time = i % (EVENTS / kind) ? time + rnd(&seed, 3) : rnd(&seed, 40);
			all[i] = (struct timed){ time, i };
			if (i && all[i - 1].time == time && !rnd(&seed, 3))
				snprintf(line, sizeof(line), "- x_a(n=%u)\n# no event\n", i);
			else
				snprintf(line, sizeof(line), "%u x_a(n=%u)\n%s", time, i, rnd(&seed, 9) ? "" : "\n");
			append(&raw, line, strlen(line));
		}
		qsort(all, EVENTS, sizeof(all[0]), by_time);
		complete_text(raw.text, &out, 0);
		for (i = 0, at = out.text; i < EVENTS; i++) {
			at = strstr(at, "(n=");
			assert_non_null(at);
			assert_int_equal(strtoul(at + 3, NULL, 10), all[i].number);
			at++;
		}
		assert_null(strstr(at, "(n="));
		/* a reader that is watched says so after each 100 bytes, and then no more */
		calls = 0;
		assert_int_equal(cst_event_reader_new(&r, raw.text, raw.len, 0), 0);
		cst_event_reader_watch(r, 100, count_call, &calls);
		for (i = 0; i < EVENTS / 2 && cst_event_next(r, &ev, NULL) == 1; i++)
			;
		assert_in_range(calls, 10, raw.len / 100);
		cst_event_reader_watch(r, 100, NULL, NULL);
		calls = 0;
		while (cst_event_next(r, &ev, NULL) == 1)
			;
		assert_int_equal(calls, 0);
		cst_event_reader_free(r);
		free(raw.text);
		free(out.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_refused), cmocka_unit_test(test_complete_ends),
		cmocka_unit_test(test_complete_limits), cmocka_unit_test(test_complete),
		cmocka_unit_test(test_complete_both_directions), cmocka_unit_test(test_complete_sorts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
