/* SPDX-License-Identifier: GPL-2.0-only */
/* owners.c - which trace unit a trace ID of a buffer belongs to at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/error.h"
#include "base/messages.h"
#include "base/time.h"
#include "machine/buffers/assumed.h"
#include "machine/buffers/owners.h"
#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"
#include "perfdata/decode.h"

/* More are not of a recording: 111 IDs, and a record for each when a thread's event starts. */
#define MAX_OWNERS (1u << 20)

/* Sinks of a machine, at the most. */
#define MAX_SINKS 32

/* Entries of one ID that are looked at for one of this buffer's sink and thread. */
#define MAX_LOOK 1024

/* Bad records that are described; further ones are only counted. */
#define MAX_MESSAGES 10

/* A unit that a record defined; in a list of its own, since streams point to them. */
struct defined_unit {
	struct aux_cpu aux;
	struct trace_unit unit;
	struct defined_unit *next;
};

static void add(struct trace_units *tu, const struct id_owner *new)
{
	struct id_owner *o;

	if (tu->nr_ids == MAX_OWNERS) {
		tu->bad_records++;
		return;
	}
	o = ARRAY_ADD(tu->ids, tu->nr_ids, tu->cap_ids);
	*o = *new;
}

static void stamp(struct id_owner *o, const struct pd_record *rec)
{
	o->time = rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : 0;
	o->seq = rec->seq;
	o->tid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid : -1;
}

void owners_hw_id(struct trace_units *tu, const struct pd_record *rec)
{
	struct id_owner o = { .unit = NULL };
	struct pd_hw_id id;
	struct error err;

	if (pd_hw_id_parse(&id, rec, perfdata_file_name(tu->pd, rec->file), &err)) {
		if (tu->bad_records++ < MAX_MESSAGES)
			fprintf(message_stream(), "cstrace: %s\n", err.msg);
		return;
	}
	stamp(&o, rec);
	o.id = id.trace_id;
	o.sink = id.sink_id;
	o.has_sink = id.has_sink;
	o.cpu = id.has_cpu ? (int)id.cpu : -1;
	add(tu, &o);
}

static void refuse(struct trace_units *tu, const struct pd_record *rec, const char *what, unsigned long long found,
		   unsigned int least, unsigned int most)
{
	if (tu->bad_records++ < MAX_MESSAGES)
		fprintf(message_stream(), "cstrace: %s: record %llu that defines a trace has %s %llu, expected %u to %u; it "
			"is left out\n", tu->name, (unsigned long long)rec->seq, what, found, least, most);
}

void owners_define_trace(struct trace_units *tu, const struct pd_record *rec)
{
	const struct pd_record_cst_define_trace *r = (const void *)rec->ev;
	struct id_owner o = { .id = r->trace_id, .cpu = (int)r->cpu };
	struct defined_unit *d;
	uint32_t i;

	/* What is on its way under an ID that is given up is still of its last owner. */
	if (r->state == PD_CST_END)
		return;
	if (!r->trace_id || r->trace_id >= 0x70) {
		refuse(tu, rec, "trace ID", r->trace_id, 1, 0x6f);
		return;
	}
	if (r->cpu > INT32_MAX) {
		refuse(tu, rec, "CPU", r->cpu, 0, INT32_MAX);
		return;
	}
	if (r->unit > AUX_ETE) {
		refuse(tu, rec, "trace unit kind", r->unit, 0, AUX_ETE);
		return;
	}
	if (tu->nr_ids == MAX_OWNERS) {
		tu->bad_records++;
		return;
	}
	d = mem_zeroed(1, sizeof(*d));
	d->aux.cpu = r->cpu;
	d->aux.unit = r->unit;
	d->aux.ts_source = AUX_TS_UNKNOWN;
	d->aux.trace_id = r->trace_id;
	for (i = 0; i < r->nr_regs; i++) {
		if (r->regs[i].reg >= AUX_NR_REGS) {
			refuse(tu, rec, "register number", r->regs[i].reg, 0, AUX_NR_REGS - 1);
			free(d);
			return;
		}
		d->aux.reg[r->regs[i].reg] = r->regs[i].value;
		d->aux.present |= 1u << r->regs[i].reg;
	}
	d->next = tu->defined;
	tu->defined = d;
	stamp(&o, rec);
	if (r->state == PD_CST_CURRENT)
		o.time = 0;
	o.unit = &d->unit;
	add(tu, &o);
}

