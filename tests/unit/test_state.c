/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_state.c - system states: what events mean, the events that follow from others, and that a complete log
 * gives the same states forwards and backwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/state.h>

#include "history/state_int.h"

/* Lines of a log, or of a state. */
struct lines {
	char *text;
	size_t len, cap;
	size_t implied;
};

static void add_line(struct lines *l, const struct cst_event *ev)
{
	int64_t n = cst_event_write(ev, NULL, 0);

	assert_true(n > 0);
	if (l->cap - l->len < (size_t)n) {
		l->cap = (l->len + (size_t)n) * 2;
		l->text = realloc(l->text, l->cap);
		assert_non_null(l->text);
	}
	assert_true(cst_event_write(ev, l->text + l->len, (size_t)n) == n);
	l->len += (size_t)n;
}

static int keep(void *ctx, const struct cst_event *ev, int implied)
{
	struct lines *l = ctx;

	add_line(l, ev);
	l->implied += implied != 0;
	return 0;
}

/* What is listed comes from no line of a log. */
static int keep_listed(void *ctx, const struct cst_event *ev, int implied)
{
	assert_int_equal(ev->line, 0);
	return keep(ctx, ev, implied);
}

/* The state as text, terminated; to be freed. */
static char *dump(const struct cst_state *st)
{
	struct lines l = { 0 };

	assert_int_equal(cst_state_list(st, CST_STATE_CURRENT, CST_EVENT_NO_TIME, keep_listed, &l), 0);
	l.text = realloc(l.text, l.len + 1);
	assert_non_null(l.text);
	l.text[l.len] = '\0';
	return l.text;
}

static struct cst_state *new_state(void)
{
	struct cst_state *st;

	assert_int_equal(cst_state_new(&st, NULL), 0);
	return st;
}

/* Apply a text; the complete log goes to *out (may be NULL). */
static void apply_text(struct cst_state *st, const char *text, struct lines *out)
{
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev;
	int got;

	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
	while ((got = cst_event_next(r, &ev, &why)) > 0)
		assert_int_equal(cst_state_apply(st, &ev, out ? keep : NULL, out), 0);
	assert_int_equal(got, 0);
	cst_event_reader_free(r);
}

static void check_log(const char *in, const char *complete, const char *state)
{
	struct cst_state *st = new_state();
	struct lines l = { 0 };
	char *d;

	apply_text(st, in, &l);
	assert_int_equal(l.len, strlen(complete));
	assert_memory_equal(l.text, complete, l.len);
	d = dump(st);
	assert_string_equal(d, state);
	free(d);
	free(l.text);
	cst_state_free(st);
}

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

/* Backwards: what ends was not there after its end. */
static void test_contradictions_backwards(void **state)
{
	static const char text[] = "- declare_thread(END, 1, 2)\n- declare_thread(START, 1, 2)\n- declare_thread(START, 1, 2)\n"
				   "- declare_thread(CURRENT, 1, 2)\n";
	static const struct {
		uint64_t contradictions, unknown_ends;
	} want[] = { { 0, 0 }, { 0, 0 }, { 0, 1 }, { 0, 1 } };
	struct cst_state *st = new_state();
	struct cst_event_reader *r;
	struct cst_state_counts c;
	struct cst_event ev;
	unsigned int i = 0;

	(void)state;
	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
	cst_event_rewind(r, 1);
	while (cst_event_prev(r, &ev, NULL) > 0) {
		assert_int_equal(cst_state_unapply(st, &ev), 0);
		cst_state_counts(st, &c);
		assert_int_equal(c.contradictions, want[i].contradictions);
		assert_int_equal(c.unknown_ends, want[i].unknown_ends);
		i++;
	}
	assert_int_equal(i, 4);
	/* it is there before its end, and an end says that it was not */
	assert_int_equal(cst_state_unapply(st, &ev), 0);
	cst_state_counts(st, &c);
	assert_int_equal(c.contradictions, 1);
	assert_int_equal(cst_state_unapply(st, &ev), 0);
	cst_state_counts(st, &c);
	assert_int_equal(c.contradictions, 2);
	cst_event_reader_free(r);
	cst_state_free(st);
}

