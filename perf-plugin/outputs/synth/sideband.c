/* SPDX-License-Identifier: GPL-2.0-only */
/* sideband.c - copies events, their ids and all records except trace from the input to the output. */
#include "outputs/synth/sideband.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/error.h"
#include "outputs/synth/join.h"

/* maximum number of lanes into which the input is split, each sorted by time; about one per ring buffer */
#define MAX_LANES	256u

struct life {
	int tid;
	bool end;
	uint64_t time;
};

struct lanes {
	struct merge_lane *v[MAX_LANES];
	unsigned int nr;
};

struct sideband {
	struct perfdata *pd;
	uint32_t pmu;
	bool timed;
	struct lanes lanes[2];	/* exits of threads, and all other records */
	uint64_t last_time;
	uint64_t exit_time;	/* earliest exit of a thread in the output */
	uint64_t first_sample, last_sample;	/* times of copied samples; first > last: none */
	uint64_t unknown_samples;		/* of events that are left out: is_unknown() */
	uint64_t large_samples; /* without room for what is added */
	struct sideband_add add;
	struct life *life;
	size_t nr_life, cap_life;
};

struct sideband *sideband_new(struct perfdata *pd, uint32_t pmu)
{
	struct sideband *sb = mem_zeroed(1, sizeof(*sb));
	const struct pd_attr *a;
	unsigned int i;

	sb->pd = pd;
	sb->pmu = pmu;
	sb->first_sample = UINT64_MAX;
	for (i = 0; i < perfdata_nr_attrs(pd); i++) {
		a = perfdata_attr(pd, i);
		if (a->attr.sample_id_all && a->attr.sample_type & PERF_SAMPLE_TIME)
			sb->timed = true;
	}
	return sb;
}

void sideband_free(struct sideband *sb)
{
	if (!sb)
		return;
	free(sb->life);
	free(sb);
}

bool sideband_timed(const struct sideband *sb)
{
	return sb->timed;
}

static bool is_trace(const struct sideband *sb, const struct pd_attr *a)
{
	return a && a->attr.type == sb->pmu;
}

/* True if perf would refuse a file with the event: its entry in the header is damaged, or its samples have unknown fields. */
static bool is_unknown(const struct pd_attr *a)
{
	return a->damaged || a->attr.sample_type & ~((uint64_t)PERF_SAMPLE_MAX - 1);
}

static bool is_left_out(const struct sideband *sb, const struct pd_attr *a)
{
	return a && (is_trace(sb, a) || is_unknown(a));
}

/* True if an event of the input has one of `n` ids. */
static bool any_taken(const struct sideband *sb, uint64_t id, unsigned int n)
{
	while (n--)
		if (perfdata_attr_by_id(sb->pd, id + n))
			return true;
	return false;
}

uint64_t sideband_new_id(const struct sideband *sb, unsigned int n)
{
	const struct pd_attr *a = perfdata_nr_attrs(sb->pd) ? perfdata_attr(sb->pd, 0) : NULL;
	/* perf's own decoders use the same offset */
	uint64_t id = (a && a->nr_ids ? a->ids[0] : 0) + 1000000000u;

	while (!id || any_taken(sb, id, n))
		id++;
	return id;
}

/*
 * AUX windows are left out as the trace is, and their field with them: perf keeps it with size 0,
 * but create_llvm_prof and create_gcov 0.19 read no sample that has it.
 */
static uint64_t kept_type(const struct pd_attr *a)
{
	return (a->attr.sample_type | PERF_SAMPLE_IDENTIFIER) & ~(uint64_t)PERF_SAMPLE_AUX;
}

void sideband_add_fields(struct sideband *sb, const struct sideband_add *add)
{
	sb->add = *add;
}

/* Returns the fields that the event's samples get. */
static uint64_t added_type(const struct sideband *sb, const struct pd_attr *a)
{
	return sb->add.sample_type & ~a->attr.sample_type;
}

