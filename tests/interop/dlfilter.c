/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlfilter.c - a filter of perf script: how many samples have flags, and what their branch stacks
 * say of the branch that each sample is. Prints a line for each type (PERF_BR_x) when perf ends.
 */
#include <perf/perf_dlfilter.h>
#include <linux/perf_event.h>
#include <stdio.h>

struct perf_dlfilter_fns perf_dlfilter_fns;

static unsigned long types[16], flagged, other;

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	const struct perf_branch_entry *e = sample->brstack;

	(void)data;
	(void)ctx;
	flagged += sample->flags != 0;
	if (sample->brstack_nr != 1 || e->from != sample->ip || e->to != sample->addr)
		other++;
	else
		types[e->type]++;
	return 1;
}

int stop(void *data, void *ctx)
{
	unsigned int i;

	(void)data;
	(void)ctx;
	for (i = 0; i < 16; i++)
		if (types[i])
			printf("type %u: %lu\n", i, types[i]);
	printf("with flags: %lu\nwithout a stack of their own: %lu\n", flagged, other);
	return 0;
}
