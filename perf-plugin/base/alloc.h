/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc.h - memory for all of perf-plugin. A refusal ends the process here, from whatever thread:
 * temporary outputs are removed, one line on standard error says what was refused, and the exit
 * code is 1. So no caller checks a pointer.
 */
#ifndef CSTRACE_BASE_ALLOC_H
#define CSTRACE_BASE_ALLOC_H

#include <stddef.h>

#define MEM_NEW __attribute__((malloc, returns_nonnull, warn_unused_result))

/* As malloc(), calloc(), strdup() and strndup(), for free(). Of 0 bytes a pointer as well. */
void *mem_new(size_t size) MEM_NEW __attribute__((alloc_size(1)));
void *mem_zeroed(size_t n, size_t size) MEM_NEW __attribute__((alloc_size(1, 2)));
char *mem_text(const char *text) MEM_NEW;
char *mem_text_part(const char *text, size_t max) MEM_NEW;
/* An array of `n` elements of `size` bytes, not initialised. */
void *mem_array(size_t n, size_t size) MEM_NEW __attribute__((alloc_size(1, 2)));
/* The array `p`, which may be NULL, with `n` elements from now on, as realloc(). */
void *mem_more(void *p, size_t n, size_t size)
	__attribute__((returns_nonnull, warn_unused_result, alloc_size(2, 3)));

/*
 * What the process is doing, for the message: a text that stays, as "reading the records". Returns
 * the last one.
 */
const char *mem_doing(const char *what);
/*
 * Sets what removes the temporary outputs (files/guard.c). It may lock out other threads for good.
 */
void mem_before_end(void (*clean)(void));

/*
 * Ends the process: `size` bytes were refused; 0: a library was refused some. Not for a thread that
 * holds a lock of guard.c.
 */
_Noreturn void mem_refused(size_t size);
/*
 * Does so if `error`, the errno of a call of the C library or the system, is ENOMEM. Keeps errno.
 */
void mem_check(int error);
/* The same of a code of libcstrace. Returns the code. */
int mem_code(int code);

#endif
