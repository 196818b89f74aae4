/* SPDX-License-Identifier: GPL-2.0-only */
/* costs.h - how often each instruction of a binary was executed, from the ranges of the model. */
#ifndef CSTRACE_PROFILE_COSTS_H
#define CSTRACE_PROFILE_COSTS_H

#include "profile/model.h"

/* Instructions one after the other that were executed equally often. */
struct cost {
	uint64_t begin, end;	/* file offsets */
	uint64_t count;		/* executions of each instruction */
	bool t32;
	/*
	 * A whole range of T32 instructions whose code is not available: their sizes are unknown, so `count` is the sum of
	 * all of them, and the range counts as one instruction.
	 */
	bool whole;
};

struct costs {
	struct cost *v;		/* by begin; those of A32 and T32, and whole ranges, may overlap */
	size_t n;
};

/* Returns false without memory. */
bool costs_init(struct costs *c, const struct model_binary *b);
void costs_free(struct costs *c);

/* Size of the instruction at `offset` in `c`, at least 1: loops over [begin, end) end. */
unsigned int costs_size(const struct model_binary *b, const struct cost *c, uint64_t offset);

#endif
