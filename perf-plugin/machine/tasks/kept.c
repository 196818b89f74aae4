/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept.c - moves what is kept of the history, so that memory depends on the present maps and not on
 * all past ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "machine/tasks/threads.h"

static uint64_t kept_end(const struct threads *ts)
{
	return ts->kept.base + (ts->kept.nr - ts->kept.first);
}

static bool is_after(const struct threads *ts, const struct moment *m, uint64_t time, uint64_t seq)
{
	return ts->have_time ? m->time > time : m->seq > seq;
}

uint64_t threads_limit(const struct threads *ts, uint64_t time, uint64_t seq)
{
	size_t lo = ts->kept.first, hi = ts->kept.nr;

	BISECT(lo, hi, mid, !is_after(ts, &ts->kept.moments[mid], time, seq));
	return ts->kept.base + (lo - ts->kept.first);
}

/* Number of changes up to a moment that is kept. */
static uint64_t changes_until(const struct threads *ts, uint64_t limit)
{
	return limit > ts->kept.base ?
		       ts->kept.moments[ts->kept.first + (size_t)(limit - 1 - ts->kept.base)]
			       .changes :
		       ts->kept.gone_changes;
}

bool threads_steady(const struct threads *ts, uint64_t limit, uint64_t time, uint64_t seq)
{
	uint64_t to = threads_limit(ts, time, seq);

	if (limit < ts->kept.base || limit > kept_end(ts) || (!ts->ended && to == kept_end(ts)))
		return false;
	return to <= limit || changes_until(ts, to) == changes_until(ts, limit);
}

uint64_t threads_time(const struct threads *ts, uint64_t limit)
{
	if (limit > kept_end(ts))
		limit = kept_end(ts);
	if (limit <= ts->kept.base)
		return ts->kept.base ? ts->kept.gone_time : 0;
	return ts->kept.moments[ts->kept.first + (size_t)(limit - 1 - ts->kept.base)].time;
}

bool threads_passed(const struct threads *ts, uint64_t time, uint64_t seq)
{
	return ts->kept.base &&
	       (ts->have_time ? time < ts->kept.gone_time : seq < ts->kept.gone_seq);
}

/* Applies the events that are no longer kept to the base. */
static void collapse_process(struct process *p, uint64_t limit)
{
	size_t i, last = p->first;

	while (last < p->nr && p->ev[last].order < limit)
		last++;
	if (last == p->first)
		return;
	p->base_epoch = p->ev[last - 1].epoch;
	p->forgotten = p->ev[last - 1].order + 1;
	for (i = p->first; i < last; i++) {
		struct map_event *ev = &p->ev[i];

		if (ev->is_base) {
			maplist_unref(p->base);
			p->base = ev->base;
			ev->base = NULL;
		} else if (last < p->nr) {
			if (!p->base)
				p->base = maplist_new();
			p->base = maplist_own(p->base);
			maplist_set(p->base, &ev->map);
		}
	}
	p->first = last;
	if (p->first < p->nr) {
		if (p->first > p->nr / 2) {
			memmove(p->ev, p->ev + p->first, (p->nr - p->first) * sizeof(*p->ev));
			p->nr -= p->first;
			p->first = 0;
		}
		return;
	}
	/* all events are in `cur` */
	maplist_unref(p->base);
	p->base = NULL;
	free(p->ev);
	p->ev = NULL;
	p->first = p->nr = p->cap = 0;
}

static void free_process(struct process *p)
{
	size_t i;

	for (i = p->first; i < p->nr; i++)
		maplist_unref(p->ev[i].base);
	maplist_unref(p->base);
	maplist_unref(p->cur);
	free(p->ev);
}

static void free_thread(struct thread *t)
{
	free(t->pids.v);
	free(t->comms.v);
	free(t);
}

static bool drop_process(struct threads *ts, struct process *p)
{
	if (ts->hooks.release && !ts->hooks.release(p))
		return false;
	intmap_remove(&ts->known.processes, p->pid);
	free_process(p);
	free(p);
	return true;
}

/*
 * True if the process ended before what is kept, which has no event of a process with the same
 * number.
 */
static bool is_over(const struct process *p, uint64_t limit)
{
	return p->dead && p->died <= limit && p->first == p->nr;
}

static void forget_process(struct threads *ts, int pid, bool kernel, uint64_t limit)
{
	struct process *p = kernel ? &ts->known.kernel : intmap_get(&ts->known.processes, pid);
	int *slot;

	if (!p)
		return;
	collapse_process(p, limit);
	if (!is_over(p, limit) || drop_process(ts, p))
		return;
	slot = ARRAY_ADD(ts->known.zombies, ts->known.nr_zombies, ts->known.cap_zombies);
	*slot = pid;
}

