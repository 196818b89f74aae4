/* SPDX-License-Identifier: GPL-2.0-only */
/* intmap.h - integers (thread and process numbers, addresses) to pointers; open addressing. */
#ifndef CSTRACE_BASE_INTMAP_H
#define CSTRACE_BASE_INTMAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"

struct intmap {
	struct intmap_slot {
		int64_t key;
		void *value;	/* NULL: free */
	} *slot;
	size_t size, used;	/* size is a power of two */
};

/* Where a key belongs. The upper bits count as well: numbers may be multiples of a large power of two. */
static inline size_t intmap_home(const struct intmap *m, int64_t key)
{
	/* of a key of 32 bits, with or without a sign, the upper half is 0 or -1 */
	uint32_t h = ((uint32_t)key ^ (uint32_t)(((uint64_t)key + 0x80000000) >> 32)) * 2654435761u;

	return (h ^ h >> 16) & (m->size - 1);
}

static inline struct intmap_slot *intmap_slot(const struct intmap *m, int64_t key)
{
	size_t i = intmap_home(m, key);

	while (m->slot[i].value && m->slot[i].key != key)
		i = (i + 1) & (m->size - 1);
	return &m->slot[i];
}

static inline void *intmap_get(const struct intmap *m, int64_t key)
{
	return m->size ? intmap_slot(m, key)->value : NULL;
}

/* `value` must not be NULL. */
static inline void intmap_put(struct intmap *m, int64_t key, void *value)
{
	struct intmap_slot *s;

	if (2 * (m->used + 1) > m->size) {
		struct intmap bigger = { .size = m->size ? m->size * 2 : 64 };

		bigger.slot = mem_zeroed(bigger.size, sizeof(*bigger.slot));
		for (size_t i = 0; i < m->size; i++)
			if (m->slot[i].value)
				*intmap_slot(&bigger, m->slot[i].key) = m->slot[i];
		bigger.used = m->used;
		free(m->slot);
		*m = bigger;
	}
	s = intmap_slot(m, key);
	m->used += !s->value;
	s->key = key;
	s->value = value;
}

/* Enters a new value of `size` bytes, all zero, for a key that has none. */
static inline void *intmap_add(struct intmap *m, int64_t key, size_t size)
{
	void *value = mem_zeroed(1, size);

	intmap_put(m, key, value);
	return value;
}

/* Returns one value after the other, in any order: *i is 0 before the first one. NULL: no more. */
static inline void *intmap_next(const struct intmap *m, size_t *i)
{
	while (*i < m->size)
		if (m->slot[(*i)++].value)
			return m->slot[*i - 1].value;
	return NULL;
}

static inline void intmap_remove(struct intmap *m, int64_t key)
{
	struct intmap_slot *hole, *s;
	size_t i, home;

	if (!intmap_get(m, key))
		return;
	hole = intmap_slot(m, key);
	/* What was put further along because this place was taken moves up. */
	for (i = (size_t)(hole - m->slot + 1) & (m->size - 1); m->slot[i].value; i = (i + 1) & (m->size - 1)) {
		s = &m->slot[i];
		home = intmap_home(m, s->key);
		if (((i - home) & (m->size - 1)) < ((i - (size_t)(hole - m->slot)) & (m->size - 1)))
			continue;
		*hole = *s;
		hole = s;
	}
	hole->value = NULL;
	m->used--;
}

static inline void intmap_free(struct intmap *m)
{
	free(m->slot);
	m->slot = NULL;
	m->size = m->used = 0;
}

#endif
