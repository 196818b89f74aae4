/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callstack.h - return addresses of the calls that are open, per thread, for call chains. Calls made
 * before the trace began are not known, and a return without a call leaves the stack as it is.
 */
#ifndef CSTRACE_SYNTH_CALLSTACK_H
#define CSTRACE_SYNTH_CALLSTACK_H

#include <stdbool.h>
#include <stdint.h>

#include "synth/branch.h"

#define CALLSTACK_DEPTH	1024u

struct callstack {
	uint32_t depth;
	uint64_t ret[CALLSTACK_DEPTH];
};

struct callstacks;

struct callstacks *callstacks_new(void);
void callstacks_free(struct callstacks *cs);
/* The stack of a thread, empty at first; NULL when memory is short. */
struct callstack *callstacks_get(struct callstacks *cs, int tid);
void callstack_branch(struct callstack *c, const struct branch *b);
/*
 * Write the chain of a sample at `ip`, at most `max` entries (context markers included), innermost
 * first, in perf's form; returns the number of entries.
 */
unsigned int callstack_chain(const struct callstack *c, uint64_t ip, uint64_t *out, unsigned int max);

#endif
