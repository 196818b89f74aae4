/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_state.c - system states: what events mean, the events that follow from others, and that a complete log
 * gives the same states forwards and backwards.
 */
#include <cstrace/files/files.h>

#include "unit/lib/state_random.h"

static void test_fork_exec_exit(void **state)
{
	(void)state;
	check_log("1 declare_process(START, 7, 0x1000, \"/bin/a\", size=0x100)\n"
		  "2 declare_library(START, 7, 0x5000, \"lib\", aa, size=0x1000, offset=0x40, tid=7)\n"
		  "3 declare_process(START, 8, 0x1000, \"/bin/a\", size=0x100, inherit=7)\n"
		  "4 declare_thread(START, 9, 8)\n"
		  "5 declare_process(START, 8, 0x2000, \"/bin/b\")\n"
		  "6 declare_process(END, 7, None, None)\n",

		  "1 declare_process(START, 7, 0x1000, \"/bin/a\", size=0x100)\n"
		  "2 declare_library(START, 7, 0x5000, \"lib\", aa, size=0x1000, offset=0x40, tid=7)\n"
		  "3 declare_process(START, 8, 0x1000, \"/bin/a\", size=0x100, inherited=7)\n"
		  "3 declare_library(START, 8, 0x5000, \"lib\", aa, size=0x1000, offset=0x40, tid=7)\n"
		  "4 declare_thread(START, 9, 8)\n"
		  "5 declare_library(END, 8, 0x5000, \"lib\", aa, size=0x1000, offset=0x40, tid=7)\n"
		  "5 declare_thread(END, 9, 8)\n"
		  "5 declare_process(END, 8, 0x1000, \"/bin/a\", size=0x100, inherited=7)\n"
		  "5 declare_process(START, 8, 0x2000, \"/bin/b\")\n"
		  "6 declare_library(END, 7, 0x5000, \"lib\", aa, size=0x1000, offset=0x40, tid=7)\n"
		  "6 declare_process(END, 7, 0x1000, \"/bin/a\", size=0x100)\n",

		  "- declare_process(CURRENT, 8, 0x2000, \"/bin/b\")\n");
}

static void test_overlap(void **state)
{
	(void)state;
	check_log("1 declare_library(START, 7, 0x1000, \"old\", size=0x3000, offset=0x100)\n"
		  "2 patch_code(7, 0x1ffe, 4, <01020304>)\n"
		  "3 declare_library(START, 7, 0x2000, \"new\", size=0x1000)\n"
		  "4 declare_library(END, 7, 0x2800, None, size=0x1000)\n",

		  "1 declare_library(START, 7, 0x1000, \"old\", size=0x3000, offset=0x100)\n"
		  "2 patch_code(7, 0x1ffe, 0x4, <01020304>)\n"
		  "3 patch_code(7, 0x1ffe, 0x4, <01020304>, state=END)\n"
		  "3 patch_code(7, 0x1ffe, 0x2, <0102>)\n"
		  "3 declare_library(END, 7, 0x1000, \"old\", size=0x3000, offset=0x100)\n"
		  "3 declare_library(START, 7, 0x1000, \"old\", size=0x1000, offset=0x100, rest=1)\n"
		  "3 declare_library(START, 7, 0x3000, \"old\", size=0x1000, offset=0x2100, rest=1)\n"
		  "3 declare_library(START, 7, 0x2000, \"new\", size=0x1000)\n"
		  "4 declare_library(END, 7, 0x2000, \"new\", size=0x1000)\n"
		  "4 declare_library(START, 7, 0x2000, \"new\", size=0x800, rest=1)\n"
		  "4 declare_library(END, 7, 0x3000, \"old\", size=0x1000, offset=0x2100, rest=1)\n"
		  "4 declare_library(START, 7, 0x3800, \"old\", size=0x800, offset=0x2900, rest=1)\n",

		  "- declare_library(CURRENT, 7, 0x1000, \"old\", size=0x1000, offset=0x100, rest=1)\n"
		  "- declare_library(CURRENT, 7, 0x2000, \"new\", size=0x800, rest=1)\n"
		  "- declare_library(CURRENT, 7, 0x3800, \"old\", size=0x800, offset=0x2900, rest=1)\n"
		  "- patch_code(7, 0x1ffe, 0x2, <0102>, state=CURRENT)\n");
}

