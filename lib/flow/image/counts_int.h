/* SPDX-License-Identifier: BSD-3-Clause */
/* counts_int.h - internals of execution counts: two counters per decoded block, which the loop over atoms increments. */
#ifndef CST_LIB_FLOW_IMAGE_COUNTS_INT_H
#define CST_LIB_FLOW_IMAGE_COUNTS_INT_H

#include <cstrace/counts.h>
#include <cstrace/flow.h>

#include "flow/image/crossing.h"
#include "flow/image/image_int.h"

/* Counter of a pair; 0: free. */
struct pair_count {
	uint32_t place;		/* offset of the other block in the block cache */
	uint32_t count;
};

/*
 * Counters of a block. Not joined: how often the block was a range of its own
 * that ended with atom N and E; its direct branch went where its opcode says. Joined: `range` counts ranges that begin
 * with this block by their last block. The other edges have two counters, one at each end: a return has many targets,
 * but only a few returns lead to one of them. An edge is in one of the two, or in neither. A pair without a counter
 * replaces another one, which moves to the section's table.
 */
struct blk_count {
	uint32_t atoms[2];
	struct pair_count range;
	struct pair_count to;	/* edge that this block's branch takes */
	struct pair_count from;	/* edge to this block; not of a direct branch, whose only edge is in `to` */
};

struct section_counts {
	struct cst_pairs ranges, edges;
	struct cst_exits *exits;
	uint32_t nr_exits, last_exit;	/* last_exit: index of the exits asked for last */
	uint64_t insns;		/* as in cst_counts_exits() */
};

struct cst_counts {
	struct cst_image *img;
	struct section_counts *sec; /* by section number minus 1 */
	uint32_t nr_sec;
	uint8_t joined;
	uint8_t no_memory;
};

/* State of cst_counts_add() for one decoder, between calls. */
struct count_open {
	uint64_t end;		/* address after the last range */
	uint32_t section;	/* section of the last range; 0: none, or the flow was interrupted after it */
	uint32_t start, last;	/* open counted range: section offsets of its first and last instruction */
	uint8_t open;		/* there is an open range */
	uint8_t branch;		/* the last range ended with a branch ... */
	uint8_t taken;		/* ... that was taken */
};

void cst_counts_elements(struct cst_counts *c, struct count_open *o, const struct cst_generic *g, size_t n);

_Static_assert(sizeof(struct blk_count) <= BLK_STRIDE_COUNTS - BLK_STRIDE, "the counters are between two blocks");

/* Counters of block b. They stand behind it, in the same cache line. */
static inline struct blk_count *cst_blk_counters(struct blk *b)
{
	return (struct blk_count *)(b + 1);
}

/* Counters of the block at offset `place`. */
static inline struct blk_count *count_at(const struct cst_counts *c, uint32_t place)
{
	return cst_blk_counters(BLK_AT(c->img->blocks.blk, place));
}

/*
 * Makes the table a list, to whose end cst_pairs_insert() adds each pair without a search: this takes less time and
 * memory if most pairs are different. cst_pairs_sort() adds up equal ones. The table must not be sorted. Returns 0 if
 * there was no memory.
 */
int cst_pairs_list(struct cst_pairs *p);

/* Adds all counters to the tables of the sections. Called before the image drops its blocks. */
void cst_counts_drain(struct cst_counts *c);

/*
 * Counts an edge or range that has no counter, or whose counter was full and is 0 now. The blocks are of `section`.
 */
void cst_counts_edge_slow(struct cst_counts *c, uint32_t section, uint32_t from, uint32_t to);
void cst_counts_range_slow(struct cst_counts *c, uint32_t section, uint32_t first, uint32_t last);

/* Enters `x`, which was not counted yet, in the image's table in place of another crossing. */
void cst_counts_enter(struct cst_counts *c, const struct crossing *x);

/* Handles the overflow of the counter for atoms `e` of the block at offset `place`. */
void cst_counts_atoms_full(struct cst_counts *c, uint32_t section, uint32_t place, uint64_t e);

/* Increments the counter if it is of this pair. Returns 0 if it is not, or if it was full and is 0 now. */
static inline int count_pair(struct pair_count *n, uint32_t place)
{
	return __builtin_expect(n->place == place && ++n->count, 1);
}

#endif
