/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_samples.c - runs around samples (CST_EMIT_SAMPLES): what remains of the ranges has every
 * sample, and the branches before it, as the whole list of ranges has them; and all other elements
 * are the same. Runs with a list of branches (CST_EMIT_BRANCHES): these are the branches of the
 * whole list, in the same order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/image/image_int.h"
#include "flow/walk.h"
#include "unit/lib/roundtrip.h"
#include "unit/lib_decode.h"

#define MOST 300000

/* A taken branch, and how many instructions were executed up to it. */
struct taken {
	uint64_t insns, from, to;
	uint16_t flags;
	uint8_t isa, type, subtype, size;
};

/* What a list of elements says. */
struct listed {
	uint64_t period;	/* samples; 0: a whole list of ranges, or a list of branches */
	struct cst_branch_list *list;
	struct taken v[MOST];	/* all branches with a target */
	size_t n;
	struct begin {
		uint64_t insns, addr;
	} begin[MOST];		/* of each range */
	size_t n_begin;
	struct cst_generic other[MOST]; /* elements that are no ranges */
	uint64_t at[MOST];	/* instructions before each */
	size_t n_other;
	size_t stretch;		/* branches before the flow was lost last */
	struct cst_generic last; /* the last range, unless the flow was lost after it */
	bool lost, lost_range;	/* the flow was lost since samples were asked for, and a range is after that */
	uint64_t insns, ranges, elements, runs, conflicts;
	const struct listed *whole;
	size_t seen, begun;	/* branches and ranges of `whole` up to the last one */
};

static bool is_taken(const struct cst_generic *g)
{
	return g->flags & CST_GF_EXEC && (g->last_type == CST_INSN_BRANCH || g->last_type == CST_INSN_INDIRECT);
}

/* Each branch is one of the whole list. */
static void find(struct listed *l, const struct taken *b)
{
	const struct listed *w = l->whole;

	while (l->seen < w->n && w->v[l->seen].insns < b->insns)
		l->seen++;
	assert_true(l->seen < w->n);
	assert_memory_equal(&w->v[l->seen], b, sizeof(*b));
	l->seen++;
}

/* The last branches here are the last ones of the whole list, up to now. */
static void same_stack(const struct listed *l)
{
	const struct listed *w = l->whole;
	size_t i, want, all = l->seen;

	while (all < w->n && w->v[all].insns <= l->insns)
		all++;
	/* the branch that is open has no target yet */
	if (all > l->seen && w->v[all - 1].insns == l->insns)
		all--;
	assert_int_equal(all, l->seen);
	want = l->n - l->stretch < CST_SAMPLE_BRANCHES ? l->n - l->stretch : CST_SAMPLE_BRANCHES;
	for (i = 1; i <= want; i++)
		assert_memory_equal(&w->v[l->seen - i], &l->v[l->n - i], sizeof(l->v[0]));
}

/* A range, and what was left out, begins where one of the whole list does. */
static void find_begin(struct listed *l, uint64_t addr)
{
	const struct listed *w = l->whole;

	while (l->begun < w->n_begin && w->begin[l->begun].insns < l->insns)
		l->begun++;
	assert_true(l->begun < w->n_begin);
	assert_true(w->begin[l->begun].insns == l->insns && w->begin[l->begun].addr == addr);
}

/* Branches are listed in the order of the whole list. How many instructions were before them is not known. */
static void next_branch(struct listed *l, const struct taken *b)
{
	struct taken want;

	assert_true(l->n < l->whole->n);
	want = l->whole->v[l->n++];
	want.insns = b->insns;
	assert_memory_equal(&want, b, sizeof(want));
}

/* Takes the branches of a run. */
static void take_list(struct listed *l, const struct cst_generic *g)
{
	const struct cst_branch *br = l->list->v + g->first;
	struct taken b;
	uint32_t i;

	assert_true(g->first + g->branches <= l->list->n && l->list->n <= l->list->cap);
	/* it directly follows a range */
	assert_true(l->last.kind == CST_GEN_RANGE && g->runs > g->branches && !g->section);
	/* a contradiction ends it */
	assert_true(!g->num || (g->num == 1 && !(g->flags & CST_GF_EXEC)));
	for (i = 0; i < g->branches; i++, br++) {
		memset(&b, 0, sizeof(b));
		b.from = br->from;
		b.to = br->to;
		b.flags = br->flags;
		b.isa = br->isa;
		b.type = br->last_type;
		b.subtype = br->last_subtype;
		b.size = br->last_size;
		next_branch(l, &b);
	}
}

