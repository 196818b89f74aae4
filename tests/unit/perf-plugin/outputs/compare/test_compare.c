/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_compare.c - aligns executed instructions with copies of them that have gaps and damage
 * (compare/align.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outputs/compare/align.h"

#define BLOCKS 300u
#define INSNS 30000u
#define RUNS 200u

struct program {
	uint64_t start[BLOCKS];
	unsigned int len[BLOCKS], next[BLOCKS][2];
	uint64_t seed;
};

static uint64_t draw(uint64_t *seed, uint64_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 33) % n;
}

static void make_program(struct program *p, uint64_t seed)
{
	unsigned int i;

	p->seed = seed * 977 + 5;
	for (i = 0; i < BLOCKS; i++) {
		p->start[i] = 0x10000 + 64u * i;
		p->len[i] = 1 + (unsigned int)draw(&p->seed, 9);
		/* loops are short, and some blocks branch to themselves */
		p->next[i][0] = (i + 1) % BLOCKS;
		p->next[i][1] = draw(&p->seed, 3) ? (unsigned int)draw(&p->seed, BLOCKS) : i - (unsigned int)draw(&p->seed, i < 4 ? i + 1 : 4);
	}
}

static struct align_insn insn_at(uint64_t addr)
{
	return (struct align_insn){ .addr = addr, .opcode = (uint32_t)addr * 31, .size = 4, .isa = 2, .el = 0,
				    .security = 1, .flags = ALIGN_HAS_OPCODE };
}

static size_t execute(struct program *p, struct align_insn *v, size_t most)
{
	unsigned int b = 0, i;
	size_t n = 0;

	while (n + 10 < most) {
		for (i = 0; i < p->len[b]; i++) {
			v[n] = insn_at(p->start[b] + 4u * i);
			v[n].pos = n;
			n++;
		}
		b = p->next[b][draw(&p->seed, 3) != 0];
	}
	return n;
}

struct run {
	const struct align_insn *v;
	size_t n, at;
	struct align *al;
	struct align_diff first, last;
	struct align_insn first_trace, first_other;
	unsigned int differences;
};

static int next(void *data, struct align_insn *insn)
{
	struct run *r = data;

	if (r->at == r->n)
		return 0;
	*insn = r->v[r->at++];
	return 1;
}

static int difference(void *data, const struct align_diff *diff)
{
	struct run *r = data;

	if (!r->differences++) {
		r->first = *diff;
		if (align_trace(r->al, diff->trace))
			r->first_trace = *align_trace(r->al, diff->trace);
		if (align_other(r->al, diff->other))
			r->first_other = *align_other(r->al, diff->other);
	}
	r->last = *diff;
	return 0;
}

static struct align_counts compare(struct run *r, const struct align_insn *trace, size_t n, const struct align_insn *other,
				   size_t m)
{
	struct align_ops ops = { .next = next, .source = r, .difference = difference, .data = r };
	struct align_counts c;
	uint64_t missing = 0, extra = 0;
	size_t i, k;

	memset(r, 0, sizeof(*r));
	r->v = other;
	r->n = m;
	r->al = align_new(&ops);
	assert_non_null(r->al);
	for (i = 0; i < n; i++)
		assert_int_equal(align_put(r->al, &trace[i]), 0);
	assert_int_equal(align_end(r->al), 0);
	c = *align_counts(r->al);
	for (i = 0; i < NR_GAPS; i++) {
		extra += c.extra[i];
		for (k = 0; k < 5; k++)
			missing += c.missing[i][k];
	}
	/* every instruction of both sides is counted once */
	assert_int_equal(c.equal + c.changed + c.only_trace + extra, n);
	assert_int_equal(c.equal + c.changed + c.only_other + c.started + missing, m);
	assert_int_equal(c.differences, r->differences);
	align_free(r->al);
	return c;
}

struct flow {
	struct align_insn all[INSNS], trace[INSNS + 1], other[INSNS + 1];
	size_t n;
};

static struct flow *new_flow(uint64_t seed)
{
	struct flow *f = malloc(sizeof(*f));
	struct program p;

	assert_non_null(f);
	make_program(&p, seed);
	f->n = execute(&p, f->all, INSNS);
	memcpy(f->trace, f->all, sizeof(f->all));
	memcpy(f->other, f->all, sizeof(f->all));
	f->trace[0].gap = GAP_BEGIN;
	return f;
}

