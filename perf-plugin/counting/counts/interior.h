/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interior.h - what the code of a binary adds to its joined ranges: the number of instructions of each, and the branches
 * that were not taken.
 *
 * A branch in the interior of a joined range was not taken whenever the range was executed. Its count is the sum over
 * the ranges that have it in their interior, and over those that ended behind it without taking it. Each piece of code
 * is decoded once, however many ranges share it.
 */
#ifndef CSTRACE_COUNTING_COUNTS_INTERIOR_H
#define CSTRACE_COUNTING_COUNTS_INTERIOR_H

#include <cstrace/counts.h>
#include <cstrace/files/countfile.h>

/* The code of a binary. */
struct interior_code {
	const uint8_t *bytes;	/* NULL: not available */
	size_t size;
	uint8_t isa;		/* enum cst_isa of ranges without CST_COUNT_T32 */
	uint8_t isa_flags;	/* enum cst_isa_flags */
};

struct interior {
	struct cst_count_not_taken *not_taken;	/* by offset */
	size_t nr, cap;
	uint64_t undecoded;	/* executions of ranges whose code is not available, or has no such instructions */
};

/*
 * Sets `insns` of ranges[0..nr), which are sorted by start, and finds the branches that were not taken. `untaken` are ends
 * of ranges at branches that were not taken, sorted, in the form of binary.untaken (counts.h). A range that cannot be
 * decoded is counted in `undecoded`; its insns follow from its size, or are 0 if it has T32
 * instructions. *in is to be freed in either case.
 */
void interior_find(struct interior *in, const struct interior_code *code,
		   struct cst_count_range *ranges, size_t nr,
		   const struct cst_pair *untaken, size_t nr_untaken);
void interior_free(struct interior *in);

#endif
