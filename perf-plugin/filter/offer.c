/* SPDX-License-Identifier: GPL-2.0-only */
/* offer.c - lists the values that a recording has for the filter options, for use when nothing matched. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/intmap.h"
#include "base/name.h"
#include "base/time.h"
#include "buffers/owners.h"
#include "filter/offer.h"
#include "tasks/comms.h"

/* maximum length of a list */
#define SHORT_LIST 12

/* Set of thread or process numbers. */
struct numbers {
	struct intmap seen;
	int *v;
	size_t nr, cap;
};

struct offer {
	struct numbers pids, tids;
	uint64_t first, last;
};

/* Adds a number, except the idle task (0) and the kernel's own records (-1). Returns 0 or ERR_NOMEM. */
static int add(struct numbers *n, int number)
{
	int *slot;

	if (number <= 0 || intmap_get(&n->seen, number))
		return 0;
	slot = ARRAY_ADD(n->v, n->nr, n->cap);
	if (!slot || !intmap_put(&n->seen, number, n))
		return ERR_NOMEM;
	*slot = number;
	return 0;
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

static int note(struct offer *o, int pid, int tid)
{
	return add(&o->pids, pid) || add(&o->tids, tid) ? ERR_NOMEM : 0;
}

static int look_at(struct offer *o, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;
	const struct pd_sample_id *sid = pd_record_sid(rec);

	if (sid->valid & PERF_SAMPLE_TIME && sid->time && sid->time != NO_TIME) {
		o->first = sid->time < o->first ? sid->time : o->first;
		o->last = sid->time > o->last ? sid->time : o->last;
	}
	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		return note(o, (int)ev->comm.pid, (int)ev->comm.tid);
	case PERF_RECORD_FORK:
		return note(o, (int)ev->fork.pid, (int)ev->fork.tid);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return note(o, (int)ev->mmap.pid, (int)ev->mmap.tid);
	}
	return 0;
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
		fprintf(out, "%s%d (%s)", i ? ", " : " ", n->v[i], name_shown(comms_at(names, n->v[i], NO_TIME - 1)));
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
		name = comms_at(names, tids->v[i], NO_TIME - 1);
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

/* Adds the CPUs of a buffer: its own, or those of the trace units that use the IDs in it. */
static void note_cpus(const struct trace_units *tu, struct queue *q, struct intmap *cpus)
{
	struct trace_unit *u;
	unsigned int id;
	size_t i;

	if (q->cpu >= 0) {
		intmap_put(cpus, q->cpu, q);
		return;
	}
	for (i = 0; q->any_raw && i < q->nr_frags; i++) {
		u = q->frags[i].pub.raw ? units_of_raw(tu, q, &q->frags[i]) : NULL;
		if (u)
			intmap_put(cpus, unit_cpu(u), q);
	}
	queue_find_ids(q);
	for (id = 1; id < 0x70; id++) {
		if (!(q->ids[id >> 6] >> (id & 63) & 1))
			continue;
		u = units_of_owner(tu, owners_at(tu, q, (uint8_t)id, 0, 0), (uint8_t)id);
		if (u)
			intmap_put(cpus, unit_cpu(u), q);
	}
}

static void print_cpus(const struct trace_units *tu, const struct queues *qs, FILE *out)
{
	struct intmap cpus = { .slot = NULL };
	const char *sep = " ";
	size_t i, n = 0, left;

	for (i = 0; i < qs->nr; i++)
		note_cpus(tu, qs->q[i], &cpus);
	fprintf(out, cpus.used ? "there is trace of CPU" : "there is no trace of any CPU");
	/* in the order of the metadata, which is by number */
	for (i = 0, left = cpus.used; i < tu->info.nr_cpu && n < SHORT_LIST; i++) {
		if (!intmap_get(&cpus, (int)tu->info.cpu[i].cpu))
			continue;
		fprintf(out, "%s%u", sep, tu->info.cpu[i].cpu);
		sep = ", ";
		n++;
		left--;
	}
	if (n == SHORT_LIST && left)
		fprintf(out, " and %zu more", left);
	fputc('\n', out);
	intmap_free(&cpus);
}

static void print_times(const struct offer *o, FILE *out)
{
	if (o->first > o->last)
		fprintf(out, "the records have no times\n");
	else
		fprintf(out, "the records are from %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 " s\n",
			o->first / 1000000000, o->first % 1000000000, o->last / 1000000000, o->last % 1000000000);
}

/* Prints one line for each filter option that was given. */
static void print_lines(const struct filter_opts *f, const struct offer_from *from, const struct offer *o,
			struct comms *names, FILE *out)
{
	if (f->time) {
		fprintf(out, "  --time %s: ", name_shown(f->time));
		print_times(o, out);
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
	int rc, err = names ? 0 : ERR_NOMEM;

	perfdata_rewind(from->pd);
	while (!err && (rc = perfdata_next(from->pd, &rec)))
		if (rc > 0)
			err = look_at(&o, &rec);
	if (o.pids.nr)
		qsort(o.pids.v, o.pids.nr, sizeof(*o.pids.v), compare);
	if (o.tids.nr)
		qsort(o.tids.v, o.tids.nr, sizeof(*o.tids.v), compare);
	fprintf(out, "cstrace: %s: no trace fits what was asked for%s\n", from->name,
		err ? "; out of memory while the reason was looked for" : ":");
	if (!err)
		print_lines(f, from, &o, names, out);
	numbers_free(&o.pids);
	numbers_free(&o.tids);
	comms_free(names);
}
