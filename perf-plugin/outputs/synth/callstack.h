/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callstack.h - return addresses of the open calls of each thread, for call chains. Calls from before the trace are
 * unknown, and a return without a call leaves the stack unchanged.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_CALLSTACK_H
#define CSTRACE_OUTPUTS_SYNTH_CALLSTACK_H

#include <stdint.h>

#include "session/decode/branch.h"

#define CALLSTACK_DEPTH	1024u

struct callstack {
	uint32_t depth;
	uint64_t ret[CALLSTACK_DEPTH];
};

struct callstacks;

struct callstacks *callstacks_new(void);
void callstacks_free(struct callstacks *cs);
/* Returns the stack of a thread (session_thread_key()), empty at first. */
struct callstack *callstacks_get(struct callstacks *cs, uint64_t thread);
void callstack_branch(struct callstack *c, const struct branch *b);
/*
 * Writes the call chain of a sample at `ip` in perf's form, innermost entry first, at most `max` entries including
 * context markers. Returns their number.
 */
unsigned int callstack_chain(const struct callstack *c, uint64_t ip, uint64_t *out, unsigned int max);

#endif