/* The parts of a patch that another one leaves have their own bytes, as far as it has bytes. */
static void test_cut_patch(void **state)
{
	(void)state;
	check_log("1 patch_code(7, 0x4000, 8, <0102030405060708>)\n"
		  "2 patch_code(7, 0x4002, 2, <aabb>)\n"
		  "3 patch_code(7, 0x5000, 8, <010203040506>, offset=1)\n"
		  "4 patch_code(7, 0x5002, 1, <cc>)\n",

		  "1 patch_code(7, 0x4000, 0x8, <0102030405060708>)\n"
		  "2 patch_code(7, 0x4000, 0x8, <0102030405060708>, state=END)\n"
		  "2 patch_code(7, 0x4000, 0x2, <0102>)\n"
		  "2 patch_code(7, 0x4004, 0x4, <05060708>)\n"
		  "2 patch_code(7, 0x4002, 0x2, <aabb>)\n"
		  "3 patch_code(7, 0x5000, 0x8, <010203040506>, offset=0x1)\n"
		  "4 patch_code(7, 0x5000, 0x8, <010203040506>, state=END, offset=0x1)\n"
		  "4 patch_code(7, 0x5000, 0x2, <0203>)\n"
		  "4 patch_code(7, 0x5003, 0x5, <0506>)\n"
		  "4 patch_code(7, 0x5002, 0x1, <cc>)\n",

		  "- patch_code(7, 0x4000, 0x2, <0102>, state=CURRENT)\n"
		  "- patch_code(7, 0x4002, 0x2, <aabb>, state=CURRENT)\n"
		  "- patch_code(7, 0x4004, 0x4, <05060708>, state=CURRENT)\n"
		  "- patch_code(7, 0x5000, 0x2, <0203>, state=CURRENT)\n"
		  "- patch_code(7, 0x5002, 0x1, <cc>, state=CURRENT)\n"
		  "- patch_code(7, 0x5003, 0x5, <0506>, state=CURRENT)\n");
}

static void test_names_that_move(void **state)
{
	(void)state;
	check_log("- declare_asid(START, 3, 7)\n- declare_asid(START, 3, 8)\n- declare_thread(START, 5, 7)\n"
		  "- declare_thread(START, 5, 8)\n- declare_thread(START, 5, 8)\n"
		  "- define_trace(START, 0x10, \"etm0\", TRCCONFIGR=1)\n"
		  "- define_trace(START, 0x11, \"etm0\", TRCCONFIGR=1)\n- x_switch(0, 7, 8)\n"
		  "- declare_asid(END, 9, 7)\n",

		  "- declare_asid(START, 0x3, 7)\n- declare_asid(END, 0x3, 7)\n- declare_asid(START, 0x3, 8)\n"
		  "- declare_thread(START, 5, 7)\n- declare_thread(END, 5, 7)\n- declare_thread(START, 5, 8)\n"
		  "- declare_thread(END, 5, 8)\n"
		  "- declare_thread(START, 5, 8)\n- define_trace(START, 0x10, \"etm0\", TRCCONFIGR=1)\n"
		  "- define_trace(END, 0x10, \"etm0\", TRCCONFIGR=1)\n"
		  "- define_trace(START, 0x11, \"etm0\", TRCCONFIGR=1)\n- x_switch(0, 7, 8)\n"
		  "- declare_asid(END, 0x9, 7)\n",

		  "- declare_thread(CURRENT, 5, 8)\n- declare_asid(CURRENT, 0x3, 8)\n"
		  "- define_trace(CURRENT, 0x11, \"etm0\", TRCCONFIGR=1)\n");
}

static void test_current(void **state)
{
	struct cst_state_counts c = { 0 };
	struct cst_state *st = new_state();

	(void)state;
	apply_text(st, "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n"
		       "- declare_process(CURRENT, 1, None, None)\n"
		       "- declare_library(START, 1, 0x100, \"a\", size=0x100)\n"
		       "- declare_library(CURRENT, 1, 0x100, \"a\")\n", NULL);
	cst_state_counts(st, &c);
	assert_int_equal(c.contradictions, 0);
	assert_int_equal(c.alive, 2);
	/* Another program under the same pid: an exec was lost, and with it what was mapped. */
	apply_text(st, "- declare_process(CURRENT, 1, 0x8000, \"/bin/cp\")\n", NULL);
	cst_state_counts(st, &c);
	assert_int_equal(c.contradictions, 1);
	assert_int_equal(c.alive, 1);
	assert_int_equal(c.events, 5);
	cst_state_free(st);
}

