/* SPDX-License-Identifier: GPL-2.0-only */
/* callstack.c - open calls of the most recently used threads; a deep stack keeps its newer half. */
#include "outputs/synth/callstack.h"

#include <string.h>

#include <linux/perf_event.h>

#include "outputs/synth/recent.h"

/* depth to which the target of a return is searched: longjmp, exceptions and tail calls skip frames */
#define UNWIND_DEPTH	64u

struct recent *callstacks_new(void)
{
	return recent_new(sizeof(struct callstack));
}

struct callstack *callstacks_get(struct recent *cs, uint64_t thread)
{
	bool fresh;
	struct callstack *c = recent_get(cs, thread, &fresh);

	if (fresh)
		c->depth = 0;
	return c;
}

void callstack_call(struct callstack *c, uint64_t ret)
{
	/* drop the oldest callers, which matter least in a call chain */
	if (c->depth == CALLSTACK_DEPTH) {
		memmove(c->ret, c->ret + CALLSTACK_DEPTH / 2,
			CALLSTACK_DEPTH / 2 * sizeof(c->ret[0]));
		c->depth = CALLSTACK_DEPTH / 2;
	}
	c->ret[c->depth++] = ret;
}

bool callstack_unwind(const uint64_t *ret, uint32_t *depth, uint64_t to)
{
	uint32_t i;

	for (i = 0; i < UNWIND_DEPTH && i < *depth; i++) {
		if (ret[*depth - 1 - i] == to) {
			*depth -= i + 1;
			return true;
		}
	}
	return false;
}

void callstack_branch(struct callstack *c, const struct branch *b)
{
	if (branch_is_call(b->kind))
		callstack_call(c, b->from + b->size);
	else if (branch_is_return(b->kind))
		callstack_unwind(c->ret, &c->depth, b->to);
}

static uint64_t context_of(uint64_t ip)
{
	return ip >> 63 ? (uint64_t)PERF_CONTEXT_KERNEL : (uint64_t)PERF_CONTEXT_USER;
}

/* As callstack_chain(), of the oldest `depth` calls. */
static unsigned int chain_of(const struct callstack *c, uint32_t depth, uint64_t ip, uint64_t *out,
			     unsigned int max)
{
	uint64_t context = context_of(ip);
	unsigned int n = 0;
	uint32_t i;

	if (max < 2)
		return 0;
	out[n++] = context;
	out[n++] = ip;
	for (i = depth; i-- > 0 && n < max;) {
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

unsigned int callstack_chain(const struct callstack *c, uint64_t ip, uint64_t *out,
			     unsigned int max)
{
	return chain_of(c, c->depth, ip, out, max);
}

unsigned int callstack_late(const struct callstack *c, uint64_t ip, uint64_t *out, unsigned int max)
{
	const uint64_t kernel = (uint64_t)PERF_CONTEXT_KERNEL;
	uint32_t depth = c->depth;

	while (depth && context_of(c->ret[depth - 1]) == kernel && c->ret[depth - 1] != ip)
		depth--;
	return chain_of(c, depth, ip, out, max);
}
