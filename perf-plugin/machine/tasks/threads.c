/* SPDX-License-Identifier: GPL-2.0-only */
/* threads.c - applies events to threads and maps; kept.c drops what is no longer needed of them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "machine/tasks/memory.h"
#include "machine/tasks/threads.h"

void threads_init(struct threads *ts, struct side_order *side)
{
	memset(ts, 0, sizeof(*ts));
	ts->side = side;
	ts->ahead = THREADS_AHEAD;
	ts->known.kernel.pid = KERNEL_PID;
	ts->pass.only_pid = ONLY_NONE;
}

/* In file order a thread may seem to be known before its creation, which costs an entry. */
void threads_note(struct threads *ts, const struct side_event *e)
{
	bool maps = e->kind == SIDE_MAP && !e->kernel;

	if (maps && ts->pass.only_pid != e->pid)
		ts->pass.only_pid = ts->pass.only_pid == ONLY_NONE ? e->pid : ONLY_MANY;
	if (e->kind == SIDE_FORK && e->time && e->pid != e->fork.ppid &&
	    ts->pass.only_pid == e->fork.ppid)
		ts->pass.only_pid = ONLY_MANY;
	if (e->kind == SIDE_EXIT) {
		intmap_remove(&ts->pass.alive, e->tid);
		return;
	}
	if (e->kernel || e->tid <= 0 || intmap_get(&ts->pass.alive, e->tid))
		return;
	intmap_put(&ts->pass.alive, e->tid, ts);
	if (e->kind == SIDE_FORK || e->pid < 0 || intmap_get(&ts->pass.orphans, e->tid))
		return;
	intmap_put(&ts->pass.orphans, e->tid, (void *)((intptr_t)e->pid + 2));
}

static struct thread *get_thread(struct threads *ts, int tid)
{
	struct thread *t = intmap_get(&ts->known.threads, tid);

	if (t)
		return t;
	t = intmap_add(&ts->known.threads, tid, sizeof(*t));
	t->tid = tid;
	ts->totals.total_threads++;
	return t;
}

static struct process *get_process(struct threads *ts, int pid)
{
	struct process *p = intmap_get(&ts->known.processes, pid);

	if (p)
		return p;
	p = intmap_add(&ts->known.processes, pid, sizeof(*p));
	p->pid = pid;
	return p;
}

static const struct thread_was *last_of(const struct thread_past *past)
{
	return past->nr ? &past->v[past->nr - 1] : NULL;
}

/* Returns the last entry before the moment, else the first one; there is one. */
static const struct thread_was *past_at(const struct thread_past *past, uint64_t limit)
{
	size_t lo = 1, hi = past->nr;

	BISECT(lo, hi, mid, past->v[mid].order < limit);
	return &past->v[lo - 1];
}

static void add_past(struct threads *ts, struct thread_past *past, const struct thread_was *was)
{
	ts->kept.changes += past->nr > 0;
	*ARRAY_ADD(past->v, past->nr, past->cap) = *was;
}

/* Removes the thread from its process. */
static void leave_process(struct threads *ts, const struct thread *t)
{
	const struct thread_was *was = last_of(&t->pids);
	struct process *p;

	if (!was || t->ended)
		return;
	p = intmap_get(&ts->known.processes, was->pid);
	if (p && p->generation == t->generation && p->nr_threads)
		p->nr_threads--;
}

static void set_pid(struct threads *ts, int tid, int pid, uint64_t order)
{
	struct thread *t = get_thread(ts, tid);
	struct process *p = get_process(ts, pid);
	const struct thread_was *was = last_of(&t->pids);
	const bool same = was && was->pid == pid;

	if (same && !t->ended && t->generation == p->generation)
		return;
	leave_process(ts, t);
	if (!same)
		add_past(ts, &t->pids, &(struct thread_was){ .order = order, .pid = pid });
	t->ended = 0;
	t->generation = p->generation;
	p->nr_threads++;
}

static void set_comm(struct threads *ts, int tid, const char *comm, uint64_t order)
{
	struct thread *t = get_thread(ts, tid);
	const struct thread_was *was = last_of(&t->comms);

	if (!was || strcmp(was->comm, comm))
		add_past(ts, &t->comms, &(struct thread_was){ .order = order, .comm = comm });
}

static void mark_mapped(struct threads *ts, struct process *p)
{
	ts->totals.total_processes += !p->mapped && p->pid != KERNEL_PID;
	p->mapped = true;
}

static struct map_event *add_event(struct threads *ts, struct process *p, uint64_t order, bool new_epoch)
{
	struct map_event *ev;

	if (p->first == p->nr) {
		p->first = p->nr = 0;
		maplist_unref(p->base);
		p->base = maplist_ref(p->cur);
	}
	ev = ARRAY_ADD(p->ev, p->nr, p->cap);
	ts->kept.changes += new_epoch && p->epochs;
	if (new_epoch || !p->epochs)
		ts->totals.total_replaced += p->epochs++ > 0 && p != &ts->known.kernel;
	memset(ev, 0, sizeof(*ev));
	ev->order = order;
	ev->epoch = p->epochs - 1;
	mark_mapped(ts, p);
	p->nr_maps++;
	return ev;
}

/* Replaces all maps of the process by `inherited`. */
static void set_base(struct threads *ts, struct process *p, struct maplist *inherited,
		     uint64_t order)
{
	struct map_event *ev;

	p->dead = p->leader_gone = false;
	p->generation++;
	p->nr_threads = 0;
	if (!p->epochs && !inherited) {
		mark_mapped(ts, p);
		return;
	}
	ev = add_event(ts, p, order, p->epochs > 0);
	ev->is_base = true;
	ev->base = maplist_ref(inherited);
	maplist_unref(p->cur);
	p->cur = maplist_ref(inherited);
}

