/* SPDX-License-Identifier: GPL-2.0-only */
/* select.c - which AUX fragments a filter lets pass, as far as that can be told without decoding. */
#include "base/messages.h"
#include "buffers/owners.h"
#include "session/internal.h"
#include "tasks/comms.h"

/* More threads than this in one fragment are not looked at one by one. */
#define MAX_THREADS	64

struct survey {
	struct filter *f;
	uint64_t first, last;
};

static int look_at(struct survey *sv, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;
	const struct pd_sample_id *sid = pd_record_sid(rec);
	uint64_t time = sid->valid & PERF_SAMPLE_TIME ? sid->time : 0;

	if (time && time != NO_TIME) {
		sv->first = time < sv->first ? time : sv->first;
		sv->last = time > sv->last ? time : sv->last;
	}
	if (!filter_needs_threads(sv->f))
		return 0;
	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		if (filter_note_thread(sv->f, (int)ev->comm.pid, (int)ev->comm.tid))
			return -CST_ERR_NOMEM;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (filter_note_thread(sv->f, (int)ev->fork.pid, (int)ev->fork.tid))
			return -CST_ERR_NOMEM;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (filter_note_thread(sv->f, (int)ev->mmap.pid, (int)ev->mmap.tid))
			return -CST_ERR_NOMEM;
		break;
	}
	return sid->valid & PERF_SAMPLE_TID ? filter_note_thread(sv->f, (int)sid->pid, (int)sid->tid) : 0;
}

/* What the filter has to know of the whole recording: its time, from the first record to the last, and threads. */
static int survey(struct session *ss)
{
	struct survey sv = { .f = ss->filter, .first = UINT64_MAX };
	struct pd_record rec;
	int rc, err = filter_note_thread(ss->filter, 0, 0);	/* the idle task, which no record is about */

	perfdata_rewind(ss->pd);
	while (!err && (rc = perfdata_next(ss->pd, &rec)))
		if (rc > 0)
			err = look_at(&sv, &rec);
	if (!err && filter_needs_span(ss->filter) && !sv.last) {
		fprintf(message_stream(),
			"cstrace: %s: --time: found percentages, expected seconds: no record of this file has a time, "
			"so it is not known how long it is\n", ss->name);
		return SESSION_TOLD;
	}
	filter_set_span(ss->filter, sv.first, sv.last);
	return err;
}

int session_make_filter(struct session *ss)
{
	struct comms *c;
	int rc = 0;

	if (filter_new(&ss->filter, &ss->opts.filter))
		goto nomem;
	if (filter_needs_span(ss->filter) || filter_needs_threads(ss->filter))
		rc = survey(ss);
	if (rc == SESSION_TOLD)
		return SESSION_TOLD;
	if (rc)
		goto nomem;
	if (filter_needs_comms(ss->filter)) {
		c = comms_new(ss->pd);
		if (!c)
			goto nomem;
		filter_set_comms(ss->filter, c);
	}
	return 0;
nomem:
	fprintf(message_stream(), "cstrace: %s: out of memory\n", ss->name);
	return SESSION_TOLD;
}

uint64_t fragment_floor(const struct fragment *f)
{
	return f->since > f->pub.time ? 0 : f->since;
}

/* Do the records of context switches say that only threads ran there that are not wanted? */
static bool others_ran(const struct session *ss, int cpu, uint64_t from, uint64_t to)
{
	int tids[MAX_THREADS];
	size_t i, n;
	bool all;

	if (ss->losses.lost_records || to == NO_TIME || filter_thread(ss->filter, 0))
		return false;
	n = running_between(&ss->running, cpu, from, to, tids, MAX_THREADS, &all);
	for (i = 0; i < n && all; i++)
		all = !filter_thread(ss->filter, tids[i]);
	return all;
}

static bool unit_wanted(const struct session *ss, const struct trace_unit *u, uint64_t from, uint64_t to)
{
	int cpu = (int)u->aux->cpu;

	return filter_cpu(ss->filter, cpu) && !others_ran(ss, cpu, from, to);
}

/* Owners of an ID are looked at one by one; one that changes hands more often than this is decoded. */
#define MAX_OWNERS	64

/* Every unit that the ID belongs to in [from, to] is unwanted. */
static bool id_unwanted(struct session *ss, const struct queue *q, uint8_t id, uint64_t from, uint64_t to,
			bool (*wanted)(const struct session *, const struct trace_unit *, uint64_t, uint64_t))
{
	const struct id_owner *o = owners_at(&ss->units, q, id, from, 0);
	struct trace_unit *u;
	unsigned int n = 0;

	do {
		u = units_of_owner(&ss->units, o, id);
		if (!u || wanted(ss, u, from, to) || n++ == MAX_OWNERS)
			return false;
		o = owners_change(&ss->units, q, id, o && o->time > from ? o->time : from, to);
	} while (o);
	return true;
}

static bool cpu_wanted(const struct session *ss, const struct trace_unit *u, uint64_t from, uint64_t to)
{
	(void)from;
	(void)to;
	return filter_cpu(ss->filter, (int)u->aux->cpu);
}

bool session_wants_id(struct session *ss, const struct queue *q, uint8_t id)
{
	return !ss->filter || !id_unwanted(ss, q, id, 0, UINT64_MAX, cpu_wanted);
}

bool session_skips(struct session *ss, struct queue *q, const struct fragment *f, bool timeless)
{
	uint64_t from = fragment_floor(f), to = f->pub.time;
	struct trace_unit *u;
	unsigned int id;

	if (!ss->filter)
		return false;
	if (timeless || !ss->timestamps) {
		uint64_t time = to != NO_TIME ? to : 0;

		if (!filter_window(ss->filter, time, time))
			return true;
	}
	if (!filter_window(ss->filter, from, to))
		return true;
	/* A buffer that follows a thread holds no other one. */
	if (q->cpu < 0 && q->tid > 0 && !filter_thread(ss->filter, q->tid))
		return true;
	if (f->pub.raw) {
		u = units_of_raw(&ss->units, q, f);
		return u && !unit_wanted(ss, u, from, to);
	}
	session_queue_ids(q);
	for (id = 1; id < 0x70; id++) {
		if (!(q->ids[id >> 6] >> (id & 63) & 1))
			continue;
		if (!id_unwanted(ss, q, (uint8_t)id, from, to, unit_wanted))
			return false;
	}
	return q->ids[0] || q->ids[1];
}
