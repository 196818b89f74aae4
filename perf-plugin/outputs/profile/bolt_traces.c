/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt_traces.c - writes branches with the ranges behind them, for perf2bolt from LLVM 21 on. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "outputs/profile/bolt.h"
#include "outputs/profile/bolt_int.h"

#define NONE	UINT64_MAX	/* no branch is known, or no range */

/* What begins at one place: the branches that led there, and the ranges that ran from there on. */
struct place {
	const struct bolt_branch *branches;
	const struct cst_count_range *const *ranges;
	size_t nr_branches, nr_ranges;
};

static int compare_branches(const void *pa, const void *pb)
{
	const struct bolt_branch *a = pa, *b = pb;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->count < b->count ? -1 : a->count > b->count;
}

static void put(struct lines *l, char kind, uint64_t from, uint64_t to, uint64_t last,
		uint64_t times)
{
	bolt_put(l, kind, (const uint64_t[]){ from, to, last }, 3, times, "\n");
}

static void put_branch(struct lines *l, const struct bolt_counts *c, const struct bolt_branch *b)
{
	put(l, 'T', b->from, bolt_target(c, b), NONE, b->count);
}

static void put_range(struct lines *l, const struct bolt_counts *c, const struct cst_count_range *r)
{
	const bool arrived = r->flags & CST_COUNT_ARRIVED;

	put(l, arrived ? 'R' : 'T', arrived ? 0 : NONE, profile_address(c->where, r->start),
	    profile_address(c->where, r->last), r->count);
}

/* One of both is the only one at its place, so the other's count is that of the two together. */
static void put_trace(struct lines *l, const struct bolt_counts *c, const struct bolt_branch *b,
		      const struct cst_count_range *r)
{
	put(l, 'T', b->from, profile_address(c->where, r->start),
	    profile_address(c->where, r->last), b->count < r->count ? b->count : r->count);
}

/*
 * True if all branches come from outside, and all ranges were arrived at; or none of both. Else
 * there are returns, or it is unknown which branches are.
 */
static bool same_kind(const struct place *at)
{
	size_t i, outside = 0, arrived = 0;

	for (i = 0; i < at->nr_branches; i++)
		outside += !at->branches[i].from;
	for (i = 0; i < at->nr_ranges; i++)
		arrived += !!(at->ranges[i]->flags & CST_COUNT_ARRIVED);
	return (!outside && !arrived) ||
	       (outside == at->nr_branches && arrived == at->nr_ranges);
}

/* True if the branches were taken as often as the ranges ran: no other way led there. */
static bool complete(const struct place *at)
{
	uint64_t taken = 0, ran = 0;
	size_t i;

	for (i = 0; i < at->nr_branches; i++)
		taken = model_sum(taken, at->branches[i].count);
	for (i = 0; i < at->nr_ranges; i++)
		ran = model_sum(ran, at->ranges[i]->count);
	return taken == ran && taken != UINT64_MAX;
}

static void put_place(struct lines *l, const struct bolt_counts *c, const struct place *at)
{
	const bool one = at->nr_branches == 1 || at->nr_ranges == 1;
	const bool paired = one && same_kind(at) && complete(at);
	size_t i, k;

	for (i = 0; paired && i < at->nr_branches; i++)
		for (k = 0; k < at->nr_ranges; k++)
			put_trace(l, c, &at->branches[i], at->ranges[k]);
	for (i = 0; !paired && i < at->nr_branches; i++)
		put_branch(l, c, &at->branches[i]);
	for (i = 0; !paired && i < at->nr_ranges; i++)
		put_range(l, c, at->ranges[i]);
}

/* The ranges outside of stubs, by where they begin. */
static const struct cst_count_range **ranges_of(const struct bolt_counts *c, size_t *n)
{
	const struct flat *f = c->flat;
	const struct cst_count_range **v = mem_array(f->nr_ranges ? f->nr_ranges : 1, sizeof(*v));
	size_t i;

	for (*n = i = 0; i < f->nr_ranges; i++)
		if (!bolt_in_stub(c, f->ranges[i].start))
			v[(*n)++] = &f->ranges[i];
	return v;
}

static void put_places(struct lines *l, const struct bolt_counts *c)
{
	const struct bolt_branch *b = c->branches, *end_b = b + c->nr_branches;
	const struct cst_count_range **ranges, **r, **end_r;
	uint64_t begin;
	struct place at;
	size_t n;

	ranges = ranges_of(c, &n);
	end_r = ranges + n;
	for (r = ranges; b < end_b || r < end_r;) {
		begin = r < end_r && (b == end_b || (*r)->start < b->to) ? (*r)->start : b->to;
		at = (struct place){ .branches = b, .ranges = r };
		while (b < end_b && b->to == begin)
			b++;
		while (r < end_r && (*r)->start == begin)
			r++;
		at.nr_branches = (size_t)(b - at.branches);
		at.nr_ranges = (size_t)(r - (const struct cst_count_range **)at.ranges);
		put_place(l, c, &at);
	}
	free(ranges);
}

void bolt_write_traces(struct pd_output *out, const struct flat *f,
		       const struct profile_address *w)
{
	struct bolt_counts c;
	struct lines l;

	bolt_counts_init(&c, f, w);
	ARRAY_SORT(c.branches, c.nr_branches, compare_branches);
	lines_init(&l, out);
	put_places(&l, &c);
	lines_flush(&l);
	bolt_counts_free(&c);
}
