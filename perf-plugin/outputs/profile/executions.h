/* SPDX-License-Identifier: GPL-2.0-only */
/* executions.h - a sum of counts, each of which may be up to 2^64 - 1, and their differences: numbers of 128 bits. */
#ifndef CSTRACE_OUTPUTS_PROFILE_EXECUTIONS_H
#define CSTRACE_OUTPUTS_PROFILE_EXECUTIONS_H

#include <stdint.h>

/* A difference below 0 is modulo 2^128. */
struct executions {
	uint64_t low, high;
};

static inline void executions_add(struct executions *x, uint64_t count)
{
	x->low += count;
	x->high += x->low < count;
}

static inline void executions_subtract(struct executions *x, uint64_t count)
{
	x->high -= x->low < count;
	x->low -= count;
}

static inline void executions_add_all(struct executions *x, const struct executions *more)
{
	executions_add(x, more->low);
	x->high += more->high;
}

/* As in a count file: at most 2^64 - 1. */
static inline uint64_t executions_count(const struct executions *x)
{
	return x->high ? UINT64_MAX : x->low;
}

#endif
