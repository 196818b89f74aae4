/* SPDX-License-Identifier: GPL-2.0-only */
/* tasks.h - processes and threads of a recording, and which calling contexts each of them has. */
#ifndef CSTRACE_OUTPUTS_REPORT_TASKS_H
#define CSTRACE_OUTPUTS_REPORT_TASKS_H

#include "outputs/profile/tree.h"

#define TASK_NAME	64u
/* Graphs of processes and threads: those with most instructions. */
#define TASK_PAGES	32u

struct session;

/* A thread, or a process with several of them. */
struct task {
	int pid, tid;		/* -1: unknown; tid -1 of a process: all its threads */
	char name[TASK_NAME];
	uint64_t insns;
	uint32_t page;		/* number of its graph; 0: none */
	/* its contexts: spans of `struct tasks` */
	size_t first, nr_threads;
};

struct tasks {
	struct task *v;		/* the one with most instructions first */
	size_t n, cap;
	struct node_span *spans;	/* those of a process follow each other */
};

/*
 * Finds the tasks of a model whose roots have their threads (collect_by_thread()). There are none
 * if it is one thread.
 */
void tasks_init(struct tasks *t, const struct whole *w, struct session *ss);
void tasks_free(struct tasks *t);
/* Writes the name of the thread with this key (calls_thread_of()), with its number. */
void tasks_name(char *name, size_t size, struct session *ss, uint64_t key);
/* The same of a task. `size`: TASK_NAME + 32 at least. */
void task_name(char *name, size_t size, const struct task *t);

#endif
