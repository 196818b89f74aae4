/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_compare_places.c - where two sequences of instructions are aligned again behind gaps and differences, to the
 * instruction: what is left out of which side, and by which cause it is counted (compare/align.h).
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "outputs/compare/align.h"

/*
 * A part of a side: `n` instructions, of which the first is number `first` of the program and has a gap before it. A
 * number stands for an address, so that parts with other numbers never match. Times: the part again and again.
 */
struct part {
	unsigned int first, n;
	enum align_gap gap;
	unsigned int times;	/* 0: once */
	uint8_t flags, el;
};

#define PART(first_one, count) { .first = first_one, .n = count }
#define GAP(first_one, count, cause) { .first = first_one, .n = count, .gap = GAP_##cause }
#define LOOP(first_one, count, how_often) { .first = first_one, .n = count, .times = how_often }
#define LEVEL(first_one, count, level) { .first = first_one, .n = count, .el = level }
#define PART_OF(first_one, count, ...) { .first = first_one, .n = count, __VA_ARGS__ }
#define END { .n = 0 }
#define ALIEN 5000000u	/* instructions that only one side has are numbered from here on */

struct list {
	struct align_insn *v;
	size_t n, at;
};

static void expand(struct list *l, const struct part *p)
{
	const struct part *part;
	struct align_insn *insn;
	unsigned int i, k, times;
	size_t all = 0;

	for (part = p; part->n; part++)
		all += (part->times ? part->times : 1) * (size_t)part->n;
	memset(l, 0, sizeof(*l));
	l->v = malloc((all + !all) * sizeof(*l->v));
	assert_non_null(l->v);
	for (; p->n; p++) {
		times = p->times ? p->times : 1;
		for (k = 0; k < times; k++) {
			for (i = 0; i < p->n; i++) {
				insn = &l->v[l->n++];
				*insn = (struct align_insn){ .addr = 4ull * (p->first + i), .size = 4, .isa = 2, .el = p->el,
							     .flags = p->flags, .gap = k || i ? GAP_NONE : (uint8_t)p->gap };
			}
		}
	}
}

struct run {
	struct list other;
	struct align *al;
	char text[2000];
	size_t len;
};

static void say(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct run *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->len += (size_t)vsnprintf(r->text + r->len, sizeof(r->text) - r->len, fmt, ap);
	va_end(ap);
	assert_true(r->len < sizeof(r->text));
}

static int next(void *source, struct align_insn *insn)
{
	struct list *l = source;

	if (l->at == l->n)
		return 0;
	*insn = l->v[l->at++];
	return 1;
}

static int difference(void *data, const struct align_diff *diff)
{
	struct run *r = data;

	say(r, "at %" PRIu64 ", %" PRIu64 ":", diff->trace, diff->other);
	if (diff->fields)
		say(r, " fields %u%s", diff->fields, diff->only_trace ? "," : "");
	if (diff->only_trace)
		say(r, " %" PRIu64 " only in the trace%s", diff->only_trace, diff->only_other ? "," : "");
	if (diff->only_other)
		say(r, " %" PRIu64 " only in the other", diff->only_other);
	say(r, "; ");
	return 0;
}

/* The sums that are not 0; instructions in gaps by cause, in parentheses those of an exception level other than 0. */
static void say_counts(struct run *r, const struct align_counts *c)
{
	static const char *const causes[NR_GAPS] = { "none", "begin", "filtered", "overflow", "discard", "error", "no code",
						     "address", "buffer", "end" };
	unsigned int gap, el;

	say(r, "%" PRIu64 " equal", c->equal);
	if (c->changed)
		say(r, ", %" PRIu64 " changed", c->changed);
	if (c->started)
		say(r, ", %" PRIu64 " started", c->started);
	if (c->els != 1 && c->equal + c->changed)
		say(r, ", levels %x", c->els);
	for (gap = 0; gap < NR_GAPS; gap++)
		for (el = 0; el < 5; el++)
			if (c->missing[gap][el] && !el)
				say(r, ", missing %" PRIu64 " %s", c->missing[gap][el], causes[gap]);
			else if (c->missing[gap][el])
				say(r, ", missing %" PRIu64 " %s (%u)", c->missing[gap][el], causes[gap], el);
	for (gap = 0; gap < NR_GAPS; gap++)
		if (c->extra[gap])
			say(r, ", extra %" PRIu64 " %s", c->extra[gap], causes[gap]);
}

