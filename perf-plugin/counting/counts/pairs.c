/* SPDX-License-Identifier: GPL-2.0-only */
/* pairs.c - adds tables of pairs of offsets. */
#include "counting/counts/pairs.h"

#include "base/alloc.h"

void pairs_move(struct cst_pairs *to, struct cst_pairs *from)
{
	struct cst_pairs larger;

	if (!to->used) {
		cst_pairs_free(to);
		*to = *from;
		*from = (struct cst_pairs){ .slot = NULL };
	} else if (from->used) {
		cst_pairs_sort(to);
		cst_pairs_sort(from);
		/* the smaller one is merged into the larger one, which then grows by a little */
		if (from->used > to->used) {
			larger = *from;
			*from = *to;
			*to = larger;
		}
		if (!cst_pairs_merge(to, from))
			mem_refused(0);
	}
	cst_pairs_free(from);
}
