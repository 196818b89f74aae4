/* SPDX-License-Identifier: GPL-2.0-only */
/* large.h - memory for large arrays that are filled at once: large pages take fewer page faults. */
#ifndef CSTRACE_BASE_LARGE_H
#define CSTRACE_BASE_LARGE_H

#include <stddef.h>

/* As malloc(), also for free(). A refusal is noted (memory.h). */
void *large_new(size_t size);

#endif
