/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recent.c - a list of threads, searched from begin to end: callers keep what they found while a
 * thread runs.
 */
#include "outputs/synth/recent.h"

#include <stdlib.h>

#include "base/alloc.h"

struct recent {
	struct slot {
		uint64_t thread;
		uint64_t used;
		void *memory;
	} slot[RECENT_THREADS];
	unsigned int nr;
	uint64_t clock;
	size_t size;
};

struct recent *recent_new(size_t size)
{
	struct recent *r = mem_zeroed(1, sizeof(*r));

	r->size = size;
	return r;
}

void recent_free(struct recent *r)
{
	unsigned int i;

	if (!r)
		return;
	for (i = 0; i < r->nr; i++)
		free(r->slot[i].memory);
	free(r);
}

/* Returns the thread's slot, or the one of the least recently used thread. */
static struct slot *find(struct recent *r, uint64_t thread)
{
	struct slot *oldest = &r->slot[0];
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		if (r->slot[i].thread == thread)
			return &r->slot[i];
		if (r->slot[i].used < oldest->used)
			oldest = &r->slot[i];
	}
	return oldest;
}

void *recent_get(struct recent *r, uint64_t thread, bool *fresh)
{
	struct slot *sl = find(r, thread);

	*fresh = !sl->memory || sl->thread != thread;
	if (*fresh && r->nr < RECENT_THREADS) {
		sl = &r->slot[r->nr++];
		sl->memory = mem_new(r->size);
	}
	sl->thread = thread;
	sl->used = ++r->clock;
	return sl->memory;
}
