/* SPDX-License-Identifier: GPL-2.0-only */
/* offer.c - lists the values that a recording has for the filter options, for use when nothing matched. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intmap.h"
#include "base/name.h"
#include "base/time.h"
#include "machine/buffers/owners.h"
#include "machine/tasks/comms.h"
#include "session/filter/offer.h"

/* maximum length of a list */
#define SHORT_LIST 12

/* Set of numbers of threads, processes or CPUs. */
struct numbers {
	struct intmap seen;
	int *v;
	size_t nr, cap;
};

struct offer {
	struct numbers pids, tids;
	uint64_t first, last;
};

static void add(struct numbers *n, int number)
{
	if (intmap_get(&n->seen, number))
		return;
	intmap_put(&n->seen, number, n);
	*ARRAY_ADD(n->v, n->nr, n->cap) = number;
}

static void numbers_free(struct numbers *n)
{
	intmap_free(&n->seen);
	free(n->v);
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

static void sort(struct numbers *n)
{
	ARRAY_SORT(n->v, n->nr, compare);
}

/* Adds a thread, except the idle task (0) and the kernel's own records (-1). */
static void note(struct offer *o, int pid, int tid)
{
	if (pid > 0)
		add(&o->pids, pid);
	if (tid > 0)
		add(&o->tids, tid);
}

static void look_at(struct offer *o, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;
	const struct pd_sample_id *sid = pd_record_sid(rec);

	if (sid->valid & PERF_SAMPLE_TIME && sid->time && sid->time != NO_TIME) {
		o->first = sid->time < o->first ? sid->time : o->first;
		o->last = sid->time > o->last ? sid->time : o->last;
	}
	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		note(o, (int)ev->comm.pid, (int)ev->comm.tid);
		break;
	case PERF_RECORD_FORK:
		note(o, (int)ev->fork.pid, (int)ev->fork.tid);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		note(o, (int)ev->mmap.pid, (int)ev->mmap.tid);
		break;
	}
}

static void print_numbers(const struct numbers *n, const char *what, struct comms *names, FILE *out)
{
	size_t i;

	if (!n->nr) {
		fprintf(out, "the file names no %s\n", what);
		return;
	}
	fprintf(out, "the file has %s%s", what, n->nr == 1 ? "" : what[strlen(what) - 1] == 's' ? "es" : "s");
	for (i = 0; i < n->nr && i < SHORT_LIST; i++)
		fprintf(out, "%s%d (%s)", i ? ", " : " ", n->v[i], name_shown(comms_at(names, n->v[i], NO_TIME)));
	if (i < n->nr)
		fprintf(out, " and %zu more", n->nr - i);
	fputc('\n', out);
}

/* Prints each name once, in the order of the threads that have it. */
static void print_names(const struct numbers *tids, struct comms *names, FILE *out)
{
	const char *shown[SHORT_LIST], *name;
	size_t i, k, n = 0;
	bool more = false;

	for (i = 0; i < tids->nr && !more; i++) {
		name = comms_at(names, tids->v[i], NO_TIME);
		if (*name == ':')	/* a thread without a name */
			continue;
		for (k = 0; k < n && strcmp(shown[k], name); k++)
			;
		more = k == n && n == SHORT_LIST;
		if (k == n && !more)
			shown[n++] = name;
	}
	fprintf(out, n ? "the file has" : "the file names no thread");
	for (k = 0; k < n; k++)
		fprintf(out, "%s%s", k ? ", " : " ", name_shown(shown[k]));
	fputs(more ? " and more\n" : "\n", out);
}

/* Adds the CPU of a trace unit (NULL: unknown), unless it is an STM. Without memory the CPU is left out. */
static void note_unit(struct numbers *cpus, const struct trace_unit *u)
{
	if (u && unit_cpu(u) >= 0)
		add(cpus, unit_cpu(u));
}

