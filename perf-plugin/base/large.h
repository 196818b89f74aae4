/* SPDX-License-Identifier: GPL-2.0-only */
/* large.h - memory for large arrays that are filled at once: large pages take fewer page faults. */
#ifndef CSTRACE_BASE_LARGE_H
#define CSTRACE_BASE_LARGE_H

#include <stddef.h>

/* As mem_new(), also for free(). */
void *large_new(size_t size) __attribute__((malloc, returns_nonnull, warn_unused_result,
					    alloc_size(1)));

#endif