int sideband_add_attrs(struct sideband *sb, struct perf_writer *w, struct error *err)
{
	const struct pd_attr *a;
	struct perf_event_attr attr;
	unsigned int i;
	int rc;

	for (i = 0; i < perfdata_nr_attrs(sb->pd); i++) {
		a = perfdata_attr(sb->pd, i);
		if (is_left_out(sb, a))
			continue;
		attr = a->attr;
		attr.sample_type = kept_type(a) | added_type(sb, a);
		attr.aux_sample_size = 0;
		if (added_type(sb, a) & PERF_SAMPLE_BRANCH_STACK)
			attr.branch_sample_type = sb->add.branch_sample_type;
		attr.sample_id_all = 1;
		rc = pw_add_attr(w, &attr, a->ids, a->nr_ids, a->name ? a->name : "unknown", err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- lives of threads ------------------------------------------------------------------------- */

static void life_add(struct sideband *sb, int tid, uint64_t time, bool end)
{
	*ARRAY_ADD(sb->life, sb->nr_life, sb->cap_life) =
		(struct life){ .tid = tid, .end = end, .time = time };
}

static int life_cmp(const void *pa, const void *pb)
{
	const struct life *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (int)a->end - (int)b->end;
}

uint64_t sideband_alive(const struct sideband *sb, int tid, uint64_t time)
{
	size_t lo = 0, hi = sb->nr_life;
	const struct life *l = sb->life;

	/* index after (tid, time) */
	BISECT(lo, hi, mid, l[mid].tid < tid || (l[mid].tid == tid && l[mid].time <= time));
	if (!lo)
		return time;
	l = &sb->life[lo - 1];
	return l->tid == tid && l->end ? l->time : time;
}

/* ---- records ---------------------------------------------------------------------------------- */

/* Returns the lane whose last record is the latest one not after `time`. */
static struct merge_lane *pick_lane(struct lanes *ls, struct merge *m, uint64_t time,
				    unsigned int rank)
{
	struct merge_lane *best = NULL;
	unsigned int i;

	for (i = 0; i < ls->nr; i++)
		if (ls->v[i]->time <= time && (!best || ls->v[i]->time > best->time))
			best = ls->v[i];
	if (!best && ls->nr < MAX_LANES) {
		best = merge_lane_new(m, rank, 0);
		ls->v[ls->nr++] = best;
	}
	return best ? best : ls->v[ls->nr - 1];
}

/* False for records that are useless in the output, or describe what is left out. */
static bool stays(const struct sideband *sb, const struct sideband_opts *o, const struct pd_record *rec)
{
	switch (rec->ev->header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_TEXT_POKE:
		return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return o->switches;
	case PERF_RECORD_SAMPLE:
		return !is_left_out(sb, rec->attr);
	}
	return false;
}

/* Replaces an event's id before the sample_id trailer: LOST records contain one. `dst` need not be aligned. */
static void put_id(uint8_t *dst, const struct pd_record *rec, uint64_t from, uint64_t to)
{
	if (rec->ev->header.type == PERF_RECORD_LOST && rec->ev->lost.id == from)
		memcpy(dst + offsetof(struct perf_record_lost, id), &to, sizeof(to));
}

/*
 * Copies a sample, with the event's id in front and without its AUX window, the last field. Returns
 * the size of the copy, or 0 if there is no room in the record for `more` bytes.
 */
static size_t copy_sample(uint8_t *dst, const struct pd_record *rec, size_t more)
{
	struct perf_event_header h = rec->ev->header;
	const uint8_t *src = (const uint8_t *)rec->ev;
	uint64_t id = rec->sample.sid.valid & PERF_SAMPLE_ID ? rec->sample.sid.id :
		      rec->attr->nr_ids ? rec->attr->ids[0] : 0;
	size_t extra = 0, n = h.size;

	if (!(rec->attr->attr.sample_type & PERF_SAMPLE_IDENTIFIER))
		extra = sizeof(id);
	if (rec->attr->attr.sample_type & PERF_SAMPLE_AUX)
		n = rec->sample.aux_at - sizeof(rec->sample.aux_size);
	if (n + extra + more > PD_MAX_RECORD)
		return 0;
	h.size = (uint16_t)(n + extra);
	memcpy(dst, &h, sizeof(h));
	memcpy(dst + sizeof(h), &id, extra);
	memcpy(dst + sizeof(h) + extra, src + sizeof(h), n - sizeof(h));
	return h.size;
}

/* Finds where the history of a sample comes from. */
static uint64_t history_of(struct sideband *sb, const struct pd_record *rec)
{
	const struct pd_sample_id *sid = &rec->sample.sid;
	const uint64_t who = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	uint64_t thread;

	if (rec->attr->attr.sample_type & PERF_SAMPLE_AUX)
		return history_window(rec->seq);
	if (!sb->timed || (sid->valid & who) != who)
		return JOIN_NO_THREAD;
	thread = history_thread((int)sid->tid, sid->valid & PERF_SAMPLE_CPU ? (int)sid->cpu : -1);
	history_add(sb->add.history, thread, sid->time, rec->sample.ip);
	return thread;
}

/* Fills the record before a sample that gets fields. */
static bool mark_sample(struct sideband *sb, struct join_mark *mark, const struct pd_record *rec)
{
	const struct perf_event_attr *attr = &rec->attr->attr;
	const uint64_t type = added_type(sb, rec->attr);
	const uint32_t id = attr->sample_type & PERF_SAMPLE_IDENTIFIER ? 0 : sizeof(uint64_t);
	struct pd_sample_places at;

	if (!pd_sample_places(attr, rec->ev, perfdata_is_swapped(sb->pd), &at))
		return false;
	*mark = (struct join_mark){
		.header = { .type = JOIN_RECORD, .size = sizeof(*mark) },
		.thread = history_of(sb, rec),
		.ip = rec->sample.ip,
		.chain_at = type & PERF_SAMPLE_CALLCHAIN ? at.callchain + id : 0,
		.stack_at = type & PERF_SAMPLE_BRANCH_STACK ? at.branches + id : 0
	};
	return true;
}

/* Writes a sample, behind a mark if it gets fields. Returns the number of bytes. */
static size_t put_sample(struct sideband *sb, uint8_t *dst, const struct pd_record *rec)
{
	const bool marked = added_type(sb, rec->attr) != 0;
	const size_t before = marked ? sizeof(struct join_mark) : 0;
	const size_t n = copy_sample(dst + before, rec, marked ? before + JOIN_EMPTY : 0);
	struct join_mark mark;

	if (!n || (marked && !mark_sample(sb, &mark, rec))) {
		sb->large_samples++;
		return 0;
	}
	memcpy(dst, &mark, before);
	return n + before;
}

static size_t copy_record(const struct sideband *sb, uint8_t *dst, const struct pd_record *rec,
			  const struct sideband_opts *o)
{
	struct pd_sample_id sid = rec->sid;
	bool kept = rec->attr && !is_left_out(sb, rec->attr);
	size_t n = rec->body_size;
	uint16_t size;

	if (rec->ev->header.type == PERF_RECORD_EXIT && sid.time < sb->exit_time)
		sid.time = sb->exit_time;
	if (!(sid.valid & PERF_SAMPLE_TID))
		sid.pid = sid.tid = (uint32_t)-1;
	if (!(sid.valid & PERF_SAMPLE_CPU))
		sid.cpu = (uint32_t)-1;
	if (kept && !(sid.valid & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		sid.id = rec->attr->nr_ids ? rec->attr->ids[0] : 0;
	if (n + PD_SAMPLE_ID_MAX > PD_MAX_RECORD)
		return 0;
	memcpy(dst, rec->ev, n);
	if (!kept) {
		put_id(dst, rec, sid.id, o->id);
		sid.id = o->id;
	}
	n += pd_sample_id_write(dst + n, kept ? kept_type(rec->attr) : o->sample_type, &sid);
	size = (uint16_t)n;
	memcpy(dst + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return n;
}

static void note_life(struct sideband *sb, const struct pd_record *rec, uint64_t time)
{
	const union perf_event *ev = rec->ev;

	switch (ev->header.type) {
	case PERF_RECORD_EXIT:
		life_add(sb, (int)ev->fork.tid, time, true);
		break;
	case PERF_RECORD_FORK:
		life_add(sb, (int)ev->fork.tid, time, false);
		break;
	case PERF_RECORD_COMM:
		life_add(sb, (int)ev->comm.tid, time, false);
		break;
	}
}

static uint64_t time_of(struct sideband *sb, const struct pd_record *rec)
{
	const struct pd_sample_id *sid = pd_record_sid(rec);

	if (!sb->timed)
		return rec->seq;
	/* records about the state before the start have no time of their own */
	if (!(sid->valid & PERF_SAMPLE_TIME) || sid->time == UINT64_MAX)
		return sb->last_time;
	sb->last_time = sid->time;
	return sid->time;
}

static void note_sample(struct sideband *sb, uint64_t time)
{
	sb->first_sample = time < sb->first_sample ? time : sb->first_sample;
	sb->last_sample = time > sb->last_sample ? time : sb->last_sample;
}

uint64_t sideband_unknown_samples(const struct sideband *sb)
{
	return sb->unknown_samples;
}

uint64_t sideband_large_samples(const struct sideband *sb)
{
	return sb->large_samples;
}

bool sideband_sample_span(const struct sideband *sb, uint64_t *first, uint64_t *last)
{
	*first = sb->first_sample;
	*last = sb->last_sample;
	return *first <= *last;
}

static void take(struct sideband *sb, struct merge *m, const struct pd_record *rec,
		 const struct sideband_opts *o)
{
	bool is_exit = rec->ev->header.type == PERF_RECORD_EXIT;
	bool is_sample = rec->ev->header.type == PERF_RECORD_SAMPLE;
	uint64_t time = time_of(sb, rec);
	struct merge_lane *ln;
	uint8_t *dst;

	note_life(sb, rec, time);
	if (is_exit && time < sb->exit_time)
		time = sb->exit_time;
	ln = pick_lane(&sb->lanes[is_exit], m, time,
		       is_exit ? SIDEBAND_RANK_EXIT : SIDEBAND_RANK_BEFORE);
	dst = merge_reserve(ln, time);
	merge_commit(ln, is_sample ? put_sample(sb, dst, rec) : copy_record(sb, dst, rec, o));
	if (is_sample && sb->timed && rec->sample.sid.valid & PERF_SAMPLE_TIME)
		note_sample(sb, rec->sample.sid.time);
}

/* Returns the latest time of a record. */
static uint64_t end_of_records(struct sideband *sb)
{
	struct pd_record rec;
	uint64_t time, end = 0;
	int rc;

	perfdata_rewind(sb->pd);
	while ((rc = perfdata_next(sb->pd, &rec)) != 0) {
		if (rc < 0)
			continue;
		time = time_of(sb, &rec);
		end = time > end ? time : end;
	}
	sb->last_time = 0;
	return end;
}

void sideband_collect(struct sideband *sb, struct merge *m, const struct sideband_opts *o)
{
	struct pd_record rec;
	int rc;

	if (o->exits_last)
		sb->exit_time = end_of_records(sb);
	perfdata_rewind(sb->pd);
	/* damage was counted and reported when the session indexed the file */
	while ((rc = perfdata_next(sb->pd, &rec)) != 0) {
		if (rc < 0)
			continue;
		sb->unknown_samples += rec.ev->header.type == PERF_RECORD_SAMPLE && rec.attr && !is_trace(sb, rec.attr) &&
				       is_unknown(rec.attr);
		if (!stays(sb, o, &rec))
			continue;
		take(sb, m, &rec, o);
	}
	ARRAY_SORT(sb->life, sb->nr_life, life_cmp);
	if (sb->add.history)
		history_sort(sb->add.history);
}
