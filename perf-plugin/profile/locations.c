/* SPDX-License-Identifier: GPL-2.0-only */
/* locations.c - a hash table of places. */
#include "profile/locations.h"

#ifdef HAVE_PROTOBUF_C
#include <stdlib.h>

#include "base/array.h"

void locations_free(struct locations *l)
{
	free(l->v);
	free(l->slot);
	*l = (struct locations){ .v = NULL };
}

static size_t hash(uint32_t binary, uint64_t offset)
{
	return (size_t)((offset ^ (uint64_t)binary << 40) * 0x9e3779b97f4a7c15u >> 16);
}

static uint32_t *slot_of(const struct locations *l, uint32_t *slots, size_t n, uint32_t binary, uint64_t offset)
{
	size_t i = hash(binary, offset) & (n - 1);

	while (slots[i] && (l->v[slots[i] - 1].binary != binary || l->v[slots[i] - 1].offset != offset))
		i = (i + 1) & (n - 1);
	return &slots[i];
}

/* Builds the table of `n` slots from the places. */
static bool make_slots(struct locations *l, size_t n)
{
	uint32_t *slots = calloc(n, sizeof(*slots));
	size_t i;

	if (!slots)
		return false;
	for (i = 0; i < l->nr; i++)
		*slot_of(l, slots, n, l->v[i].binary, l->v[i].offset) = (uint32_t)i + 1;
	free(l->slot);
	l->slot = slots;
	l->nr_slots = n;
	return true;
}

uint32_t locations_id(struct locations *l, uint32_t binary, uint64_t offset)
{
	struct location *to;
	uint32_t *slot;

	if (2 * (l->nr + 1) > l->nr_slots && !make_slots(l, l->nr_slots ? 2 * l->nr_slots : 4096))
		return 0;
	slot = slot_of(l, l->slot, l->nr_slots, binary, offset);
	if (!*slot) {
		to = l->nr < UINT32_MAX ? ARRAY_ADD(l->v, l->nr, l->cap) : NULL;
		if (!to)
			return 0;
		*to = (struct location){ .binary = binary, .offset = offset };
		*slot = (uint32_t)l->nr;
	}
	return *slot;
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
	struct ranked *ranked = malloc((l->nr + 1) * sizeof(*ranked));
	uint32_t *ids = malloc((l->nr + 1) * sizeof(*ids));
	size_t i;

	for (i = 0; ranked && ids && i < l->nr; i++)
		ranked[i] = (struct ranked){ .is = l->v[i], .old = (uint32_t)i };
	if (ranked && ids && l->nr)
		qsort(ranked, l->nr, sizeof(*ranked), compare_uses);
	for (i = 0; ranked && ids && i < l->nr; i++) {
		l->v[i] = ranked[i].is;
		ids[ranked[i].old] = (uint32_t)i + 1;
	}
	free(ranked);
	if (ranked && ids && (!l->nr || make_slots(l, l->nr_slots)))
		return ids;
	free(ids);
	return NULL;
}
#endif
