/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads.h - threads, processes and their maps over time: "which process was thread T at moment M, and
 * what was mapped there". A moment is a number of events that had happened ("limit"), so that files with
 * and without times are treated alike.
 *
 * Only a window of history is kept: events that are older are in what each process had mapped when the
 * window begins, and processes that ended before it are gone. Who needs a moment moves the window there
 * with threads_seek(); for one before the window, threads_restart() begins again.
 */
#ifndef CSTRACE_TASKS_THREADS_H
#define CSTRACE_TASKS_THREADS_H

#include "base/intmap.h"
#include "images/maps.h"
#include "sideband/side_order.h"

/*
 * Events after the moment that was asked for that are in the window, and events before it that stay there:
 * a thread still runs a little after the record of its end, and a clock may be a little wrong.
 */
#define THREADS_AHEAD 2048u

/* Passes over the events before the window is left to grow instead. */
#define THREADS_MAX_RESTARTS 16u

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
	bool mapped;		/* something was mapped, or inherited, or thrown away by an exec */
	bool dead;		/* its last thread ended */
	uint64_t died;		/* number of the event that said so, plus one */
	bool leader_gone;	/* the thread with the process's number ended */
	uint32_t generation;	/* counts execs and new processes of the same number */
	uint32_t nr_threads;	/* that live, of this generation */
	uint64_t nr_maps;	/* map events since the first */
	uint32_t epochs;	/* number of the current one, plus one; 0: no events */
	uint64_t forgotten;	/* events before this one are only in `base` */
	uint32_t base_epoch;
	struct maplist *base;	/* at the start of the window, when events are in the window */
	struct maplist *cur;	/* after all events so far */
	struct map_event *ev;	/* in the window: [first, nr) */
	size_t first, nr, cap;
	struct version *versions; /* address spaces made so far; space.c */
	size_t index;		/* in all_processes */
};

struct thread {
	int tid;
	uint64_t ended;		/* number of its last event plus one; 0: it lives */
	uint32_t generation;	/* of its process */
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
	size_t index;		/* in all_threads */
};

/* An event of the window: when, and what it was about. */
struct moment {
	uint64_t time, seq;
	int pid, tid;
	bool kernel;
	uint64_t changes;	/* threads.changes, this one included */
};

struct threads {
	struct side_order *side;
	/* Frees the address spaces of a process that nobody uses; false: one is in use. NULL: there are none. */
	bool (*release)(struct process *p);
	size_t ahead;		/* THREADS_AHEAD; tests change it */
	bool keep;		/* forget nothing */
	bool have_time;		/* events carry times */
	bool have_jit;		/* some code came from jitdump files */
	bool ended;		/* no event is left to come */
	unsigned int restarts;

	struct moment *moments;	/* in the window: [first, nr) */
	size_t first, nr, cap;
	uint64_t base;		/* number of the first event in the window */
	uint64_t gone_time, gone_seq, gone_changes; /* of the last event before it */
	uint64_t changes;	/* events that replaced code, or gave a thread another process or name */

	struct intmap threads, processes;
	struct process kernel;
	struct thread **all_threads;	/* those that are known at present */
	size_t nr_threads, cap_threads;
	struct process **all_processes;
	size_t nr_processes, cap_processes;
	int *zombies;		/* processes that are dead, but whose address spaces were in use */
	size_t nr_zombies, cap_zombies;

	/* What the first pass knows about the whole recording. */
	struct intmap alive;	/* threads at this point of the first pass */
	struct intmap orphans;	/* threads whose creation is not in the file -> first known process + 2 */
	int only_pid;		/* process with code; ONLY_NONE, ONLY_MANY */

	/* Since the start or the last restart. */
	uint64_t total_processes, total_threads, total_replaced;
};

#define ONLY_NONE (-2)
#define ONLY_MANY (-3)

void threads_init(struct threads *ts, struct side_order *side);
void threads_free(struct threads *ts);

/* An event of the first pass, in file order. 0, or ERR_NOMEM. */
int threads_note(struct threads *ts, const struct side_event *e);
/* After the first pass and side_order_finish(): 0, or negative. */
int threads_begin(struct threads *ts);

/*
 * Move the window to a time or, when there are no times, to the file position `seq`; NO_TIME: to the end.
 * Moments from `hold` (a number of events) on stay in it, whatever lies between. 0, or negative.
 */
int threads_seek(struct threads *ts, uint64_t time, uint64_t seq, uint64_t hold);
/* Does the window begin after this moment? */
bool threads_passed(const struct threads *ts, uint64_t time, uint64_t seq);
/* Begin again with the first event. No address space may be in use. 0, or negative. */
int threads_restart(struct threads *ts);

/*
 * How many events had happened at `time`, or, when there are no times, before file position `seq`. For a
 * moment that is not in the window: the start or the end of it.
 */
uint64_t threads_limit(const struct threads *ts, uint64_t time, uint64_t seq);
/*
 * Are the code of processes and the processes and names of threads the same at this moment and at all up to that of
 * threads_limit()? False also where the window does not tell.
 */
bool threads_steady(const struct threads *ts, uint64_t limit, uint64_t time, uint64_t seq);
/* Time of the last event before a moment; 0: none. */
uint64_t threads_time(const struct threads *ts, uint64_t limit);

/* Had the thread been seen by then, and not ended? */
bool threads_alive(const struct threads *ts, int tid, uint64_t limit);
/* Process of a thread at a moment; -1 unknown. */
int threads_pid(const struct threads *ts, int tid, uint64_t limit);
const char *threads_comm(const struct threads *ts, int tid, uint64_t limit);
struct process *threads_process(const struct threads *ts, int pid);
/* The one process of the recording that has code mapped; NULL when there is none or more than one. */
struct process *threads_only_process(const struct threads *ts);

/* The epoch that holds at a moment; 0 when the process has no events. */
uint32_t process_epoch(const struct process *p, uint64_t limit);
/* [first, last) events of an epoch, as far as they are in the window: indices of ev. */
void process_epoch_events(const struct process *p, uint32_t epoch, size_t *first, size_t *last);
/* threads.c: what an event means; 0, or ERR_NOMEM. */
int threads_apply(struct threads *ts, const struct side_event *e, uint64_t order);

/* What is mapped before the first event of the window; NULL: nothing. */
struct maplist *process_base(const struct process *p);

#endif
