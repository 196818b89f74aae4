/* SPDX-License-Identifier: GPL-2.0-only */
/* callstack.c - open calls of the most recently used threads; a deep stack keeps its newer half. */
#include "outputs/synth/callstack.h"

#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/alloc.h"

/* maximum number of threads; the least recently used one is dropped */
#define MAX_THREADS	1024u
/* depth to which the target of a return is searched: longjmp, exceptions and tail calls skip frames */
#define UNWIND_DEPTH	64u

struct callstacks {
	struct slot {
		uint64_t thread;
		uint64_t used;
		struct callstack *stack;
	} slot[MAX_THREADS];
	unsigned int nr;
	uint64_t clock;
};

struct callstacks *callstacks_new(void)
{
	return mem_zeroed(1, sizeof(struct callstacks));
}

void callstacks_free(struct callstacks *cs)
{
	unsigned int i;

	if (!cs)
		return;
	for (i = 0; i < cs->nr; i++)
		free(cs->slot[i].stack);
	free(cs);
}

struct callstack *callstacks_get(struct callstacks *cs, uint64_t thread)
{
	struct slot *oldest = &cs->slot[0];
	unsigned int i;

	cs->clock++;
	for (i = 0; i < cs->nr; i++) {
		if (cs->slot[i].thread == thread) {
			cs->slot[i].used = cs->clock;
			return cs->slot[i].stack;
		}
		if (cs->slot[i].used < oldest->used)
			oldest = &cs->slot[i];
	}
	if (cs->nr < MAX_THREADS) {
		oldest = &cs->slot[cs->nr];
		oldest->stack = mem_new(sizeof(*oldest->stack));
		cs->nr++;
	}
	oldest->thread = thread;
	oldest->used = cs->clock;
	oldest->stack->depth = 0;
	return oldest->stack;
}

void callstack_branch(struct callstack *c, const struct branch *b)
{
	uint32_t i;

	if (branch_is_call(b->kind)) {
		/* drop the oldest callers, which matter least in a call chain */
		if (c->depth == CALLSTACK_DEPTH) {
			memmove(c->ret, c->ret + CALLSTACK_DEPTH / 2,
				CALLSTACK_DEPTH / 2 * sizeof(c->ret[0]));
			c->depth = CALLSTACK_DEPTH / 2;
		}
		c->ret[c->depth++] = b->from + b->size;
	} else if (branch_is_return(b->kind)) {
		for (i = 0; i < UNWIND_DEPTH && i < c->depth; i++) {
			if (c->ret[c->depth - 1 - i] == b->to) {
				c->depth -= i + 1;
				break;
			}
		}
	}
}

static uint64_t context_of(uint64_t ip)
{
	return ip >> 63 ? (uint64_t)PERF_CONTEXT_KERNEL : (uint64_t)PERF_CONTEXT_USER;
}

unsigned int callstack_chain(const struct callstack *c, uint64_t ip, uint64_t *out, unsigned int max)
{
	uint64_t context = context_of(ip);
	unsigned int n = 0;
	uint32_t i;

	if (max < 2)
		return 0;
	out[n++] = context;
	out[n++] = ip;
	for (i = c->depth; i-- > 0 && n < max;) {
		if (context_of(c->ret[i]) != context) {
			if (n + 2 > max)
				break;
			context = context_of(c->ret[i]);
			out[n++] = context;
		}
		out[n++] = c->ret[i];
	}
	return n;
}
