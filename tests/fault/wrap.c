/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrap.c - linked into perf-cstrace with --wrap: allocations fail as in refuse.c, below the allocator of a
 * sanitizer, which must be the first in the process. Only calls of our own code are seen, not those of shared
 * libraries; there is no other class than "alloc".
 */
#include <stdarg.h>

#include "fault/fault.h"
#include "perfdata/memory.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
int __wrap_asprintf(char **out, const char *format, ...);

static bool alloc_refused(size_t n)
{
	if (!refused(ALLOC))
		return false;
	memory_note_refusal(n);
	return true;
}

void *__wrap_malloc(size_t n)
{
	return alloc_refused(n) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return alloc_refused(n * size) ? NULL : __real_calloc(n, size);
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

int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list ap;
	int n;

	if (alloc_refused(strlen(format) + 1))
		return -1;
	va_start(ap, format);
	n = vasprintf(out, format, ap);
	va_end(ap);
	return n;
}
