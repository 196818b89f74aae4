/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - large arrays, and whether this process was ever refused memory. A refusal is sticky, as ferror() is for a
 * stream: what was made since may lack a part, so an output is not given its name after it, and the exit code is 1.
 * cmd/malloc.c notes refusals for the whole process, the libraries that it uses included; where that file is
 * not linked (tests, fuzz targets), only memory_large() does.
 */
#ifndef CSTRACE_BASE_MEMORY_H
#define CSTRACE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* An allocation of `size` bytes failed; the first one counts. */
void memory_note_refusal(size_t size);
bool memory_refused(void);

/*
 * malloc() for a large array that is filled at once: asks the system for large pages, which take fewer page faults. To be
 * freed with free().
 */
void *memory_large(size_t size);

/* What the process is doing, for the message: a text that stays, as "reading the records". Returns the last one. */
const char *memory_doing(const char *what);
/* What it was doing at the refusal, how much it asked for, and what helps: one line on standard error. Async-signal-safe. */
void memory_print(const char *who);

#endif
