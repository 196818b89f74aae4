/* SPDX-License-Identifier: GPL-2.0-only */
/* ranges.c - copies branches of ranges to a ring: forward if all fit, else backward from the newest one. */
#include "outputs/synth/ranges.h"

#include <stddef.h>

/* Pushes all branches, which the ring has room for. */
static void push_all(struct ring *r, uint32_t *cycles, const uint64_t flags[BRANCH_INDICES], const struct cst_generic *from,
		     const struct cst_generic *to)
{
	const struct cst_generic *g;
	struct ring_writer w;

	ring_write(r, &w);
	for (g = from; g < to; g++)
		if (branch_taken(g)) {
			ring_next(&w, g->end - g->last_size, g[1].addr, flags[branch_index(g)] | ring_cycles(*cycles));
			*cycles = 0;
		}
	ring_written(r, &w);
}

/* Looks at the last ranges only, of more than the ring has entries: the newest branch first. */
static void push_last(struct ring *r, uint32_t *cycles, const uint64_t flags[BRANCH_INDICES], const struct cst_generic *from,
		      const struct cst_generic *to)
{
	struct ring_entry *e = r->spare, *end = e + r->size;
	const struct cst_generic *g = to;

	/* without a branch on each range, which could not be predicted: the entry of one that was not taken is overwritten */
	while (g > from && e < end) {
		g--;
		*e = (struct ring_entry){ .from = g->end - g->last_size, .to = g[1].addr, .flags = flags[branch_index(g)] };
		e += branch_taken(g);
	}
	/* the cycles belong to the first branch, which may be left out */
	for (; *cycles && from < g; from++)
		if (branch_taken(from))
			*cycles = 0;
	if (e > r->spare) {
		e[-1].flags |= ring_cycles(*cycles);
		*cycles = 0;
	}
	ring_replace(r, (uint32_t)(e - r->spare));
}

void ranges_push(struct ring *r, uint32_t *cycles, const uint64_t flags[BRANCH_INDICES], const struct cst_generic *from,
		 const struct cst_generic *to)
{
	if (to - from <= (ptrdiff_t)r->size)
		push_all(r, cycles, flags, from, to);
	else
		push_last(r, cycles, flags, from, to);
}
