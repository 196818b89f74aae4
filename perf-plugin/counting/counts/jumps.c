/* SPDX-License-Identifier: GPL-2.0-only */
/* jumps.c - the table of jumps: open addressing, at most half full. */
#include "counting/counts/jumps.h"

#include <string.h>

#include "base/alloc.h"
#include "base/large.h"

#define FIRST_BITS	10
#define MAX_BITS	31
/* Odd: multiples of it are all slots. */
#define SCATTER		0x9e3779b1u

/* Returns the free slot for a jump that is not in the table. */
static struct jump *free_slot(const struct jumps *j, uint32_t start, uint32_t to)
{
	uint32_t i = jumps_hash(start, to, j->shift);

	while (j->slot[i].count)
		i = (i + 1) & j->mask;
	return &j->slot[i];
}

static void grow(struct jumps *j)
{
	const struct jumps old = *j;
	uint32_t i;

	j->shift = old.mask ? old.shift - 1 : 64 - FIRST_BITS;
	if (j->shift < 64 - MAX_BITS)
		mem_refused(SIZE_MAX);
	j->mask = (uint32_t)((1ull << (64 - j->shift)) - 1);
	j->slot = large_zeroed((size_t)j->mask + 1, sizeof(*j->slot));
	for (i = 0; old.mask && i <= old.mask; i++)
		if (old.slot[i].count)
			*free_slot(j, old.slot[i].start, old.slot[i].to) = old.slot[i];
	large_drop(old.slot, old.mask ? ((size_t)old.mask + 1) * sizeof(*old.slot) : 0);
}

void jumps_enter(struct jumps *j, uint32_t start, uint32_t last, uint32_t to)
{
	if (j->used >= j->mask / 2)
		grow(j);
	j->used++;
	*free_slot(j, start, to) =
		(struct jump){ .start = start, .last = last, .to = to, .count = 1 };
}

static void settle(const struct jump *x, const struct jump_counts *to)
{
	struct cst_pairs *ranges = x->last & JUMP_ARRIVED ? to->arrivals : to->ranges;
	const uint32_t last = x->last & ~JUMP_ARRIVED;

	if (!cst_pairs_insert(ranges, x->start, last, x->count) ||
	    !cst_pairs_insert(to->edges, last, x->to, x->count))
		mem_refused(0);
}

void jumps_settle(struct jumps *j, const struct jump_counts *to)
{
	const struct jump *x;
	uint32_t i;

	/*
	 * Not in the order of the slots: the tables have the same hash function, and a table that
	 * grows while its begin is filled has long searches.
	 */
	for (i = 0; j->mask && i <= j->mask; i++) {
		x = &j->slot[i * SCATTER & j->mask];
		if (x->count)
			settle(x, to);
	}
	jumps_free(j);
}

void jumps_free(struct jumps *j)
{
	large_drop(j->slot, j->mask ? ((size_t)j->mask + 1) * sizeof(*j->slot) : 0);
	memset(j, 0, sizeof(*j));
}
