/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * subtract.h - takes counts out of a sum of count files that has them: what is left is the sum of
 * the others, or, of counts of one run, what was executed in the rest of it.
 */
#ifndef CSTRACE_COUNTING_COUNTFILES_SUBTRACT_H
#define CSTRACE_COUNTING_COUNTFILES_SUBTRACT_H

#include <stdbool.h>

#include "counting/countfiles/merge.h"

/* What is left, for the user; `left.empty` counts inputs of both lists. */
struct subtract_sums {
	struct merge_sums left;
	bool nothing;	/* all counts were subtracted */
};

/*
 * Writes the sum of `list` without that of `less` into `output`, as merge_files(). Refused are
 * counts that `less` has more of than `list`, or that `list` has at its limit of 2^64 - 1, and a
 * binary that the two contradict each other about: nothing is written then. Each binary, and each
 * node, that no count is left of is left out. Where nothing is left, a file of before stays.
 *
 * Totals are subtracted like counts. If both are of equally many recordings, they are taken for
 * parts of the same ones: what is left is of these recordings, counted in part ("filtered").
 */
int subtract_files(const struct merge_list *list, const struct merge_list *less, const char *output,
		   struct subtract_sums *sums, struct error *err);
void subtract_sums_free(struct subtract_sums *sums);

#endif
