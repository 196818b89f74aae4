/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * window.c - moves the window of history that is kept, so that memory depends on the present maps and not on all past
 * ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "machine/tasks/threads.h"

static uint64_t window_end(const struct threads *ts)
{
	return ts->window.base + (ts->window.nr - ts->window.first);
}

static bool is_after(const struct threads *ts, const struct moment *m, uint64_t time, uint64_t seq)
{
	return ts->have_time ? m->time > time : m->seq > seq;
}

uint64_t threads_limit(const struct threads *ts, uint64_t time, uint64_t seq)
{
	size_t lo = ts->window.first, hi = ts->window.nr;

	BISECT(lo, hi, mid, !is_after(ts, &ts->window.moments[mid], time, seq));
	return ts->window.base + (lo - ts->window.first);
}

/* Number of changes up to a moment in the window. */
static uint64_t changes_until(const struct threads *ts, uint64_t limit)
{
	return limit > ts->window.base ?
		       ts->window.moments[ts->window.first + (size_t)(limit - 1 - ts->window.base)]
			       .changes :
		       ts->window.gone_changes;
}

bool threads_steady(const struct threads *ts, uint64_t limit, uint64_t time, uint64_t seq)
{
	uint64_t to = threads_limit(ts, time, seq);

	if (limit < ts->window.base || limit > window_end(ts) ||
	    (!ts->ended && to == window_end(ts)))
		return false;
	return to <= limit || changes_until(ts, to) == changes_until(ts, limit);
}

uint64_t threads_time(const struct threads *ts, uint64_t limit)
{
	if (limit > window_end(ts))
		limit = window_end(ts);
	if (limit <= ts->window.base)
		return ts->window.base ? ts->window.gone_time : 0;
	return ts->window.moments[ts->window.first + (size_t)(limit - 1 - ts->window.base)].time;
}

bool threads_passed(const struct threads *ts, uint64_t time, uint64_t seq)
{
	return ts->window.base &&
	       (ts->have_time ? time < ts->window.gone_time : seq < ts->window.gone_seq);
}

/* Applies the events that leave the window to the base. */
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

/* True if the process ended before the window and the window has no event of a process with the same number. */
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
		if (p && is_over(p, ts->window.base) && !drop_process(ts, p))
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

	while (ts->window.base < limit && ts->window.first < ts->window.nr) {
		m = &ts->window.moments[ts->window.first++];
		ts->window.base++;
		ts->window.gone_time = m->time;
		ts->window.gone_seq = m->seq;
		ts->window.gone_changes = m->changes;
		/* the process first, since its last thread may keep it alive */
		forget_process(ts, m->pid, m->kernel, limit);
		if (!m->kernel)
			forget_thread(ts, m->tid, limit);
	}
	forget_zombies(ts);
	if (ts->window.first > ts->window.nr / 2) {
		memmove(ts->window.moments, ts->window.moments + ts->window.first,
			(ts->window.nr - ts->window.first) * sizeof(*ts->window.moments));
		ts->window.nr -= ts->window.first;
		ts->window.first = 0;
	}
}

/* Reads the next event, if there is one, into the window. */
static void take_event(struct threads *ts)
{
	struct side_event e;
	struct moment *m;

	ts->ended = !side_order_next(ts->side, &e);
	if (ts->ended)
		return;
	m = ARRAY_ADD(ts->window.moments, ts->window.nr, ts->window.cap);
	*m = (struct moment){ e.time, e.seq, e.pid, e.tid, e.kernel, 0 };
	threads_apply(ts, &e, window_end(ts) - 1);
	m->changes = ts->window.changes;
}

void threads_seek(struct threads *ts, uint64_t time, uint64_t seq, uint64_t hold)
{
	uint64_t limit;

	while (!ts->ended) {
		if (ts->window.nr - ts->window.first > ts->ahead &&
		    is_after(ts, &ts->window.moments[ts->window.nr - 1 - ts->ahead], time, seq))
			break;
		take_event(ts);
		if (ts->keep || ts->window.nr - ts->window.first <= 4 * ts->ahead + 4)
			continue;
		limit = window_end(ts) - 2 * ts->ahead - 2;
		if (limit > hold)
			limit = hold;
		if (limit > ts->window.base)
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
	free(ts->window.moments);
	memset(&ts->window, 0, sizeof(ts->window));
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
