/* SPDX-License-Identifier: GPL-2.0-only */
/* costs.c - sweeps over the begins and ends of ranges. */
#include "outputs/profile/costs.h"

#include <stdlib.h>

#include <cstrace/isa.h>

#include "base/array.h"
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

void costs_init(struct costs *c, const struct model_binary *b)
{
	struct changes fixed = { .v = NULL }, t32 = { .v = NULL };
	const struct cst_count_range *r;
	struct cost whole = { .t32 = true, .whole = true };
	unsigned int size;
	size_t cap = 0;
	size_t left;

	*c = (struct costs){ .v = NULL };
	for (r = b->ranges, left = b->nr_ranges; left; left--, r++) {
		size = r->flags & CST_COUNT_T32 ? t32_size(b, r->last) : 4;
		if (size) {
			struct changes *to = r->flags & CST_COUNT_T32 ? &t32 : &fixed;

			add_change(to, r->start, r->count, false);
			add_change(to, model_sum(r->last, size), r->count, true);
		} else {
			whole.begin = r->start;
			whole.end = model_sum(r->last, 2);
			whole.count = model_product(r->count, r->insns);
			*ARRAY_ADD(c->v, c->n, cap) = whole;
		}
	}
	sweep(c, &cap, &fixed, false);
	sweep(c, &cap, &t32, true);
	free(fixed.v);
	free(t32.v);
	ARRAY_SORT(c->v, c->n, compare_costs);
}

void costs_free(struct costs *c)
{
	free(c->v);
	*c = (struct costs){ .v = NULL };
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
