/* SPDX-License-Identifier: GPL-2.0-only */
/* flat.c - ranges of a binary: adds those that differ in flags only, and splits them behind branches. */
#include "outputs/profile/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "outputs/profile/executions.h"

static void add_range(struct flat *f, size_t *cap, uint64_t start, uint64_t last,
		      const struct cst_count_range *of)
{
	*ARRAY_ADD(f->own_ranges, f->nr_ranges, *cap) = (struct cst_count_range){
		.binary = of->binary, .flags = of->flags, .start = start, .last = last,
		.count = of->count };
}

/*
 * Adds the first and the last piece of a range that is split behind each branch that was not taken. The pieces between
 * lie from one branch to the next, and ranges share them: between[i] is changed by the executions of the piece behind branch i,
 * as against that before it.
 */
static void add_split(struct flat *f, size_t *cap, const struct cst_count_range *r,
		      struct executions *between)
{
	const struct cst_count_not_taken *at = f->binary->not_taken;
	size_t first = 0, end = f->binary->nr_not_taken, last;

	BISECT(first, end, mid, at[mid].offset < r->start);
	last = first;
	end = f->binary->nr_not_taken;
	BISECT(last, end, mid, at[mid].offset < r->last);
	if (first == last) {
		add_range(f, cap, r->start, r->last, r);
		return;
	}
	executions_add(&between[first], r->count);
	executions_subtract(&between[last - 1], r->count);
	add_range(f, cap, r->start, at[first].offset, r);
	add_range(f, cap, at[last - 1].offset + at[last - 1].size, r->last, r);
}

/* Adds the pieces between two branches. */
static void add_between(struct flat *f, size_t *cap, const struct executions *between)
{
	const struct cst_count_not_taken *at = f->binary->not_taken;
	struct cst_count_range of = { .binary = f->binary->number };
	struct executions sum = { .low = 0 };
	size_t i;

	for (i = 0; i + 1 < f->binary->nr_not_taken; i++) {
		executions_add_all(&sum, &between[i]);
		of.count = executions_count(&sum);
		if (of.count)
			add_range(f, cap, at[i].offset + at[i].size, at[i + 1].offset, &of);
	}
}

static void add_count(void *to, void *more)
{
	struct cst_count_range *r = to;

	r->count = model_sum(r->count, ((struct cst_count_range *)more)->count);
}

/* Sorts the ranges and adds equal ones. Those of a recording that was counted for this format are sorted. */
static void add_equal(struct flat *f)
{
	struct cst_count_range *v = f->own_ranges;
	size_t i;

	for (i = 1; i < f->nr_ranges && model_compare_ranges(&v[i - 1], &v[i]) < 0; i++)
		;
	if (i < f->nr_ranges)
		f->nr_ranges = ARRAY_JOIN(v, f->nr_ranges, model_compare_ranges, add_count);
}

/* True if no range is to be split or added to another one: counts of a recording for this format alone. */
static bool as_counted(const struct model_binary *b)
{
	size_t i;

	for (i = 0; i < b->nr_ranges && !b->ranges[i].flags; i++)
		;
	return i == b->nr_ranges && !b->nr_not_taken;
}

static void add_ranges(struct flat *f, const struct model_binary *b, enum flat_ranges kind)
{
	struct executions *between = kind == FLAT_SPLIT ?
		mem_zeroed(b->nr_not_taken + 1, sizeof(*between)) : NULL;
	struct cst_count_range r;
	size_t i, cap = 0;

	for (i = 0; i < b->nr_ranges; i++) {
		r = b->ranges[i];
		r.flags = kind == FLAT_ARRIVED ? r.flags & CST_COUNT_ARRIVED : 0;
		if (between)
			add_split(f, &cap, &r, between);
		else
			add_range(f, &cap, r.start, r.last, &r);
	}
	if (between)
		add_between(f, &cap, between);
	free(between);
	add_equal(f);
}

void flat_init(struct flat *f, const struct model_binary *b, enum flat_ranges kind)
{
	*f = (struct flat){ .binary = b, .edges = b->edges, .nr_edges = b->nr_edges };
	if (as_counted(b)) {
		f->ranges = b->ranges;
		f->nr_ranges = b->nr_ranges;
		return;
	}
	add_ranges(f, b, kind);
	f->ranges = f->own_ranges;
}

/* Copies `size` bytes; also of an empty array, so that it is its own from then on. */
static void *copy(const void *from, size_t size)
{
	void *to = mem_new(size ? size : 1);

	return size ? memcpy(to, from, size) : to;
}

void flat_own(struct flat *f)
{
	if (!f->own_ranges)
		f->own_ranges = copy(f->ranges, f->nr_ranges * sizeof(*f->ranges));
	if (!f->own_edges)
		f->own_edges = copy(f->edges, f->nr_edges * sizeof(*f->edges));
	f->ranges = f->own_ranges;
	f->edges = f->own_edges;
}

void flat_free(struct flat *f)
{
	free(f->own_ranges);
	free(f->own_edges);
	*f = (struct flat){ .ranges = NULL };
}