static void take_ranges(struct listed *l, const struct cst_generic *g)
{
	struct taken b;

	if (l->last.kind && is_taken(&l->last)) {
		memset(&b, 0, sizeof(b));
		b.insns = l->insns;
		b.from = l->last.end - l->last.last_size;
		b.to = g->addr;
		b.flags = l->last.flags;
		b.isa = l->last.isa;
		b.type = l->last.last_type;
		b.subtype = l->last.last_subtype;
		b.size = l->last.last_size;
		if (l->list) {
			next_branch(l, &b);
		} else {
			assert_true(l->n < MOST);
			l->v[l->n++] = b;
			if (l->whole)
				find(l, &b);
		}
	}
	if (l->list) {
		find_begin(l, g->addr);
		if (g->kind == CST_GEN_LISTED)
			take_list(l, g);
	} else if (l->whole) {
		const size_t before = l->begun;

		find_begin(l, g->addr);
		/* each range is an element */
		assert_true(!l->lost || (g->kind == CST_GEN_RANGE && (!l->lost_range || l->begun == before + 1)));
		l->lost_range = l->lost;
	}
	assert_true(l->n_begin < MOST);
	l->begin[l->n_begin++] = (struct begin){ l->insns, g->addr };
	if (g->kind == CST_GEN_SKIPPED) {
		assert_true(l->period && is_taken(g) && g->runs && !g->section);
		assert_true((l->insns + g->n_insn) / l->period == l->insns / l->period);
	} else if (l->period && (l->insns + g->n_insn) / l->period != l->insns / l->period) {
		same_stack(l);
	}
	l->ranges += cst_generic_is_run(g->kind) ? g->runs : 1;
	l->insns += g->n_insn;
	l->elements++;
	l->conflicts += cst_generic_conflicts(g);
	l->runs += cst_generic_is_run(g->kind);
	l->last = *g;
}

static void seen(void *data, const struct cst_generic *g)
{
	struct listed *l = data;

	switch (g->kind) {
	case CST_GEN_SKIPPED:
	case CST_GEN_LISTED:
	case CST_GEN_RANGE:
		take_ranges(l, g);
		return;
	case CST_GEN_NO_SYNC:
	case CST_GEN_TRACE_ON:
	case CST_GEN_EO_TRACE:
	case CST_GEN_NOPATH:
	case CST_GEN_NACC:
	case CST_GEN_ADDR_UNKNOWN:
		l->lost = true;
		/* fall through */
	case CST_GEN_EXCEPTION:
		l->last.kind = 0;
		break;
	}
	if (l->whole && !l->list)
		same_stack(l);
	if (!l->last.kind)
		l->stretch = l->n;
	assert_true(l->n_other < MOST);
	l->at[l->n_other] = l->insns;
	l->other[l->n_other++] = *g;
}

static void clear(struct listed *l)
{
	l->n = l->n_begin = l->n_other = l->stretch = l->seen = l->begun = 0;
	l->insns = l->ranges = l->elements = l->runs = l->conflicts = 0;
	l->lost = l->lost_range = false;
	l->last.kind = 0;
}

static void same_rest(const struct listed *whole, const struct listed *sampled, const struct cst_stats *of_whole,
		      struct cst_stats *of_sampled)
{
	assert_int_equal(whole->insns, sampled->insns);
	assert_true(!sampled->list || whole->n == sampled->n);
	assert_int_equal(whole->conflicts, sampled->conflicts);
	assert_int_equal(whole->n_other, sampled->n_other);
	assert_memory_equal(whole->other, sampled->other, whole->n_other * sizeof(whole->other[0]));
	assert_memory_equal(whole->at, sampled->at, whole->n_other * sizeof(whole->at[0]));
	of_sampled->elements = of_whole->elements;
	assert_memory_equal(of_whole, of_sampled, sizeof(*of_whole));
}

static struct listed whole, sampled;
static struct cst_branch_list list;

