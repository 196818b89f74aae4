/* SPDX-License-Identifier: GPL-2.0-only */
/* flat.h - ranges and edges of one binary of the model, as the formats for compilers write them. */
#ifndef CSTRACE_OUTPUTS_PROFILE_FLAT_H
#define CSTRACE_OUTPUTS_PROFILE_FLAT_H

#include "counting/counts/model.h"

enum flat_ranges {
	/*
	 * A range ends behind every branch, taken or not: ranges of the model are split behind its NOT_TAKEN places.
	 * A model that was counted this way has no such places.
	 */
	FLAT_SPLIT,
	FLAT_JOINED,	/* branches that were not taken do not end a range */
	FLAT_ARRIVED,	/* as joined; ranges that execution arrived at from outside are apart (CST_COUNT_ARRIVED) */
};

struct flat {
	const struct model_binary *binary;
	/* by start, last; with FLAT_ARRIVED, those that were not arrived at are first for equal ones */
	const struct cst_count_range *ranges;
	const struct cst_count_edge *edges;	/* by from, to */
	size_t nr_ranges, nr_edges;
	/* the same arrays if they may be changed; NULL: they are those of the model */
	struct cst_count_range *own_ranges;
	struct cst_count_edge *own_edges;
};

/* Begins with the counts of `b`, which must outlive `f`. */
void flat_init(struct flat *f, const struct model_binary *b, enum flat_ranges kind);
/* Copies the arrays of the model, so that they may be changed. */
void flat_own(struct flat *f);
void flat_free(struct flat *f);

#endif