/* Backwards: what was there in an earlier line takes the place of what a later one says of the same memory or process. */
static void test_current_backwards(void **state)
{
	static const struct {
		const char *text, *state;
		uint64_t contradictions;
	} cases[] = {
		{ "- declare_library(CURRENT, 1, 0x100, \"a\", size=0x100)\n"
		  "- declare_library(CURRENT, 1, 0x1ff, \"b\", size=0x100)\n",
		  "- declare_library(CURRENT, 1, 0x100, \"a\", size=0x100)\n", 1 },
		{ "- declare_library(CURRENT, 1, 0x100, \"a\", size=0x100)\n"
		  "- declare_library(CURRENT, 1, 0x200, \"b\", size=0x100)\n",
		  "- declare_library(CURRENT, 1, 0x100, \"a\", size=0x100)\n"
		  "- declare_library(CURRENT, 1, 0x200, \"b\", size=0x100)\n", 0 },
		/* a library whose size one of its lines says alone */
		{ "- declare_library(START, 1, 0x100, \"a\", size=0x100)\n"
		  "- declare_library(END, 1, 0x100, None)\n", "", 0 },
		{ "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n- declare_process(CURRENT, 1, 0x8000, \"/bin/cp\")\n",
		  "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n", 1 },
		{ "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n",
		  "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n", 0 },
	};
	struct cst_event_reader *r;
	struct cst_state_counts c = { 0 };
	struct cst_event ev = { 0 };
	struct cst_state *st;
	size_t i;
	char *d;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		st = new_state();
		assert_int_equal(cst_event_reader_new(&r, cases[i].text, strlen(cases[i].text), 0), 0);
		cst_event_rewind(r, 1);
		while (cst_event_prev(r, &ev, NULL) > 0)
			assert_int_equal(cst_state_unapply(st, &ev), 0);
		cst_state_counts(st, &c);
		assert_int_equal(c.contradictions, cases[i].contradictions);
		d = dump(st);
		assert_string_equal(d, cases[i].state);
		free(d);
		cst_event_reader_free(r);
		cst_state_free(st);
	}
}

/* An end of other bounds than the map cuts it, also one whose size was not recorded; none there, or the same bounds: no cut. */
static void test_cuts(void **state)
{
	static const struct {
		const char *start, *end;
		int cuts;
	} cases[] = {
		{ "0x100, \"a\"", "0x80, None, size=0x100", 1 }, { "0x100, \"a\"", "0x80, None, size=0x80", 0 },
		{ "0x100, \"a\"", "0x101, None, size=0x80", 0 }, { "0x100, \"a\", size=0x100", "0x100, None, size=0x100", 0 },
		{ "0x100, \"a\", size=0x100", "0x100, None, size=0x80", 1 }, { "0x100, \"a\", size=0x100", "0x1ff, None, size=1", 1 },
		{ "0x100, \"a\", size=0x100", "0x200, None, size=1", 0 },
	};
	struct cst_event_reader *r;
	struct cst_event ev = { 0 };
	struct cst_state *st;
	char text[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		st = new_state();
		snprintf(text, sizeof(text), "- declare_library(START, 1, %s)\n", cases[i].start);
		apply_text(st, text, NULL);
		snprintf(text, sizeof(text), "- declare_library(END, 1, %s)\n", cases[i].end);
		assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
		assert_int_equal(cst_event_next(r, &ev, NULL), 1);
		assert_int_equal(cst_state_cuts(st, &ev) != 0, cases[i].cuts);
		ev.state = CST_STATE_START;
		assert_int_equal(cst_state_cuts(st, &ev), 0);
		cst_event_reader_free(r);
		cst_state_free(st);
	}
}