static int compare(const void *a, const void *b)
{
	const struct id_owner *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->only && y->only ? (x->only->number > y->only->number) - (x->only->number < y->only->number) : 0;
}

/* True if both records announce the same, as each CPU's and thread's event does when it starts. */
static bool same_announcement(const struct id_owner *x, const struct id_owner *y)
{
	return x->id == y->id && x->sink == y->sink && x->has_sink == y->has_sink && x->cpu == y->cpu &&
	       x->tid == y->tid && x->unit == y->unit && x->only == y->only;
}

static bool changes_hands(const struct id_owner *x, const struct id_owner *y)
{
	return x->id == y->id && x->sink == y->sink && x->only == y->only && (x->cpu != y->cpu || x->unit != y->unit);
}

/* Adds the IDs and registers of the metadata, which are valid until a record defines the unit. */
static void add_metadata(struct trace_units *tu)
{
	uint32_t i;

	for (i = 0; tu->defined && i < tu->info.nr_cpu; i++) {
		const struct aux_cpu *a = &tu->info.cpu[i];
		struct id_owner o = { .id = (uint8_t)a->trace_id, .cpu = (int)a->cpu, .tid = -1 };

		if (a->trace_id > 0 && a->trace_id < 0x70)
			add(tu, &o);
	}
}

/* The sinks of a buffer are those of the CPUs, or threads, that wrote into it. */
static void find_sinks(const struct trace_units *tu, struct queue *q)
{
	unsigned int k;
	size_t i;

	for (i = 0; i < tu->nr_ids; i++) {
		const struct id_owner *o = &tu->ids[i];

		if (!o->has_sink || (q->cpu >= 0 ? o->cpu != q->cpu : o->tid != q->tid))
			continue;
		for (k = 0; k < q->wrote.nr_sinks && q->wrote.sinks[k] != o->sink; k++)
			;
		if (k == q->wrote.nr_sinks && k < QUEUE_SINKS)
			q->wrote.sinks[q->wrote.nr_sinks++] = o->sink;
	}
}

/* Sorts the owners, and removes those that are announced again. */
static void order(struct trace_units *tu)
{
	size_t i, to = 0;

	ARRAY_SORT(tu->ids, tu->nr_ids, compare);
	for (i = 0; i < tu->nr_ids; i++)
		if (!to || !same_announcement(&tu->ids[to - 1], &tu->ids[i]))
			tu->ids[to++] = tu->ids[i];
	tu->nr_ids = to;
}

/* Adds the owners of IDs that nobody announced. */
static void add_assumed(struct trace_units *tu, const struct queues *qs, unsigned int threads)
{
	struct assumed a = { .nr = 0 };
	size_t i;

	assumed_find(&a, tu, qs, threads);
	for (i = 0; i < a.nr; i++)
		add(tu, &a.v[i]);
	free(a.v);
	order(tu);
}

static bool any_change(const struct trace_units *tu)
{
	size_t i, k;

	/* of several sinks that have the same ID each has its own row of owners */
	for (i = 1; i < tu->nr_ids; i++)
		for (k = i; k && i - k < MAX_SINKS; k--)
			if (changes_hands(&tu->ids[k - 1], &tu->ids[i]))
				return true;
	return false;
}

void owners_finish(struct trace_units *tu, const struct queues *qs, unsigned int threads)
{
	struct defined_unit *d;
	const struct aux_cpu *a;
	size_t i;

	add_metadata(tu);
	for (d = tu->defined; d; d = d->next) {
		/* What ticks is the machine's, not the record's. */
		a = auxinfo_cpu(&tu->info, d->aux.cpu);
		if (a) {
			d->aux.has_ts_source = a->has_ts_source;
			d->aux.ts_source = a->ts_source;
		}
		unit_make(tu, &d->unit, &d->aux);
	}
	assumed_number(tu);
	order(tu);
	for (i = 0; i < qs->nr; i++)
		find_sinks(tu, qs->q[i]);
	add_assumed(tu, qs, threads);
	tu->ids_change = any_change(tu);
}

