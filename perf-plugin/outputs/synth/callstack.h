/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callstack.h - return addresses of the open calls of each thread, for call chains. Calls from before the trace are
 * unknown, and a return without a call leaves the stack unchanged.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_CALLSTACK_H
#define CSTRACE_OUTPUTS_SYNTH_CALLSTACK_H

#include <stdint.h>

#include "outputs/synth/recent.h"
#include "session/decode/branch.h"

#define CALLSTACK_DEPTH	1024u

struct callstack {
	uint32_t depth;
	uint64_t ret[CALLSTACK_DEPTH];
};

/* Returns memory for the stacks of the most recently used threads, for recent_free(). */
struct recent *callstacks_new(void);
/* Returns the stack of a thread (session_thread_key()), empty at first. */
struct callstack *callstacks_get(struct recent *cs, uint64_t thread);
void callstack_branch(struct callstack *c, const struct branch *b);
/* Adds a call that returns to `ret`. */
void callstack_call(struct callstack *c, uint64_t ret);
/*
 * Ends the calls up to the one that returns to `to`. Returns false if there is none: nothing is
 * changed.
 */
bool callstack_unwind(const uint64_t *ret, uint32_t *depth, uint64_t to);
/*
 * Writes the call chain of a sample at `ip` in perf's form, innermost entry first, at most `max` entries including
 * context markers. Returns their number.
 */
unsigned int callstack_chain(const struct callstack *c, uint64_t ip, uint64_t *out, unsigned int max);
/*
 * As callstack_chain() for a sample that was written in the kernel some time after it was taken at
 * `ip`: without the calls of the kernel that are open then, unless one of them returns to `ip`.
 */
unsigned int callstack_late(const struct callstack *c, uint64_t ip, uint64_t *out,
			    unsigned int max);

#endif
