/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - whether this process was ever refused memory. A refusal is sticky, as ferror() is for a stream:
 * what was made since may lack a part, so an output is not given its name after it, and the exit code is 1.
 * cmd/malloc.c notes refusals for the whole process, the libraries that it uses included; where that file is
 * not linked (tests, fuzz targets), only large_new() does (large.h).
 */
#ifndef CSTRACE_BASE_MEMORY_H
#define CSTRACE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* An allocation of `size` bytes failed; the first one counts. */
void memory_note_refusal(size_t size);
bool memory_refused(void);

/* What the process is doing, for the message: a text that stays, as "reading the records". Returns the last one. */
const char *memory_doing(const char *what);
/* What it was doing at the refusal, how much it asked for, and what helps: one line on standard error. Async-signal-safe. */
void memory_print(const char *who);

#endif
