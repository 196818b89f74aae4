/* SPDX-License-Identifier: GPL-2.0-only */
/* bisect.h - binary search. */
#ifndef CSTRACE_BASE_BISECT_H
#define CSTRACE_BASE_BISECT_H

#include <stddef.h>

/*
 * Of the indexes [lo, hi), `before`, an expression with the index `mid`, holds for the first ones only: `lo` becomes the
 * first for which it does not hold, or `hi` where it holds for all. `lo` and `hi` are variables; both are equal afterwards.
 */
#define BISECT(lo, hi, mid, before)				\
	do {							\
		while ((lo) < (hi)) {				\
			const size_t mid = (lo) + ((hi) - (lo)) / 2;	\
								\
			if (before)				\
				(lo) = mid + 1;			\
			else					\
				(hi) = mid;			\
		}						\
	} while (0)

#endif
