/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "session/maps.h"

struct maplist *maplist_new(void)
{
	struct maplist *ml = calloc(1, sizeof(*ml));

	if (ml)
		ml->refs = 1;
	return ml;
}

struct maplist *maplist_ref(struct maplist *ml)
{
	if (ml)
		ml->refs++;
	return ml;
}

void maplist_unref(struct maplist *ml)
{
	if (!ml || --ml->refs)
		return;
	free(ml->v);
	free(ml);
}

struct maplist *maplist_own(struct maplist *ml)
{
	struct maplist *copy;

	if (ml->refs == 1)
		return ml;
	copy = maplist_new();
	if (!copy)
		return NULL;
	copy->v = malloc((ml->nr + 1) * sizeof(*copy->v));
	if (!copy->v) {
		free(copy);
		return NULL;
	}
	copy->cap = ml->nr + 1;
	copy->nr = ml->nr;
	if (ml->nr)
		memcpy(copy->v, ml->v, ml->nr * sizeof(*copy->v));
	maplist_unref(ml);
	return copy;
}

/* First entry that ends after `addr`. */
static size_t lower(const struct maplist *ml, uint64_t addr)
{
	size_t lo = 0, hi = ml->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ml->v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool reserve(struct maplist *ml, size_t more)
{
	size_t cap = ml->cap ? ml->cap : 16;
	struct map *v;

	while (cap < ml->nr + more)
		cap *= 2;
	if (cap == ml->cap)
		return true;
	v = realloc(ml->v, cap * sizeof(*v));
	if (!v)
		return false;
	ml->v = v;
	ml->cap = cap;
	return true;
}

bool maplist_set(struct maplist *ml, const struct map *m)
{
	size_t first = lower(ml, m->start), last = first, n = 0;
	struct map put[3];

	while (last < ml->nr && ml->v[last].start < m->end)
		last++;
	/* What remains of the ranges at both ends stays. */
	if (first < last && ml->v[first].start < m->start) {
		put[n] = ml->v[first];
		put[n++].end = m->start;
	}
	if (m->dso)
		put[n++] = *m;
	if (first < last && ml->v[last - 1].end > m->end) {
		put[n] = ml->v[last - 1];
		put[n].off += m->end - put[n].start;
		put[n++].start = m->end;
	}
	if (!reserve(ml, n))
		return false;
	memmove(ml->v + first + n, ml->v + last, (ml->nr - last) * sizeof(*ml->v));
	memcpy(ml->v + first, put, n * sizeof(*put));
	ml->nr = ml->nr - (last - first) + n;
	return true;
}

bool maplist_conflicts(const struct maplist *ml, const struct map *m)
{
	size_t i;

	for (i = lower(ml, m->start); i < ml->nr && ml->v[i].start < m->end; i++)
		if (ml->v[i].dso != m->dso || ml->v[i].start - ml->v[i].off != m->start - m->off)
			return true;
	return false;
}

const struct map *maplist_find(const struct maplist *ml, uint64_t addr)
{
	size_t i = lower(ml, addr);

	return i < ml->nr && ml->v[i].start <= addr ? &ml->v[i] : NULL;
}
