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
	bool ends;		/* a range ends here; else one begins */
};

struct changes {
	struct change *v;
	size_t n, cap;
};

static void add_change(struct changes *c, uint64_t offset, uint64_t count, bool ends)
{
	*ARRAY_ADD(c->v, c->n, c->cap) =
		(struct change){ .offset = offset, .count = count, .ends = ends };
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

static void apply(struct executions *x, const struct change *c)
{
	if (c->ends)
		executions_subtract(x, c->count);
	else
		executions_add(x, c->count);
}

/* Adds what is between the changes. */
static void sweep(struct costs *c, size_t *cap, struct changes *ch, bool t32)
{
	struct executions x = { .low = 0 };
	struct cost now = { .t32 = t32 };
	size_t i;

	ARRAY_SORT_BY(ch->v, ch->n, offset);
	for (i = 0; i < ch->n;) {
		now.begin = ch->v[i].offset;
		while (i < ch->n && ch->v[i].offset == now.begin)
			apply(&x, &ch->v[i++]);
		now.count = executions_count(&x);
		now.end = i < ch->n ? ch->v[i].offset : now.begin;
		if (now.count && now.end > now.begin)
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
	struct changes *to = t32 ? &k->t32 : &k->fixed;

	if (!count || start == end)
		return;
	add_change(to, start, count, false);
	add_change(to, end, count, true);
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

static void make(struct costs *c, const struct model_binary *b, const struct cst_count_range *r,
		 size_t nr, void (*add)(struct making *k, const struct cst_count_range *r))
{
	struct making k = { .b = b, .c = c };

	*c = (struct costs){ .v = NULL };
	for (; nr; nr--, r++)
		add(&k, r);
	sweep(c, &k.cap, &k.fixed, false);
	sweep(c, &k.cap, &k.t32, true);
	free(k.fixed.v);
	free(k.t32.v);
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
