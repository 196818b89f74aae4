/* SPDX-License-Identifier: GPL-2.0-only */
#include "perfdata/memory.h"

/* Of the process, as its memory is. */
static struct {
	const char *doing;
	const char *refused_doing;
	size_t size;
	bool refused;
} memory = { .doing = "starting" };

void memory_note_refusal(size_t size)
{
	if (memory.refused)
		return;
	memory.size = size;
	memory.refused_doing = memory.doing;
	memory.refused = true;
}

bool memory_refused(void)
{
	return memory.refused;
}

const char *memory_doing(const char *what)
{
	const char *was = memory.doing;

	memory.doing = what;
	return was;
}

void memory_print(FILE *out, const char *who)
{
	if (memory.refused)
		fprintf(out, "%s: out of memory: %zu bytes were refused while %s; an output file that was not "
			"finished by then is not written. Raise the limit (ulimit -v, the memory of the container), or "
			"decode less at a time (--time, --cpu)\n", who, memory.size, memory.refused_doing);
}
