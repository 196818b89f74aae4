/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrap.c - linked into perf-cstrace with --wrap: allocations fail as in refuse.c, below the allocator of a
 * sanitizer, which must be the first in the process. Only calls of our own code are seen, not those of shared
 * libraries; there is no other class than "alloc".
 */
#include <stdarg.h>

#include "fault/fault.h"

int __wrap_asprintf(char **out, const char *format, ...);

static bool alloc_refused(size_t n)
{
	(void)n;
	return refused(ALLOC);
}

#include "fault/wrap_alloc.h"

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