/* Adds the CPUs of all owners of the ID in a buffer, whose trace units may change with time. */
static void note_owners(const struct trace_units *tu, const struct queue *q, uint8_t id, struct numbers *cpus)
{
	const struct id_owner *o = owners_at(tu, q, id, 0, 0);

	do {
		note_unit(cpus, units_of_owner(tu, o, id));
		o = o ? owners_change(tu, q, id, o->time, NO_TIME) : NULL;
	} while (o);
}

/* Adds the CPUs of a buffer: those of its unframed fragments, and of the trace units that use the IDs in its frames. */
static void note_cpus(const struct trace_units *tu, struct queue *q, struct numbers *cpus)
{
	unsigned int id;
	size_t i;

	for (i = 0; i < q->nr_frags; i++)
		if (q->frags[i].pub.raw)
			note_unit(cpus, units_of_raw(tu, q, &q->frags[i]));
	queue_find_ids(q);
	for (id = 1; id < 0x70; id++)
		if (q->ids[id >> 6] >> (id & 63) & 1)
			note_owners(tu, q, (uint8_t)id, cpus);
}

static void print_cpus(const struct trace_units *tu, const struct queues *qs, FILE *out)
{
	struct numbers cpus = { .nr = 0 };
	size_t i;

	for (i = 0; i < qs->nr; i++)
		note_cpus(tu, qs->q[i], &cpus);
	sort(&cpus);
	fprintf(out, cpus.nr ? "there is trace of CPU" : "there is no trace of any CPU");
	for (i = 0; i < cpus.nr && i < SHORT_LIST; i++)
		fprintf(out, "%s%d", i ? ", " : " ", cpus.v[i]);
	if (i < cpus.nr)
		fprintf(out, " and %zu more", cpus.nr - i);
	fputc('\n', out);
	numbers_free(&cpus);
}

static void print_span(const char *what, uint64_t first, uint64_t last, FILE *out)
{
	fprintf(out, "%s from %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 " s\n", what, first / 1000000000,
		first % 1000000000, last / 1000000000, last % 1000000000);
}

/* A recording of a thread has no times in its records; those of its trace are what the filter compares. */
static void print_times(const struct offer_from *from, const struct offer *o, FILE *out)
{
	uint64_t first, last;

	if (o->first <= o->last)
		print_span("the records are", o->first, o->last, out);
	else if (from->clocks && !clocks_range(from->clocks, from->queues, &first, &last) && first <= last)
		print_span("the timestamps of the trace are", first, last, out);
	else
		fprintf(out, "neither the records nor the trace have times\n");
}

/* Prints one line for each filter option that was given. */
static void print_lines(const struct filter_opts *f, const struct offer_from *from, const struct offer *o,
			struct comms *names, FILE *out)
{
	if (f->time) {
		fprintf(out, "  --time %s: ", name_shown(f->time));
		print_times(from, o, out);
	}
	if (f->cpu) {
		fprintf(out, "  --cpu %s: ", f->cpu);
		print_cpus(from->units, from->queues, out);
	}
	if (f->pid) {
		fprintf(out, "  --pid %s: ", f->pid);
		print_numbers(&o->pids, "process", names, out);
	}
	if (f->tid) {
		fprintf(out, "  --tid %s: ", f->tid);
		print_numbers(&o->tids, "thread", names, out);
	}
	if (f->comm) {
		fprintf(out, "  --comm %s: ", name_shown(f->comm));
		print_names(&o->tids, names, out);
	}
}

void filter_print_offer(const struct filter_opts *f, const struct offer_from *from, FILE *out)
{
	struct comms *names = comms_new(from->pd);
	struct offer o = { .first = UINT64_MAX };
	struct pd_record rec;
	int rc;

	perfdata_rewind(from->pd);
	while ((rc = perfdata_next(from->pd, &rec)))
		if (rc > 0)
			look_at(&o, &rec);
	sort(&o.pids);
	sort(&o.tids);
	fprintf(out, "cstrace: %s: no trace fits what was asked for:\n", from->name);
	print_lines(f, from, &o, names, out);
	numbers_free(&o.pids);
	numbers_free(&o.tids);
	comms_free(names);
}