void owners_free(struct trace_units *tu)
{
	struct defined_unit *d;

	while ((d = tu->defined)) {
		tu->defined = d->next;
		free(d);
	}
	free(tu->ids);
	tu->ids = NULL;
	tu->nr_ids = tu->cap_ids = 0;
}

static bool of_queue(const struct queue *q, const struct id_owner *o)
{
	unsigned int k;

	if (o->only)
		return o->only == q;
	if (!o->has_sink)
		return true;
	for (k = 0; k < q->wrote.nr_sinks; k++)
		if (q->wrote.sinks[k] == o->sink)
			return true;
	return !q->wrote.nr_sinks;
}

static bool not_after(const struct id_owner *o, uint64_t time, uint64_t seq)
{
	return time == NO_TIME ? o->seq <= seq : o->time <= time;
}

/* The entries of an ID. */
static void range_of(const struct trace_units *tu, uint8_t id, size_t *first, size_t *last)
{
	size_t lo = 0, hi = tu->nr_ids;

	BISECT(lo, hi, mid, tu->ids[mid].id < id);
	*first = lo;
	hi = tu->nr_ids;
	BISECT(lo, hi, mid, tu->ids[mid].id <= id);
	*last = lo;
}

/* The first entry of an ID that is later. */
static size_t later(const struct trace_units *tu, size_t first, size_t last, uint64_t time, uint64_t seq)
{
	BISECT(first, last, mid, not_after(&tu->ids[mid], time, seq));
	return first;
}

const struct id_owner *owners_at(const struct trace_units *tu, const struct queue *q, uint8_t id, uint64_t time,
				 uint64_t seq)
{
	const struct id_owner *best = NULL, *o;
	size_t first, last, i, at;

	range_of(tu, id, &first, &last);
	at = later(tu, first, last, time, seq);
	/* Of several the one that this buffer's own thread announced. */
	for (i = at; i > first && at - i < MAX_LOOK; i--) {
		o = &tu->ids[i - 1];
		if (!of_queue(q, o))
			continue;
		if (o->tid == q->tid || q->tid < 0)
			return o;
		if (!best)
			best = o;
	}
	for (i = at; !best && i < last && i - at < MAX_LOOK; i++)
		if (of_queue(q, &tu->ids[i]))
			best = &tu->ids[i];
	return best;
}

const struct id_owner *owners_change(const struct trace_units *tu, const struct queue *q, uint8_t id, uint64_t from,
				     uint64_t to)
{
	size_t first, last, i, at;

	if (from == NO_TIME)
		return NULL;
	range_of(tu, id, &first, &last);
	at = later(tu, first, last, from, 0);
	for (i = at; i < last && i - at < MAX_LOOK && tu->ids[i].time <= to; i++)
		if (of_queue(q, &tu->ids[i]))
			return &tu->ids[i];
	return NULL;
}

struct trace_unit *owners_unit_of_cpu(const struct trace_units *tu, int cpu, uint64_t time, uint64_t seq)
{
	const struct id_owner *best = NULL, *o;
	size_t i;

	if (!tu->defined)
		return NULL;
	for (i = 0; i < tu->nr_ids; i++) {
		o = &tu->ids[i];
		if (!o->unit || o->cpu != cpu)
			continue;
		/* the first one holds for what came before, too */
		if (!best || (not_after(o, time, seq) && (!not_after(best, time, seq) || o->time >= best->time)) ||
		    (!not_after(best, time, seq) && o->time < best->time))
			best = o;
	}
	if (best && !not_after(best, time, seq) && auxinfo_cpu(&tu->info, (uint32_t)cpu))
		return NULL;	/* before the first definition: the metadata is valid */
	return best ? best->unit : NULL;
}
