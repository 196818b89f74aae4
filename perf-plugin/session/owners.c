/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/internal.h"

/* More are not of a recording: 111 IDs, and a record for each when a thread's event starts. */
#define MAX_OWNERS (1u << 20)

/* Sinks of a machine, at the most. */
#define MAX_SINKS 32

/* Entries of one ID that are looked at for one of this buffer's sink and thread. */
#define MAX_LOOK 1024

/* Bad records that are described; further ones are only counted. */
#define MAX_MESSAGES 10

/* A unit that a record defined; in a list of its own, since streams point to them. */
struct defined {
	struct aux_cpu aux;
	struct trace_unit unit;
	struct defined *next;
};

static int add(struct session *ss, const struct id_owner *new)
{
	struct id_owner *o;

	if (ss->nr_ids == MAX_OWNERS) {
		ss->bad_records++;
		return 0;
	}
	o = ARRAY_ADD(ss->ids, ss->nr_ids, ss->cap_ids);
	if (!o)
		return -CST_ERR_NOMEM;
	*o = *new;
	return 0;
}

static void stamp(struct id_owner *o, const struct pd_record *rec)
{
	o->time = rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : 0;
	o->seq = rec->seq;
	o->tid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid : -1;
}

int owners_hw_id(struct session *ss, const struct pd_record *rec)
{
	struct id_owner o = { .unit = NULL };
	struct pd_hw_id id;
	struct pd_error err;

	if (pd_hw_id_parse(&id, rec, perfdata_file_name(ss->pd, rec->file), &err)) {
		if (ss->bad_records++ < MAX_MESSAGES)
			fprintf(stderr, "cstrace: %s\n", err.msg);
		return 0;
	}
	stamp(&o, rec);
	o.id = id.trace_id;
	o.sink = id.sink_id;
	o.has_sink = id.has_sink;
	o.cpu = id.has_cpu ? (int)id.cpu : -1;
	return add(ss, &o);
}

static void refuse(struct session *ss, const struct pd_record *rec, const char *what, unsigned long long found,
		   unsigned int least, unsigned int most)
{
	if (ss->bad_records++ < MAX_MESSAGES)
		fprintf(stderr, "cstrace: %s: record %llu that defines a trace has %s %llu, expected %u to %u; it "
			"is left out\n", ss->name, (unsigned long long)rec->seq, what, found, least, most);
}

