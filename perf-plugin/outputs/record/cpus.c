/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpus.c - which CPUs can be traced: those that are online, with a trace unit, and with a trace
 * ID where one is needed.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/format.h"
#include "outputs/record/internal.h"

/*
 * Kernels before 6.3 give trace ID 0x10 + 2 x CPU, and 0x70 and more are reserved. A TRBE writes
 * no frames, so its
 * trace needs no ID.
 */
#define FIXED_IDS 48u

static bool traceable(const struct target *t, const struct target_cpu *cpu)
{
	const bool framed = !target_sinks(t, TARGET_TRBE, NULL);

	return cpu->online && cpu->kind != TARGET_NO_UNIT &&
	       !(framed && t->kernel.ids_dynamic == TARGET_NO && cpu->cpu >= FIXED_IDS);
}

uint32_t traceable_cpus(const struct target *t, bool *some)
{
	uint32_t n = 0, online = 0;
	size_t i;

	for (i = 0; i < t->nr_cpus; i++) {
		online += t->cpus[i].online;
		n += traceable(t, &t->cpus[i]);
	}
	*some = n < online;
	return n;
}

/* Adds "3" or "3-5" to the list. */
static char *add_stretch(char *list, uint32_t from, uint32_t to)
{
	char *more = from == to ? format_text("%s%s%u", list, *list ? "," : "", from) :
				  format_text("%s%s%u-%u", list, *list ? "," : "", from, to);

	free(list);
	return more;
}

char *traceable_list(const struct target *t)
{
	char *list = mem_text("");
	bool open = false;
	uint32_t from = 0, to = 0;
	size_t i;

	for (i = 0; i < t->nr_cpus; i++) {
		if (!traceable(t, &t->cpus[i]))
			continue;
		if (open && t->cpus[i].cpu != to + 1) {
			list = add_stretch(list, from, to);
			open = false;
		}
		if (!open)
			from = t->cpus[i].cpu;
		to = t->cpus[i].cpu;
		open = true;
	}
	return open ? add_stretch(list, from, to) : list;
}
