/* SPDX-License-Identifier: GPL-2.0-only */
/* costs.c - sweeps over the begins and ends of ranges. */
#include "outputs/profile/costs.h"

#include <stdlib.h>

#include <cstrace/isa.h>

#include "base/array.h"
#include "base/bisect.h"
#include "machine/images/dso.h"
#include "outputs/profile/executions.h"

/* A place where the number of executions changes. */
struct change {
	uint64_t offset;
	uint64_t count;
};

/* As many ends as begins, of ranges that are not empty. */
struct changes {
	struct change *begins, *ends;
	size_t n, cap_begins, cap_ends;
};

static void add_changes(struct changes *c, uint64_t begin, uint64_t end, uint64_t count)
{
	array_reserve(&c->begins, c->n, &c->cap_begins, sizeof(*c->begins));
	array_reserve(&c->ends, c->n, &c->cap_ends, sizeof(*c->ends));
	c->begins[c->n] = (struct change){ .offset = begin, .count = count };
	c->ends[c->n++] = (struct change){ .offset = end, .count = count };
}

/* Ranges are sorted, so that this is seldom needed for their begins. */
static void sort_changes(struct change *v, size_t n)
{
	size_t i;

	for (i = 1; i < n && v[i - 1].offset <= v[i].offset; i++)
		;
	if (i < n)
		ARRAY_SORT(v, n, array_compare_u64);
}

/* Size of the T32 instruction at an offset; 0: the code is not available. */
static unsigned int t32_size(const struct model_binary *b, uint64_t offset)
{
	const struct dso *d = b->dso;

	/* a method's offsets are those of its code, wherever that is in a file */
	if (!d || model_without_file(b) || d->state != DSO_LOADED || !d->image.data ||
	    offset + 2 > d->image.size || offset + 2 < offset)
		return 0;
	return cst_t32_size((uint16_t)(d->image.data[offset] | d->image.data[offset + 1] << 8));
}

/* The next place with a change, from the i-th begin and the k-th end on; there is one of these. */
static uint64_t next_place(const struct changes *ch, size_t i, size_t k)
{
	const uint64_t end = ch->ends[k].offset;

	return i < ch->n && ch->begins[i].offset < end ? ch->begins[i].offset : end;
}

/* Adds what is between the changes. */
static void sweep(struct costs *c, size_t *cap, struct changes *ch, bool t32)
{
	struct executions x = { .low = 0 };
	struct cost now = { .t32 = t32 };
	size_t i = 0, k = 0;

	sort_changes(ch->begins, ch->n);
	sort_changes(ch->ends, ch->n);
	while (k < ch->n) {
		now.begin = next_place(ch, i, k);
		for (; i < ch->n && ch->begins[i].offset == now.begin; i++)
			executions_add(&x, ch->begins[i].count);
		for (; k < ch->n && ch->ends[k].offset == now.begin; k++)
			executions_subtract(&x, ch->ends[k].count);
		now.count = k < ch->n ? executions_count(&x) : 0;
		if (!now.count)
			continue;
		now.end = next_place(ch, i, k);
		*ARRAY_ADD(c->v, c->n, *cap) = now;
	}
}

static int compare_costs(const void *pa, const void *pb)
{
	const struct cost *a = pa, *b = pb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (int)a->t32 - (int)b->t32;
}

/* What costs are made of, while they are. */
struct making {
	const struct model_binary *b;
	struct costs *c;
	size_t cap;
	struct changes fixed, t32;
};

/* Adds `count` to each of the instructions in [start, end). */
static void add_insns(struct making *k, bool t32, uint64_t start, uint64_t end, uint64_t count)
{
	if (count && start != end)
		add_changes(t32 ? &k->t32 : &k->fixed, start, end, count);
}

/* Adds a whole range whose sizes of instructions are unknown, as one instruction. */
static void add_whole(struct making *k, const struct cst_count_range *r, uint64_t count)
{
	*ARRAY_ADD(k->c->v, k->c->n, k->cap) = (struct cost){
		.begin = r->start,
		.end = model_sum(r->last, 2),
		.count = count,
		.t32 = true,
		.whole = true,
	};
}

/* Size of the last instruction of a range; 0: unknown. */
static unsigned int last_size(const struct model_binary *b, const struct cst_count_range *r)
{
	return r->flags & CST_COUNT_T32 ? t32_size(b, r->last) : 4;
}

