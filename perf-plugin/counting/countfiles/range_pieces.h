/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * range_pieces.h - takes ranges out of those of a binary. A window of a run begins and ends within
 * ranges of the whole run: a piece of a range leaves the rest of it as ranges of their own.
 */
#ifndef CSTRACE_COUNTING_COUNTFILES_RANGE_PIECES_H
#define CSTRACE_COUNTING_COUNTFILES_RANGE_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include <cstrace/files/countfile.h>

/* Ranges of one binary, in canonical order. */
struct range_list {
	struct cst_count_range *v;
	size_t n, cap;
};

/*
 * Subtracts `less` from `ranges`, also pieces of them if `divide`. Of several ranges that have a
 * piece, those that begin or end with it are divided first, and where none has all of it, it is
 * taken from several: whichever they are, each instruction is left with its executions. Returns
 * NULL, or the range whose count is more than `ranges` have, with *have of it. Ranges of T32
 * instructions, whose sizes are in the code alone, are not divided.
 */
const struct cst_count_range *ranges_subtract(struct range_list *ranges, struct range_list *less,
					      bool divide, uint64_t *have);

#endif