/* Copies what is executed with gaps in it, some of them in loops. Returns how many instructions are left. */
static size_t cut_gaps(const struct flow *f, struct align_insn *v, uint64_t seed)
{
	size_t n, from, cut;

	for (n = 0, from = 0; from < f->n; from += cut) {
		cut = 100 + (size_t)draw(&seed, 2000);
		if (cut > f->n - from)
			cut = f->n - from;
		memcpy(v + n, f->all + from, cut * sizeof(*v));
		v[n].gap = n ? GAP_OVERFLOW : GAP_BEGIN;
		n += cut;
		from += (size_t)draw(&seed, 600);
	}
	return n;
}

/* One side has gaps: nothing differs. */
static void gaps(void **state)
{
	struct flow *f;
	struct align_counts c;
	uint64_t k;
	size_t n, m;
	struct run r;

	(void)state;
	for (k = 1; k <= RUNS; k++) {
		f = new_flow(k);
		n = cut_gaps(f, f->trace, k);
		c = compare(&r, f->trace, n, f->other, f->n);
		assert_int_equal(r.differences, 0);
		assert_int_equal(c.equal, n);
		f->other[0].gap = GAP_BEGIN;
		c = compare(&r, f->other, f->n, f->trace, n);
		assert_int_equal(r.differences, 0);
		assert_int_equal(c.equal, n);
		m = cut_gaps(f, f->other, k + 1000);
		/* what is lost on both sides next to each other can be taken for a difference */
		c = compare(&r, f->trace, n, f->other, m);
		assert_in_range(r.differences, 0, 20);
		free(f);
	}
}

/* A side of `long_gaps`: the program is executed, without the instructions [from, to). */
struct long_side {
	struct program p;
	struct align_insn v[64];
	size_t n, at, number, from, to;
	uint8_t gap, first;	/* before the first instruction behind them, and before the first one of all */
	size_t filtered;	/* a gap of filters is before every this many instructions; 0: there is no such gap */
	size_t wrong;		/* the result of each such instruction is wrong; 0: of none */
};

enum { LONG = 1700000, LONG_FROM = 100000, LONG_TO = 1500000 };

static int long_next(void *data, struct align_insn *insn)
{
	struct long_side *s = data;
	uint8_t gap = 0;

	while (s->number < LONG) {
		if (s->at == s->n) {
			s->n = execute(&s->p, s->v, 40);
			s->at = 0;
		}
		*insn = s->v[s->at++];
		insn->gap = gap;
		if (s->filtered ? s->number % s->filtered == 0 : !s->number)
			insn->gap = s->number ? GAP_FILTERED : s->first;
		insn->result = s->wrong && s->number % s->wrong == s->wrong / 2;
		if (s->number++ < s->from || s->number > s->to)
			return 1;
		gap = s->gap;
	}
	return 0;
}

/*
 * More than a million instructions of a program whose short loops are executed again and again are lost on one side: they are
 * found, and nothing else differs. The other side has a gap of filters meanwhile, or none.
 */
static void long_gaps(void **state)
{
	static const struct {
		size_t trace_from, other_from, filtered, wrong;
	} rows[] = {
		{ LONG_FROM, LONG, 0, 0 }, { LONG, LONG_FROM, 0, 0 }, { LONG, LONG_FROM, 700000, 0 },
		{ LONG_FROM, LONG, 0, 5000 }, { LONG, LONG_FROM, 0, 5000 },
	};
	struct align_ops ops = { .next = long_next, .difference = difference };
	struct long_side *trace = calloc(1, sizeof(*trace)), *other = calloc(1, sizeof(*other));
	const struct align_counts *c;
	struct align_insn insn;
	struct run r;
	size_t i, wrong;

	(void)state;
	assert_non_null(trace);
	assert_non_null(other);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*trace = (struct long_side){ .from = rows[i].trace_from, .to = LONG_TO, .gap = GAP_ERROR, .first = GAP_BEGIN,
					      .filtered = rows[i].filtered };
		*other = (struct long_side){ .from = rows[i].other_from, .to = LONG_TO, .gap = GAP_ERROR, .wrong = rows[i].wrong };
		make_program(&trace->p, 3);
		make_program(&other->p, 3);
		memset(&r, 0, sizeof(r));
		ops.source = other;
		ops.data = &r;
		r.al = align_new(&ops);
		assert_non_null(r.al);
		while (long_next(trace, &insn))
			assert_int_equal(align_put(r.al, &insn), 0);
		assert_int_equal(align_end(r.al), 0);
		c = align_counts(r.al);
		wrong = rows[i].wrong ? (LONG - (LONG_TO - LONG_FROM)) / rows[i].wrong : 0;
		assert_int_equal(r.differences, wrong);
		assert_int_equal(c->equal, LONG - (LONG_TO - LONG_FROM) - wrong);
		assert_int_equal(c->missing[GAP_ERROR][0], rows[i].trace_from == LONG_FROM ? LONG_TO - LONG_FROM : 0);
		assert_int_equal(c->extra[GAP_ERROR], rows[i].trace_from == LONG ? LONG_TO - LONG_FROM : 0);
		align_free(r.al);
	}
	free(trace);
	free(other);
}

