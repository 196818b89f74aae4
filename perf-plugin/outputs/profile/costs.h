/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * costs.h - how often each instruction of a binary was executed, from the ranges of the model, or
 * how much of the model's metric it has.
 */
#ifndef CSTRACE_OUTPUTS_PROFILE_COSTS_H
#define CSTRACE_OUTPUTS_PROFILE_COSTS_H

#include "counting/counts/model.h"

/* Instructions one after the other that were executed equally often. */
struct cost {
	uint64_t begin, end;	/* file offsets */
	uint64_t count;		/* executions of each instruction, or its amount */
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

void costs_init(struct costs *c, const struct model_binary *b);
/*
 * The same of the model's metric: METRIC_INSNS, or cycles or time, of which each instruction of a
 * range has an equal share, in whole numbers that add up.
 */
void costs_measured(struct costs *c, const struct model *m, const struct model_binary *b);
void costs_free(struct costs *c);

/* Returns the count of the instruction at an offset, 0 if there is none. */
uint64_t costs_at(const struct costs *c, bool t32, uint64_t offset);

/* As costs_size(), of T32 instructions. */
uint64_t costs_t32_size(const struct model_binary *b, const struct cost *c, uint64_t offset);

/* Size of the instruction at `offset` in `c`, at least 1 and not beyond its end: loops over [begin, end) end. */
static inline uint64_t costs_size(const struct model_binary *b, const struct cost *c, uint64_t offset)
{
	if (c->t32)
		return costs_t32_size(b, c, offset);
	return c->end - offset < 4 ? c->end - offset : 4;
}

/* Passes the instructions from *at on that begin before `end`, in `c`. Returns their number; *at is behind them then. */
uint64_t costs_pass(const struct model_binary *b, const struct cost *c, uint64_t *at, uint64_t end);

#endif