int owners_define_trace(struct session *ss, const struct pd_record *rec)
{
	const struct pd_record_cst_define_trace *r = (const void *)rec->ev;
	struct id_owner o = { .id = r->trace_id, .cpu = (int)r->cpu };
	struct defined *d;
	uint32_t i;

	/* What is on its way under an ID that is given up is still of its last owner. */
	if (r->state == PD_CST_END)
		return 0;
	if (!r->trace_id || r->trace_id >= 0x70) {
		refuse(ss, rec, "trace ID", r->trace_id, 1, 0x6f);
		return 0;
	}
	if (r->cpu > INT32_MAX) {
		refuse(ss, rec, "CPU", r->cpu, 0, INT32_MAX);
		return 0;
	}
	if (r->unit > AUX_ETE) {
		refuse(ss, rec, "trace unit kind", r->unit, 0, AUX_ETE);
		return 0;
	}
	if (ss->nr_ids == MAX_OWNERS) {
		ss->bad_records++;
		return 0;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return -CST_ERR_NOMEM;
	d->aux.cpu = r->cpu;
	d->aux.unit = r->unit;
	d->aux.ts_source = AUX_TS_UNKNOWN;
	d->aux.trace_id = r->trace_id;
	for (i = 0; i < r->nr_regs; i++) {
		if (r->regs[i].reg >= AUX_NR_REGS) {
			refuse(ss, rec, "register number", r->regs[i].reg, 0, AUX_NR_REGS - 1);
			free(d);
			return 0;
		}
		d->aux.reg[r->regs[i].reg] = r->regs[i].value;
		d->aux.present |= 1u << r->regs[i].reg;
	}
	d->next = ss->defined;
	ss->defined = d;
	stamp(&o, rec);
	if (r->state == PD_CST_CURRENT)
		o.time = 0;
	o.unit = &d->unit;
	return add(ss, &o);
}

static int compare(const void *a, const void *b)
{
	const struct id_owner *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Each CPU's and thread's event tells it again when it starts. */
static bool says_the_same(const struct id_owner *x, const struct id_owner *y)
{
	return x->id == y->id && x->sink == y->sink && x->has_sink == y->has_sink && x->cpu == y->cpu &&
	       x->tid == y->tid && x->unit == y->unit;
}

static bool changes_hands(const struct id_owner *x, const struct id_owner *y)
{
	return x->id == y->id && x->sink == y->sink && (x->cpu != y->cpu || x->unit != y->unit);
}

/* Until a unit is first defined anew, the metadata tells its ID and registers. */
static int add_metadata(struct session *ss)
{
	uint32_t i;

	for (i = 0; ss->defined && i < ss->info.nr_cpu; i++) {
		const struct aux_cpu *a = &ss->info.cpu[i];
		struct id_owner o = { .id = (uint8_t)a->trace_id, .cpu = (int)a->cpu, .tid = -1 };

		if (a->trace_id > 0 && a->trace_id < 0x70 && add(ss, &o))
			return -CST_ERR_NOMEM;
	}
	return 0;
}

int owners_finish(struct session *ss)
{
	size_t i, k, to = 0;

	struct defined *d;
	const struct aux_cpu *a;

	if (add_metadata(ss))
		return -CST_ERR_NOMEM;
	for (d = ss->defined; d; d = d->next) {
		/* What ticks is the machine's, not the record's. */
		a = auxinfo_cpu(&ss->info, d->aux.cpu);
		if (a) {
			d->aux.has_ts_source = a->has_ts_source;
			d->aux.ts_source = a->ts_source;
		}
		session_make_unit(ss, &d->unit, &d->aux);
	}
	if (ss->nr_ids)
		qsort(ss->ids, ss->nr_ids, sizeof(*ss->ids), compare);
	for (i = 0; i < ss->nr_ids; i++)
		if (!to || !says_the_same(&ss->ids[to - 1], &ss->ids[i]))
			ss->ids[to++] = ss->ids[i];
	ss->nr_ids = to;
	/* of several sinks that have the same ID each has its own row of owners */
	for (i = 1; i < to && !ss->ids_change; i++)
		for (k = i; k && i - k < MAX_SINKS && !ss->ids_change; k--)
			ss->ids_change = changes_hands(&ss->ids[k - 1], &ss->ids[i]);
	return 0;
}

void owners_free(struct session *ss)
{
	struct defined *d;

	while ((d = ss->defined)) {
		ss->defined = d->next;
		free(d);
	}
	free(ss->ids);
	ss->ids = NULL;
	ss->nr_ids = ss->cap_ids = 0;
}

/* The sinks of a buffer are those of the CPUs, or threads, that wrote into it. */
static void find_sinks(const struct session *ss, struct queue *q)
{
	unsigned int k;
	size_t i;

	q->sinks_known = true;
	for (i = 0; i < ss->nr_ids; i++) {
		const struct id_owner *o = &ss->ids[i];

		if (!o->has_sink || (q->cpu >= 0 ? o->cpu != q->cpu : o->tid != q->tid))
			continue;
		for (k = 0; k < q->nr_sinks && q->sinks[k] != o->sink; k++)
			;
		if (k == q->nr_sinks && k < QUEUE_SINKS)
			q->sinks[q->nr_sinks++] = o->sink;
	}
}

void owners_prepare(struct session *ss)
{
	size_t i;

	for (i = 0; i < ss->queues.nr; i++)
		if (!ss->queues.q[i]->sinks_known)
			find_sinks(ss, ss->queues.q[i]);
}

static bool of_queue(const struct session *ss, const struct queue *cq, const struct id_owner *o)
{
	struct queue *q = (struct queue *)cq;
	unsigned int k;

	if (!o->has_sink)
		return true;
	if (!q->sinks_known)
		find_sinks(ss, q);
	for (k = 0; k < q->nr_sinks; k++)
		if (q->sinks[k] == o->sink)
			return true;
	return !q->nr_sinks;
}

static bool not_after(const struct id_owner *o, uint64_t time, uint64_t seq)
{
	return time == NO_TIME ? o->seq <= seq : o->time <= time;
}

/* The entries of an ID. */
static void range_of(const struct session *ss, uint8_t id, size_t *first, size_t *last)
{
	size_t lo = 0, hi = ss->nr_ids;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ss->ids[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	*first = lo;
	hi = ss->nr_ids;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ss->ids[mid].id <= id)
			lo = mid + 1;
		else
			hi = mid;
	}
	*last = lo;
}

/* The first entry of an ID that is later. */
static size_t later(const struct session *ss, size_t first, size_t last, uint64_t time, uint64_t seq)
{
	while (first < last) {
		size_t mid = first + (last - first) / 2;

		if (not_after(&ss->ids[mid], time, seq))
			first = mid + 1;
		else
			last = mid;
	}
	return first;
}

const struct id_owner *owners_at(const struct session *ss, const struct queue *q, uint8_t id, uint64_t time,
				 uint64_t seq)
{
	const struct id_owner *best = NULL, *o;
	size_t first, last, i, at;

	range_of(ss, id, &first, &last);
	at = later(ss, first, last, time, seq);
	/* Of several the one that this buffer's own thread announced. */
	for (i = at; i > first && at - i < MAX_LOOK; i--) {
		o = &ss->ids[i - 1];
		if (!of_queue(ss, q, o))
			continue;
		if (o->tid == q->tid || q->tid < 0)
			return o;
		if (!best)
			best = o;
	}
	for (i = at; !best && i < last && i - at < MAX_LOOK; i++)
		if (of_queue(ss, q, &ss->ids[i]))
			best = &ss->ids[i];
	return best;
}

const struct id_owner *owners_change(const struct session *ss, const struct queue *q, uint8_t id, uint64_t from,
				     uint64_t to)
{
	size_t first, last, i, at;

	if (from == NO_TIME)
		return NULL;
	range_of(ss, id, &first, &last);
	at = later(ss, first, last, from, 0);
	for (i = at; i < last && i - at < MAX_LOOK && ss->ids[i].time <= to; i++)
		if (of_queue(ss, q, &ss->ids[i]))
			return &ss->ids[i];
	return NULL;
}

struct trace_unit *owners_unit_of_cpu(const struct session *ss, int cpu, uint64_t time, uint64_t seq)
{
	const struct id_owner *best = NULL, *o;
	size_t i;

	if (!ss->defined)
		return NULL;
	for (i = 0; i < ss->nr_ids; i++) {
		o = &ss->ids[i];
		if (!o->unit || o->cpu != cpu)
			continue;
		/* the first one holds for what came before, too */
		if (!best || (not_after(o, time, seq) && (!not_after(best, time, seq) || o->time >= best->time)) ||
		    (!not_after(best, time, seq) && o->time < best->time))
			best = o;
	}
	if (best && !not_after(best, time, seq) && auxinfo_cpu(&ss->info, (uint32_t)cpu))
		return NULL;	/* not yet: the metadata tells */
	return best ? best->unit : NULL;
}
