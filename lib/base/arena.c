/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena.c - memory in large pages where the system has them: Linux, if the administrator allows or
 * asks for them.
 */
#define _DEFAULT_SOURCE
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* Of most processors; with another size madvise() fails, or has less effect. */
#define LARGE_PAGE ((size_t)2 << 20)
/* From this size on memory is in large pages, though the last one is not full. */
#define LARGE (LARGE_PAGE / 2)
/* The beginning of reserved memory and of an arena is in small pages. */
#define SMALL_START ((size_t)64 << 10)
#define CACHE_LINE ((size_t)64)
/* Pages of the system have at least this size. */
#define PAGE ((size_t)4096)

/*
 * Asks for large pages in `size` bytes from `p`, which is at the begin of one. A failure costs
 * speed alone.
 */
static void ask(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	madvise(p, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
	(void)p;
	(void)size;
#endif
}

void *cst_large_new(size_t size)
{
	void *p;

	if (size < LARGE)
		return malloc(size);
	/* aligned_alloc() takes multiples of the alignment; an overflow is 0 */
	size = (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	p = size ? aligned_alloc(LARGE_PAGE, size) : NULL;
	if (p)
		ask(p, size);
	return p;
}

void *cst_large_more(void *old, size_t old_size, size_t size)
{
	void *p;

	if (size < LARGE)
		return realloc(old, size);
	p = cst_large_new(size);
	if (!p)
		return NULL;
	if (old)
		memcpy(p, old, old_size);
	free(old);
	return p;
}

void *cst_large_zeroed(size_t n, size_t size)
{
	volatile unsigned char *each;
	void *p;
	size_t i;

	if (size && n > SIZE_MAX / size)
		return NULL;
	n *= size;
	if (n >= LARGE) {
		p = cst_large_new(n);
		return p ? memset(p, 0, n) : NULL;
	}
	/*
	 * a page that is read before it is written faults twice, and the second fault interrupts
	 * the other threads
	 */
	each = p = calloc(n, 1);
	for (i = 0; p && i < n; i += PAGE)
		each[i] = 0;
	return p;
}

void *cst_large_reserve(void **memory, size_t size)
{
	const int small = size <= SMALL_START;
	const size_t align = small ? CACHE_LINE : LARGE_PAGE, start = small ? 0 : SMALL_START;
	unsigned char *p;

	p = size > SIZE_MAX - LARGE_PAGE ? NULL : malloc(size + align);
	if (!p)
		return NULL;
	*memory = p;
	p += start;
	p += -(uintptr_t)p % align;
	if (!small)
		ask(p, size - start);
	return p - start;
}

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;		/* with this header */
	uint64_t bytes[];
};

/* The first chunk is small, since most arenas are. */
static int new_chunk(struct arena *a, size_t size)
{
	size_t n = !a->chunk || (a->most && a->most < LARGE_PAGE) ? SMALL_START : LARGE_PAGE;
	struct arena_chunk *c;

	if (size > SIZE_MAX - sizeof(*c))
		return 0;
	if (n < size + sizeof(*c))
		n = size + sizeof(*c);
	c = cst_large_new(n);
	if (!c)
		return 0;
	c->next = a->chunk;
	c->size = n;
	a->chunk = c;
	a->used = sizeof(*c);
	return 1;
}

void *cst_arena_zeroed(struct arena *a, size_t size)
{
	void *p;

	size = (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	if ((!a->chunk || a->chunk->size - a->used < size) && !new_chunk(a, size))
		return NULL;
	p = (unsigned char *)a->chunk + a->used;
	a->used += size;
	return memset(p, 0, size);
}

void cst_arena_drop(struct arena *a)
{
	struct arena_chunk *c;

	while ((c = a->chunk)) {
		a->chunk = c->next;
		free(c);
	}
	a->used = 0;
}
