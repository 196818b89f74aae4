/* SPDX-License-Identifier: GPL-2.0-only */
/* short_ids.h - threads by the low bits of their number, for context IDs of which only these are traced. */
#ifndef CSTRACE_TASKS_SHORT_IDS_H
#define CSTRACE_TASKS_SHORT_IDS_H

#include "tasks/threads.h"

struct short_ids {
	int *tids;		/* in the order of these bits */
	size_t nr;
	uint64_t created;	/* threads.total_threads then */
	unsigned int bits;
	const void *frag;	/* for which it holds */
};

void short_ids_free(struct short_ids *s);
/* Brings the list up to date, for the fragment `frag`. `bits`: 8 or 16. 0, or ERR_NOMEM. */
int short_ids_make(struct short_ids *s, const struct threads *ts, const void *frag, unsigned int bits);
/* The first entry with these bits; s->nr: none has as many. */
size_t short_ids_first(const struct short_ids *s, uint32_t value);

static inline uint32_t short_id(int tid, unsigned int bits)
{
	return (uint32_t)tid & ((1u << bits) - 1);
}

#endif
