/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrap_alloc.h - malloc(), calloc(), realloc(), aligned_alloc(), strdup() and strndup() of a
 * program that is linked with $(WRAP_ALLOC) of the Makefile: refused where alloc_refused(), which
 * the includer defines before, returns true for the size.
 */
#ifndef TESTS_WRAP_ALLOC_H
#define TESTS_WRAP_ALLOC_H

#include <stddef.h>
#include <string.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t n);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t n);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t n)
{
	return alloc_refused(n) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return alloc_refused(n * size) ? NULL : __real_calloc(n, size);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	return alloc_refused(n) ? NULL : __real_aligned_alloc(align, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	return alloc_refused(n) ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
	return alloc_refused(strlen(s) + 1) ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
	return alloc_refused(n + 1) ? NULL : __real_strndup(s, n);
}

#endif
