/* SPDX-License-Identifier: GPL-2.0-only */
/* chains.c - a sweep over the ranges of inlined calls. */
#include "outputs/difference/chains.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bisect.h"

/* A range of an inlined call. */
struct chain_range {
	uint64_t begin, end;
	uint32_t name, depth;
};

struct ranges {
	struct strings *names;
	struct chain_range *v;
	size_t n, cap;
};

static void take(void *data, const struct source_inlined *i)
{
	struct ranges *r = data;

	if (i->begin < i->end)
		*ARRAY_ADD(r->v, r->n, r->cap) =
			(struct chain_range){ .begin = i->begin,
					      .end = i->end,
					      .depth = i->depth,
					      .name = strings_number(r->names, i->name) };
}

static int compare_ranges(const void *pa, const void *pb)
{
	const struct chain_range *a = pa, *b = pb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->end > b->end ? -1 : a->end < b->end;
}

/* The calls around the place of the sweep, the outermost one first. */
struct around {
	struct {
		uint64_t end;
		uint32_t call;
	} v[SOURCE_INLINED_DEPTH];
	uint32_t n;
	uint64_t at;
};

/* Adds the piece from the place of the sweep to `end`, and moves there. */
static void add_piece(struct chains *c, struct around *a, uint64_t end)
{
	if (a->n && end > a->at)
		*ARRAY_ADD(c->pieces, c->nr_pieces, c->cap_pieces) = (struct chain_piece){
			.begin = a->at, .end = end, .call = a->v[a->n - 1].call
		};
	a->at = end > a->at ? end : a->at;
}

/* Adds the pieces up to a place, and leaves the calls that end there or before. */
static void sweep_to(struct chains *c, struct around *a, uint64_t place)
{
	while (a->n && a->v[a->n - 1].end <= place) {
		add_piece(c, a, a->v[a->n - 1].end);
		a->n--;
	}
	add_piece(c, a, place);
}

static void enter(struct chains *c, struct around *a, const struct chain_range *r)
{
	/* an inner range longer than the outer one is damaged DWARF: it ends with that one */
	const uint64_t limit = a->n ? a->v[a->n - 1].end : UINT64_MAX;

	if (a->n == SOURCE_INLINED_DEPTH)
		return;
	*ARRAY_ADD(c->calls, c->nr_calls, c->cap_calls) =
		(struct chain_call){ .name = r->name,
				     .around = a->n ? a->v[a->n - 1].call + 1 : 0 };
	a->v[a->n].end = r->end < limit ? r->end : limit;
	a->v[a->n++].call = (uint32_t)c->nr_calls - 1;
}

void chains_init(struct chains *c, struct source *source, struct strings *names)
{
	struct ranges r = { .names = names };
	struct around a = { .n = 0 };
	size_t i;

	*c = (struct chains){ .names = names };
	source_each_inlined(source, take, &r);
	ARRAY_SORT(r.v, r.n, compare_ranges);
	for (i = 0; i < r.n; i++) {
		sweep_to(c, &a, r.v[i].begin);
		enter(c, &a, &r.v[i]);
	}
	sweep_to(c, &a, UINT64_MAX);
	free(r.v);
}

void chains_free(struct chains *c)
{
	free(c->pieces);
	free(c->calls);
	*c = (struct chains){ .names = NULL };
}

const struct chain_piece *chains_from(const struct chains *c, uint64_t offset)
{
	size_t lo = 0, hi = c->nr_pieces;

	BISECT(lo, hi, mid, c->pieces[mid].end <= offset);
	return lo < c->nr_pieces ? &c->pieces[lo] : NULL;
}

unsigned int chains_names(const struct chains *c, const struct chain_piece *piece,
			  uint32_t names[SOURCE_INLINED_DEPTH])
{
	uint32_t call, swap;
	unsigned int n = 0, i;

	for (call = piece->call + 1; call; call = c->calls[call - 1].around)
		names[n++] = c->calls[call - 1].name;
	for (i = 0; i < n / 2; i++) {
		swap = names[i];
		names[i] = names[n - 1 - i];
		names[n - 1 - i] = swap;
	}
	return n;
}
