/* SPDX-License-Identifier: GPL-2.0-only */
/* slots.c - makes hash tables of indexes larger. */
#include "base/slots.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SLOTS_FIRST	1024u	/* size of the first table */

static void enter(struct slots *s, size_t n, const void *array, slots_hash hash)
{
	size_t at;
	uint32_t i;

	for (i = 0; i < n; i++) {
		/* all keys differ */
		SLOTS_FIND(s, at, hash(array, i), false);
		s->v[at] = i + 1;
	}
}

void slots_reserve(struct slots *s, size_t n, const void *array, slots_hash hash)
{
	struct slots bigger = { .size = s->size ? 2 * s->size : SLOTS_FIRST };

	if (2 * (n + 1) <= s->size)
		return;
	if (n >= UINT32_MAX / 2)
		mem_refused(SIZE_MAX);
	bigger.v = mem_zeroed(bigger.size, sizeof(*bigger.v));
	enter(&bigger, n, array, hash);
	free(s->v);
	*s = bigger;
}

void slots_rebuild(struct slots *s, size_t n, const void *array, slots_hash hash)
{
	if (!s->size)
		return;
	memset(s->v, 0, s->size * sizeof(*s->v));
	enter(s, n, array, hash);
}

void slots_free(struct slots *s)
{
	free(s->v);
	*s = (struct slots){ .v = NULL };
}
