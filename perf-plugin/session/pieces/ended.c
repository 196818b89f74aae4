/* SPDX-License-Identifier: GPL-2.0-only */
/* ended.c - follows processes from their creation to the end of their last thread. */
#include "session/pieces/ended.h"

#include "base/array.h"
#include "base/time.h"

enum process_record_kind { OF_THREAD, OF_MAP, OF_EXIT };

struct ended_process {
	int pid;
	unsigned int threads;	/* that run */
	bool leader_gone;
	uint64_t end;	/* time of the last EXIT */
	struct ended_process *parent;	/* whose maps it has, until its exec */
	uint64_t exec;	/* time of the last exec; NO_TIME: none */
	size_t before_exec;	/* records of before it */
	unsigned int children;	/* that have its maps */
	struct process_record {
		struct kept *k;	/* NULL: one that is kept always */
		int tid;
		uint8_t kind;	/* enum process_record_kind */
	} * v;
	size_t nr, cap;
};

static struct ended_process *new_process(struct ended *e, int pid)
{
	struct ended_process *p = mem_zeroed(1, sizeof(*p));

	p->pid = pid;
	p->exec = NO_TIME;
	*ARRAY_ADD(e->v, e->nr, e->cap) = p;
	intmap_put(&e->processes, pid, p);
	return p;
}

static struct ended_process *get_process(struct ended *e, int pid)
{
	struct ended_process *p = intmap_get(&e->processes, pid);

	return p ? p : new_process(e, pid);
}

static void add_record(struct ended_process *p, struct kept *k, int tid,
		       enum process_record_kind kind)
{
	*ARRAY_ADD(p->v, p->nr, p->cap) = (struct process_record){ k, tid, (uint8_t)kind };
}

static void set_runs(struct ended *e, struct ended_process *p, int tid)
{
	struct ended_process *was = tid > 0 ? intmap_get(&e->threads, tid) : p;

	if (was == p)
		return;
	if (was && was->threads)
		was->threads--;
	intmap_put(&e->threads, tid, p);
	p->threads++;
}

static void note_fork(struct ended *e, const struct perf_record_fork *r, struct kept *k)
{
	struct ended_process *p, *parent;

	/* not of a process that only is described: it existed before */
	if (r->pid != r->ppid && k->time != NO_TIME && k->time &&
	    !(r->header.misc & PERF_RECORD_MISC_FORK_EXEC)) {
		p = new_process(e, (int)r->pid);
		parent = intmap_get(&e->processes, (int)r->ppid);
		if (parent && parent != p) {
			p->parent = parent;
			parent->children++;
		}
		/* the first one is kept: it shows that there are several processes */
		if (!e->forked) {
			e->forked = true;
			k = NULL;
		}
	}
	p = get_process(e, (int)r->pid);
	set_runs(e, p, (int)r->tid);
	add_record(p, k, (int)r->tid, OF_THREAD);
}

static void note_exit(struct ended *e, const struct perf_record_fork *r, struct kept *k)
{
	struct ended_process *p = get_process(e, (int)r->pid),
			     *of = intmap_get(&e->threads, (int)r->tid);

	if (of == p) {
		p->threads--;
		intmap_remove(&e->threads, (int)r->tid);
	}
	p->leader_gone |= r->pid == r->tid;
	if (k->time != NO_TIME && k->time > p->end)
		p->end = k->time;
	add_record(p, k, (int)r->tid, OF_EXIT);
}

static void note_comm(struct ended *e, const struct perf_record_comm *r, struct kept *k)
{
	struct ended_process *p = get_process(e, (int)r->pid);

	set_runs(e, p, (int)r->tid);
	add_record(p, k, (int)r->tid, OF_THREAD);
	if (r->header.misc & PERF_RECORD_MISC_COMM_EXEC && k->time != NO_TIME) {
		p->exec = k->time;
		p->before_exec = p->nr - 1;
	}
}

/*
 * The first maps of two processes are kept: where only one has any, threads that are not known are
 * taken to be its.
 */
static void note_map(struct ended *e, int pid, int tid, struct kept *k)
{
	struct ended_process *p;

	if (pid < 0)
		return;
	p = get_process(e, pid);
	set_runs(e, p, tid);
	if (!e->mapped || (!e->several && e->mapped != pid)) {
		e->several = e->mapped;
		e->mapped = pid;
		k = NULL;
	}
	add_record(p, k, tid, OF_MAP);
}