static void test_current(void **state)
{
	struct cst_state_counts c;
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

/* Backwards: a library whose size only one of its lines says is one library, and nothing is unknown. */
static void test_sizes_backwards(void **state)
{
	static const char *const texts[] = {
		"- declare_library(START, 1, 0x100, \"a\", size=0x100)\n- declare_library(END, 1, 0x100, None)\n",
		"- declare_library(START, 1, 0x100, \"a\")\n- declare_library(END, 1, 0x100, None, size=0x100)\n",
		"- declare_library(START, 1, 0x100, \"a\", size=0x100)\n- declare_library(END, 1, 0x100, None, size=0x100)\n",
	};
	struct cst_state_counts c;
	struct cst_event_reader *r;
	struct cst_event ev;
	struct cst_state *st;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		st = new_state();
		assert_int_equal(cst_event_reader_new(&r, texts[i], strlen(texts[i]), 0), 0);
		cst_event_rewind(r, 1);
		while (cst_event_prev(r, &ev, NULL) > 0) {
			assert_int_equal(cst_state_unapply(st, &ev), 0);
			cst_state_counts(st, &c);
			assert_int_equal(c.alive, ev.state == CST_STATE_END);
		}
		assert_int_equal(c.events, 2);
		assert_int_equal(c.unknown_ends + c.contradictions, 0);
		cst_event_reader_free(r);
		cst_state_free(st);
	}
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
		{ "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n- declare_process(CURRENT, 1, 0x8000, \"/bin/cp\")\n",
		  "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n", 1 },
		{ "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n",
		  "- declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n", 0 },
	};
	struct cst_event_reader *r;
	struct cst_state_counts c;
	struct cst_event ev;
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
	struct cst_event ev;
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
	struct cst_event ev, none;

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

/* ---- random logs ------------------------------------------------------------------------------- */

