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
	return ts->base + (ts->nr - ts->first);
}

static bool is_after(const struct threads *ts, const struct moment *m, uint64_t time, uint64_t seq)
{
	return ts->have_time ? m->time > time : m->seq > seq;
}

uint64_t threads_limit(const struct threads *ts, uint64_t time, uint64_t seq)
{
	size_t lo = ts->first, hi = ts->nr;

	BISECT(lo, hi, mid, !is_after(ts, &ts->moments[mid], time, seq));
	return ts->base + (lo - ts->first);
}

/* Number of changes up to a moment in the window. */
static uint64_t changes_until(const struct threads *ts, uint64_t limit)
{
	return limit > ts->base ? ts->moments[ts->first + (size_t)(limit - 1 - ts->base)].changes : ts->gone_changes;
}

bool threads_steady(const struct threads *ts, uint64_t limit, uint64_t time, uint64_t seq)
{
	uint64_t to = threads_limit(ts, time, seq);

	if (limit < ts->base || limit > window_end(ts) || (!ts->ended && to == window_end(ts)))
		return false;
	return to <= limit || changes_until(ts, to) == changes_until(ts, limit);
}

uint64_t threads_time(const struct threads *ts, uint64_t limit)
{
	if (limit > window_end(ts))
		limit = window_end(ts);
	if (limit <= ts->base)
		return ts->base ? ts->gone_time : 0;
	return ts->moments[ts->first + (size_t)(limit - 1 - ts->base)].time;
}

bool threads_passed(const struct threads *ts, uint64_t time, uint64_t seq)
{
	return ts->base && (ts->have_time ? time < ts->gone_time : seq < ts->gone_seq);
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

static bool drop_process(struct threads *ts, struct process *p)
{
	if (ts->release && !ts->release(p))
		return false;
	intmap_remove(&ts->processes, p->pid);
	ts->all_processes[p->index] = ts->all_processes[--ts->nr_processes];
	ts->all_processes[p->index]->index = p->index;
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
	struct process *p = kernel ? &ts->kernel : intmap_get(&ts->processes, pid);
	int *slot;

	if (!p)
		return;
	collapse_process(p, limit);
	if (!is_over(p, limit) || drop_process(ts, p))
		return;
	slot = ARRAY_ADD(ts->zombies, ts->nr_zombies, ts->cap_zombies);
	*slot = pid;
}

static void forget_zombies(struct threads *ts)
{
	struct process *p;
	size_t i, n = 0;

	for (i = 0; i < ts->nr_zombies; i++) {
		p = intmap_get(&ts->processes, ts->zombies[i]);
		if (p && is_over(p, ts->base) && !drop_process(ts, p))
			ts->zombies[n++] = ts->zombies[i];
	}
	ts->nr_zombies = n;
}

static void forget_thread(struct threads *ts, int tid, uint64_t limit)
{
	struct thread *t = intmap_get(&ts->threads, tid);
	size_t n;

	if (!t)
		return;
	for (n = 0; n + 1 < t->nr_pids && t->pids[n + 1].order < limit; n++)
		;
	if (n) {
		memmove(t->pids, t->pids + n, (t->nr_pids - n) * sizeof(*t->pids));
		t->nr_pids -= n;
	}
	for (n = 0; n + 1 < t->nr_comms && t->comms[n + 1].order < limit; n++)
		;
	if (n) {
		memmove(t->comms, t->comms + n, (t->nr_comms - n) * sizeof(*t->comms));
		t->nr_comms -= n;
	}
	if (!t->ended || t->ended > limit)
		return;
	intmap_remove(&ts->threads, tid);
	ts->all_threads[t->index] = ts->all_threads[--ts->nr_threads];
	ts->all_threads[t->index]->index = t->index;
	free(t->pids);
	free(t->comms);
	free(t);
}

static void forget(struct threads *ts, uint64_t limit)
{
	const struct moment *m;

	while (ts->base < limit && ts->first < ts->nr) {
		m = &ts->moments[ts->first++];
		ts->base++;
		ts->gone_time = m->time;
		ts->gone_seq = m->seq;
		ts->gone_changes = m->changes;
		/* the process first, since its last thread may keep it alive */
		forget_process(ts, m->pid, m->kernel, limit);
		if (!m->kernel)
			forget_thread(ts, m->tid, limit);
	}
	forget_zombies(ts);
	if (ts->first > ts->nr / 2) {
		memmove(ts->moments, ts->moments + ts->first, (ts->nr - ts->first) * sizeof(*ts->moments));
		ts->nr -= ts->first;
		ts->first = 0;
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
	m = ARRAY_ADD(ts->moments, ts->nr, ts->cap);
	*m = (struct moment){ e.time, e.seq, e.pid, e.tid, e.kernel, 0 };
	threads_apply(ts, &e, window_end(ts) - 1);
	m->changes = ts->changes;
}

void threads_seek(struct threads *ts, uint64_t time, uint64_t seq, uint64_t hold)
{
	uint64_t limit;

	while (!ts->ended) {
		if (ts->nr - ts->first > ts->ahead &&
		    is_after(ts, &ts->moments[ts->nr - 1 - ts->ahead], time, seq))
			break;
		take_event(ts);
		if (ts->keep || ts->nr - ts->first <= 4 * ts->ahead + 4)
			continue;
		limit = window_end(ts) - 2 * ts->ahead - 2;
		if (limit > hold)
			limit = hold;
		if (limit > ts->base)
			forget(ts, limit);
	}
}

static void forget_all(struct threads *ts)
{
	size_t i;

	for (i = 0; i < ts->nr_processes; i++) {
		if (ts->release)
			ts->release(ts->all_processes[i]);
		free_process(ts->all_processes[i]);
		free(ts->all_processes[i]);
	}
	if (ts->release)
		ts->release(&ts->kernel);
	free_process(&ts->kernel);
	for (i = 0; i < ts->nr_threads; i++) {
		free(ts->all_threads[i]->pids);
		free(ts->all_threads[i]->comms);
		free(ts->all_threads[i]);
	}
	ts->nr_processes = ts->nr_threads = ts->nr_zombies = 0;
	intmap_free(&ts->threads);
	intmap_free(&ts->processes);
	memset(&ts->kernel, 0, sizeof(ts->kernel));
	ts->kernel.pid = KERNEL_PID;
	ts->first = ts->nr = 0;
	ts->base = ts->gone_time = ts->gone_seq = ts->gone_changes = ts->changes = 0;
	ts->total_processes = ts->total_threads = ts->total_replaced = 0;
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
	intmap_free(&ts->alive);
	ts->have_time = ts->side->timed;
	ts->keep = side_order_kept(ts->side);
	if (ts->keep)
		threads_seek(ts, NO_TIME, UINT64_MAX, 0);
}

void threads_free(struct threads *ts)
{
	forget_all(ts);
	intmap_free(&ts->alive);
	intmap_free(&ts->orphans);
	free(ts->moments);
	free(ts->all_processes);
	free(ts->all_threads);
	free(ts->zombies);
	memset(ts, 0, sizeof(*ts));
}