void ended_note(struct ended *e, const struct pd_record *rec, struct kept *k)
{
	const union perf_event *ev = rec->ev;

	switch (ev->header.type) {
	case PERF_RECORD_FORK:
		note_fork(e, &ev->fork, k);
		break;
	case PERF_RECORD_EXIT:
		note_exit(e, &ev->fork, k);
		break;
	case PERF_RECORD_COMM:
		note_comm(e, &ev->comm, k);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if ((ev->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
			note_map(e, (int)ev->mmap.pid, (int)ev->mmap.tid, k);
		break;
	}
}

/* ---- what is not needed ---------------------------------------------------------------------- */

static void leave_parent(struct ended_process *p)
{
	if (p->parent)
		p->parent->children--;
	p->parent = NULL;
}

static void drop_record(struct kept *k)
{
	if (k)
		k->keep = KEEP_NOT;
}

/* Drops maps of before the last exec, and threads that are in `over`. */
static void drop_records(struct ended_process *p, size_t before_exec, const struct intmap *over)
{
	size_t i, n = 0;

	for (i = 0; i < p->nr; i++) {
		const struct process_record *r = &p->v[i];

		if (r->kind == OF_MAP ? i < before_exec : intmap_get(over, r->tid) != NULL) {
			drop_record(r->k);
			p->before_exec -= n < p->before_exec;
		} else {
			p->v[n++] = *r;
		}
	}
	p->nr = n;
}

/* Drops what a running process does not need. */
static void thin_out(const struct ended *e, struct ended_process *p, uint64_t since)
{
	const bool exec = p->exec != NO_TIME && p->exec < since && !p->children;
	struct intmap over = { .size = 0 };
	size_t i;

	for (i = 0; i < p->nr; i++) {
		const struct process_record *r = &p->v[i];

		if (r->kind == OF_EXIT && r->tid != p->pid && r->k->time < since &&
		    !intmap_get(&e->threads, r->tid))
			intmap_put(&over, r->tid, p);
	}
	if (over.used || (exec && p->before_exec)) {
		drop_records(p, exec ? p->before_exec : 0, &over);
		if (exec)
			p->before_exec = 0;
	}
	intmap_free(&over);
}

static void drop_process(struct ended *e, struct kept_list *l, struct ended_process *p)
{
	size_t i;

	leave_parent(p);
	for (i = 0; i < p->nr; i++) {
		drop_record(p->v[i].k);
		if (intmap_get(&e->threads, p->v[i].tid) == p)
			intmap_remove(&e->threads, p->v[i].tid);
		if (!intmap_get(&e->threads, p->v[i].tid))
			intmap_remove(&l->threads, p->v[i].tid);
	}
	if (p->end > l->dropped)
		l->dropped = p->end;
	if (intmap_get(&e->processes, p->pid) == p)
		intmap_remove(&e->processes, p->pid);
	free(p->v);
	free(p);
}

/*
 * True if it has ended, or another process has its number. A thread runs for a moment after its
 * exit record.
 */
static bool is_over(const struct ended *e, const struct ended_process *p, uint64_t since)
{
	const bool replaced = intmap_get(&e->processes, p->pid) != p;

	return p->end && p->end < since && !p->children &&
	       (replaced || (p->leader_gone && !p->threads));
}

void ended_drop(struct ended *e, struct kept_list *l, uint64_t since)
{
	size_t i, n = 0;

	for (i = 0; i < e->nr; i++) {
		struct ended_process *p = e->v[i];

		if (p->exec != NO_TIME && p->exec < since)
			leave_parent(p);
	}
	/* children come after their parents */
	for (i = e->nr; i--;) {
		if (!is_over(e, e->v[i], since))
			continue;
		drop_process(e, l, e->v[i]);
		e->v[i] = NULL;
	}
	for (i = 0; i < e->nr; i++)
		if (e->v[i])
			e->v[n++] = e->v[i];
	e->nr = n;
	for (i = 0; i < e->nr; i++)
		thin_out(e, e->v[i], since);
}

void ended_free(struct ended *e)
{
	size_t i;

	for (i = 0; i < e->nr; i++) {
		free(e->v[i]->v);
		free(e->v[i]);
	}
	free(e->v);
	intmap_free(&e->processes);
	intmap_free(&e->threads);
}