static uint32_t rnd(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static void random_event(uint64_t *seed, struct cst_event *ev, struct cst_event_param *params)
{
	static const char *const images[] = { "a", "b", "/lib/c d", "\"e\"" };
	static const char code[] = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20";
	const char *name = images[rnd(seed, 4)];

	memset(ev, 0, sizeof(*ev));
	ev->verb = (uint8_t)rnd(seed, CST_EVENT_OTHER);
	ev->state = rnd(seed, 3) ? CST_STATE_START : CST_STATE_END;
	ev->pid = rnd(seed, 4);
	ev->params = params;
	ev->name = (struct cst_str){ name, strlen(name) };
	switch (ev->verb) {
	case CST_EVENT_PROCESS:
		if (rnd(seed, 2)) {
			params[0].key = (struct cst_str){ "inherit", 7 };
			params[0].value = (struct cst_str){ &"0123"[rnd(seed, 4)], 1 };
			ev->n_params = 1;
		}
		break;
	case CST_EVENT_THREAD:
		ev->name.p = NULL;
		ev->name.n = 0;
		ev->tid = rnd(seed, 8);
		break;
	case CST_EVENT_LIBRARY:
	case CST_EVENT_PATCH:
		ev->has_base = 1;
		ev->base = rnd(seed, 16) * 16 + rnd(seed, 2) * 8;
		ev->has_size = ev->verb == CST_EVENT_PATCH || rnd(seed, 8);
		ev->size = ev->has_size ? (rnd(seed, 6) + 1) * 8 : 0;
		ev->offset = rnd(seed, 3) * 4;
		if (ev->verb == CST_EVENT_PATCH) {
			ev->name.p = NULL;
			ev->name.n = 0;
			ev->code_kind = (uint8_t)rnd(seed, 3);
			if (ev->code_kind == CST_CODE_BYTES)
				ev->code = (struct cst_str){ code, rnd(seed, 17) };
			else if (ev->code_kind == CST_CODE_ID)
				ev->code = (struct cst_str){ "jit", 3 };
		}
		break;
	case CST_EVENT_ASID:
		ev->name.p = NULL;
		ev->name.n = 0;
		ev->asid = rnd(seed, 4);
		break;
	default:
		ev->pid = 0;
		ev->trace_id = rnd(seed, 4) + 16;
		params[0].key = (struct cst_str){ "TRCCONFIGR", 10 };
		params[0].value = (struct cst_str){ &"0123"[rnd(seed, 4)], 1 };
		ev->n_params = 1;
		break;
	}
}

/* An END of what is not there says that it was there before the log: tested apart. */
static int ends_nothing(const struct cst_state *st, const struct cst_event *ev)
{
	struct cst_event found;

	switch (ev->verb) {
	case CST_EVENT_PROCESS:
		return !cst_state_process(st, ev->pid, &found);
	case CST_EVENT_THREAD:
		return !cst_state_thread(st, ev->tid, &found);
	case CST_EVENT_ASID:
		return !cst_state_asid(st, ev->asid, &found);
	case CST_EVENT_TRACE:
		return !cst_state_trace(st, ev->name, &found);
	default:
		return !cst_state_code(st, ev->pid, ev->base, &found) || found.verb != ev->verb ||
		       (ev->has_size ? !found.has_size : found.base != ev->base);
	}
}

/* A complete log of random events, closed by everything that is alive. */
static void random_log(uint64_t seed, unsigned int events, struct lines *log)
{
	struct cst_state *st = new_state();
	struct cst_event_param params[2];
	struct cst_event ev;
	unsigned int i;

	for (i = 0; i < events; i++) {
		do {
			random_event(&seed, &ev, params);
		} while (ev.state == CST_STATE_END && ends_nothing(st, &ev));
		ev.time = i;
		assert_int_equal(cst_state_apply(st, &ev, keep, log), 0);
	}
	cst_state_list(st, CST_STATE_CURRENT, events, keep, log);
	cst_state_free(st);
}

struct record {
	char **states;	/* before each event, and after the last one */
	size_t n;
};

static void free_record(struct record *r)
{
	while (r->n)
		free(r->states[--r->n]);
	free(r->states);
}

static struct record forwards(const char *text, size_t len, size_t events)
{
	struct record rec = { .states = calloc(events + 1, sizeof(char *)) };
	struct cst_state *st = new_state();
	struct cst_event_reader *r;
	struct cst_state_counts c;
	struct cst_event ev;

	assert_non_null(rec.states);
	assert_int_equal(cst_event_reader_new(&r, text, len, 0), 0);
	do {
		assert_true(rec.n <= events);
		rec.states[rec.n++] = dump(st);
	} while (cst_event_next(r, &ev, NULL) > 0 && !cst_state_apply(st, &ev, NULL, NULL));
	cst_state_counts(st, &c);
	assert_int_equal(c.implied, 0);
	assert_int_equal(c.contradictions, 0);
	assert_int_equal(c.dropped, 0);
	assert_int_equal(rec.n, events + 1);
	cst_event_reader_free(r);
	cst_state_free(st);
	return rec;
}

static size_t count_lines(const char *text, size_t len)
{
	size_t n = 0;

	while (len)
		n += text[--len] == '\n';
	return n;
}

static void compare_backwards(const char *text, size_t len, const struct record *rec, size_t from)
{
	struct cst_state *st = new_state();
	struct cst_event_reader *r;
	struct cst_state_counts c;
	struct cst_event ev;
	size_t at = rec->n - 1;
	char *d;

	assert_int_equal(cst_event_reader_new(&r, text, len, 0), 0);
	cst_event_rewind(r, 1);
	while (cst_event_prev(r, &ev, NULL) > 0) {
		assert_int_equal(cst_state_unapply(st, &ev), 0);
		at--;
		/* Within the closing snapshot not everything has been said yet. */
		if (ev.state == CST_STATE_CURRENT && !strcmp(rec->states[at], rec->states[rec->n - 1]))
			continue;
		d = dump(st);
		assert_string_equal(d, rec->states[at]);
		free(d);
	}
	assert_int_equal(at, from);
	cst_state_counts(st, &c);
	assert_int_equal(c.contradictions, 0);
	assert_int_equal(c.unknown_ends, 0);
	cst_event_reader_free(r);
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
	struct cst_event ev;
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
	struct cst_state_counts c;
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

/* How many events are received before one is refused; after that none may come. */
struct refusal {
	unsigned int left;
	bool refused;
};

static int refuse_after(void *ctx, const struct cst_event *ev, int implied)
{
	struct refusal *r = ctx;

	(void)ev;
	(void)implied;
	assert_false(r->refused);
	r->refused = !r->left;
	return r->left-- ? 1 : -CST_ERR_IO;
}

/* Whichever event the receiver refuses, that is returned at once; other results are no errors. */
static void test_refused_anywhere(void **state)
{
	struct cst_event_param params[2];
	struct refusal r;
	struct cst_event ev;
	struct cst_state *st;
	unsigned int i, n;
	uint64_t seed;
	int err;

	(void)state;
	for (n = 0; n < 300; n++) {
		st = new_state();
		r = (struct refusal){ .left = n };
		seed = 17 + n / 100;
		for (i = 0; i < 400 && !r.refused; i++) {
			random_event(&seed, &ev, params);
			ev.state = (uint8_t)rnd(&seed, 3);
			ev.time = i;
			err = cst_state_apply(st, &ev, refuse_after, &r);
			assert_int_equal(err, r.refused ? -CST_ERR_IO : 0);
		}
		assert_true(r.refused);
		cst_state_free(st);
	}
}

/* Backwards, what ends may have no room: that is returned, also by the functions that read a whole log. */
static void test_limits_backwards(void **state)
{
	static const char text[] = "1 declare_library(CURRENT, 1, 0x100, \"a\", size=0x100)\n"
				   "2 declare_library(END, 1, 0x200, \"a\", size=0x100)\n3 declare_thread(START, 5, 1)\n";
	const struct cst_state_limits limits = { .memory = 1 };
	static const int want[] = { 0, -CST_ERR_LIMIT, -CST_ERR_LIMIT };
	struct cst_state_counts c;
	struct cst_event_reader *r;
	struct cst_event ev;
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

/* Everything that belongs to one process, the process first or last. */
static void test_list_process(void **state)
{
	struct cst_state *st = new_state();
	struct lines l = { 0 };
	static const char want[] =
		"9 declare_process(START, 1, None, \"a\")\n9 declare_thread(START, 2, 1)\n"
		"9 declare_library(START, 1, 0x10, \"b\")\n"
		"9 declare_library(END, 1, 0x10, \"b\")\n9 declare_thread(END, 2, 1)\n"
		"9 declare_process(END, 1, None, \"a\")\n";

	(void)state;
	apply_text(st, "- declare_process(START, 1, None, \"a\")\n- declare_library(START, 1, 0x10, \"b\")\n"
		       "- declare_thread(START, 2, 1)\n- declare_thread(START, 3, 4)\n"
		       "- declare_library(START, 0, 0x10, \"k\")\n", NULL);
	assert_int_equal(cst_state_list_process(st, 1, CST_STATE_START, 9, keep, &l), 0);
	assert_int_equal(cst_state_list_process(st, 1, CST_STATE_END, 9, keep, &l), 0);
	assert_int_equal(l.len, strlen(want));
	assert_memory_equal(l.text, want, l.len);
	free(l.text);
	cst_state_free(st);
}

/* ---- complete logs ----------------------------------------------------------------------------- */

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
	struct cst_event ev;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_exec_exit),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_cut_patch),
		cmocka_unit_test(test_names_that_move),
		cmocka_unit_test(test_current), cmocka_unit_test(test_current_backwards), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_contradictions_backwards), cmocka_unit_test(test_sizes_backwards),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_both_directions),
		cmocka_unit_test(test_lost_head),
		cmocka_unit_test(test_at),
		cmocka_unit_test(test_end_without_start),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_refused_anywhere), cmocka_unit_test(test_started_again),
		cmocka_unit_test(test_limits_backwards), cmocka_unit_test(test_complete_refused),
		cmocka_unit_test(test_list_process),
		cmocka_unit_test(test_complete), cmocka_unit_test(test_complete_ends), cmocka_unit_test(test_complete_limits),
		cmocka_unit_test(test_complete_both_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
