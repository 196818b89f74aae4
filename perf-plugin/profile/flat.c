/* SPDX-License-Identifier: GPL-2.0-only */
/* flat.c - copies ranges of a binary: adds those that differ in flags only, and splits them behind branches. */
#include "profile/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"

static bool add_range(struct flat *f, size_t *cap, uint64_t start, uint64_t last, const struct cst_count_range *of)
{
	struct cst_count_range *r = ARRAY_ADD(f->ranges, f->nr_ranges, *cap);

	if (r)
		*r = (struct cst_count_range){ .binary = of->binary, .flags = of->flags, .start = start, .last = last,
					       .count = of->count };
	return r;
}

/* Adds the pieces of a range that end at a branch that was not taken, and the last piece. */
static bool add_split(struct flat *f, size_t *cap, const struct cst_count_range *r)
{
	const struct cst_count_not_taken *at = f->binary->not_taken;
	size_t i = 0, n = f->binary->nr_not_taken, end = n;
	uint64_t start = r->start;

	BISECT(i, end, mid, at[mid].offset < r->start);
	for (; i < n && at[i].offset < r->last; i++) {
		if (!add_range(f, cap, start, at[i].offset, r))
			return false;
		start = at[i].offset + at[i].size;
	}
	return add_range(f, cap, start, r->last, r);
}

/* Sorts the ranges and adds equal ones. Those of a recording that was counted for this format are sorted. */
static void add_equal(struct flat *f)
{
	size_t i, n = 0;

	for (i = 1; i < f->nr_ranges && model_compare_ranges(&f->ranges[i - 1], &f->ranges[i]) < 0; i++)
		;
	if (i >= f->nr_ranges)
		return;
	qsort(f->ranges, f->nr_ranges, sizeof(*f->ranges), model_compare_ranges);
	for (i = 1; i < f->nr_ranges; i++) {
		if (model_compare_ranges(&f->ranges[n], &f->ranges[i]))
			f->ranges[++n] = f->ranges[i];
		else
			f->ranges[n].count = model_sum(f->ranges[n].count, f->ranges[i].count);
	}
	f->nr_ranges = n + 1;
}

/* True if no range is to be split or added to another one: counts of a recording for this format alone. */
static bool as_counted(const struct model_binary *b)
{
	size_t i;

	for (i = 0; i < b->nr_ranges && !b->ranges[i].flags; i++)
		;
	return i == b->nr_ranges && !b->nr_not_taken;
}

/* Copies `size` bytes; also of an empty array, so that NULL means that there is no memory. */
static void *copy(const void *from, size_t size)
{
	void *to = malloc(size ? size : 1);

	return to && size ? memcpy(to, from, size) : to;
}

static bool add_ranges(struct flat *f, const struct model_binary *b, enum flat_ranges kind)
{
	struct cst_count_range r;
	size_t i, cap = 0;
	bool ok = true;

	for (i = 0; i < b->nr_ranges && ok; i++) {
		r = b->ranges[i];
		r.flags = kind == FLAT_ARRIVED ? r.flags & CST_COUNT_ARRIVED : 0;
		ok = kind == FLAT_SPLIT ? add_split(f, &cap, &r) : add_range(f, &cap, r.start, r.last, &r);
	}
	add_equal(f);
	return ok;
}

bool flat_init(struct flat *f, const struct model_binary *b, enum flat_ranges kind)
{
	bool ok;

	*f = (struct flat){ .binary = b };
	f->edges = copy(b->edges, b->nr_edges * sizeof(*f->edges));
	f->nr_edges = f->edges ? b->nr_edges : 0;
	if (as_counted(b)) {
		f->ranges = copy(b->ranges, b->nr_ranges * sizeof(*f->ranges));
		f->nr_ranges = f->ranges ? b->nr_ranges : 0;
		ok = f->ranges;
	} else {
		ok = add_ranges(f, b, kind);
	}
	ok = ok && f->edges;
	if (!ok)
		flat_free(f);
	return ok;
}

void flat_free(struct flat *f)
{
	free(f->ranges);
	free(f->edges);
	*f = (struct flat){ .ranges = NULL };
}
