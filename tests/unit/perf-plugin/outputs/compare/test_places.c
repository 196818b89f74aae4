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

/* At the end of the other side four instructions are enough, or all of a shorter piece. */
static void at_the_end(void **state)
{
	static const struct row rows[] = {
		{ "four", { GAP(0, 50, BEGIN), GAP(60, 20, OVERFLOW) }, { PART(0, 64) },
		  "54 equal, missing 10 overflow, extra 16 end" },
		{ "three", { GAP(0, 50, BEGIN), GAP(60, 20, OVERFLOW) }, { PART(0, 63) },
		  "at 50, 50: 20 only in the trace; 50 equal, missing 13 end" },
		{ "a piece of three", { GAP(0, 50, BEGIN), GAP(60, 3, OVERFLOW) }, { PART(0, 63) },
		  "53 equal, missing 10 overflow" },
		{ "one of a piece of three", { GAP(0, 50, BEGIN), GAP(60, 3, OVERFLOW) }, { PART(0, 61) },
		  "51 equal, missing 10 overflow, extra 2 end" },
		{ "nothing", { GAP(0, 50, BEGIN), GAP(60, 20, OVERFLOW) }, { PART(0, 50) }, "50 equal, extra 20 end" },
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

/* What is found nowhere, or only further on, is a difference. */
static void not_found(void **state)
{
	static const struct row rows[] = {
		{ "a piece up to the next gap", { GAP(0, 100, BEGIN), GAP(ALIEN, 30, OVERFLOW), GAP(120, 80, ERROR) }, { PART(0, 200) },
		  "at 100, 100: 30 only in the trace, 20 only in the other; 180 equal" },
		{ "a piece, and nothing behind it", { GAP(0, 100, BEGIN), GAP(ALIEN, 30, OVERFLOW), GAP(120, 8, ERROR) }, { PART(0, 128) },
		  "at 100, 100: 30 only in the trace; 108 equal, missing 20 error" },
		{ "instructions on both sides of a gap are no place",
		  { GAP(0, 50, BEGIN), GAP(ALIEN, 3, OVERFLOW), PART(60, 8), GAP(68, 8, DISCARD), GAP(80, 20, ERROR) }, { PART(0, 100) },
		  "at 50, 50: 19 only in the trace, 30 only in the other; 70 equal" },
		{ "a later part of the piece", { GAP(0, 100, BEGIN), GAP(ALIEN, 5, OVERFLOW), PART(120, 80) }, { PART(0, 200) },
		  "at 100, 100: 5 only in the trace, 20 only in the other; 180 equal" },
		{ "at the beginning", { GAP(ALIEN, 5, BEGIN), PART(0, 80) }, { PART(0, 80) }, "80 equal, extra 5 begin" },
		{ "at the beginning, with others", { GAP(ALIEN, 5, BEGIN), PART(0, 80) }, { PART(ALIEN + 10, 3), PART(0, 80) },
		  "at 0, 0: 5 only in the trace, 3 only in the other; 80 equal" },
		{ "the other is wrong up to its gap", { GAP(0, 200, BEGIN) }, { PART(0, 100), PART(ALIEN, 30), GAP(100, 100, ERROR) },
		  "at 100, 100: 30 only in the other; 200 equal" },
		{ "the other is wrong up to its gap, and the trace soon has one", { GAP(0, 120, BEGIN), GAP(150, 50, DISCARD) },
		  { PART(0, 100), PART(ALIEN, 30), GAP(100, 100, ERROR) },
		  "at 100, 100: 30 only in the other; 170 equal, missing 30 discard" },
		{ "the trace is wrong up to its gap", { GAP(0, 100, BEGIN), PART(ALIEN, 30), GAP(150, 50, ERROR) }, { PART(0, 200) },
		  "at 100, 100: 30 only in the trace; 150 equal, missing 50 error" },
		{ "the other is wrong up to its gap, and resumes within a loop", { GAP(0, 50, BEGIN), LOOP(50, 20, 6), PART(70, 50) },
		  { PART(0, 50), LOOP(50, 20, 2), PART(ALIEN, 30), GAP(65, 5, ERROR), LOOP(50, 20, 2), PART(70, 50) },
		  "at 90, 90: 30 only in the other; 185 equal, extra 35 error" },
		{ "16 match", { GAP(0, 50, BEGIN), PART(ALIEN, 3), PART(60, 16), PART(ALIEN + 5, 4), PART(90, 30) }, { PART(0, 120) },
		  "at 50, 50: 3 only in the trace, 10 only in the other; at 69, 76: 4 only in the trace, 14 only in the other; 96 equal" },
		{ "4 match", { GAP(0, 50, BEGIN), PART(ALIEN, 3), PART(60, 4), PART(ALIEN + 5, 4), PART(90, 3) }, { PART(0, 93) },
		  "at 50, 50: 3 only in the trace, 10 only in the other; at 57, 64: 7 only in the trace; 54 equal, missing 29 end" },
		{ "3 match", { GAP(0, 50, BEGIN), PART(ALIEN, 3), PART(60, 3), PART(ALIEN + 5, 4) }, { PART(0, 93) },
		  "at 50, 50: 10 only in the trace; 50 equal, missing 43 end" },
		/* more is left out than then matches up to the gap */
		{ "19 match, 20 are left out", { GAP(0, 50, BEGIN), PART(ALIEN, 10), PART(60, 19), GAP(100, 50, ERROR) }, { PART(0, 150) },
		  "at 50, 50: 29 only in the trace; 100 equal, missing 50 error" },
		{ "20 match, 20 are left out", { GAP(0, 50, BEGIN), PART(ALIEN, 10), PART(60, 20), GAP(100, 50, ERROR) }, { PART(0, 150) },
		  "at 50, 50: 10 only in the trace, 10 only in the other; 120 equal, missing 20 error" },
		{ "the fewest", { GAP(0, 50, BEGIN), PART(60, 30), PART(50, 10), PART(60, 60) }, { PART(0, 120) },
		  "at 50, 50: 10 only in the other; at 80, 90: 40 only in the trace; 110 equal" },
	};

	(void)state;
	ROWS(rows);
}

/* A gap in a loop: the nearest place is not the right one, which the end of the loop shows. */
static void longer_gaps(void **state)
{
	static const struct row rows[] = {
		{ "of the trace", { GAP(0, 50, BEGIN), PART_OF(50, 20, .gap = GAP_OVERFLOW, .times = 3), PART(70, 50) }, { PART(0, 50), LOOP(50, 20, 10), PART(70, 50) },
		  "160 equal, missing 140 overflow" },
		{ "of the other", { GAP(0, 50, BEGIN), LOOP(50, 20, 10), PART(70, 50) }, { PART(0, 50), PART_OF(50, 20, .gap = GAP_ERROR, .times = 3), PART(70, 50) },
		  "160 equal, extra 140 error" },
		{ "without a gap", { GAP(0, 50, BEGIN), LOOP(50, 20, 3), PART(70, 50) }, { PART(0, 50), LOOP(50, 20, 10), PART(70, 50) },
		  "at 110, 110: 140 only in the other; 160 equal" },
		{ "by two instructions", { GAP(0, 50, BEGIN), PART_OF(50, 1, .gap = GAP_OVERFLOW, .times = 20), PART(70, 1100) },
		  { PART(0, 50), LOOP(50, 1, 22), PART(70, 1100) }, "1170 equal, missing 2 overflow" },
		{ "by two instructions, in the other", { GAP(0, 50, BEGIN), LOOP(50, 1, 22), PART(70, 1100) },
		  { PART(0, 50), PART_OF(50, 1, .gap = GAP_ERROR, .times = 20), PART(70, 1100) }, "1170 equal, extra 2 error" },
		{ "by two instructions, without a gap", { GAP(0, 50, BEGIN), LOOP(50, 1, 20), PART(70, 1100) },
		  { PART(0, 50), LOOP(50, 1, 22), PART(70, 1100) }, "at 70, 70: 2 only in the other; 1170 equal" },
		{ "behind a difference", { GAP(0, 50, BEGIN), PART_OF(50, 20, .gap = GAP_OVERFLOW, .times = 3), PART(ALIEN, 1), LOOP(50, 20, 3), PART(70, 50) },
		  { PART(0, 50), LOOP(50, 20, 10), PART(70, 50) },
		  "at 110, 190: 1 only in the trace; 220 equal, missing 80 overflow" },
		{ "the nearest of two that match as far", { GAP(0, 50, BEGIN), PART_OF(50, 20, .gap = GAP_OVERFLOW, .times = 2), PART(70, 50) },
		  { PART(0, 50), LOOP(50, 20, 4), PART(70, 50), PART(ALIEN, 10), LOOP(50, 20, 2), PART(70, 50) },
		  "140 equal, missing 40 overflow, missing 100 end" },
		{ "the one that matches furthest", { GAP(0, 50, BEGIN), PART_OF(50, 20, .gap = GAP_OVERFLOW, .times = 2), PART(70, 50), PART(200, 5) },
		  { PART(0, 50), LOOP(50, 20, 4), PART(70, 50), PART(ALIEN, 10), LOOP(50, 20, 2), PART(70, 50), PART(200, 5) },
		  "145 equal, missing 140 overflow" },
	};

	(void)state;
	ROWS(rows);
}

/* A field that is ignored does not make a difference, and a result that is ignored does not tell instructions apart. */
static void ignored(void **state)
{
	static const struct {
		unsigned int ignore;
		const char *want;
	} rows[] = {
		{ 0, "at 20, 20: fields 1; at 30, 30: fields 2, 1 only in the trace, 1 only in the other; at 40, 40: fields 4; 57 equal, 3 changed, levels 3" },
		{ FIELD_OPCODE, "at 30, 30: fields 2, 1 only in the trace, 1 only in the other; at 40, 40: fields 4; 58 equal, 2 changed, levels 3" },
		{ FIELD_RESULT, "at 20, 20: fields 1; at 40, 40: fields 4; 58 equal, 2 changed, levels 3" },
		{ FIELD_EL, "at 20, 20: fields 1; at 30, 30: fields 2, 1 only in the trace, 1 only in the other; 58 equal, 2 changed, levels 3" },
		{ FIELD_OPCODE | FIELD_RESULT | FIELD_EL, "60 equal, levels 3" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct list trace, other;
		struct run r = { .len = 0 };
		struct align_ops ops = { .next = next, .source = &other, .ignore = rows[i].ignore, .data = &r,
					 .difference = difference };
		size_t k;

		expand(&trace, (const struct part[]){ PART_OF(0, 60, .gap = GAP_BEGIN, .flags = ALIGN_HAS_OPCODE), END });
		expand(&other, (const struct part[]){ PART_OF(0, 60, .flags = ALIGN_HAS_OPCODE), END });
		other.v[20].opcode = 1;
		other.v[30].result = 1;
		trace.v[40].el = 1;
		r.al = align_new(&ops);
		assert_non_null(r.al);
		for (k = 0; k < trace.n; k++)
			assert_int_equal(align_put(r.al, &trace.v[k]), 0);
		assert_int_equal(align_end(r.al), 0);
		say_counts(&r, align_counts(r.al));
		assert_string_equal(r.text, rows[i].want);
		align_free(r.al);
		free(trace.v);
		free(other.v);
	}
}

/* The piece behind a gap is a difference, its second half is found: how far behind that its first half is searched. */
static void look_further(void **state)
{
	enum { SURE = 32768, LOOK = 65536 };
	unsigned int at;

	(void)state;
	for (at = LOOK - 1; at <= LOOK; at++) {
		const struct part trace[] = { GAP(0, 50, BEGIN), GAP(ALIEN, 20, OVERFLOW), PART(50, 2 * SURE), END };
		const struct part other[] = { PART(0, 50), PART(50, SURE), PART(ALIEN + 100, at - SURE), PART(ALIEN, 20), PART(50, 2 * SURE), END };

		check("a piece, and a part of it before", 0, trace, other, at < LOOK ?
		      "65606 equal, missing 65535 overflow" :
		      "at 50, 50: 20 only in the trace; at 32838, 32818: 32768 only in the trace; 32818 equal, missing 98324 end");
	}
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

/* A piece begins where 20,000 of its instructions match, though 24 of the ones behind them match far away. */
static void few_far_away(void **state)
{
	const struct part trace[] = { GAP(0, 50, BEGIN), GAP(50, 20000, FILTERED), PART(ALIEN, 450), PART(200000, 24),
				      GAP(ALIEN + 1000, 20000, FILTERED), GAP(60000, 10000, FILTERED), END };
	const struct part other[] = { PART(0, 110000), PART(200000, 24), PART(110000, 1000), END };

	(void)state;
	check("few far away", 0, trace, other, "at 20050, 20050: 474 only in the trace; at 20524, 20050: 20000 only in the trace, "
	      "39950 only in the other; 30050 equal, missing 41024 end");
}

/* More than a million instructions behind a gap, what was passed is given up in halves of that, also if a part was found. */
static void half_a_million(void **state)
{
	enum { FAR = 1 << 20 };
	const struct part trace[] = { GAP(0, 50, BEGIN), GAP(ALIEN, 5, OVERFLOW), PART(50, 50), END };
	const struct part other[] = { PART(0, 50), PART(ALIEN + 100, FAR - 20), PART(50, 50), PART(ALIEN + 2 * FAR, 100), END };

	(void)state;
	check("a part is found", 0, trace, other, "at 50, 524338: 5 only in the trace, 524268 only in the other; 100 equal, "
	      "missing 524288 overflow, missing 100 end");
}

/* Pieces that are longer than what is looked at of a side. */
static void long_pieces(void **state)
{
	static const struct row rows[] = {
		{ "of the trace", { GAP(0, 50, BEGIN), GAP(100, 100000, OVERFLOW), GAP(100200, 70000, OVERFLOW) }, { PART(0, 170300) },
		  "170050 equal, missing 150 overflow, missing 100 end" },
		{ "of both", { GAP(0, 50, BEGIN), GAP(100, 100000, OVERFLOW) }, { PART(0, 60), GAP(90, 100010, ERROR) },
		  "100050 equal, missing 20 overflow" },
		{ "behind a difference", { GAP(0, 50, BEGIN), PART(ALIEN, 70), PART(50, 100000) }, { PART(0, 100050) },
		  "at 50, 50: 70 only in the trace; 100050 equal" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(rows[i].what, 0, rows[i].trace, rows[i].other, rows[i].want);
}

/* A gap of the other side that is longer than what is known of the trace at a time. */
static void long_gap_of_other(void **state)
{
	/* the trace is looked at when 98304 instructions have come, and the first 100 of them match */
	static const unsigned int lengths[] = { 98304 - 100 - 20, 98304 - 100 - 5, 98304 - 100 - 4, 98304 - 100 - 3, 98304 - 100, 150000 };
	char want[100];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const struct part trace[] = { GAP(0, 200000, BEGIN), END };
		const struct part other[] = { PART(0, 100), GAP(100 + lengths[i], 200000 - 100 - lengths[i], BUFFER), END };

		snprintf(want, sizeof(want), "%u equal, extra %u buffer", 200000 - lengths[i], lengths[i]);
		check("a long gap", 0, trace, other, want);
	}
}

/* Of all places at which too few instructions match to be sure, the one at which most do is taken. */
static void places(void **state)
{
	enum { PLACES = 65 };
	const struct part trace[] = { GAP(0, 100, BEGIN), GAP(200, 60, OVERFLOW), END };
	struct part other[2 * PLACES + 3] = { PART(0, 100), GAP(ALIEN, 1, ERROR) };
	const unsigned int end = 1 + 17 * PLACES + 4;	/* instructions behind the gap of the other */
	unsigned int best, before, i;
	char want[200];

	(void)state;
	/* 16 instructions match at each place, and 20 at one */
	for (best = 0; best < PLACES; best += PLACES / 2) {
		for (i = 0; i < PLACES; i++) {
			other[2 + 2 * i] = (struct part)PART(200, i == best ? 20 : 16);
			other[3 + 2 * i] = (struct part)PART(ALIEN + 1 + i, 1);
		}
		before = 1 + 17 * best;
		snprintf(want, sizeof(want), "at 120, %u: 40 only in the trace; 120 equal, missing %u overflow, missing %u end", 120 + before, before,
			 end - before - 20);
		check("places", 0, trace, other, want);
	}
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
		cmocka_unit_test(one_gap), cmocka_unit_test(at_the_end), cmocka_unit_test(two_gaps), cmocka_unit_test(not_found),
		cmocka_unit_test(longer_gaps), cmocka_unit_test(ignored), cmocka_unit_test(look_further), cmocka_unit_test(loops_done_again),
		cmocka_unit_test(few_far_away), cmocka_unit_test(half_a_million),
		cmocka_unit_test(long_pieces), cmocka_unit_test(long_gap_of_other), cmocka_unit_test(places),
		cmocka_unit_test(many_short_pieces),
	};

	return cmocka_run_group_tests_name("compare places", tests, NULL, NULL);
}
