/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * running.h - the thread that ran on a CPU at a time, from context switch records, sched:sched_switch samples and the
 * records that start a trace. It is used where the trace does not identify the thread.
 */
#ifndef CSTRACE_TASKS_RUNNING_H
#define CSTRACE_TASKS_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

enum run_kind {
	RUN_IN,		/* the thread starts to run */
	RUN_START,	/* the trace starts while it runs; used only if there are switches, too */
	RUN_OUT,	/* recorded when a thread stops; the next thread is only announced */
};

struct run_switch {
	uint64_t time;
	int tid;		/* thread that runs from then on; -1: one that is not recorded, 0: idle */
	uint8_t kind;		/* enum run_kind */
};

struct run_cpu {
	struct run_switch *v;	/* sorted by time after running_finish() */
	size_t nr, cap;
	bool switches;		/* there are switches; without them running threads are unknown */
	uint64_t first_time;
	int first_prev;		/* thread that ran until the first switch; -1 unknown */
};

struct running {
	struct intmap by_cpu;
	struct run_cpu **cpus;
	size_t nr, cap;
};

/* Adds a switch. `prev` is the thread that ran before, -1 if the record does not name it. Returns 0 or ERR_NOMEM. */
int running_add(struct running *r, int cpu, uint64_t time, enum run_kind kind, int tid, int prev);
/* Completes the lists; must be called once, after the last event. */
void running_finish(struct running *r);
void running_free(struct running *r);

/* True if the CPU has switches. */
bool running_known(const struct running *r, int cpu);
/* Returns the thread on a CPU at a time; -1 unknown. */
int running_thread(const struct running *r, int cpu, uint64_t time);
/* True if a thread other than `tid` was switched in on the CPU in (from, to]. */
bool running_other(const struct running *r, int cpu, uint64_t from, uint64_t to, int tid);
/*
 * Collects the distinct threads on a CPU in [from, to] without idle: returns their number and the first `max` of them
 * in tids[] in order of time. The number of switches searched is bounded; *all is false if it was exceeded or an
 * unknown thread ran.
 */
size_t running_between(const struct running *r, int cpu, uint64_t from, uint64_t to, int *tids,
		       size_t max, bool *all);

#endif