/* `period`: of samples; 0: branches are listed, up to `room`. */
static void begin(uint64_t period, uint32_t room)
{
	static struct cst_branch v[1 << 14];

	clear(&whole);
	clear(&sampled);
	sampled.period = period;
	sampled.whole = &whole;
	assert_true(room <= sizeof(v) / sizeof(v[0]));
	list = (struct cst_branch_list){ .v = v, .cap = room };
	sampled.list = period ? NULL : &list;
}

/* Samples may have been asked for again before any element. */
static void seen_one(void *data, const struct cst_generic *g)
{
	struct listed *l = data;

	l->lost = l->lost_range = false;
	seen(data, g);
}

/* Returns how many elements were left out. `period`, `room`: begin() */
static uint64_t one_case(uint64_t seed, uint64_t period, uint32_t room, size_t cap, bool framed)
{
	const struct cst_stats none = { .bytes = 0 };
	struct cst_stats stats[2] = { none, none };
	struct gen_case c;
	struct run r;
	unsigned int i;

	gen_case_opts(seed, GEN_X_SPEC, &c);
	gen_case_build(&c);
	/* small caches are emptied often */
	rt_begin(&r, &c, seed % 7 ? 1 << 20 : 1);
	begin(period, room);
	r.seen = seen_one;
	r.cap = cap;
	for (i = 0; i < 2; i++) {
		r.seen_data = i ? &sampled : &whole;
		r.period = i ? period : 0;
		r.list = i ? sampled.list : NULL;
		r.rnd = seed;
		rt_decode(&r, framed ? c.framed : c.trace, framed ? c.framed_len : c.len, framed, true, &stats[i]);
	}
	same_rest(&whole, &sampled, &stats[0], &stats[1]);
	rt_end(&r);
	gen_case_free(&c);
	return whole.elements - sampled.elements;
}

static const uint64_t periods[] = { 1, 7, 64, 100, 500, 1000, 3000, 1 << 20 };
static const size_t caps[] = { 64, 100, 128, 300, RT_CAP };

/* Of lists; the first one is too small to be used. */
static const uint32_t rooms[] = { LIST_BYTES, CST_LIST_MIN, 1100, 1500, 4096, 1 << 14 };

static void test_random_streams(void **state)
{
	uint64_t seed, left_out = 0;

	(void)state;
	for (seed = 1; seed <= 1500; seed++)
		left_out += one_case(seed, periods[seed % 8], 0, caps[seed % 5], seed & 2);
	assert_true(left_out > 20 * seed);
}

static void test_listed_streams(void **state)
{
	uint64_t seed, left_out = 0;

	(void)state;
	for (seed = 1; seed <= 1500; seed++)
		left_out += one_case(seed, 0, rooms[seed % 6], caps[seed % 5], seed & 2);
	assert_true(left_out > 20 * seed);
}

/* ---- random code, executed at random ---------------------------------------------------------- */

#define SECTIONS 3
#define WORDS 16384
#define BASE(section) (0x100000u * ((section) + 1))
/* The last section is in two maps, which follow each other in memory and not in the file. */
#define PART 0x4000u
#define SECOND 0x8000u

static uint32_t code[SECTIONS][WORDS];
static uint64_t rnd_state;

static uint32_t rnd(uint32_t n)
{
	rnd_state = rnd_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((rnd_state >> 33) % n);
}

/* The instruction at an address; NULL: nothing is mapped there. */
static uint32_t *insn_at(uint32_t addr)
{
	const uint32_t s = addr / 0x100000 - 1, off = addr % 0x100000;

	if (s >= SECTIONS || off >= (s + 1 < SECTIONS ? sizeof(code[s]) : 2 * PART))
		return NULL;
	if (s + 1 < SECTIONS)
		return &code[s][off / 4];
	return &code[s][(off < PART ? off : off - PART + SECOND) / 4];
}

enum { COND = 0x54000000, B = 0x14000000, BL = 0x94000000, RET = 0xd65f03c0, BLR = 0xd63f0000, BR = 0xd61f0000, NOP = 0xd503201f };

/* Byte distance of a direct branch. */
static int32_t distance(uint32_t insn)
{
	return insn >> 24 == COND >> 24 ? ((int32_t)(insn << 8) >> 13) * 4 : ((int32_t)(insn << 6) >> 6) * 4;
}