static void test_code(void **state)
{
	struct cst_state *st = new_state();
	struct cst_event ev = { 0 }, none;

	(void)state;
	apply_text(st, "- declare_process(START, 1, 0x1000, \"main\")\n"
		       "- declare_library(START, 1, 0x3000, \"sized\", size=0x1000)\n"
		       "- declare_library(START, 1, 0x8000, \"open\")\n"
		       "- patch_code(1, 0x3010, 4, jit-1, offset=8)\n- declare_asid(START, 5, 1)\n", NULL);
	assert_int_equal(cst_state_code(st, 1, 0xfff, &ev), 0);
	assert_int_equal(cst_state_code(st, 1, 0x1000, &ev), 1);
	assert_int_equal(ev.verb, CST_EVENT_PROCESS);
	assert_int_equal(cst_state_code(st, 1, 0x3000, &ev), 1);
	assert_int_equal(ev.name.n, 5);
	assert_int_equal(cst_state_code(st, 1, 0x3013, &ev), 1);
	assert_int_equal(ev.verb, CST_EVENT_PATCH);
	assert_int_equal(ev.offset, 8);
	assert_int_equal(cst_state_code(st, 1, 0x3014, &ev), 1);
	assert_int_equal(ev.verb, CST_EVENT_LIBRARY);
	assert_int_equal(cst_state_code(st, 1, 0x4000, &ev), 0);
	assert_int_equal(cst_state_code(st, 1, 0x9000, &ev), 1);
	assert_memory_equal(ev.name.p, "open", 4);
	assert_int_equal(cst_state_code(st, 2, 0x9000, &ev), 0);
	assert_int_equal(cst_state_asid(st, 5, &ev), 1);
	assert_int_equal(ev.pid, 1);
	assert_int_equal(cst_state_process(st, 1, &ev), 1);
	/* what is not there leaves the event as it is */
	memset(&none, 0x5a, sizeof(none));
	memset(&ev, 0x5a, sizeof(ev));
	assert_int_equal(cst_state_code(st, 2, 0x9000, &ev), 0);
	assert_int_equal(cst_state_asid(st, 6, &ev), 0);
	assert_int_equal(cst_state_process(st, 2, &ev), 0);
	assert_int_equal(cst_state_thread(st, 1, &ev), 0);
	assert_int_equal(cst_state_trace(st, (struct cst_str){ "etm0", 4 }, &ev), 0);
	assert_memory_equal(&ev, &none, sizeof(ev));
	cst_state_free(st);
}

static void test_both_directions(void **state)
{
	struct record rec;
	struct lines log;
	unsigned int seed;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		memset(&log, 0, sizeof(log));
		random_log(seed * 7919, 120, &log);
		rec = forwards(log.text, log.len, count_lines(log.text, log.len));
		compare_backwards(log.text, log.len, &rec, 0);
		free_record(&rec);
		free(log.text);
	}
}

/* The head of the log is lost: the states of what is left are the same, backwards. */
static void test_lost_head(void **state)
{
	struct cst_event_reader *r;
	struct record rec;
	struct lines log;
	struct cst_state *st;
	const char *tail;
	unsigned int seed;
	size_t lost, i;
	uint64_t bad;
	char *d;

	(void)state;
	for (seed = 1; seed <= 30; seed++) {
		memset(&log, 0, sizeof(log));
		random_log(seed * 104729, 100, &log);
		rec = forwards(log.text, log.len, count_lines(log.text, log.len));
		lost = rec.n / 3;
		for (tail = log.text, i = 0; i < lost; i++)
			tail = strchr(tail, '\n') + 1;
		compare_backwards(tail, log.len - (size_t)(tail - log.text), &rec, lost);

		st = new_state();
		assert_int_equal(cst_event_reader_new(&r, tail, log.len - (size_t)(tail - log.text), 0), 0);
		assert_int_equal(cst_state_before(st, r, &bad), 0);
		assert_int_equal(bad, 0);
		d = dump(st);
		assert_string_equal(d, rec.states[lost]);
		free(d);
		cst_state_free(st);
		cst_event_reader_free(r);
		free_record(&rec);
		free(log.text);
	}
}

/* A state at a time, from the end, is that of the events up to then. */
static void test_at(void **state)
{
	struct cst_event_reader *r;
	struct lines log = { 0 };
	struct cst_state *st, *fwd;
	struct cst_event ev = { 0 };
	char *a, *b;
	unsigned int t;

	(void)state;
	random_log(42, 80, &log);
	assert_int_equal(cst_event_reader_new(&r, log.text, log.len, 0), 0);
	for (t = 0; t < 80; t += 7) {
		st = new_state();
		fwd = new_state();
		assert_int_equal(cst_state_at(st, r, t, NULL), 0);
		cst_event_rewind(r, 0);
		while (cst_event_next(r, &ev, NULL) > 0 && ev.time <= t)
			assert_int_equal(cst_state_apply(fwd, &ev, NULL, NULL), 0);
		a = dump(st);
		b = dump(fwd);
		assert_string_equal(a, b);
		free(a);
		free(b);
		cst_state_free(st);
		cst_state_free(fwd);
	}
	cst_event_reader_free(r);
	free(log.text);
}

