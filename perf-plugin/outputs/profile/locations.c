/* SPDX-License-Identifier: GPL-2.0-only */
/* locations.c - a hash table of places. */
#include "outputs/profile/locations.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

void locations_free(struct locations *l)
{
	free(l->v);
	slots_free(&l->slots);
	*l = (struct locations){ .v = NULL };
}

static uint64_t hash(uint32_t binary, uint64_t offset)
{
	return (offset ^ (uint64_t)binary << 40) * 0x9e3779b97f4a7c15u >> 16;
}

static uint64_t hash_at(const void *array, uint32_t i)
{
	const struct location *l = (const struct location *)array + i;

	return hash(l->binary, l->offset);
}

static bool is_at(const struct location *l, uint32_t binary, uint64_t offset)
{
	return l->binary == binary && l->offset == offset;
}

uint32_t locations_id(struct locations *l, uint32_t binary, uint64_t offset)
{
	size_t at;

	slots_reserve(&l->slots, l->nr, l->v, hash_at);
	SLOTS_FIND(&l->slots, at, hash(binary, offset), is_at(&l->v[l->slots.v[at] - 1], binary, offset));
	if (!l->slots.v[at]) {
		*ARRAY_ADD(l->v, l->nr, l->cap) =
			(struct location){ .binary = binary, .offset = offset };
		l->slots.v[at] = (uint32_t)l->nr;
	}
	return l->slots.v[at];
}

/* A place with its old index. */
struct ranked {
	struct location is;
	uint32_t old;
};

static int compare_uses(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->is.uses != b->is.uses)
		return a->is.uses > b->is.uses ? -1 : 1;
	return a->old < b->old ? -1 : 1;
}

uint32_t *locations_by_use(struct locations *l)
{
	struct ranked *ranked = mem_array(l->nr + 1, sizeof(*ranked));
	uint32_t *ids = mem_array(l->nr + 1, sizeof(*ids));
	size_t i;

	for (i = 0; i < l->nr; i++)
		ranked[i] = (struct ranked){ .is = l->v[i], .old = (uint32_t)i };
	ARRAY_SORT(ranked, l->nr, compare_uses);
	for (i = 0; i < l->nr; i++) {
		l->v[i] = ranked[i].is;
		ids[ranked[i].old] = (uint32_t)i + 1;
	}
	free(ranked);
	slots_rebuild(&l->slots, l->nr, l->v, hash_at);
	return ids;
}