/* The trace is wrong from somewhere up to a synchronisation: differences are in between, and nothing differs behind. */
static void damage(void **state)
{
	struct align_counts c;
	struct flow *f;
	uint64_t seed, k;
	size_t at, wrong, cut, i, n;
	struct run r;

	(void)state;
	for (k = 1; k <= RUNS; k++) {
		f = new_flow(k % 50);
		seed = k * 5;
		at = 100 + (size_t)draw(&seed, f->n - 3000);
		wrong = 1 + (size_t)draw(&seed, 300);
		cut = (size_t)draw(&seed, 1000);
		/* what another path would have executed */
		for (i = 0; i < wrong; i++)
			f->trace[at + i] = k % 2 ? f->all[(at + 5000 + i) % f->n] : insn_at(0x800000 + 4 * i);
		n = f->n - at - wrong - cut;
		memmove(f->trace + at + wrong, f->all + at + wrong + cut, n * sizeof(*f->trace));
		f->trace[at + wrong].gap = GAP_ERROR;
		c = compare(&r, f->trace, at + wrong + n, f->other, f->n);
		assert_in_range(r.differences, k % 2 ? 0 : 1, wrong);
		assert_true(c.equal >= at + n);
		free(f);
	}
}

/* The other side of `failing`: some instructions, an error, and then its end. */
#define REFUSED (-77)

static int next_or_error(void *data, struct align_insn *insn)
{
	struct run *r = data;

	if (r->at != r->n)
		return next(r, insn);
	r->n = r->at = 0;
	return r->first.only_other++ ? 0 : REFUSED;
}

static int ignore_it(void *data, const struct align_diff *diff)
{
	(void)data;
	(void)diff;
	return 0;
}

static int refuse(void *data, const struct align_diff *diff)
{
	(void)diff;
	((struct run *)data)->differences++;
	return REFUSED;
}

/* What aligning `n` instructions of the trace with `m` of the other side returns: the first result that is not 0. */
static int result(struct run *r, const struct align_ops *how, const struct flow *f, size_t n, size_t m)
{
	struct align_ops ops = *how;
	size_t i;
	int rc = 0;

	memset(r, 0, sizeof(*r));
	r->v = f->other;
	r->n = m;
	ops.source = ops.data = r;
	r->al = align_new(&ops);
	assert_non_null(r->al);
	for (i = 0; i < n && !rc; i++)
		rc = align_put(r->al, &f->trace[i]);
	if (!rc)
		rc = align_end(r->al);
	align_free(r->al);
	return rc;
}

/* An error of the other side, wherever it is met, and the result of a callback end the run. */
static void failing(void **state)
{
	const struct align_ops bad_source = { .next = next_or_error, .difference = ignore_it };
	const struct align_ops bad_sink = { .next = next, .difference = refuse };
	struct flow *f;
	uint64_t k, seed = 99;
	unsigned int refused = 0;
	size_t n, m, i;
	struct run r;
	int rc;

	(void)state;
	for (k = 1; k <= 20; k++) {
		f = new_flow(k);
		n = cut_gaps(f, f->trace, k);
		m = k % 2 ? f->n : cut_gaps(f, f->other, k + 1000);
		/* and differences */
		for (i = 0; i < 20; i++)
			f->other[draw(&seed, m)].addr ^= 0x100000;
		for (i = 0; i < 12; i++)
			assert_int_equal(result(&r, &bad_source, f, n, (size_t)draw(&seed, i % 2 ? m : 40)), REFUSED);
		assert_int_equal(result(&r, &bad_source, f, n, m), REFUSED);
		/* the instructions that differ may all lie in gaps */
		rc = result(&r, &bad_sink, f, n, m);
		assert_int_equal(rc, r.differences ? REFUSED : 0);
		assert_in_range(r.differences, 0, 1);
		refused += r.differences;
		free(f);
	}
	assert_in_range(refused, 15, 20);
}

/* The piece of the trace behind a gap is found far behind on the other side, more than a million instructions later. */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps), cmocka_unit_test(long_gaps), cmocka_unit_test(damage),
		cmocka_unit_test(failing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