/* Offset behind the first `n` instructions of a range whose code is available. */
static uint64_t behind(const struct model_binary *b, const struct cst_count_range *r, uint64_t n)
{
	uint64_t at = r->start;

	if (!(r->flags & CST_COUNT_T32))
		return at + 4 * n;
	for (; n && at <= r->last; n--)
		at += t32_size(b, at);
	return at;
}

static uint64_t insns_of(const struct model_binary *b, const struct cst_count_range *r)
{
	uint64_t at, n = 0;

	if (!(r->flags & CST_COUNT_T32))
		return (r->last - r->start) / 4 + 1;
	for (at = r->start; at <= r->last; n++)
		at += t32_size(b, at);
	return n;
}

static void add_executions(struct making *k, const struct cst_count_range *r)
{
	const unsigned int size = last_size(k->b, r);

	if (size)
		add_insns(k, r->flags & CST_COUNT_T32, r->start, model_sum(r->last, size),
			  r->count);
	else
		add_whole(k, r, model_product(r->count, r->insns));
}

/*
 * Divides an amount between the instructions of its range; the first ones have what is left of the
 * division.
 */
static void add_amount(struct making *k, const struct cst_count_range *r)
{
	const bool t32 = r->flags & CST_COUNT_T32;
	const unsigned int size = last_size(k->b, r);
	uint64_t n;

	if (!size) {
		add_whole(k, r, r->count);
		return;
	}
	n = insns_of(k->b, r);
	add_insns(k, t32, r->start, r->last + size, r->count / n);
	add_insns(k, t32, r->start, behind(k->b, r, r->count % n), r->count % n ? 1 : 0);
}

static void free_changes(struct changes *c)
{
	free(c->begins);
	free(c->ends);
}

static void make(struct costs *c, const struct model_binary *b, const struct cst_count_range *r,
		 size_t nr, void (*add)(struct making *k, const struct cst_count_range *r))
{
	struct making k = { .b = b, .c = c };
	size_t i;

	*c = (struct costs){ .v = NULL };
	for (; nr; nr--, r++)
		add(&k, r);
	sweep(c, &k.cap, &k.fixed, false);
	sweep(c, &k.cap, &k.t32, true);
	free_changes(&k.fixed);
	free_changes(&k.t32);
	/* of one instruction set, they are in order */
	for (i = 1; i < c->n && compare_costs(&c->v[i - 1], &c->v[i]) <= 0; i++)
		;
	if (i < c->n)
		ARRAY_SORT(c->v, c->n, compare_costs);
}

void costs_init(struct costs *c, const struct model_binary *b)
{
	make(c, b, b->ranges, b->nr_ranges, add_executions);
}

void costs_measured(struct costs *c, const struct model *m, const struct model_binary *b)
{
	if (m->metric)
		make(c, b, b->spent, b->nr_spent, add_amount);
	else
		costs_init(c, b);
}

void costs_free(struct costs *c)
{
	free(c->v);
	*c = (struct costs){ .v = NULL };
}

uint64_t costs_at(const struct costs *c, bool t32, uint64_t offset)
{
	size_t lo = 0, hi = c->n;

	BISECT(lo, hi, mid, c->v[mid].begin <= offset);
	/* those of the other instruction set, and whole ranges, may be in between */
	for (; lo && (c->v[lo - 1].t32 != t32 || c->v[lo - 1].whole); lo--)
		;
	return lo && offset < c->v[lo - 1].end ? c->v[lo - 1].count : 0;
}

uint64_t costs_t32_size(const struct model_binary *b, const struct cost *c, uint64_t offset)
{
	unsigned int size = t32_size(b, offset);

	if (!size)
		size = 2;
	return offset < c->end && (c->whole || c->end - offset < size) ? c->end - offset : size;
}

uint64_t costs_pass(const struct model_binary *b, const struct cost *c, uint64_t *at, uint64_t end)
{
	uint64_t n = 0;

	end = end < c->end ? end : c->end;
	/* not one by one: a damaged count file has ranges of any length, with or without code */
	if (!c->t32 && end > *at) {
		n = (end - *at - 1) / 4;
		*at += 4 * n++;
		*at += c->end - *at < 4 ? c->end - *at : 4;
	}
	for (; *at < end; n++)
		*at += costs_size(b, c, *at);
	return n;
}