static void check(const char *what, unsigned int ignore, const struct part *trace, const struct part *other, const char *want)
{
	struct run r = { .len = 0 };
	struct align_ops ops = { .next = next, .source = &r.other, .ignore = ignore, .data = &r, .difference = difference };
	const struct align_counts *c;
	struct list t;
	size_t i;

	expand(&t, trace);
	expand(&r.other, other);
	r.al = align_new(&ops);
	assert_non_null(r.al);
	for (i = 0; i < t.n; i++)
		assert_int_equal(align_put(r.al, &t.v[i]), 0);
	assert_int_equal(align_end(r.al), 0);
	c = align_counts(r.al);
	say_counts(&r, c);
	if (strcmp(r.text, want))
		fail_msg("%s:\n  wanted %s\n  got    %s", what, want, r.text);
	align_free(r.al);
	free(t.v);
	free(r.other.v);
}

/* ---- errors -------------------------------------------------------------------------------------- */

#define REFUSED (-77)

/* The other side of `refused`: an error once, instead of instruction `n`, and then its end. */
static int next_or_error(void *source, struct align_insn *insn)
{
	struct list *l = source;

	if (l->at < l->n)
		return next(source, insn);
	return l->at++ == l->n ? REFUSED : 0;
}

static int refuse(void *data, const struct align_diff *diff)
{
	(void)diff;
	++*(unsigned int *)data;
	return REFUSED;
}

static int ignore_it(void *data, const struct align_diff *diff)
{
	(void)data;
	(void)diff;
	return 0;
}

/* What is returned first that is not 0. */
static int result(const struct align_ops *ops, const struct list *trace)
{
	struct align *al = align_new(ops);
	int rc = 0;
	size_t i;

	assert_non_null(al);
	for (i = 0; i < trace->n && !rc; i++)
		rc = align_put(al, &trace->v[i]);
	if (!rc)
		rc = align_end(al);
	align_free(al);
	return rc;
}

/* An error of the other side ends the run at each instruction, and so does the first difference that is refused. */
static void check_errors(const char *what, const struct part *trace, const struct part *other, bool differs)
{
	unsigned int differences = 0;
	struct list t, o;
	struct align_ops ops = { .next = next_or_error, .source = &o, .difference = ignore_it };
	size_t n, all;
	int rc;

	expand(&t, trace);
	expand(&o, other);
	all = o.n;
	for (n = 0; n <= all; n += all > 300 ? 61 : 7) {
		o.n = n;
		o.at = 0;
		rc = result(&ops, &t);
		if (rc != REFUSED)
			fail_msg("%s: an error instead of instruction %zu of %zu: returned %d", what, n, all, rc);
	}
	o.n = all;
	o.at = 0;
	ops = (struct align_ops){ .next = next, .source = &o, .difference = refuse, .data = &differences };
	rc = result(&ops, &t);
	if (rc != (differs ? REFUSED : 0) || differences != differs)
		fail_msg("%s: %u differences are refused: returned %d", what, differences, rc);
	free(t.v);
	free(o.v);
}

struct row {
	const char *what;
	struct part trace[8], other[8];
	const char *want;
};

static void check_rows(const struct row *row, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		check(row[i].what, 0, row[i].trace, row[i].other, row[i].want);
		check_errors(row[i].what, row[i].trace, row[i].other, !strncmp(row[i].want, "at ", 3));
	}
}

#define ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

