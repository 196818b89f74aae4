/* SPDX-License-Identifier: GPL-2.0-only */
/* clocks.c - the clocks of the CPUs, and when their trace began. */
#include "machine/clocks/clocks.h"

#include <stdlib.h>

#include "base/array.h"

void clocks_note_start(struct clocks *c, const struct pd_record *rec, bool itrace)
{
	int cpu = rec->sid.valid & PERF_SAMPLE_CPU ? (int)rec->sid.cpu : -1;
	struct trace_start *st;

	if (!(rec->sid.valid & PERF_SAMPLE_TIME) || cpu < 0)
		return;
	st = intmap_get(&c->starts, cpu);
	/* threads that were recorded one by one have buffers of their own, which follow each other in the file */
	if (st && rec->sid.time >= st->time)
		return;
	if (!st)
		st = intmap_add(&c->starts, cpu, sizeof(*st));
	st->time = rec->sid.time;
	st->itrace = itrace;
}

void clocks_restore(struct clocks *c, const struct clock_bracket *v, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		*ARRAY_ADD(c->brackets.v, c->brackets.nr, c->brackets.cap) = v[i];
}

void clocks_free(struct clocks *c)
{
	struct trace_start *st;
	size_t i;

	for (i = 0; (st = intmap_next(&c->starts, &i));)
		free(st);
	intmap_free(&c->starts);
	free(c->v);
	free(c->brackets.v);
}

const struct trace_start *clocks_start(const struct clocks *c, int cpu)
{
	return intmap_get(&c->starts, cpu);
}

const struct trace_clock *clocks_of_cpu(const struct clocks *c, int cpu)
{
	uint32_t i;

	for (i = 0; i < c->units->info.nr_cpu; i++)
		if ((int)c->units->info.cpu[i].cpu == cpu || (cpu < 0 && c->v[i].kind != CLOCK_NONE))
			return &c->v[i];
	return NULL;
}
