/* SPDX-License-Identifier: GPL-2.0-only */
/* comms.c - reads all records once for thread names, and finds the name at a time by binary search. */
#include "base/array.h"
#include "base/bisect.h"
#include "machine/tasks/comms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
	uint64_t thread;	/* key_of() */
	uint64_t time;
	uint64_t seq;
	bool forked;		/* named as thread `parent` was at that time */
	uint64_t parent;
	uint32_t text;		/* offset in `pool`, unless `forked` */
};

struct comms {
	struct name *v;
	size_t nr, cap;
	char *pool;
	size_t used, size;
	bool shared;		/* the names belong to another object (comms_share()) */
	char unknown[16];
};

static void add(struct comms *c, const struct name *n, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;
	struct name *to = ARRAY_ADD(c->v, c->nr, c->cap);

	array_room(&c->pool, c->used, len, &c->size, 1);
	if (c->size > UINT32_MAX)
		mem_refused(c->size);
	*to = *n;
	to->text = (uint32_t)c->used;
	if (len)
		memcpy(c->pool + c->used, text, len);
	c->used += len;
}

/* Number of a thread of the host (vm 0) or a guest. */
static uint64_t key_of(uint16_t vm, int tid)
{
	return (uint64_t)vm << 32 | (uint32_t)tid;
}

/*
 * A time of a clock that is `ahead` of the host's, as the host's. A record without a time has none.
 */
static uint64_t host_time(uint64_t time, int64_t ahead)
{
	if (ahead < 0)
		return time && time < UINT64_MAX + ahead ? time - (uint64_t)ahead : time;
	return time > (uint64_t)ahead ? time - (uint64_t)ahead : 0;
}

static void take(struct comms *c, const struct pd_record *rec, uint16_t vm, int64_t ahead)
{
	const union perf_event *ev = rec->ev;
	struct name n = { .seq = rec->seq,
			  .time = rec->sid.valid & PERF_SAMPLE_TIME ?
					  host_time(rec->sid.time, ahead) :
					  0 };

	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		n.thread = key_of(vm, (int)ev->comm.tid);
		add(c, &n, ev->comm.comm);
		break;
	case PERF_RECORD_FORK:
		n.thread = key_of(vm, (int)ev->fork.tid);
		n.forked = true;
		n.parent = key_of(vm, (int)ev->fork.ptid);
		add(c, &n, NULL);
		break;
	}
}

static int cmp(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void comms_add_guest(struct comms *c, struct perfdata *pd, uint16_t vm, int64_t ahead)
{
	struct pd_record rec;
	int rc;

	perfdata_rewind(pd);
	while ((rc = perfdata_next(pd, &rec)) != 0)
		if (rc > 0)
			take(c, &rec, vm, ahead);
	ARRAY_SORT(c->v, c->nr, cmp);
}

struct comms *comms_new(struct perfdata *pd)
{
	struct comms *c = mem_zeroed(1, sizeof(*c));

	comms_add_guest(c, pd, 0, 0);
	return c;
}

struct comms *comms_share(const struct comms *c)
{
	struct comms *s = mem_new(sizeof(*s));

	*s = *c;
	s->shared = true;
	return s;
}

void comms_free(struct comms *c)
{
	if (!c)
		return;
	if (!c->shared) {
		free(c->v);
		free(c->pool);
	}
	free(c);
}

/* Returns the index after the thread's last entry not later than `time`. */
static size_t behind(const struct comms *c, uint64_t thread, uint64_t time)
{
	size_t lo = 0, hi = c->nr;

	BISECT(lo, hi, mid,
	       c->v[mid].thread < thread || (c->v[mid].thread == thread && c->v[mid].time <= time));
	return lo;
}

/* Returns the last name at or before `time`, else the first one. */
static const struct name *find(const struct comms *c, uint64_t thread, uint64_t time)
{
	size_t i = behind(c, thread, time);

	if (i && c->v[i - 1].thread == thread)
		return &c->v[i - 1];
	return i < c->nr && c->v[i].thread == thread ? &c->v[i] : NULL;
}

static const char *name_at(struct comms *c, uint64_t thread, uint64_t time)
{
	unsigned int hops = 64;		/* limit for a chain of forks, which damaged records can close to a ring */
	const struct name *n;
	uint64_t t = thread;

	while ((n = find(c, t, time)) && n->forked && n->parent != t && hops--) {
		t = n->parent;
		time = n->time;
	}
	if (n && !n->forked)
		return c->pool + n->text;
	snprintf(c->unknown, sizeof(c->unknown), ":%d", (int)(uint32_t)thread);
	return c->unknown;
}

const char *comms_at(struct comms *c, int tid, uint64_t time)
{
	return name_at(c, key_of(0, tid), time);
}

const char *comms_span(struct comms *c, uint16_t vm, int tid, uint64_t time, uint64_t *from,
		       uint64_t *until)
{
	const uint64_t thread = key_of(vm, tid);
	size_t i = behind(c, thread, time);

	*from = i && c->v[i - 1].thread == thread ? c->v[i - 1].time : 0;
	*until = i < c->nr && c->v[i].thread == thread ? c->v[i].time : UINT64_MAX;
	return name_at(c, thread, time);
}
