/* SPDX-License-Identifier: GPL-2.0-only */
/* large.c - asks the system for large pages. */
#include "base/large.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/alloc.h"

/* Size of the processor's large pages; with another size madvise() below fails, or has less effect. */
#define LARGE_PAGE (2u << 20)

void *large_new(size_t size)
{
#ifdef MADV_HUGEPAGE
	void *p;

	if (size < LARGE_PAGE / 2)
		return mem_new(size);
	size = (size + LARGE_PAGE - 1) & ~(size_t)(LARGE_PAGE - 1);
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
