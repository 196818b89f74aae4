/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.h - inside counts: two counters for each decoded block, which the loop over atoms adds to.
 */
#ifndef CST_LIB_IMAGE_COUNTS_H
#define CST_LIB_IMAGE_COUNTS_H

#include <cstrace/counts.h>
#include <cstrace/flow.h>

#include "image/image.h"

/* A pair's counter. 0: not in use. */
struct pair_count {
	uint32_t place;		/* of the other block */
	uint32_t count;
};

/*
 * Of the block at the same place. Counts that are not joined: atoms N and E of the range that it is, where that one
 * began and ended with it; a direct branch went where its opcode says. Joined: how often a range that began with the
 * block ended with which. Where else its branch went, and how often. Of pairs the first ones that were seen; most blocks
 * have no others, and what others there are is in the tables of the section.
 */
struct blk_count {
	uint32_t atoms[2];
	struct pair_count range[1], edge[2];
};

struct section_counts {
	struct cst_pairs ranges, edges;
};

struct cst_counts {
	struct cst_image *img;
	struct blk_count *blk;	/* as many as the image may have blocks */
	struct section_counts *sec; /* by number minus 1 */
	uint32_t nr_sec;
	uint8_t joined;
	uint8_t no_memory;
};

/* What cst_counts_add() remembers of a decoder's elements from one call to the next. */
struct count_open {
	uint64_t end;		/* of the last range */
	uint32_t section;	/* of the last range; 0: there is none, or something interrupted the execution behind it */
	uint32_t start, last;	/* of the range of the counts that goes on: offsets of its first and last instruction */
	uint8_t open;		/* that range is not counted yet */
	uint8_t branch;		/* the last range ended with a branch ... */
	uint8_t taken;		/* ... that was taken */
};

void cst_counts_elements(struct cst_counts *c, struct count_open *o, const struct cst_generic *g, size_t n);

_Static_assert(sizeof(struct blk_count) == sizeof(struct blk), "one place for both");

/* The counters of the block at a place. */
static inline struct blk_count *count_at(struct blk_count *base, uint32_t place)
{
	return (struct blk_count *)((unsigned char *)base + place);
}

/* What the counters have goes to the tables of the sections: the image is about to forget its blocks. */
void cst_counts_drain(struct cst_counts *c);

/* One more, when the first counter of the block is another pair's, not in use, or full. The blocks are of that section. */
void cst_counts_edge_slow(struct cst_counts *c, uint32_t section, uint32_t from, uint32_t to);
void cst_counts_range_slow(struct cst_counts *c, uint32_t section, uint32_t first, uint32_t last);

/* The counter of atoms `e` of the block at a place has run over. */
void cst_counts_atoms_full(struct cst_counts *c, uint32_t section, uint32_t place, uint64_t e);

/* 0: it is not this pair's, or now full. */
static inline int count_pair(struct pair_count *n, uint32_t place)
{
	return __builtin_expect(n->place == place && ++n->count, 1);
}

#endif
