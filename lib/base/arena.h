/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena.h - memory that is filled from its start on. The first touch of a page of memory interrupts
 * the program, on a virtual machine for many microseconds; a large page of 2 MB does so once where
 * 512 pages do it 512 times.
 */
#ifndef CST_LIB_BASE_ARENA_H
#define CST_LIB_BASE_ARENA_H

#include <stddef.h>

/*
 * As malloc(), calloc() and realloc(), for free(). From 1 MB on the system is asked for large
 * pages. cst_large_zeroed() has touched each page. NULL without memory.
 */
void *cst_large_new(size_t size);
void *cst_large_zeroed(size_t n, size_t size);
void *cst_large_more(void *old, size_t old_size, size_t size);

/*
 * Memory for an array of at most `size` bytes of which the first few may be all that is ever used:
 * large pages begin behind these. `*memory` is for free(). Aligned to a cache line. NULL without
 * memory.
 */
void *cst_large_reserve(void **memory, size_t size);

/*
 * Memory in pieces that are all given back at once. All zeros: empty. `most` is what its user takes
 * at most, 0 if that is unknown: an arena that stays small has no large pages.
 */
struct arena {
	struct arena_chunk *chunk; /* the newest, which pieces are taken from */
	size_t used;		/* of that chunk */
	size_t most;
};

/* Returns zeros, aligned for a uint64_t; NULL without memory. */
void *cst_arena_zeroed(struct arena *a, size_t size);

/* Gives all pieces back. */
void cst_arena_drop(struct arena *a);

#endif
