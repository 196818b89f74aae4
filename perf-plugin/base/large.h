/* SPDX-License-Identifier: GPL-2.0-only */
/* large.h - memory for large arrays that are filled at once: large pages take fewer page faults. */
#ifndef CSTRACE_BASE_LARGE_H
#define CSTRACE_BASE_LARGE_H

#include <stddef.h>

/* As mem_new(), also for free(). */
void *large_new(size_t size) __attribute__((malloc, returns_nonnull, warn_unused_result,
					    alloc_size(1)));
/*
 * Returns zeroed memory, for large_drop() with the product. Pages that are not written need no
 * memory, and from 1 MB on all of it returns to the system at once, which free() does for the
 * largest blocks alone.
 */
void *large_zeroed(size_t n, size_t size)
	__attribute__((malloc, returns_nonnull, warn_unused_result, alloc_size(1, 2)));
void large_drop(void *p, size_t size);

#endif