/* Loops and calls, in blocks of a few instructions. `spread`: distance of branches. */
static uint32_t random_insn(uint32_t addr, uint32_t spread)
{
	static const uint32_t kind[] = { COND, COND, COND, COND, B, BL, RET, BLR, BR };
	uint32_t insn = rnd(16), to = rnd(2 * spread + 1) - spread;

	insn = insn < 9 ? kind[insn] : NOP;
	if (insn == COND)
		insn |= (to & 0x7ffff) << 5 | rnd(14);
	else if (insn == B || insn == BL)
		insn |= to & 0x3ffffff;
	else
		return insn;
	return insn_at(addr + (uint32_t)distance(insn)) ? insn : NOP;
}

static void make_code(uint32_t spread)
{
	uint32_t i, addr;

	for (i = 0; i < SECTIONS; i++) {
		for (addr = BASE(i); insn_at(addr); addr += 4)
			*insn_at(addr) = random_insn(addr, spread);
		*insn_at(addr - 4) = BR;
	}
	/* execution goes from one map to the other */
	*insn_at(BASE(SECTIONS - 1) + PART - 4) = COND | 2 << 5;
}

static void map_all(struct program *pr)
{
	struct cst_section *sec;
	unsigned int i;

	for (i = 0; i < SECTIONS; i++) {
		assert_int_equal(cst_section_new(&sec, pr->img, code[i], sizeof(code[i]), NULL), 0);
		if (i + 1 < SECTIONS)
			assert_int_equal(cst_space_map(pr->space, BASE(i), sizeof(code[i]), sec, 0), 0);
	}
	assert_int_equal(cst_space_map(pr->space, BASE(SECTIONS - 1), PART, sec, 0), 0);
	assert_int_equal(cst_space_map(pr->space, BASE(SECTIONS - 1) + PART, PART, sec, SECOND), 0);
}

static size_t put_address(uint8_t *p, uint32_t a)
{
	p[0] = 0x9a;
	p[1] = a >> 2 & 0x7f;
	p[2] = a >> 9 & 0x7f;
	p[3] = (uint8_t)(a >> 16);
	p[4] = (uint8_t)(a >> 24);
	return 5;
}

/* The return stack of the trace unit: entries of a ring, 0 free. */
static uint32_t stack[16];
static unsigned int top;

static void push(uint32_t addr)
{
	top = (top + 1) % 16;
	stack[top] = addr;
}

static uint32_t pop(void)
{
	uint32_t addr = stack[top];

	stack[top] = 0;
	top = (top - 1) % 16;
	return addr;
}

/* Executes an indirect branch: to the address on the return stack, or to one of `targets` that is traced. */
static size_t indirect(uint8_t *p, uint32_t insn, uint32_t *pc, const uint32_t *target, unsigned int targets)
{
	if (insn == BLR) {
		push(*pc + 4);
	} else if (stack[top] && rnd(8)) {
		*pc = pop();
		return 0;
	}
	*pc = rnd(500) ? target[rnd(targets)] : 0x1000;
	return put_address(p, *pc);
}

/* Executes code from one of a few targets on. */
static size_t random_trace(uint8_t *p, size_t len, unsigned int targets)
{
	static const uint8_t first[] = { SYNC, 0x81, 0x30 };
	uint32_t target[64], pc, insn;
	size_t n = sizeof(first);
	unsigned int i, taken;

	for (i = 0; i < targets; i++) {
		const uint32_t s = rnd(SECTIONS);

		target[i] = BASE(s) + 4 * rnd(s + 1 < SECTIONS ? WORDS : 2 * PART / 4);
	}
	memset(stack, 0, sizeof(stack));
	memcpy(p, first, n);
	pc = target[0];
	n += put_address(p + n, pc);
	while (n + 40 < len) {
		insn = *insn_at(pc);
		if (insn == NOP) {
			pc += 4;
			continue;
		}
		/* an atom N of an unconditional branch contradicts the code */
		taken = insn >> 24 == COND >> 24 ? rnd(3) < 2 : !!rnd(3000);
		p[n++] = (uint8_t)(0xf6 + taken);
		if (taken && insn >> 26 == BL >> 26)
			push(pc + 4);
		if (!taken)
			pc += 4;
		else if (insn == RET || insn == BLR || insn == BR)
			n += indirect(p + n, insn, &pc, target, targets);
		else
			pc += (uint32_t)distance(insn);
		if (!insn_at(pc)) {
			p[n++] = 0xf7;
			memset(stack, 0, sizeof(stack));
			pc = target[rnd(targets)];
			n += put_address(p + n, pc);
		} else if (!rnd(3000)) {
			p[n++] = 0x04;	/* Trace On, Context */
			p[n++] = 0x81;
			p[n++] = 0x30;
			memset(stack, 0, sizeof(stack));
			pc = target[rnd(targets)];
			n += put_address(p + n, pc);
		} else if (!rnd(500)) {
			p[n++] = 0x71;	/* Event */
		}
	}
	return n;
}

