/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.h - execution counts of code ranges and branches, kept on the graph of decoded blocks.
 * With CST_EMIT_COUNTS (cst_decoder_emit() in decoder.h) a decoder emits no element for a range
 * that it counts. Thread rule: as for the decoders of the image.
 *
 * A range of the counts begins at the target of a branch and ends at the next branch. With CST_COUNTS_JOINED branches
 * that were not taken do not end it. An edge is a taken branch whose target was executed in the same section; an exit
 * is one whose target was executed in another section.
 */
#ifndef CSTRACE_COUNTS_H
#define CSTRACE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include <cstrace/types.h>

CST_BEGIN

struct cst_counts;
struct cst_decoder;
struct cst_generic;
struct cst_image;

/* Two offsets in a section: the first and the last instruction of a range, or a branch and its target. */
struct cst_pair {
	uint32_t a, b;
	uint64_t count;		/* 0: free slot */
};

/*
 * Table of pairs. Zero it before use. It is a hash table, whose size is bounded by the code that was executed, until
 * cst_pairs_sort() makes it a sorted array, in which slot[0] to slot[used - 1] are the pairs.
 */
struct cst_pairs {
	struct cst_pair *slot;
	size_t mask;		/* hash table: slots - 1; 0: nothing allocated, or sorted */
	unsigned int shift;	/* 64 minus the number of bits of a slot index */
	size_t used;
	int sorted;
};

/*
 * Adds `count` to a pair, a new one if needed. Returns 0 if there was no memory, or if the table is sorted; nothing was
 * added then.
 */
CST_API int cst_pairs_insert(struct cst_pairs *p, uint32_t a, uint32_t b, uint64_t count);
/*
 * Adds all pairs of `from`, which must be sorted if `to` is. Returns 0 if there was no memory; some pairs were not added
 * then.
 */
CST_API int cst_pairs_merge(struct cst_pairs *to, const struct cst_pairs *from);
CST_API void cst_pairs_free(struct cst_pairs *p);
/*
 * Sorts the pairs by a, then b, and returns the first of `used` pairs. The table accepts no single pairs afterwards.
 */
CST_API const struct cst_pair *cst_pairs_sort(struct cst_pairs *p);

/* Slot at which the search begins: the upper bits of a product depend on all bits of a and b. */
static inline size_t cst_pairs_hash(uint32_t a, uint32_t b, unsigned int shift)
{
	return (size_t)(((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u >> shift);
}

/* As cst_pairs_insert() with a count of 1, inline. */
static inline int cst_pairs_add(struct cst_pairs *p, uint32_t a, uint32_t b)
{
	struct cst_pair *s;
	size_t i;

	for (i = p->mask ? cst_pairs_hash(a, b, p->shift) : 0; p->mask; i = (i + 1) & p->mask) {
		s = &p->slot[i];
		if (!s->count)
			break;
		if (s->a == a && s->b == b) {
			s->count++;
			return 1;
		}
	}
	return cst_pairs_insert(p, a, b, 1);
}

/* Exits of a section to another one. */
struct cst_exits {
	uint32_t section;	/* that of the targets */
	struct cst_pairs edges;	/* branches and their targets; may be empty */
};

enum cst_counts_flags {
	CST_COUNTS_JOINED = 1,
};

/*
 * Creates counts for the code of `img`, which must outlive them. Code that was decoded before is decoded again when it is
 * needed, since its blocks have no counters. -CST_ERR_BUSY: the image has counts already; -CST_ERR_NOMEM.
 */
CST_API int cst_counts_new(struct cst_counts **out, struct cst_image *img, unsigned int flags);
CST_API void cst_counts_free(struct cst_counts *c);

/*
 * Counts elements[0..n), which a pull returned from `dec`. If it gets all elements of all pulls in order, `c` has every
 * executed range and edge, whether the decoder counted it or not. An open range is counted with the element that ends
 * it, at the latest the EO_TRACE. -CST_ERR_NOMEM.
 */
CST_API int cst_counts_add(struct cst_counts *c, struct cst_decoder *dec, const struct cst_generic *elements, size_t n);

/*
 * Returns the counts of a section so far in *ranges and *edges, valid until the next call with `c` or with a decoder
 * that counts in it. -CST_ERR_NOMEM: counts are missing because an earlier allocation failed. -CST_ERR_INVAL: no such
 * section.
 */
CST_API int cst_counts_section(struct cst_counts *c, uint32_t section, const struct cst_pairs **ranges,
			       const struct cst_pairs **edges);

/*
 * Returns the exits of a section so far in (*exits)[0..*n), one for each other section, valid as what cst_counts_section()
 * returns. *insns: number of instructions of counted ranges in the section that are in no element, since their run
 * continued in another section. Errors: as cst_counts_section().
 */
CST_API int cst_counts_exits(struct cst_counts *c, uint32_t section, const struct cst_exits **exits, uint32_t *n,
			     uint64_t *insns);

/*
 * Moves the counts of a section so far to *ranges and *edges, both sorted, which the caller frees with cst_pairs_free().
 * `c` counts them from 0 again; exits stay as they are. Needs less time and memory than copies of what
 * cst_counts_section() returns. On errors, those of cst_counts_section(), *ranges and *edges are unchanged.
 */
CST_API int cst_counts_take(struct cst_counts *c, uint32_t section, struct cst_pairs *ranges, struct cst_pairs *edges);

CST_END

#endif
