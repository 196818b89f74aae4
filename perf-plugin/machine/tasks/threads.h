/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads.h - threads, processes and their maps over time: the process of a thread at a moment, and
 * the maps it had.
 *
 * A moment is a number of events that had happened ("limit"), so that files with and without times
 * are handled alike.
 * Only the newest part of the history is kept: the effect of older events is in
 * the base maps of each process, and processes that ended before it are dropped. threads_seek()
 * reads on and drops what is too old; for a moment before the first event that is kept,
 * threads_restart() begins again.
 */
#ifndef CSTRACE_MACHINE_TASKS_THREADS_H
#define CSTRACE_MACHINE_TASKS_THREADS_H

#include "base/intmap.h"
#include "machine/images/maps.h"
#include "machine/sideband/side_order.h"

/*
 * Events that are kept after and before the moment that was requested: a thread runs for a moment
 * after its exit record, and clocks are not exact.
 */
#define THREADS_AHEAD 2048u

/* Passes over all events after which everything is kept. */
#define THREADS_MAX_RESTARTS 16u

struct map_event {
	uint64_t order;		/* number of the event in time order */
	struct map map;		/* dso NULL: unmapped */
	struct maplist *base;	/* with is_base: the maps inherited from the parent; NULL: none */
	bool is_base;		/* exec or fork: replaces all earlier maps */
	uint32_t epoch;
};

struct version;

/*
 * Maps of a process. Consecutive events that only add maps form an epoch: maps that are visible too early do no harm.
 * An event that replaces a map begins the next epoch.
 */
struct process {
	int pid;		/* KERNEL_PID: the kernel */
	bool mapped;		/* has, or had, maps of its own or inherited ones */
	bool dead;		/* its last thread ended */
	uint64_t died;		/* number of the event that ended it, plus 1 */
	bool leader_gone;	/* the main thread ended */
	uint32_t generation;	/* incremented by each exec and each new process with the same number */
	uint32_t nr_threads;	/* living threads of this generation */
	uint64_t nr_maps;	/* number of map events so far */
	uint32_t epochs;	/* number of the current epoch plus 1; 0: no events */
	uint64_t forgotten;	/* events before this one are in `base` only */
	uint32_t base_epoch;
	struct maplist *base;	/* maps before the events that are kept, if there are such */
	struct maplist *cur;	/* maps after all events so far */
	struct map_event *ev;	/* events that are kept: [first, nr) */
	size_t first, nr, cap;
	struct version *versions; /* address spaces made so far (space.c) */
};

/* Processes or names of a thread, one after the other. */
struct thread_past {
	struct thread_was {
		uint64_t order;	/* number of the event from which on it was so */
		union {
			int pid;
			const char *comm;
		};
	} *v;
	size_t nr, cap;
};

struct thread {
	int tid;
	uint64_t ended;		/* number of its last event plus 1; 0: alive */
	uint32_t generation;	/* generation of its process */
	struct thread_past pids, comms;
};

/* An event that is kept. */
struct moment {
	uint64_t time, seq;
	int pid, tid;
	bool kernel;
	uint64_t changes;	/* threads.changes including this event */
};

struct threads {
	struct side_order *side;
	struct {
		/*
		 * Frees the address spaces of a process that have no user; false: one has. NULL:
		 * there are no address spaces.
		 */
		bool (*release)(struct process *p);
		/*
		 * True if code of the process in [start, end) is known to be generated. NULL: none
		 * is.
		 */
		bool (*generated)(void *data, int pid, uint64_t start, uint64_t end);
		void *generated_data;
	} hooks;
	size_t ahead;		/* THREADS_AHEAD; tests use other values */
	bool keep;		/* keep all events */
	bool have_time;		/* events carry times */
	bool have_jit;		/* some code came from jitdump files */
	bool ended;		/* all events were read */
	unsigned int restarts;

	struct {
		struct moment *moments;	/* [first, nr) */
		size_t first, nr, cap;
		uint64_t base;		/* number of the first one */
		/* of the last event before it */
		uint64_t gone_time, gone_seq, gone_changes;
		/* events that replaced code or changed a thread's process or name */
		uint64_t changes;
	} kept;

	struct {
		struct intmap threads, processes;	/* at present */
		struct process kernel;
		int *zombies;		/* dead processes whose address spaces are in use */
		size_t nr_zombies, cap_zombies;
	} known;

	struct {
		/* results of the first pass */
		struct intmap alive;	/* threads at this point of the first pass */
		/* threads whose creation is not in the file -> first known process + 2 */
		struct intmap orphans;
		int only_pid;		/* process with code; ONLY_NONE, ONLY_MANY */
	} pass;

	struct {
		/* since the start or the last restart */
		uint64_t total_processes, total_threads, total_replaced;
	} totals;
};

#define ONLY_NONE (-2)
#define ONLY_MANY (-3)

void threads_init(struct threads *ts, struct side_order *side);
void threads_free(struct threads *ts);

/* First pass: notes an event, in file order. */
void threads_note(struct threads *ts, const struct side_event *e);
/* Ends the first pass, after side_order_finish(). Returns 0 or negative. */
void threads_begin(struct threads *ts);

/*
 * Reads on to a time or, in a file without times, to file position `seq`; NO_TIME: to the end.
 * Moments from `hold` (a number of events) on stay kept. Returns 0 or negative.
 */
void threads_seek(struct threads *ts, uint64_t time, uint64_t seq, uint64_t hold);
/* True if events behind this moment are no longer kept. */
bool threads_passed(const struct threads *ts, uint64_t time, uint64_t seq);
/* Restarts with the first event. No address space may be in use. Returns 0 or negative. */
void threads_restart(struct threads *ts);

/*
 * Returns the number of events before `time` or, in a file without times, before file position
 * `seq`; for a moment that is not kept that of the first or last that is.
 */
uint64_t threads_limit(const struct threads *ts, uint64_t time, uint64_t seq);
/*
 * True if code, processes and names of threads do not change between `limit` and the given moment.
 * False also if they are not both kept.
 */
bool threads_steady(const struct threads *ts, uint64_t limit, uint64_t time, uint64_t seq);
/* Returns the time of the last event before a moment; 0: none. */
uint64_t threads_time(const struct threads *ts, uint64_t limit);

/* True if the thread existed at the moment. */
bool threads_alive(const struct threads *ts, int tid, uint64_t limit);
/* Returns the process of a thread at a moment; -1 unknown. */
int threads_pid(const struct threads *ts, int tid, uint64_t limit);
const char *threads_comm(const struct threads *ts, int tid, uint64_t limit);
struct process *threads_process(const struct threads *ts, int pid);
/* Returns the process of the recording that has code if there is exactly one, else NULL. */
struct process *threads_only_process(const struct threads *ts);

/* Returns the epoch of a moment; 0 if the process has no events. */
uint32_t process_epoch(const struct process *p, uint64_t limit);
/* Returns the events of an epoch that are kept, as indices [first, last) of `ev`. */
void process_epoch_events(const struct process *p, uint32_t epoch, size_t *first, size_t *last);
/* threads.c: applies an event. */
void threads_apply(struct threads *ts, const struct side_event *e, uint64_t order);

/* threads.c: maps a range of a process, or without a dso removes what is there. */
void threads_set_map(struct threads *ts, struct process *p, const struct map *m, uint64_t order);

/* Returns the maps before the first event that is kept; NULL: none. */
struct maplist *process_base(const struct process *p);

#endif
