/* SPDX-License-Identifier: BSD-3-Clause */
/* crossing.h - branches to another section, which no link leads to: an image's table of those that were taken before. */
#ifndef CST_LIB_FLOW_IMAGE_CROSSING_H
#define CST_LIB_FLOW_IMAGE_CROSSING_H

#include <stdint.h>

#include <cstrace/counts.h>

struct cst_image;

/*
 * An indirect branch to a block of another section. What is counted here is added to the section of the branch now and
 * then.
 */
struct crossing {
	uint64_t addr, map;	/* the target, and struct map.id of its map */
	uint32_t from, to;	/* places of the blocks; from 0: the entry is empty */
	uint32_t section, to_section;
	uint64_t count, insns;	/* how often it was taken; instructions before it, as in cst_counts_exits() */
	uint8_t isa;		/* enum cst_isa of the target */
};

#define CROSSING_BITS 11

struct crossings {
	uint8_t crossed;	/* an entry has counts */
	struct crossing x[1 << CROSSING_BITS];
};

/* Makes the table of an image, for crossings of its blocks. Returns 0 without memory. */
int cst_crossings_new(struct cst_image *img);

/* Entry for the branch of the block at `from` to `addr`, which may be of another branch. */
static inline struct crossing *crossing_at(struct crossings *t, uint32_t from, uint64_t addr)
{
	return &t->x[cst_pairs_hash(from, (uint32_t)addr, 64 - CROSSING_BITS)];
}

#endif
