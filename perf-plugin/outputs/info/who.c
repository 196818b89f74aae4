/* SPDX-License-Identifier: GPL-2.0-only */
/* who.c - where it was known from which thread, process and exception level ran. */
#include <inttypes.h>
#include <stdio.h>

#include "machine/guests/guest.h"
#include "outputs/info/internal.h"

/* Which registers the trace units are programmed to trace. */
static void ids_traced(const struct session *ss, bool *el1, bool *el2)
{
	const struct trace_units *tu = session_units(ss);
	uint32_t i;

	*el1 = *el2 = false;
	for (i = 0; i < tu->info.nr_cpu; i++) {
		*el1 |= tu->v[i].pid.contextidr_el1;
		*el2 |= tu->v[i].pid.contextidr_el2;
	}
}

static bool any_traced(const struct session *ss)
{
	bool el1, el2;

	ids_traced(ss, &el1, &el2);
	return el1 || el2;
}

/* True if a context ID was decoded; the formats of CONTEXTIDR_EL1 alone are noted. */
static bool any_seen(const struct contextid *c)
{
	size_t i;

	for (i = CONTEXTID_TID; i <= CONTEXTID_NONE && !c->seen[i]; i++)
		;
	return i <= CONTEXTID_NONE;
}

static void print_format(const struct session *ss)
{
	static const char *const text[] = {
		[CONTEXTID_TID] = "the thread",
		[CONTEXTID_TID_ASID] = "the thread in bits 31:8, an ASID below",
		[CONTEXTID_ASID] = "an ASID",
		[CONTEXTID_NONE] = "nothing (a kernel without PID_IN_CONTEXTIDR)",
	};
	const struct contextid *c = &session_tasks(ss)->contextid;
	const char *sep = " ";
	bool el1, el2;
	size_t i;

	ids_traced(ss, &el1, &el2);
	/* print_identity() says that there are none */
	if (!any_seen(c) && (!(el1 || el2) || session_totals(ss)->who.absent))
		return;
	if (el2 && !any_seen(c)) {
		printf("  VMIDs hold CONTEXTIDR_EL2, the thread\n");
		return;
	}
	printf("  context IDs hold%s", c->forced ? ", as --contextid says," : "");
	for (i = CONTEXTID_TID; i <= CONTEXTID_NONE; i++) {
		if (!c->seen[i])
			continue;
		printf("%s%s", sep, text[i]);
		sep = "; or ";
	}
	printf("%s\n", *sep == ' ' ? " nothing that was decoded" : "");
}

/* Prints which IDs the trace has, and the evidence, where the metadata or the records say otherwise. */
static void print_identity(const struct session *ss)
{
	const struct identity *ids = &session_tasks(ss)->identity;
	const struct who_counts *c = &session_totals(ss)->who;
	size_t known, contradictory;

	if (c->absent)
		printf("  the trace holds no context ID%s, though its metadata says so, in %" PRIu64
		       " contexts at EL0 (recorded "
		       "in a container, or on a kernel without PID_IN_CONTEXTIDR?): threads by buffers, switches or the "
		       "only process\n",
		       any_seen(&session_tasks(ss)->contextid) ? "" : "s", c->absent);
	identity_count(ids, &known, &contradictory);
	if (ids->space == IDS_UNDECIDED && contradictory)
		printf("  context IDs contradict switches: %zu of them were traced with several threads, and are not used\n",
		       contradictory);
	if (ids->space != IDS_OTHER)
		return;
	printf("  context IDs are of another PID namespace (recorded in a container): %zu matched to threads by switches, "
	       "%zu contradictory; %" PRIu64 " stretches have a thread by that\n", known, contradictory, c->learned);
}

/* Returns the part of the instructions that was decoded in files of the table, in percent. */
static double share_of(const struct session *ss, const struct dso_table *files)
{
	const struct dso_table *t = session_dsos(ss);
	uint64_t all = 0, own = 0;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		all += t->all[i]->counts.insns;
		own += t->all[i]->table == files ? t->all[i]->counts.insns : 0;
	}
	return all ? 100.0 * (double)own / (double)all : 0;
}

/*
 * Prints the virtual machines that ran, and the part of the instructions that was decoded of each.
 */
static void print_guests(const struct session *ss)
{
	const struct guests *gs = &session_totals(ss)->who.guests;
	const struct guest *files;
	const struct guest_count *g;

	if (gs->nr)
		printf("  host: %.1f %% of the instructions\n", share_of(ss, session_dsos(ss)));
	for (g = gs->v; g < gs->v + gs->nr; g++) {
		files = session_guest(ss, g->number);
		printf("  guest %" PRIu32 ": %" PRIu64 " stretches, ", g->id, g->stretches);
		if (files)
			printf("%.1f %% of the instructions\n", share_of(ss, &files->dsos));
		else
			printf("not decoded\n");
	}
}

void info_who(const struct session *ss)
{
	const struct asids *asids = &session_tasks(ss)->asids;
	const struct running *running = &session_tasks(ss)->running;
	const struct who_counts *c = &session_totals(ss)->who;
	const struct run_cpu *cpu;
	const struct asid *a;
	size_t i, n = 0, declared = 0, cpus = running_cpus(running);

	printf("\nWho ran:\n");
	print_format(ss);
	print_identity(ss);
	for (i = 0; (cpu = intmap_next(&running->cpus, &i));)
		n += cpu->switches ? cpu->nr : 0;
	if (n)
		printf("  %zu switches on %zu CPU%s%s\n", n, cpus, cpus == 1 ? "" : "s",
		       session_tasks(ss)->sched ? ", with samples of sched:sched_switch" : "");
	else if (session_recorder(ss) != RECORDER_SNAPSHOT && (!any_traced(ss) || c->absent))
		printf("  no context switches are recorded\n");
	for (i = 0; (a = intmap_next(&asids->map, &i));)
		declared += a->nr;
	if (declared || asids->learned)
		printf("  ASIDs: %zu declarations; %" PRIu64 " owners learned from switches, %" PRIu64 " of them in "
		       "place of another one\n", declared, asids->learned, asids->changed);
	if (c->only_process && session_recorder(ss) != RECORDER_SNAPSHOT)
		printf("  nothing said which thread ran: all user trace was taken as that of process %d, the only one "
		       "with code, %" PRIu64 " times\n", c->only_pid, c->only_process);
	print_guests(ss);
	if (c->secure)
		printf("  secure world: %" PRIu64 " stretches, not decoded\n", c->secure);
	if (c->firmware)
		printf("  EL3: %" PRIu64 " stretches, not decoded\n", c->firmware);
}
