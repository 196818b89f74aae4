/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmap.c - parses a perf map and sorts what is valid at its end by address. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "machine/images/maps.h"
#include "machine/images/perfmap.h"

struct perf_map_entry {
	uint64_t start, size;
	const char *name;
};

struct perf_map {
	char *text;
	struct perf_map_entry *v;	/* sorted by address; no two overlap */
	size_t nr, cap;
};

static bool parse_line(struct perf_map_entry *e, char *line)
{
	char *p, *q;

	errno = 0;
	e->start = strtoull(line, &p, 16);
	if (p == line || *p != ' ')
		return false;
	e->size = strtoull(p + 1, &q, 16);
	if (q == p + 1 || *q != ' ' || !q[1] || errno)
		return false;
	e->name = q + 1;
	return true;
}

/*
 * Drops the entries of code that was gone when later code got part of its place: a runtime adds to the file and never
 * removes.
 */
static void drop_replaced(struct perf_map *pm)
{
	struct maplist *later = maplist_new();	/* the places of all later entries */
	size_t i, to = pm->nr;

	for (i = pm->nr; i; i--) {
		const struct perf_map_entry *e = &pm->v[i - 1];
		/* any pointer does: all are one file */
		struct map m = { .start = e->start, .off = e->start, .dso = (struct dso *)pm };
		const struct map *x = maplist_next(later, e->start);

		m.end = e->size < UINT64_MAX - e->start ? e->start + e->size : UINT64_MAX;
		if (!x || x->start >= m.end)
			pm->v[--to] = *e;
		maplist_set(later, &m);
	}
	maplist_unref(later);
	pm->nr -= to;
	memmove(pm->v, pm->v + to, pm->nr * sizeof(*pm->v));
}

struct perf_map *perf_map_read(char *text)
{
	struct perf_map *pm = mem_zeroed(1, sizeof(*pm));
	struct perf_map_entry e;
	char *line;

	pm->text = text;
	while ((line = strsep(&text, "\n")))
		if (parse_line(&e, line) && e.size)
			*ARRAY_ADD(pm->v, pm->nr, pm->cap) = e;
	if (pm->nr)
		drop_replaced(pm);
	ARRAY_SORT(pm->v, pm->nr, array_compare_u64);
	return pm;
}

void perf_map_free(struct perf_map *pm)
{
	if (!pm)
		return;
	free(pm->text);
	free(pm->v);
	free(pm);
}

bool perf_map_find(const struct perf_map *pm, uint64_t addr, const char **name, uint64_t *start,
		   uint64_t *size)
{
	size_t lo = 0, hi = pm->nr;
	const struct perf_map_entry *e;

	BISECT(lo, hi, mid, pm->v[mid].start <= addr);
	if (!lo)
		return false;
	e = &pm->v[lo - 1];
	if (addr - e->start >= e->size)
		return false;
	*name = e->name;
	*start = e->start;
	*size = e->size;
	return true;
}

bool perf_map_within(const struct perf_map *pm, uint64_t start, uint64_t end)
{
	size_t lo = 0, hi = pm->nr;
	const struct perf_map_entry *before;

	BISECT(lo, hi, mid, pm->v[mid].start <= start);
	before = lo ? &pm->v[lo - 1] : NULL;
	if (before && start - before->start < before->size)
		return true;
	return lo < pm->nr && pm->v[lo].start < end;
}