/* A side has a gap, and the other side goes on. */
static void one_gap(void **state)
{
	static const struct row rows[] = {
		{ "in the trace", { GAP(0, 100, BEGIN), GAP(130, 100, OVERFLOW) }, { PART(0, 230) },
		  "200 equal, missing 30 overflow" },
		{ "in the other", { GAP(0, 230, BEGIN) }, { PART(0, 100), GAP(130, 100, ERROR) },
		  "200 equal, extra 30 error" },
		{ "of nothing", { GAP(0, 100, BEGIN), GAP(100, 100, OVERFLOW) }, { PART(0, 120), GAP(120, 80, FILTERED) },
		  "200 equal" },
		{ "by exception level", { PART_OF(0, 100, .gap = GAP_BEGIN, .el = 1), PART_OF(112, 100, .gap = GAP_FILTERED, .el = 2) },
		  { LEVEL(0, 100, 1), PART(100, 1), LEVEL(101, 2, 1), LEVEL(103, 4, 3), LEVEL(107, 5, ALIGN_UNKNOWN),
		    LEVEL(112, 100, 2) },
		  "200 equal, levels 6, missing 1 filtered, missing 2 filtered (1), missing 4 filtered (3), missing 5 filtered (4)" },
		{ "levels that are not known", { PART_OF(0, 40, .gap = GAP_BEGIN, .el = ALIGN_UNKNOWN), LEVEL(40, 40, 3) }, { LEVEL(0, 80, 3) },
		  "80 equal, levels 8" },
		{ "a piece shorter than 16", { GAP(0, 100, BEGIN), GAP(110, 5, OVERFLOW), GAP(140, 20, DISCARD) }, { PART(0, 160) },
		  "125 equal, missing 10 overflow, missing 25 discard" },
		{ "a piece shorter than 16 of the other", { GAP(0, 160, BEGIN) },
		  { PART(0, 100), GAP(110, 5, OVERFLOW), GAP(140, 20, DISCARD) },
		  "125 equal, extra 10 overflow, extra 25 discard" },
		{ "the trace begins earlier", { GAP(0, 100, BEGIN) }, { PART(7, 93) }, "93 equal, extra 7 begin" },
		{ "the trace begins later", { GAP(7, 93, BEGIN) }, { PART(0, 100) }, "93 equal, missing 7 begin" },
		{ "the trace ends earlier", { GAP(0, 93, BEGIN) }, { PART(0, 100) }, "93 equal, missing 7 end" },
		{ "the trace ends later", { GAP(0, 100, BEGIN) }, { PART(0, 93) }, "93 equal, extra 7 end" },
		{ "taken exceptions", { GAP(0, 50, BEGIN), PART(51, 49) },
		  { PART(0, 50), PART_OF(50, 1, .flags = ALIGN_STARTED), PART(51, 9), PART_OF(60, 1, .flags = ALIGN_STARTED), PART(61, 39) },
		  "99 equal, 1 started" },
	};

	(void)state;
	ROWS(rows);
}

/* Both sides have a gap, and one of them resumes earlier. */
static void two_gaps(void **state)
{
	static const struct row rows[] = {
		{ "the other resumes earlier", { GAP(0, 100, BEGIN), GAP(200, 100, OVERFLOW) },
		  { PART(0, 100), GAP(180, 120, ERROR) }, "200 equal, missing 20 overflow" },
		{ "the trace resumes earlier", { GAP(0, 100, BEGIN), GAP(180, 120, OVERFLOW) },
		  { PART(0, 100), GAP(200, 100, ERROR) }, "200 equal, extra 20 error" },
		{ "the other also stops later", { GAP(0, 100, BEGIN), GAP(200, 100, OVERFLOW) },
		  { PART(0, 110), GAP(180, 120, ERROR) }, "200 equal, missing 30 overflow" },
		{ "the trace stops later, and resumes earlier", { GAP(0, 110, BEGIN), GAP(180, 120, OVERFLOW) },
		  { PART(0, 100), GAP(200, 100, ERROR) }, "200 equal, extra 30 error" },
		{ "16 instructions match", { GAP(0, 100, BEGIN), GAP(180, 36, OVERFLOW), PART(ALIEN, 30) },
		  { PART(0, 100), GAP(200, 100, ERROR) },
		  "at 136, 116: 30 only in the trace; 116 equal, missing 84 end, extra 20 error" },
		{ "15 instructions match", { GAP(0, 100, BEGIN), GAP(180, 35, OVERFLOW), PART(ALIEN, 30) },
		  { PART(0, 100), GAP(200, 100, ERROR) },
		  "at 100, 100: 65 only in the trace; 100 equal, missing 100 end" },
		/* 16 match at once, 40 when the trace leaves out 20 */
		{ "the place where most match", { GAP(0, 100, BEGIN), GAP(200, 16, OVERFLOW), PART(ALIEN, 4), PART(200, 40), PART(ALIEN + 9, 30) },
		  { PART(0, 100), GAP(200, 100, ERROR) },
		  "at 160, 140: 30 only in the trace; 140 equal, missing 60 end, extra 20 error" },
		{ "the place where most match, behind gaps of one cause", { GAP(0, 100, BEGIN), GAP(200, 16, OVERFLOW), PART(ALIEN, 4),
		    PART(200, 40), PART(ALIEN + 9, 30) }, { PART(0, 100), GAP(200, 100, OVERFLOW) },
		  "at 160, 140: 30 only in the trace; 140 equal, missing 60 end, extra 20 overflow" },
		{ "of equal places the nearest", { GAP(0, 100, BEGIN), GAP(ALIEN, 4, OVERFLOW), PART(200, 40), PART(ALIEN + 4, 4), PART(200, 40),
		    PART(ALIEN + 9, 30) }, { PART(0, 100), GAP(200, 100, ERROR) },
		  "at 144, 140: 74 only in the trace; 140 equal, missing 60 end, extra 4 error" },
		{ "a piece of the trace that matches whole", { GAP(0, 100, BEGIN), GAP(180, 50, OVERFLOW), GAP(500, 30, OVERFLOW) },
		  { PART(0, 100), GAP(200, 100, ERROR), GAP(500, 30, ERROR) },
		  "160 equal, missing 70 overflow, extra 20 error" },
		{ "the trace stops later, before its own gap", { GAP(0, 120, BEGIN), GAP(200, 100, OVERFLOW) },
		  { PART(0, 100), GAP(210, 90, ERROR) }, "190 equal, extra 30 error" },
	};

	(void)state;
	ROWS(rows);
}

