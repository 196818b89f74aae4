/* SPDX-License-Identifier: GPL-2.0-only */
/* large.c - asks the system for large pages. */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/alloc.h"

/* Size of the processor's large pages; with another size madvise() below fails, or has less effect. */
#define LARGE_PAGE ((size_t)2 << 20)
/* From this size on memory is in large pages, though the last one is not full. */
#define LARGE (LARGE_PAGE / 2)

/* Size in whole large pages. */
static size_t whole(size_t size)
{
	if (size > SIZE_MAX - 2 * LARGE_PAGE)
		mem_refused(size);
	return (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

void *large_new(size_t size)
{
#ifdef MADV_HUGEPAGE
	void *p;

	if (size < LARGE)
		return mem_new(size);
	size = whole(size);
	p = aligned_alloc(LARGE_PAGE, size);
	if (!p)
		mem_refused(size);
	/* a failure costs speed alone */
	madvise(p, size, MADV_HUGEPAGE);
	return p;
#else
	return mem_new(size);
#endif
}

void *large_zeroed(size_t n, size_t size)
{
	size_t before;
	char *p;

	if (size && n > SIZE_MAX / size)
		mem_refused(SIZE_MAX);
	size *= n;
	if (size < LARGE)
		return mem_zeroed(1, size);
	size = whole(size);
	p = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0);
	if (p == MAP_FAILED)
		mem_refused(size);
	before = -(uintptr_t)p % LARGE_PAGE;
	if (before)
		munmap(p, before);
	p += before;
	munmap(p + size, LARGE_PAGE - before);
#ifdef MADV_HUGEPAGE
	/* a failure costs speed alone */
	madvise(p, size, MADV_HUGEPAGE);
#endif
	return p;
}

void large_drop(void *p, size_t size)
{
	if (size < LARGE)
		free(p);
	else
		munmap(p, whole(size));
}
