/* SPDX-License-Identifier: GPL-2.0-only */
/* memory.c - allocates large arrays; remembers the first refusal of memory and what the program was doing then. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/put.h"

/* Size of the processor's large pages; with another size madvise() below fails, or has less effect. */
#define LARGE_PAGE (2u << 20)

/* Of the process, as its memory is. Any thread may be refused some. */
static struct {
	_Atomic(const char *) doing;
	_Atomic(const char *) refused_doing;
	atomic_size_t size;
	atomic_bool claimed;	/* a thread writes about the first refusal ... */
	atomic_bool refused;	/* ... and has done so */
} memory = { .doing = "starting" };

void memory_note_refusal(size_t size)
{
	if (atomic_exchange(&memory.claimed, true))
		return;
	memory.size = size;
	memory.refused_doing = memory.doing;
	memory.refused = true;
}

bool memory_refused(void)
{
	return atomic_load_explicit(&memory.claimed, memory_order_relaxed);
}

void *memory_large(size_t size)
{
#ifdef MADV_HUGEPAGE
	void *p;

	if (size < LARGE_PAGE)
		return malloc(size);
	if (posix_memalign(&p, LARGE_PAGE, size)) {
		memory_note_refusal(size);
		return NULL;
	}
	/* a failure costs speed alone */
	madvise(p, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
	return p;
#else
	return malloc(size);
#endif
}

const char *memory_doing(const char *what)
{
	return atomic_exchange(&memory.doing, what);
}

void memory_print(const char *who)
{
	if (!memory.refused)
		return;
	put_text(who);
	put_text(": out of memory: ");
	put_number(memory.size);
	put_text(" bytes were refused while ");
	put_text(memory.refused_doing);
	put_text("; an output file that was not finished by then is not written. Raise the limit (ulimit -v, the memory of the "
		 "container), or decode less at a time (--time, --cpu)\n");
}