void threads_set_map(struct threads *ts, struct process *p, const struct map *m, uint64_t order)
{
	struct map_event *ev;
	bool conflict;

	mark_mapped(ts, p);
	if (!p->cur)
		p->cur = maplist_new();
	conflict = maplist_conflicts(p->cur, m);
	if (!m->dso && !conflict)
		return;
	ev = add_event(ts, p, order, conflict);
	p->cur = maplist_own(p->cur);
	ev->map = *m;
	maplist_set(p->cur, m);
}

static void map_event(struct threads *ts, const struct side_event *e, uint64_t order)
{
	struct process *p;

	if (e->kernel) {
		threads_set_map(ts, &ts->known.kernel, &e->map, order);
		return;
	}
	p = get_process(ts, e->pid);
	/* the process ID is reused, and the record of the new process's creation was lost */
	if (p->dead && e->kind == SIDE_MAP)
		set_base(ts, p, NULL, order);
	memory_event(ts, p, e, order);
	set_pid(ts, e->tid, e->pid, order);
}

static void fork_event(struct threads *ts, const struct side_event *e, uint64_t order)
{
	const char *comm = threads_comm(ts, e->fork.ptid, UINT64_MAX);
	struct process *parent, *child;

	if (comm)
		set_comm(ts, e->tid, comm, order);
	/*
	 * For processes that exist when recording starts, the recorder writes events without a time and all their maps.
	 * Maps of the parent at that time are not inherited. Since 4.20 perf marks these events, which is the only difference
	 * if no event has a time.
	 */
	if (e->pid != e->fork.ppid && !e->fork.described && !(ts->have_time && !e->time)) {
		parent = intmap_get(&ts->known.processes, e->fork.ppid);
		child = get_process(ts, e->pid);
		set_base(ts, child, parent ? parent->cur : NULL, order);
	}
	set_pid(ts, e->tid, e->pid, order);
}

static void exit_event(struct threads *ts, const struct side_event *e, uint64_t order)
{
	struct thread *t = intmap_get(&ts->known.threads, e->tid);
	struct process *p = intmap_get(&ts->known.processes, e->pid);

	if (t && !t->ended) {
		leave_process(ts, t);
		t->ended = order + 1;
	}
	if (!p)
		return;
	p->leader_gone |= e->pid == e->tid;
	p->dead = p->leader_gone && !p->nr_threads;
	p->died = order + 1;
}

void threads_apply(struct threads *ts, const struct side_event *e, uint64_t order)
{
	const struct thread *t;
	struct process *p;

	switch (e->kind) {
	case SIDE_MAP:
	case SIDE_UNMAP:
		map_event(ts, e, order);
		break;
	case SIDE_EXEC:
		p = get_process(ts, e->pid);
		set_base(ts, p, NULL, order);
		/* fall through */
	case SIDE_COMM:
		set_pid(ts, e->tid, e->pid, order);
		set_comm(ts, e->tid, e->comm, order);
		break;
	case SIDE_FORK:
		fork_event(ts, e, order);
		break;
	case SIDE_THREAD:
		/* other records have precedence over a switch, in particular while a thread exits */
		t = intmap_get(&ts->known.threads, e->tid);
		if (!t || !t->pids.nr)
			set_pid(ts, e->tid, e->pid, order);
		break;
	case SIDE_EXIT:
		exit_event(ts, e, order);
		break;
	}
}

int threads_pid(const struct threads *ts, int tid, uint64_t limit)
{
	const struct thread *t = intmap_get(&ts->known.threads, tid);
	intptr_t orphan;

	if (tid == 0)
		return 0;	/* idle task */
	if (!t || !t->pids.nr) {
		orphan = (intptr_t)intmap_get(&ts->pass.orphans, tid);
		return orphan ? (int)(orphan - 2) : -1;
	}
	return past_at(&t->pids, limit)->pid;
}

bool threads_alive(const struct threads *ts, int tid, uint64_t limit)
{
	const struct thread *t = intmap_get(&ts->known.threads, tid);

	/* a thread runs for a moment after its exit record */
	if (t && t->ended && t->ended < limit)
		return false;
	return t && t->pids.nr && t->pids.v[0].order < limit && threads_pid(ts, tid, limit) >= 0;
}

const char *threads_comm(const struct threads *ts, int tid, uint64_t limit)
{
	const struct thread *t = intmap_get(&ts->known.threads, tid);

	return t && t->comms.nr ? past_at(&t->comms, limit)->comm : NULL;
}

struct process *threads_process(const struct threads *ts, int pid)
{
	struct process *p = intmap_get(&ts->known.processes, pid);

	return p && p->mapped ? p : NULL;
}

struct process *threads_only_process(const struct threads *ts)
{
	return ts->pass.only_pid >= 0 ? threads_process(ts, ts->pass.only_pid) : NULL;
}

uint32_t process_epoch(const struct process *p, uint64_t limit)
{
	size_t lo = p->first, hi = p->nr;

	BISECT(lo, hi, mid, p->ev[mid].order < limit);
	return lo > p->first ? p->ev[lo - 1].epoch : p->base_epoch;
}

/* Returns the index of the first event of this epoch or a later one. */
static size_t epoch_start(const struct process *p, uint32_t epoch)
{
	size_t lo = p->first, hi = p->nr;

	BISECT(lo, hi, mid, p->ev[mid].epoch < epoch);
	return lo;
}

void process_epoch_events(const struct process *p, uint32_t epoch, size_t *first, size_t *last)
{
	*first = epoch_start(p, epoch);
	*last = epoch < UINT32_MAX ? epoch_start(p, epoch + 1) : p->nr;
}

struct maplist *process_base(const struct process *p)
{
	return p->first == p->nr ? p->cur : p->base;
}
