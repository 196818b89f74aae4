/* SPDX-License-Identifier: GPL-2.0-only */
/* range_pieces.c - subtracts equal ranges, then pieces of longer ones. */
#include "counting/countfiles/range_pieces.h"

#include <stdlib.h>

#include "base/array.h"

/* More pieces in one binary are no edges of windows. */
#define MANY_PIECES 16384u

static int compare(const void *pa, const void *pb)
{
	const struct cst_count_range *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return (int)a->flags - (int)b->flags;
}

static void join(void *to, void *more)
{
	struct cst_count_range *r = to;
	const uint64_t count = ((struct cst_count_range *)more)->count;

	r->count = r->count > UINT64_MAX - count ? UINT64_MAX : r->count + count;
}

/* Subtracts equal ranges; `less` is left with what is more than there is. */
static void subtract_equal(struct range_list *ranges, struct range_list *less)
{
	size_t i, k = 0;

	for (i = 0; i < less->n; i++) {
		struct cst_count_range *l = &less->v[i], *r;
		uint64_t count;

		while (k < ranges->n && compare(&ranges->v[k], l) < 0)
			k++;
		r = &ranges->v[k];
		/* at the limit it is not known how many there are */
		if (k == ranges->n || compare(r, l) || r->insns != l->insns ||
		    r->count == UINT64_MAX)
			continue;
		count = l->count < r->count ? l->count : r->count;
		r->count -= count;
		l->count -= count;
	}
}

/* How well a range can be divided at a piece. */
enum fit {
	FITS_NOT,
	HAS_BEGIN,	/* the piece begins in it */
	HAS_ALL,
	HAS_EDGE,	/* it has all of the piece, and begins or ends with it */
};

static enum fit fit_of(const struct cst_count_range *r, const struct cst_count_range *piece)
{
	/* at the limit it is not known how many there are */
	if (!r->count || r->count == UINT64_MAX || r->start > piece->start ||
	    r->last < piece->start || ((r->flags | piece->flags) & CST_COUNT_T32))
		return FITS_NOT;
	if (r->last < piece->last)
		return HAS_BEGIN;
	return r->start == piece->start || r->last == piece->last ? HAS_EDGE : HAS_ALL;
}

/* The index of the range that fits best; `n`: none does. */
static size_t best_range(const struct range_list *ranges, const struct cst_count_range *piece)
{
	enum fit best = FITS_NOT, fit;
	size_t found = ranges->n, i;

	for (i = 0; i < ranges->n && best < HAS_EDGE; i++) {
		fit = fit_of(&ranges->v[i], piece);
		if (fit > best) {
			best = fit;
			found = i;
		}
	}
	return found;
}

static void add_rest(struct range_list *ranges, const struct cst_count_range *r, uint64_t start,
		     uint64_t last, uint64_t count)
{
	struct cst_count_range rest = *r;

	rest.start = start;
	rest.last = last;
	rest.count = count;
	rest.insns = (uint32_t)((last - start) / 4 + 1);
	/* what led to the begin of a rest that is behind the piece is that */
	if (start != r->start)
		rest.flags &= (uint8_t)~CST_COUNT_ARRIVED;
	*ARRAY_ADD(ranges->v, ranges->n, ranges->cap) = rest;
}

/*
 * Takes a piece out of ranges that have it, or the begin of it out of one that has that; what is
 * behind is added to `less`. False: there are too few executions.
 */
static bool subtract_piece(struct range_list *ranges, struct range_list *less, size_t piece)
{
	while (less->v[piece].count) {
		const size_t i = best_range(ranges, &less->v[piece]);
		struct cst_count_range part = less->v[piece], whole;

		if (i == ranges->n)
			return false;
		whole = ranges->v[i];
		part.count = part.count < whole.count ? part.count : whole.count;
		ranges->v[i].count -= part.count;
		less->v[piece].count -= part.count;
		if (whole.start < part.start)
			add_rest(ranges, &whole, whole.start, part.start - 4, part.count);
		if (whole.last > part.last)
			add_rest(ranges, &whole, part.last + 4, whole.last, part.count);
		if (whole.last < part.last)
			add_rest(less, &part, whole.last + 4, part.last, part.count);
	}
	return true;
}

static uint64_t count_at(const struct range_list *ranges, const struct cst_count_range *key)
{
	size_t i;

	for (i = 0; i < ranges->n; i++)
		if (!compare(&ranges->v[i], key))
			return ranges->v[i].count;
	return 0;
}

const struct cst_count_range *ranges_subtract(struct range_list *ranges, struct range_list *less,
					      bool divide, uint64_t *have)
{
	size_t i, pieces = 0;

	subtract_equal(ranges, less);
	for (i = 0; i < less->n; i++) {
		if (!less->v[i].count)
			continue;
		if (!divide || pieces++ == MANY_PIECES || !subtract_piece(ranges, less, i)) {
			*have = count_at(ranges, &less->v[i]);
			return &less->v[i];
		}
	}
	ranges->n = ARRAY_JOIN(ranges->v, ranges->n, compare, join);
	return NULL;
}
