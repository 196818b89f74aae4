/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "session/array.h"
#include "session/dso.h"
#include "session/threads.h"

int threads_add(struct threads *ts, const struct side_event *e)
{
	struct side_event *slot = ARRAY_ADD(ts->side, ts->nr_side, ts->cap_side);
	char **str;

	if (!slot)
		return -1;
	*slot = *e;
	if (e->time)
		ts->have_time = true;
	if (e->kind == SIDE_MAP && e->map.dso && e->map.dso->kind == DSO_JIT)
		ts->have_jit = true;
	if (e->kind != SIDE_COMM && e->kind != SIDE_EXEC)
		return 0;
	/* Threads of a process repeat its name. */
	if (ts->nr_strings && !strcmp(ts->strings[ts->nr_strings - 1], e->comm)) {
		slot->comm = ts->strings[ts->nr_strings - 1];
		return 0;
	}
	str = ARRAY_ADD(ts->strings, ts->nr_strings, ts->cap_strings);
	if (str)
		*str = strdup(e->comm);
	if (!str || !*str) {
		ts->nr_strings -= str != NULL;
		ts->nr_side--;
		return -1;
	}
	slot->comm = *str;
	return 0;
}

static int compare_side(const void *a, const void *b)
{
	const struct side_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static struct thread *get_thread(struct threads *ts, int tid)
{
	struct thread *t = intmap_get(&ts->threads, tid), **all;

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = tid;
	all = ARRAY_ADD(ts->all_threads, ts->nr_threads, ts->cap_threads);
	if (!all) {
		free(t);
		return NULL;
	}
	*all = t;
	return intmap_put(&ts->threads, tid, t) ? t : NULL;
}

static struct process *get_process(struct threads *ts, int pid)
{
	struct process *p = intmap_get(&ts->processes, pid), **all;

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	all = ARRAY_ADD(ts->all_processes, ts->nr_processes, ts->cap_processes);
	if (!all) {
		free(p);
		return NULL;
	}
	*all = p;
	return intmap_put(&ts->processes, pid, p) ? p : NULL;
}

static int set_pid(struct threads *ts, int tid, int pid, uint64_t order)
{
	struct thread *t = get_thread(ts, tid);
	struct thread_pid *slot;

	if (!t)
		return -1;
	if (t->nr_pids && t->pids[t->nr_pids - 1].pid == pid)
		return 0;
	slot = ARRAY_ADD(t->pids, t->nr_pids, t->cap_pids);
	if (!slot)
		return -1;
	slot->order = order;
	slot->pid = pid;
	return 0;
}

static int set_comm(struct threads *ts, int tid, const char *comm, uint64_t order)
{
	struct thread *t = get_thread(ts, tid);
	struct thread_comm *slot;

	if (!t)
		return -1;
	if (t->nr_comms && !strcmp(t->comms[t->nr_comms - 1].comm, comm))
		return 0;
	slot = ARRAY_ADD(t->comms, t->nr_comms, t->cap_comms);
	if (!slot)
		return -1;
	slot->order = order;
	slot->comm = comm;
	return 0;
}

static struct map_event *add_event(struct process *p, uint64_t order, bool new_epoch)
{
	struct map_event *ev;
	uint32_t *first;

	if (new_epoch || !p->nr_epochs) {
		first = ARRAY_ADD(p->epoch_first, p->nr_epochs, p->cap_epochs);
		if (!first)
			return NULL;
		*first = p->nr;
	}
	ev = ARRAY_ADD(p->ev, p->nr, p->cap);
	if (!ev)
		return NULL;
	memset(ev, 0, sizeof(*ev));
	ev->order = order;
	ev->epoch = p->nr_epochs - 1;
	return ev;
}

/* Nothing of what was mapped is left; `inherited` takes its place. */
static int set_base(struct process *p, struct maplist *inherited, uint64_t order)
{
	struct map_event *ev;

	if (!p->nr && !inherited)
		return 0;
	ev = add_event(p, order, p->nr > 0);
	if (!ev)
		return -1;
	ev->is_base = true;
	ev->base = maplist_ref(inherited);
	maplist_unref(p->cur);
	p->cur = maplist_ref(inherited);
	return 0;
}

static int set_map(struct process *p, const struct map *m, uint64_t order)
{
	struct map_event *ev;
	struct maplist *own;
	bool conflict;

	if (!p->cur)
		p->cur = maplist_new();
	own = p->cur ? maplist_own(p->cur) : NULL;
	if (!own)
		return -1;
	p->cur = own;
	conflict = maplist_conflicts(p->cur, m);
	if (!m->dso && !conflict)
		return 0;
	ev = add_event(p, order, conflict);
	if (!ev)
		return -1;
	ev->map = *m;
	return maplist_set(p->cur, m) ? 0 : -1;
}

/* The first piece of generated code in [addr, end). */
static const struct map *next_jit(const struct maplist *ml, uint64_t addr, uint64_t end)
{
	const struct map *x = maplist_next(ml, addr);

	while (x && x->start < end && x->dso->kind != DSO_JIT)
		x = maplist_next(ml, x->end);
	return x && x->start < end ? x : NULL;
}

/*
 * Compilers make their memory writable and executable again and again, which is recorded as another map
 * of it. The code there stays.
 */
static int set_anon(struct process *p, const struct map *m, uint64_t order)
{
	struct map part = *m;
	const struct map *jit;
	uint64_t end;

	while (part.start < m->end) {
		jit = p->cur ? next_jit(p->cur, part.start, m->end) : NULL;
		part.end = jit ? jit->start : m->end;
		end = jit ? jit->end : m->end;
		if (part.start < part.end && set_map(p, &part, order))
			return -1;
		part.off += end - part.start;
		part.start = end;
	}
	return 0;
}

static int fork_process(struct threads *ts, const struct side_event *e, uint64_t order)
{
	struct process *parent, *child;

	if (set_pid(ts, e->tid, e->pid, order))
		return -1;
	if (e->pid == e->fork.ppid)
		return 0;
	/*
	 * The recorder describes processes that ran already by events of its own, without time; their maps
	 * follow in full, and what the parent has mapped since is none of the child's.
	 */
	if (ts->have_time && !e->time)
		return 0;
	parent = intmap_get(&ts->processes, e->fork.ppid);
	child = get_process(ts, e->pid);
	if (!child)
		return -1;
	return set_base(child, parent ? parent->cur : NULL, order);
}

static const char *last_comm(const struct threads *ts, int tid)
{
	const struct thread *t = intmap_get(&ts->threads, tid);

	return t && t->nr_comms ? t->comms[t->nr_comms - 1].comm : NULL;
}

static int apply(struct threads *ts, const struct side_event *e, uint64_t order)
{
	const struct thread *t;
	struct process *p;
	const char *comm;

	switch (e->kind) {
	case SIDE_MAP:
	case SIDE_UNMAP:
		p = e->kernel ? &ts->kernel : get_process(ts, e->pid);
		if (!p)
			return -1;
		if (ts->have_jit && e->map.dso && e->map.dso->kind == DSO_ANON ? set_anon(p, &e->map, order) :
										 set_map(p, &e->map, order))
			return -1;
		return e->kernel ? 0 : set_pid(ts, e->tid, e->pid, order);
	case SIDE_EXEC:
		p = get_process(ts, e->pid);
		if (!p || set_base(p, NULL, order))
			return -1;
		/* fall through */
	case SIDE_COMM:
		return set_pid(ts, e->tid, e->pid, order) || set_comm(ts, e->tid, e->comm, order) ? -1 : 0;
	case SIDE_FORK:
		comm = last_comm(ts, e->fork.ptid);
		if (comm && set_comm(ts, e->tid, comm, order))
			return -1;
		return fork_process(ts, e, order);
	case SIDE_THREAD:
		/* Records that are about threads and maps know better, above all while a thread exits. */
		t = intmap_get(&ts->threads, e->tid);
		return t && t->nr_pids ? 0 : set_pid(ts, e->tid, e->pid, order);
	}
	return 0;
}

int threads_finish(struct threads *ts)
{
	size_t i;

	if (ts->nr_side)
		qsort(ts->side, ts->nr_side, sizeof(*ts->side), compare_side);
	ts->times = calloc(ts->nr_side + 1, sizeof(*ts->times));
	ts->seqs = calloc(ts->nr_side + 1, sizeof(*ts->seqs));
	if (!ts->times || !ts->seqs)
		return -1;
	ts->kernel.pid = KERNEL_PID;
	for (i = 0; i < ts->nr_side; i++) {
		if (apply(ts, &ts->side[i], i))
			return -1;
		ts->times[i] = ts->side[i].time;
		ts->seqs[i] = ts->side[i].seq;
	}
	ts->nr = ts->nr_side;
	free(ts->side);
	ts->side = NULL;
	ts->nr_side = ts->cap_side = 0;
	for (i = 0; i < ts->nr_processes; i++) {
		maplist_unref(ts->all_processes[i]->cur);
		ts->all_processes[i]->cur = NULL;
	}
	maplist_unref(ts->kernel.cur);
	ts->kernel.cur = NULL;
	return 0;
}

static void free_process(struct process *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		maplist_unref(p->ev[i].base);
	maplist_unref(p->cur);
	free(p->ev);
	free(p->epoch_first);
}

void threads_free(struct threads *ts)
{
	size_t i;

	for (i = 0; i < ts->nr_processes; i++) {
		free_process(ts->all_processes[i]);
		free(ts->all_processes[i]);
	}
	free_process(&ts->kernel);
	for (i = 0; i < ts->nr_threads; i++) {
		free(ts->all_threads[i]->pids);
		free(ts->all_threads[i]->comms);
		free(ts->all_threads[i]);
	}
	for (i = 0; i < ts->nr_strings; i++)
		free(ts->strings[i]);
	free(ts->strings);
	free(ts->all_processes);
	free(ts->all_threads);
	intmap_free(&ts->threads);
	intmap_free(&ts->processes);
	free(ts->side);
	free(ts->times);
	free(ts->seqs);
	memset(ts, 0, sizeof(*ts));
}

/* Entries of a sorted array that are <= value. */
static uint64_t count_until(const uint64_t *v, size_t nr, uint64_t value)
{
	size_t lo = 0, hi = nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid] <= value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint64_t threads_limit(const struct threads *ts, uint64_t time, uint64_t seq)
{
	if (!ts->have_time)
		return count_until(ts->seqs, ts->nr, seq);
	return time == NO_TIME ? ts->nr : count_until(ts->times, ts->nr, time);
}

int threads_pid(const struct threads *ts, int tid, uint64_t limit)
{
	const struct thread *t = intmap_get(&ts->threads, tid);
	size_t i;

	if (tid == 0)
		return 0;	/* the idle task */
	if (!t || !t->nr_pids)
		return -1;
	for (i = t->nr_pids - 1; i && t->pids[i].order >= limit; i--)
		;
	return t->pids[i].pid;
}

bool threads_alive(const struct threads *ts, int tid, uint64_t limit)
{
	const struct thread *t = intmap_get(&ts->threads, tid);

	return t && t->nr_pids && t->pids[0].order < limit && threads_pid(ts, tid, limit) >= 0;
}

const char *threads_comm(const struct threads *ts, int tid, uint64_t limit)
{
	const struct thread *t = intmap_get(&ts->threads, tid);
	size_t i;

	if (!t || !t->nr_comms)
		return NULL;
	for (i = t->nr_comms - 1; i && t->comms[i].order >= limit; i--)
		;
	return t->comms[i].comm;
}

struct process *threads_process(const struct threads *ts, int pid)
{
	return intmap_get(&ts->processes, pid);
}

struct process *threads_only_process(const struct threads *ts)
{
	struct process *only = NULL;
	size_t i;

	for (i = 0; i < ts->nr_processes; i++) {
		if (!ts->all_processes[i]->nr)
			continue;
		if (only)
			return NULL;
		only = ts->all_processes[i];
	}
	return only;
}

uint32_t process_epoch(const struct process *p, uint64_t limit)
{
	size_t lo = 0, hi = p->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->ev[mid].order < limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? p->ev[lo - 1].epoch : 0;
}

void process_epoch_events(const struct process *p, uint32_t epoch, size_t *first, size_t *last)
{
	*first = epoch < p->nr_epochs ? p->epoch_first[epoch] : p->nr;
	*last = epoch + 1 < p->nr_epochs ? p->epoch_first[epoch + 1] : p->nr;
}
