/* SPDX-License-Identifier: GPL-2.0-only */
/* select.c - which AUX fragments a filter lets pass, as far as that can be told without decoding. */
#include "filter/select.h"

#include "base/time.h"
#include "buffers/owners.h"

/* More threads than this in one fragment are not looked at one by one. */
#define MAX_THREADS	64

/* Do the records of context switches say that only threads ran there that are not wanted? */
static bool others_ran(const struct selection *s, int cpu, uint64_t from, uint64_t to)
{
	int tids[MAX_THREADS];
	size_t i, n;
	bool all;

	if (s->lost_records || to == NO_TIME || filter_thread(s->filter, 0))
		return false;
	n = running_between(s->running, cpu, from, to, tids, MAX_THREADS, &all);
	for (i = 0; i < n && all; i++)
		all = !filter_thread(s->filter, tids[i]);
	return all;
}

static bool unit_wanted(const struct selection *s, const struct trace_unit *u, uint64_t from, uint64_t to)
{
	int cpu = (int)u->aux->cpu;

	return filter_cpu(s->filter, cpu) && !others_ran(s, cpu, from, to);
}

/* Owners of an ID are looked at one by one; one that changes hands more often than this is decoded. */
#define MAX_OWNERS	64

/* Every unit that the ID belongs to in [from, to] is unwanted. */
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
	return filter_cpu(s->filter, (int)u->aux->cpu);
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

		if (!filter_window(s->filter, time, time))
			return true;
	}
	if (!filter_window(s->filter, from, to))
		return true;
	/* A buffer that follows a thread holds no other one. */
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
