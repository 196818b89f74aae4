/* SPDX-License-Identifier: GPL-2.0-only */
/* tasks.c - finds the threads of the roots of a model, their processes and names. */
#include "outputs/report/tasks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "counting/calls/slices.h"
#include "machine/tasks/comms.h"
#include "machine/tasks/threads.h"
#include "session/parts.h"

/* A thread, as the roots of the model have it. */
struct task_thread {
	uint64_t key;
	int pid, tid;
	uint64_t insns;
	struct node_span span;
};

struct task_search {
	struct threads *threads;
	struct comms *comms;
	struct task_thread *v;
	size_t n, cap;
};

static bool is_guest(uint64_t key)
{
	return key >> 63;
}

static void name_thread(struct task_search *f, struct task *t, uint64_t key)
{
	if (is_guest(key))
		snprintf(t->name, sizeof(t->name), "guest of %d", t->pid);
	else if (key & CALLS_THREAD_UNKNOWN)
		snprintf(t->name, sizeof(t->name), "unknown thread");
	else if (key & CALLS_THREAD_IDLE)
		snprintf(t->name, sizeof(t->name), "idle, CPU %u", (unsigned int)key);
	else
		snprintf(t->name, sizeof(t->name), "%s", comms_at(f->comms, t->tid, UINT64_MAX));
}

/* Sets process and thread of a key (calls_thread_of()). */
static void set_numbers(struct task_search *f, struct task_thread *t)
{
	const bool known = !(t->key & (CALLS_THREAD_UNKNOWN | CALLS_THREAD_IDLE));

	t->pid = t->tid = -1;
	if (is_guest(t->key)) {
		t->pid = (int)(t->key >> 32 & INT32_MAX);
		t->tid = (int)(uint32_t)t->key;
	} else if (known) {
		t->tid = (int)(uint32_t)t->key;
		t->pid = threads_pid(f->threads, t->tid, UINT64_MAX);
	}
}

static void find_threads(struct task_search *f, const struct whole *w)
{
	const struct model *m = w->model;
	struct task_thread *t = NULL;
	size_t i;

	for (i = 0; i < m->nr_nodes; i++) {
		const struct model_node *n = &m->nodes[i];

		if (n->parent == MODEL_NO_NODE && n->is.from == CST_COUNT_OUTSIDE)
			break;
		if (n->parent == MODEL_NO_NODE && (!t || t->key != n->is.from)) {
			t = ARRAY_ADD(f->v, f->n, f->cap);
			*t = (struct task_thread){ .key = n->is.from, .span = { i, i } };
			set_numbers(f, t);
		}
		t->span.end = i + 1;
		if (whole_has(w, n->is.binary))
			t->insns = model_sum(t->insns, n->is.insns);
	}
}

static int compare_threads(const void *pa, const void *pb)
{
	const struct task_thread *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static int compare_tasks(const void *pa, const void *pb)
{
	const struct task *a = pa, *b = pb;

	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	/* a process before its threads */
	if (a->nr_threads != b->nr_threads)
		return a->nr_threads > b->nr_threads ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void add_thread(struct tasks *t, struct task_search *f, size_t i)
{
	struct task *task = ARRAY_ADD(t->v, t->n, t->cap);

	*task = (struct task){ .pid = f->v[i].pid,
			       .tid = f->v[i].tid,
			       .insns = f->v[i].insns,
			       .first = i,
			       .nr_threads = 1 };
	name_thread(f, task, f->v[i].key);
}

/* Adds the process of the threads from `first` to before `end`, if it has several. */
static void add_process(struct tasks *t, struct task_search *f, size_t first, size_t end)
{
	struct task *task;

	if (end - first < 2 || f->v[first].pid < 0)
		return;
	task = ARRAY_ADD(t->v, t->n, t->cap);
	*task = (struct task){
		.pid = f->v[first].pid, .tid = -1, .first = first, .nr_threads = end - first
	};
	if (is_guest(f->v[first].key))
		snprintf(task->name, sizeof(task->name), "guest of %d", task->pid);
	else
		snprintf(task->name, sizeof(task->name), "%s",
			 comms_at(f->comms, task->pid, UINT64_MAX));
	for (; first < end; first++)
		task->insns = model_sum(task->insns, f->v[first].insns);
}

static void add_tasks(struct tasks *t, struct task_search *f)
{
	size_t i, first = 0;

	ARRAY_SORT(f->v, f->n, compare_threads);
	t->spans = mem_array(f->n + 1, sizeof(*t->spans));
	for (i = 0; i < f->n; i++) {
		t->spans[i] = f->v[i].span;
		if (f->v[i].insns)
			add_thread(t, f, i);
		if (i + 1 < f->n && f->v[i + 1].pid == f->v[i].pid &&
		    is_guest(f->v[i + 1].key) == is_guest(f->v[i].key))
			continue;
		add_process(t, f, first, i + 1);
		first = i + 1;
	}
	ARRAY_SORT(t->v, t->n, compare_tasks);
	for (i = 0; i < t->n && i < TASK_PAGES; i++)
		if (t->v[i].insns)
			t->v[i].page = (uint32_t)i + 1;
}

void tasks_init(struct tasks *t, const struct whole *w, struct session *ss)
{
	struct task_search f = { .n = 0 };

	*t = (struct tasks){ .v = NULL };
	if (!ss)
		return;
	f.threads = session_threads(ss);
	threads_seek(f.threads, NO_TIME, UINT64_MAX, UINT64_MAX);
	f.comms = session_comms(ss);
	find_threads(&f, w);
	if (f.n > 1)
		add_tasks(t, &f);
	comms_free(f.comms);
	free(f.v);
}

void tasks_free(struct tasks *t)
{
	free(t->v);
	free(t->spans);
	*t = (struct tasks){ .v = NULL };
}

void task_name(char *name, size_t size, const struct task *t)
{
	if (t->tid < 0 && t->nr_threads > 1)
		snprintf(name, size, "%s, process %d", t->name, t->pid);
	else if (t->tid < 0)
		snprintf(name, size, "%s", t->name);
	else
		snprintf(name, size, "%s, thread %d", t->name, t->tid);
}

void tasks_name(char *name, size_t size, struct session *ss, uint64_t key)
{
	struct task_search f = { .threads = session_threads(ss), .comms = session_comms(ss) };
	struct task_thread th = { .key = key };
	struct task t = { .nr_threads = 1 };

	set_numbers(&f, &th);
	t.pid = th.pid;
	t.tid = th.tid;
	name_thread(&f, &t, key);
	task_name(name, size, &t);
	comms_free(f.comms);
}
