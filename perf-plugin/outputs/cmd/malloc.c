/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * malloc.c - the allocation functions of the process, in front of those of the C library (or of whatever
 * LD_PRELOAD put there): the same memory, and each refusal is noted. A caller between here and the user can
 * overlook a NULL, libelf and the C library included; the end of the command cannot (base/memory.h).
 *
 * Linked into perf-cstrace alone. Not with AddressSanitizer or ThreadSanitizer, which want to be the first.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t n, size_t size);
	void *(*realloc)(void *p, size_t size);
	bool looking;		/* dlsym() is running: it must not come back here for memory */
} next;

static bool find_next(void)
{
	if (next.realloc)
		return true;
	if (next.looking)
		return false;
	next.looking = true;
	/* The assignment that ISO C has no cast for (POSIX, dlsym()). */
	*(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
	next.looking = false;
	return next.malloc && next.calloc && next.realloc;
}

static void *checked(void *p, size_t size)
{
	if (__builtin_expect(!p, 0) && size) {
		errno = ENOMEM;
		memory_note_refusal(size);
	}
	return p;
}

void *malloc(size_t size)
{
	return find_next() ? checked(next.malloc(size), size) : NULL;
}

void *calloc(size_t n, size_t size)
{
	size_t all;

	if (!find_next())
		return NULL;
	if (__builtin_mul_overflow(n, size, &all))
		all = SIZE_MAX;
	return checked(next.calloc(n, size), all);
}

void *realloc(void *p, size_t size)
{
	return find_next() ? checked(next.realloc(p, size), size) : NULL;
}

#endif /* __SANITIZE_ADDRESS__, __SANITIZE_THREAD__ */
