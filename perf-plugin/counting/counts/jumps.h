/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jumps.h - counts of ranges with the taken branch that each ends with. One search of this table
 * takes the place of two, of the range and of the edge, and it is not much larger: most branches
 * lead to one target.
 */
#ifndef CSTRACE_COUNTING_COUNTS_JUMPS_H
#define CSTRACE_COUNTING_COUNTS_JUMPS_H

#include <cstrace/counts.h>

/* A range, and the taken branch behind it. */
struct jump {
	uint32_t start;		/* as in struct binary.ranges */
	uint32_t last;		/* offset of the branch; bit 0: JUMP_ARRIVED */
	uint32_t to;		/* target */
	uint64_t count;		/* 0: free slot */
};

#define JUMP_ARRIVED	1u	/* the range is one of struct binary.arrivals */

/* A hash table; zero it before use. */
struct jumps {
	struct jump *slot;
	uint32_t mask;		/* slots - 1; 0: none */
	unsigned int shift;	/* 64 minus the number of bits of a slot index */
	uint32_t used;
};

/* The tables to which jumps are added in the end. None of them may be sorted. */
struct jump_counts {
	struct cst_pairs *ranges, *arrivals, *edges;
};

/* Enters a jump that is not in the table, with a count of 1. */
void jumps_enter(struct jumps *j, uint32_t start, uint32_t last, uint32_t to);
/* Adds all jumps to other tables, and frees them. */
void jumps_settle(struct jumps *j, const struct jump_counts *to);
void jumps_free(struct jumps *j);

/* Slot at which the search begins: the upper bits of a product depend on all bits of both. */
static inline uint32_t jumps_hash(uint32_t start, uint32_t to, unsigned int shift)
{
	return (uint32_t)(((uint64_t)start << 32 | to) * 0x9e3779b97f4a7c15u >> shift);
}

/* Adds 1 to the count of a jump. */
static inline void jumps_add(struct jumps *j, uint32_t start, uint32_t last, uint32_t to)
{
	struct jump *x;
	uint32_t i;

	for (i = j->mask ? jumps_hash(start, to, j->shift) : 0; j->mask; i = (i + 1) & j->mask) {
		x = &j->slot[i];
		if (!x->count)
			break;
		if (x->start == start && x->to == to && x->last == last) {
			x->count++;
			return;
		}
	}
	jumps_enter(j, start, last, to);
}

#endif
