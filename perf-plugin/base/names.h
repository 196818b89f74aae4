/* SPDX-License-Identifier: GPL-2.0-only */
/* names.h - strings that occur again and again, each kept once. */
#ifndef CSTRACE_BASE_NAMES_H
#define CSTRACE_BASE_NAMES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct names {
	char **slot;
	size_t size, used;	/* size is a power of two */
};

static inline size_t names_slot(const struct names *n, const char *s)
{
	uint64_t h = 0xcbf29ce484222325ull;
	const char *p;
	size_t i;

	for (p = s; *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3ull;
	for (i = (size_t)(h ^ h >> 32) & (n->size - 1); n->slot[i] && strcmp(n->slot[i], s);
	     i = (i + 1) & (n->size - 1))
		;
	return i;
}

/* The one copy of `s`. */
static inline const char *names_get(struct names *n, const char *s)
{
	struct names bigger = { .size = n->size ? n->size * 2 : 64 };
	size_t i;

	if (2 * (n->used + 1) > n->size) {
		bigger.slot = mem_zeroed(bigger.size, sizeof(*bigger.slot));
		for (i = 0; i < n->size; i++)
			if (n->slot[i])
				bigger.slot[names_slot(&bigger, n->slot[i])] = n->slot[i];
		bigger.used = n->used;
		free(n->slot);
		*n = bigger;
	}
	i = names_slot(n, s);
	if (!n->slot[i]) {
		n->slot[i] = mem_text(s);
		n->used++;
	}
	return n->slot[i];
}

static inline void names_free(struct names *n)
{
	size_t i;

	for (i = 0; i < n->size; i++)
		free(n->slot[i]);
	free(n->slot);
	memset(n, 0, sizeof(*n));
}

#endif