/*
 * A loop of 40,000 instructions matches at the place where it was executed before, 1.2 million instructions earlier. Behind
 * the loop the pieces differ: the gap was longer. A piece that matches again behind what differs, even if it differs often, is
 * at its place.
 */
static void loops_done_again(void **state)
{
	const struct part whole[] = { PART(0, 100), LOOP(100, 100, 400), PART(1000, 100), LOOP(2000, 1000, 1200), LOOP(100, 100, 400),
				      PART(5000, 70000), END };
	const struct part lost[] = { PART(0, 100), GAP(100, 100, ERROR), LOOP(100, 100, 389), PART(5000, 70000), END };
	const struct part filters[] = { PART(0, 100), GAP(100, 100, FILTERED), LOOP(100, 100, 389), PART(5000, 70000), END };
	const struct part often[] = { PART(0, 100), GAP(100, 100, ERROR), LOOP(100, 100, 399), PART(ALIEN, 3), PART(1000, 500),
				      PART(ALIEN, 1), PART(1501, 500), PART(ALIEN, 1), PART(2002, 500), PART(ALIEN, 1),
				      PART(2503, 8000), END };
	const struct part wrong[] = { PART(0, 100), GAP(1100, 40000, ERROR), PART(ALIEN, 150000), END };
	const struct part rest[] = { PART(0, 200000), END };
	const struct part once[] = { PART(0, 100), LOOP(100, 100, 400), PART(1000, 9503), END };

	(void)state;
	check("in the trace", 0, lost, whole, "109100 equal, missing 1241100 error");
	check("on the other side", 0, whole, lost, "109100 equal, extra 1241100 error");
	check("a gap of filters", 0, filters, whole, "at 39100, 39100: 70000 only in the trace; 39100 equal, missing 1311100 end");
	check("all is different", 0, wrong, rest,
	      "at 40100, 41100: 90972 only in the trace; at 131072, 41100: 59028 only in the trace; 40100 equal, missing 1000 error, missing 158900 end");
	check("all is different, on the other side", 0, rest, wrong,
	      "at 135238, 40100: 64762 only in the trace; 40100 equal, missing 150000 end, extra 95138 error");
	check("frequent differences", 0, often, once, "at 40100, 40100: 3 only in the trace; at 40603, 40600: 1 only in the trace, 1 only in the other; at 41104, 41101: 1 only in the trace, 1 only in the other; at 41605, 41602: 1 only in the trace, 1 only in the other; 49600 equal");
	check("frequent differences, on the other side", 0, once, often, "at 40100, 40100: 3 only in the other; at 40600, 40603: 1 only in the trace, 1 only in the other; at 41101, 41104: 1 only in the trace, 1 only in the other; at 41602, 41605: 1 only in the trace, 1 only in the other; 49600 equal");
}

/*
 * Pieces of three instructions between gaps that both sides have: what two recordings with many losses are, or one with
 * itself. None is looked for in all that follows, which takes minutes.
 */
static void many_short_pieces(void **state)
{
	enum { GAPS = 40000, LIMIT = 20 };
	static struct part trace[GAPS + 2], other[GAPS + 2];
	const clock_t start = clock();
	unsigned int i;

	(void)state;
	trace[0] = (struct part)GAP(0, 100, BEGIN);
	for (i = 1; i <= GAPS; i++)
		trace[i] = (struct part)GAP(1000 + 5 * (i % 100), 3, NO_CODE);
	memcpy(other, trace, sizeof(other));
	check("many short pieces", 0, trace, other, "120100 equal");
	/* the last gaps have other causes */
	for (i = GAPS - 8; i <= GAPS; i++)
		other[i].gap = GAP_ERROR;
	check("other gaps", 0, trace, other, "120100 equal");
	assert_in_range((clock() - start) / CLOCKS_PER_SEC, 0, LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_gap), cmocka_unit_test(two_gaps),
		cmocka_unit_test(loops_done_again), cmocka_unit_test(many_short_pieces),
	};

	return cmocka_run_group_tests_name("compare places", tests, NULL, NULL);
}
