/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.h - what is mapped where: ranges that do not overlap, in a balanced tree whose nodes are shared by
 * all lists that grew out of one another. So a copy costs nothing, and a change as much as the tree is high.
 */
#ifndef CSTRACE_IMAGES_MAPS_H
#define CSTRACE_IMAGES_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

struct map {
	uint64_t start, end;	/* end is exclusive */
	uint64_t off;		/* file offset of start */
	struct dso *dso;
};

struct map_node;

/* Shared between a process and those it forked until one of them changes it. */
struct maplist {
	unsigned int refs;
	struct map_node *root;
};

struct maplist *maplist_new(void);
struct maplist *maplist_ref(struct maplist *ml);
void maplist_unref(struct maplist *ml);
/* A list that only the caller holds: `ml` itself or a copy in its place. NULL: no memory, `ml` kept. */
struct maplist *maplist_own(struct maplist *ml);

/* Map, replacing what was there; with m->dso NULL only unmap. False: no memory, and the list is empty. */
bool maplist_set(struct maplist *ml, const struct map *m);
/* Is anything mapped in the range of `m` that is not what `m` maps there? */
bool maplist_conflicts(const struct maplist *ml, const struct map *m);
const struct map *maplist_find(const struct maplist *ml, uint64_t addr);
/* The first one that ends after `addr`, to go through all: 0, then the end of each. NULL: none. */
const struct map *maplist_next(const struct maplist *ml, uint64_t addr);

#endif
