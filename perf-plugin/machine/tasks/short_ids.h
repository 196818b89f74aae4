/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * short_ids.h - finds threads by the low 8 or 16 bits of their number, for context IDs of which only these are traced.
 */
#ifndef CSTRACE_MACHINE_TASKS_SHORT_IDS_H
#define CSTRACE_MACHINE_TASKS_SHORT_IDS_H

#include "machine/tasks/threads.h"

struct short_ids {
	int *tids;		/* sorted by these bits */
	size_t nr;
	uint64_t created;	/* threads.total_threads when the list was made */
	unsigned int bits;
	const void *frag;	/* fragment for which the list is valid */
};

void short_ids_free(struct short_ids *s);
/* Updates the list for fragment `frag`. `bits`: 8 or 16. */
void short_ids_make(struct short_ids *s, const struct threads *ts, const void *frag,
		    unsigned int bits);
/* Returns the index of the first entry with these bits; s->nr if there is none. */
size_t short_ids_first(const struct short_ids *s, uint32_t value);

static inline uint32_t short_id(int tid, unsigned int bits)
{
	return (uint32_t)tid & ((1u << bits) - 1);
}

#endif