/* What ended in the log without having started was there before. */
static void test_end_without_start(void **state)
{
	static const char text[] = "# head is lost\n"
		"5 declare_library(END, 7, 0x1000, \"lib\", size=0x100)\nnot an event\n"
		"6 declare_process(END, 7, None, \"/bin/a\")\n"
		"7 declare_process(START, 7, None, \"/bin/b\")\n8 declare_thread(CURRENT, 8, 7)\n";
	struct cst_event_reader *r;
	struct cst_state *st = new_state();
	uint64_t bad;
	char *d;

	(void)state;
	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
	assert_int_equal(cst_state_before(st, r, &bad), 0);
	assert_int_equal(bad, 1);
	d = dump(st);
	/* The process that the thread belongs to has begun in the log, so the thread has too. */
	assert_string_equal(d, "- declare_process(CURRENT, 7, None, \"/bin/a\")\n"
			       "- declare_library(CURRENT, 7, 0x1000, \"lib\", size=0x100)\n");
	free(d);
	cst_state_free(st);
	cst_event_reader_free(r);
}

static void test_limits(void **state)
{
	struct cst_state_limits limits = { .memory = 4096, .inherited = 3 };
	struct cst_event ev = { .verb = CST_EVENT_LIBRARY, .has_base = 1, .has_size = 1, .size = 1, .pid = 1 };
	struct cst_state_counts c = { 0 };
	struct cst_state *st;
	unsigned int i, failed = 0;

	(void)state;
	assert_int_equal(cst_state_new(&st, &limits), 0);
	for (i = 0; i < 100; i++) {
		ev.base = i;
		failed += cst_state_apply(st, &ev, NULL, NULL) == -CST_ERR_LIMIT;
	}
	cst_state_counts(st, &c);
	assert_true(failed > 0 && failed < 100);
	assert_int_equal(c.dropped, failed);
	assert_int_equal(c.alive, 100 - failed);
	assert_true(c.memory <= 4096);
	cst_state_free(st);

	limits.memory = 0;
	assert_int_equal(cst_state_new(&st, &limits), 0);
	apply_text(st, "- declare_library(START, 1, 1, \"a\", size=1)\n"
		       "- declare_library(START, 1, 2, \"a\", size=1)\n"
		       "- declare_process(START, 2, None, None, inherit=1)\n", NULL);
	memset(&ev, 0, sizeof(ev));
	ev.pid = 3;
	ev.params = &(struct cst_event_param){ { "inherit", 7 }, { "1", 1 } };
	ev.n_params = 1;
	assert_int_equal(cst_state_apply(st, &ev, NULL, NULL), -CST_ERR_LIMIT);
	cst_state_counts(st, &c);
	assert_int_equal(c.alive, 2 + 3 + 2);
	assert_int_equal(c.dropped, 1);
	cst_state_free(st);
}

static int refuse(void *ctx, const struct cst_event *ev, int implied)
{
	(void)ctx;
	(void)ev;
	return implied ? -CST_ERR_IO : 0;
}

/* What the receiver of events reports is passed on. */
static void test_refused(void **state)
{
	struct cst_event ev = { .verb = CST_EVENT_PROCESS, .pid = 1 };
	struct cst_state *st = new_state();

	(void)state;
	assert_int_equal(cst_state_apply(st, &ev, refuse, NULL), 0);
	assert_int_equal(cst_state_apply(st, &ev, refuse, NULL), -CST_ERR_IO);
	apply_text(st, "- declare_process(START, 1, None, None)\n"
		       "- declare_asid(START, 3, 1)\n", NULL);
	ev.state = CST_STATE_END;
	assert_int_equal(cst_state_apply(st, &ev, refuse, NULL), -CST_ERR_IO);
	cst_state_free(st);
}

/* A library that is there already is started once more: nothing changes, and the log says so. */
static void test_started_again(void **state)
{
	(void)state;
	check_log("1 declare_library(START, 7, 0x1000, \"a\", size=0x100)\n2 patch_code(7, 0x1010, 4, <01020304>)\n"
		  "3 declare_library(START, 7, 0x1000, \"a\", size=0x100)\n",

		  "1 declare_library(START, 7, 0x1000, \"a\", size=0x100)\n2 patch_code(7, 0x1010, 0x4, <01020304>)\n"
		  "3 declare_library(CURRENT, 7, 0x1000, \"a\", size=0x100)\n",

		  "- declare_library(CURRENT, 7, 0x1000, \"a\", size=0x100)\n"
		  "- patch_code(7, 0x1010, 0x4, <01020304>, state=CURRENT)\n");
}

