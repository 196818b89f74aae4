/* SPDX-License-Identifier: GPL-2.0-only */
/* select.c - decides which AUX fragments a filter excludes, as far as that is possible without decoding. */
#include "session/filter/select.h"

#include "base/time.h"
#include "machine/buffers/owners.h"

/* maximum number of threads of a fragment that are checked */
#define MAX_THREADS	64

/* True if context switch records show that only threads ran that the filter excludes. */
static bool others_ran(const struct selection *s, int cpu, uint64_t from, uint64_t to)
{
	int tids[MAX_THREADS];
	size_t i, n;
	bool all;

	if (s->lost_records || to == NO_TIME || filter_thread(s->filter, 0))
		return false;
	n = running_between(s->running, cpu, from, to, ZERO_IDLE, tids, MAX_THREADS, &all);
	for (i = 0; i < n && all; i++)
		all = !filter_thread(s->filter, tids[i]);
	return all;
}

static bool unit_wanted(const struct selection *s, const struct trace_unit *u, uint64_t from, uint64_t to)
{
	int cpu = unit_cpu(u);

	return filter_cpu(s->filter, cpu) && !others_ran(s, cpu, from, to);
}

/* maximum number of owners of an ID that are checked; a fragment with more is decoded */
#define MAX_OWNERS	64

/* True if the filter excludes every unit to which the ID belongs in [from, to]. */
static bool id_unwanted(const struct selection *s, const struct queue *q, uint8_t id, uint64_t from, uint64_t to,
			bool (*wanted)(const struct selection *, const struct trace_unit *, uint64_t, uint64_t))
{
	const struct id_owner *o = owners_at(s->units, q, id, from, 0);
	struct trace_unit *u;
	unsigned int n = 0;

	do {
		u = units_of_owner(s->units, o, id);
		if (!u || wanted(s, u, from, to) || n++ == MAX_OWNERS)
			return false;
		o = owners_change(s->units, q, id, o && o->time > from ? o->time : from, to);
	} while (o);
	return true;
}

static bool cpu_wanted(const struct selection *s, const struct trace_unit *u, uint64_t from, uint64_t to)
{
	(void)from;
	(void)to;
	return filter_cpu(s->filter, unit_cpu(u));
}

bool select_wants_id(const struct selection *s, const struct queue *q, uint8_t id)
{
	return !s->filter || !id_unwanted(s, q, id, 0, UINT64_MAX, cpu_wanted);
}

bool select_skips(const struct selection *s, struct queue *q, const struct fragment *f, bool timeless)
{
	uint64_t from = fragment_floor(f), to = f->pub.time;
	struct trace_unit *u;
	unsigned int id;

	if (!s->filter)
		return false;
	if (timeless || !s->timestamps) {
		uint64_t time = to != NO_TIME ? to : 0;

		if (!filter_overlaps(s->filter, time, time))
			return true;
	}
	if (!filter_overlaps(s->filter, from, to))
		return true;
	/* a buffer that follows a thread has no other thread */
	if (q->cpu < 0 && q->tid > 0 && !filter_thread(s->filter, q->tid))
		return true;
	if (f->pub.raw) {
		u = units_of_raw(s->units, q, f);
		return u && !unit_wanted(s, u, from, to);
	}
	queue_find_ids(q);
	for (id = 1; id < 0x70; id++) {
		if (!(q->ids[id >> 6] >> (id & 63) & 1))
			continue;
		if (!id_unwanted(s, q, (uint8_t)id, from, to, unit_wanted))
			return false;
	}
	return q->ids[0] || q->ids[1];
}