static void forget_zombies(struct threads *ts)
{
	struct process *p;
	size_t i, n = 0;

	for (i = 0; i < ts->known.nr_zombies; i++) {
		p = intmap_get(&ts->known.processes, ts->known.zombies[i]);
		if (p && is_over(p, ts->kept.base) && !drop_process(ts, p))
			ts->known.zombies[n++] = ts->known.zombies[i];
	}
	ts->known.nr_zombies = n;
}

/* Drops the entries that others followed before the moment. */
static void forget_past(struct thread_past *past, uint64_t limit)
{
	size_t n;

	for (n = 0; n + 1 < past->nr && past->v[n + 1].order < limit; n++)
		;
	if (!n)
		return;
	past->nr -= n;
	memmove(past->v, past->v + n, past->nr * sizeof(*past->v));
}

static void forget_thread(struct threads *ts, int tid, uint64_t limit)
{
	struct thread *t = intmap_get(&ts->known.threads, tid);

	if (!t)
		return;
	forget_past(&t->pids, limit);
	forget_past(&t->comms, limit);
	if (!t->ended || t->ended > limit)
		return;
	intmap_remove(&ts->known.threads, tid);
	free_thread(t);
}

static void forget(struct threads *ts, uint64_t limit)
{
	const struct moment *m;

	while (ts->kept.base < limit && ts->kept.first < ts->kept.nr) {
		m = &ts->kept.moments[ts->kept.first++];
		ts->kept.base++;
		ts->kept.gone_time = m->time;
		ts->kept.gone_seq = m->seq;
		ts->kept.gone_changes = m->changes;
		/* the process first, since its last thread may keep it alive */
		forget_process(ts, m->pid, m->kernel, limit);
		if (!m->kernel)
			forget_thread(ts, m->tid, limit);
	}
	forget_zombies(ts);
	if (ts->kept.first > ts->kept.nr / 2) {
		memmove(ts->kept.moments, ts->kept.moments + ts->kept.first,
			(ts->kept.nr - ts->kept.first) * sizeof(*ts->kept.moments));
		ts->kept.nr -= ts->kept.first;
		ts->kept.first = 0;
	}
}

/* Reads the next event, if there is one, and keeps it. */
static void take_event(struct threads *ts)
{
	struct side_event e;
	struct moment *m;

	ts->ended = !side_order_next(ts->side, &e);
	if (ts->ended)
		return;
	m = ARRAY_ADD(ts->kept.moments, ts->kept.nr, ts->kept.cap);
	*m = (struct moment){ e.time, e.seq, e.pid, e.tid, e.kernel, 0 };
	threads_apply(ts, &e, kept_end(ts) - 1);
	m->changes = ts->kept.changes;
}

void threads_seek(struct threads *ts, uint64_t time, uint64_t seq, uint64_t hold)
{
	uint64_t limit;

	while (!ts->ended) {
		if (ts->kept.nr - ts->kept.first > ts->ahead &&
		    is_after(ts, &ts->kept.moments[ts->kept.nr - 1 - ts->ahead], time, seq))
			break;
		take_event(ts);
		if (ts->keep || ts->kept.nr - ts->kept.first <= 4 * ts->ahead + 4)
			continue;
		limit = kept_end(ts) - 2 * ts->ahead - 2;
		if (limit > hold)
			limit = hold;
		if (limit > ts->kept.base)
			forget(ts, limit);
	}
}

static void forget_all(struct threads *ts)
{
	struct process *p;
	struct thread *t;
	size_t i;

	for (i = 0; (p = intmap_next(&ts->known.processes, &i)); free(p)) {
		if (ts->hooks.release)
			ts->hooks.release(p);
		free_process(p);
	}
	if (ts->hooks.release)
		ts->hooks.release(&ts->known.kernel);
	free_process(&ts->known.kernel);
	for (i = 0; (t = intmap_next(&ts->known.threads, &i));)
		free_thread(t);
	intmap_free(&ts->known.threads);
	intmap_free(&ts->known.processes);
	free(ts->known.zombies);
	memset(&ts->known, 0, sizeof(ts->known));
	ts->known.kernel.pid = KERNEL_PID;
	free(ts->kept.moments);
	memset(&ts->kept, 0, sizeof(ts->kept));
	memset(&ts->totals, 0, sizeof(ts->totals));
	ts->ended = false;
}

void threads_restart(struct threads *ts)
{
	if (++ts->restarts >= THREADS_MAX_RESTARTS)
		ts->keep = true;
	forget_all(ts);
	side_order_rewind(ts->side);
}

void threads_begin(struct threads *ts)
{
	intmap_free(&ts->pass.alive);
	ts->have_time = ts->side->timed;
	ts->keep = side_order_kept(ts->side);
	if (ts->keep)
		threads_seek(ts, NO_TIME, UINT64_MAX, 0);
}

void threads_free(struct threads *ts)
{
	forget_all(ts);
	intmap_free(&ts->pass.alive);
	intmap_free(&ts->pass.orphans);
	memset(ts, 0, sizeof(*ts));
}