/* What an event brings about, by the receiver's word for it. */
struct received {
	const struct cst_event *ev;
	size_t own, implied;
	bool last_implied;
};

static int receive(void *ctx, const struct cst_event *ev, int implied)
{
	struct received *r = ctx;

	assert_true(ev->time == r->ev->time);
	if (!implied)
		assert_int_equal(ev->verb, r->ev->verb);
	r->own += !implied;
	r->implied += implied != 0;
	r->last_implied = implied;
	return 0;
}

/*
 * An event comes once as what the caller passed, and behind what it implies; only an END that cuts ranges may come as implied
 * ones alone. The counts of the state are of the same events.
 */
static void test_own_and_implied(void **state)
{
	struct cst_event_param params[2];
	struct cst_state_counts counts = { 0 };
	struct received r = { 0 };
	struct cst_event ev = { 0 };
	struct cst_state *st = new_state();
	size_t implied = 0;
	uint64_t seed = 5;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		random_event(&seed, &ev, params);
		ev.time = i;
		r = (struct received){ .ev = &ev };
		assert_int_equal(cst_state_apply(st, &ev, receive, &r), 0);
		implied += r.implied;
		if (r.own != 1 && (r.own || ev.state != CST_STATE_END || !r.implied))
			fail_msg("event %u, verb %u, state %u: %zu of its own, %zu implied", i, ev.verb, ev.state, r.own, r.implied);
		if (ev.state == CST_STATE_START && ev.verb != CST_EVENT_PROCESS)
			assert_false(r.last_implied);
	}
	cst_state_counts(st, &counts);
	assert_int_equal(counts.events, i);
	assert_int_equal(counts.implied, implied);
	assert_true(implied > 100);
	/* a library without its size takes the place of one with a size, and the other way round */
	for (i = 0; i < 3; i++) {
		ev = (struct cst_event){ .verb = CST_EVENT_LIBRARY, .pid = 9, .has_base = 1, .base = 0x100, .has_size = i & 1, .size = i & 1 };
		r = (struct received){ .ev = &ev };
		assert_int_equal(cst_state_apply(st, &ev, receive, &r), 0);
		assert_int_equal(r.own, 1);
		assert_int_equal(r.implied, i > 0);
	}
	cst_state_free(st);
}

/* Backwards, what ends may have no room: that is returned, also by the functions that read a whole log. */
static void test_limits_backwards(void **state)
{
	static const char text[] = "1 declare_library(CURRENT, 1, 0x100, \"a\", size=0x100)\n"
				   "2 declare_library(END, 1, 0x200, \"a\", size=0x100)\n3 declare_thread(START, 5, 1)\n";
	const struct cst_state_limits limits = { .memory = 1 };
	static const int want[] = { 0, -CST_ERR_LIMIT, -CST_ERR_LIMIT };
	struct cst_state_counts c = { 0 };
	struct cst_event_reader *r;
	struct cst_event ev = { 0 };
	struct cst_state *st;
	unsigned int i;

	(void)state;
	assert_int_equal(cst_state_new(&st, &limits), 0);
	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
	cst_event_rewind(r, 1);
	for (i = 0; cst_event_prev(r, &ev, NULL) > 0; i++)
		assert_int_equal(cst_state_unapply(st, &ev), want[i]);
	assert_int_equal(i, 3);
	cst_state_counts(st, &c);
	assert_int_equal(c.dropped, 2);
	assert_int_equal(c.alive, 0);
	/* the error stays, whatever comes behind it */
	assert_int_equal(cst_state_before(st, r, NULL), -CST_ERR_LIMIT);
	assert_int_equal(cst_state_at(st, r, 1, NULL), -CST_ERR_LIMIT);
	assert_int_equal(cst_state_at(st, r, 2, NULL), 0);
	cst_event_reader_free(r);
	cst_state_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_and_implied),
		cmocka_unit_test(test_fork_exec_exit), cmocka_unit_test(test_overlap), cmocka_unit_test(test_cut_patch),
		cmocka_unit_test(test_names_that_move),
		cmocka_unit_test(test_current),
		cmocka_unit_test(test_current_backwards), cmocka_unit_test(test_cuts), cmocka_unit_test(test_code),
		cmocka_unit_test(test_both_directions), cmocka_unit_test(test_lost_head), cmocka_unit_test(test_at),
		cmocka_unit_test(test_end_without_start), cmocka_unit_test(test_limits), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_started_again),
		cmocka_unit_test(test_limits_backwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
