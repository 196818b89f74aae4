/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads.h - threads, processes and their maps over time. Events are collected in file order, sorted
 * once by time, and then answer "which process was thread T at moment M, and what was mapped there".
 * A moment is a number of events that had happened ("limit"), so that files with and without times
 * are treated alike.
 */
#ifndef CSTRACE_SESSION_THREADS_H
#define CSTRACE_SESSION_THREADS_H

#include "session/intmap.h"
#include "session/maps.h"
#include "session/side.h"

struct map_event {
	uint64_t order;		/* number of the event in time order */
	struct map map;		/* dso NULL: unmapped */
	struct maplist *base;	/* with is_base: the maps inherited from the parent; NULL: none */
	bool is_base;		/* exec or fork: nothing earlier is left */
	uint32_t epoch;
};

struct version;

/*
 * Maps of a process. Events that only add maps belong to one epoch: that code is there a little early
 * hurts nobody. An epoch ends where something mapped is replaced.
 */
struct process {
	int pid;		/* KERNEL_PID: the kernel */
	struct map_event *ev;
	size_t nr, cap;
	uint32_t *epoch_first;	/* index of the first event of each epoch */
	size_t nr_epochs, cap_epochs;
	struct maplist *cur;	/* while events are applied */
	struct version *versions;	/* address spaces made so far; space.c */
};

#define KERNEL_PID (-1)

struct thread {
	int tid;
	struct thread_pid {
		uint64_t order;
		int pid;
	} *pids;
	size_t nr_pids, cap_pids;
	struct thread_comm {
		uint64_t order;
		const char *comm;
	} *comms;
	size_t nr_comms, cap_comms;
};

struct threads {
	struct side_event *side;
	size_t nr_side, cap_side;
	bool have_time;		/* events carry times */
	bool have_jit;		/* some code comes from jitdump files */
	/* After threads_finish(): time and position of each event in time order. */
	uint64_t *times, *seqs;
	size_t nr;
	struct intmap threads, processes;
	struct process kernel;
	struct thread **all_threads;
	size_t nr_threads, cap_threads;
	struct process **all_processes;
	size_t nr_processes, cap_processes;
	char **strings;		/* command names */
	size_t nr_strings, cap_strings;
};

/* Collect; -1: no memory. A comm's string is copied. */
int threads_add(struct threads *ts, const struct side_event *e);
/* Sort and apply: to be called once, after the last event. -1: no memory. */
int threads_finish(struct threads *ts);
void threads_free(struct threads *ts);

/* How many events had happened at `time`, or, when there are no times, before file position `seq`. */
uint64_t threads_limit(const struct threads *ts, uint64_t time, uint64_t seq);

/* Had the thread been seen by then, and not ended? */
bool threads_alive(const struct threads *ts, int tid, uint64_t limit);
/* Process of a thread at a moment; -1 unknown. */
int threads_pid(const struct threads *ts, int tid, uint64_t limit);
const char *threads_comm(const struct threads *ts, int tid, uint64_t limit);
struct process *threads_process(const struct threads *ts, int pid);
/* The one process that has code mapped; NULL when there is none or more than one. */
struct process *threads_only_process(const struct threads *ts);

/* The epoch that holds at a moment; 0 when the process has no events. */
uint32_t process_epoch(const struct process *p, uint64_t limit);
/* [first, last) events of an epoch. */
void process_epoch_events(const struct process *p, uint32_t epoch, size_t *first, size_t *last);

#endif
