/* SPDX-License-Identifier: GPL-2.0-only */
/* info_who.c - where it was known from which thread, process and exception level ran. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "session/internal.h"

static bool ids_traced(const struct session *ss)
{
	uint32_t i;

	for (i = 0; i < ss->units.info.nr_cpu; i++)
		if (ss->units.v[i].pid.contextidr_el1 || ss->units.v[i].pid.contextidr_el2)
			return true;
	return false;
}

static void print_format(const struct session *ss)
{
	static const char *const text[] = {
		[CONTEXTID_TID] = "the thread",
		[CONTEXTID_TID_ASID] = "the thread in bits 31:8, an ASID below",
		[CONTEXTID_ASID] = "an ASID",
		[CONTEXTID_NONE] = "nothing (a kernel without PID_IN_CONTEXTIDR)",
	};
	const struct contextid *c = &ss->tasks.contextid;
	const char *sep = " ";
	size_t i;

	if (!ids_traced(ss))
		return;
	printf("  context IDs hold%s", c->forced ? ", as --contextid says," : "");
	for (i = CONTEXTID_TID; i <= CONTEXTID_NONE; i++) {
		if (!c->seen[i])
			continue;
		printf("%s%s", sep, text[i]);
		sep = "; or ";
	}
	printf("%s\n", *sep == ' ' ? " nothing that was decoded" : "");
}

void info_who(const struct session *ss)
{
	const struct who_counts *c = &ss->totals.who;
	size_t i, n = 0, declared = 0;

	printf("\nWho ran:\n");
	print_format(ss);
	for (i = 0; i < ss->tasks.running.nr; i++)
		n += ss->tasks.running.cpus[i]->nr;
	if (n)
		printf("  %zu switches on %zu CPU%s%s\n", n, ss->tasks.running.nr, ss->tasks.running.nr == 1 ? "" : "s",
		       ss->tasks.sched ? ", with samples of sched:sched_switch" : "");
	for (i = 0; i < ss->tasks.asids.nr; i++)
		declared += ss->tasks.asids.all[i]->nr;
	if (declared || ss->tasks.asids.learned)
		printf("  ASIDs: %zu declarations; %" PRIu64 " owners learned from switches, %" PRIu64 " of them in "
		       "place of another one\n", declared, ss->tasks.asids.learned, ss->tasks.asids.changed);
	if (c->only_process)
		printf("  nothing said which thread ran: all user trace was taken as that of process %d, the only one "
		       "with code, %" PRIu64 " times\n", c->only_pid, c->only_process);
	if (c->uncertain)
		printf("  several threads ran between two timestamps, %" PRIu64 " times: the last one was taken\n",
		       c->uncertain);
	if (c->secure)
		printf("  secure world: %" PRIu64 " stretches, not decoded\n", c->secure);
	if (c->firmware)
		printf("  EL3: %" PRIu64 " stretches, not decoded\n", c->firmware);
}
