/* SPDX-License-Identifier: GPL-2.0-only */
/* memory.c - remembers the first refusal of memory and what the program was doing then. */
#include "base/memory.h"

#include <stdatomic.h>

#include "base/put.h"

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