/* The next samples are at the next multiples of the period, or branches go to the list. */
static void choose(struct cst_decoder *dec, const struct listed *l)
{
	struct cst_emit_opts opts = { .list = l->list, .period = l->period };

	if (l->list)
		assert_int_equal(cst_decoder_emit(dec, CST_EMIT_BRANCHES, &opts), 0);
	if (!l->period)
		return;
	opts.next = (l->insns / l->period + 1) * l->period;
	assert_int_equal(cst_decoder_emit(dec, CST_EMIT_SAMPLES, &opts), 0);
}

static void decode(struct program *pr, struct listed *l, const uint8_t *p, size_t len, size_t cap, struct cst_stats *stats)
{
	const struct cst_config cfg = etm_config(4, 0);
	static struct cst_generic out[RT_CAP];
	struct cst_decoder *dec;
	unsigned int end;
	int i, n;

	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, pr->space);
	for (end = 0; end < 2; end++) {
		if (end)
			cst_decoder_end(dec);
		else
			assert_int_equal(cst_decoder_feed(dec, p, len, 0), 0);
		for (;;) {
			l->lost = l->lost_range = false;
			if (l->list)
				l->list->n = 0;
			choose(dec, l);
			n = cst_decoder_pull(dec, out, cap, NULL);
			if (n <= 0)
				break;
			/* a pull ends soon after the list is full */
			if (l->list && l->list->cap >= CST_LIST_MIN && l->list->cap - l->list->n < LIST_BYTES * (PACKET_ATOMS + 1)) {
				for (i = n - 1; i >= n - 8 && out[i].kind != CST_GEN_LISTED; i--)
					;
				assert_true(i >= n - 8);
			}
			for (i = 0; i < n; i++)
				seen(l, &out[i]);
		}
		assert_int_equal(n, 0);
	}
	*stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

/* Returns the number of times that ranges were left out. `lists`: begin() with a list */
static uint64_t random_code(uint64_t seed, bool lists)
{
	static uint8_t trace[1 << 16];
	struct cst_stats stats[2];
	struct program pr;
	uint32_t spread;
	size_t len, cap;

	rnd_state = seed;
	spread = 4u << rnd(8);
	make_code(spread);
	len = random_trace(trace, sizeof(trace), 1 + rnd(64));
	cap = caps[1 + rnd(4)];
	begin(lists ? 0 : periods[rnd(8)], rooms[rnd(6)]);
	/* the smallest cache is emptied often */
	assert_int_equal(cst_image_new(&pr.img, seed % 3 ? 1 : 0), 0);
	assert_int_equal(cst_space_new(&pr.space, pr.img), 0);
	map_all(&pr);
	decode(&pr, &whole, trace, len, RT_CAP, &stats[0]);
	decode(&pr, &sampled, trace, len, cap, &stats[1]);
	same_rest(&whole, &sampled, &stats[0], &stats[1]);
	cst_image_free(pr.img);
	return sampled.runs;
}

static void random_codes(bool lists)
{
	uint64_t seed, runs = 0;

	for (seed = 1; seed <= 300; seed++)
		runs += random_code(seed, lists);
	assert_true(runs > 10 * seed);
}

static void test_random_code(void **state)
{
	(void)state;
	random_codes(false);
}

static void test_listed_code(void **state)
{
	(void)state;
	random_codes(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_streams),
		cmocka_unit_test(test_random_code),
		cmocka_unit_test(test_listed_streams),
		cmocka_unit_test(test_listed_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
