/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.h - list of maps: disjoint ranges in a balanced tree whose nodes are shared between copies. A copy costs
 * nothing, a change is proportional to the height of the tree.
 */
#ifndef CSTRACE_MACHINE_IMAGES_MAPS_H
#define CSTRACE_MACHINE_IMAGES_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

struct map {
	uint64_t start, end;	/* end is exclusive */
	uint64_t off;		/* file offset of start */
	struct dso *dso;
	/*
	 * What was mapped there when its code came: of generated code, the memory that it was
	 * written to (NULL: unknown); of a file, the memory without a file that holds a copy of it
	 * (NULL: the file itself is mapped).
	 */
	struct dso *memory;
};

struct map_node;

/* Shared between a process and its children until one of them changes it. */
struct maplist {
	unsigned int refs;
	struct map_node *root;
};

struct maplist *maplist_new(void);
struct maplist *maplist_ref(struct maplist *ml);
void maplist_unref(struct maplist *ml);
/* Returns a list with one reference: `ml` itself or a copy in its place. */
struct maplist *maplist_own(struct maplist *ml);

/* Maps a range in place of what is there; with m->dso NULL only unmaps. */
void maplist_set(struct maplist *ml, const struct map *m);
/* True if the range of `m` contains a map other than that of `m`. */
bool maplist_conflicts(const struct maplist *ml, const struct map *m);
const struct map *maplist_find(const struct maplist *ml, uint64_t addr);
/* Returns the first map that ends after `addr`, NULL if there is none. To iterate: 0, then the end of each. */
const struct map *maplist_next(const struct maplist *ml, uint64_t addr);

#endif
