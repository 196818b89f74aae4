/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * running.h - which thread ran on a CPU at a time: from context switch records, from sched:sched_switch
 * samples and from the records that start a trace. Needed where the trace itself does not tell.
 */
#ifndef CSTRACE_TASKS_RUNNING_H
#define CSTRACE_TASKS_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

enum run_kind {
	RUN_IN,		/* the thread runs from now on */
	RUN_START,	/* the trace starts while it runs: of use only along with switches */
	RUN_OUT,	/* told by the thread that leaves; the next one is only announced */
};

struct run_switch {
	uint64_t time;
	int tid;		/* who runs from then on; -1: somebody who is not recorded, 0: idle */
	uint8_t kind;		/* enum run_kind */
};

struct run_cpu {
	int cpu;
	struct run_switch *v;	/* in order of time once running_finish() was called */
	size_t nr, cap;
	bool switches;		/* there are some: without, nothing is known */
	uint64_t first_time;
	int first_prev;		/* who ran until the first switch; -1 unknown */
};

struct running {
	struct intmap by_cpu;
	struct run_cpu **cpus;
	size_t nr, cap;
};

/* `prev` is the thread that ran before, -1 when the record does not say. 0, or ERR_NOMEM. */
int running_add(struct running *r, int cpu, uint64_t time, enum run_kind kind, int tid, int prev);
/* To be called once, after the last event. */
void running_finish(struct running *r);
void running_free(struct running *r);

/* Is anything known about this CPU? */
bool running_known(const struct running *r, int cpu);
/* Thread on a CPU at a time; -1 unknown. */
int running_thread(const struct running *r, int cpu, uint64_t time);
/* Did a thread other than `tid` come to run on the CPU in (from, to]? */
bool running_other(const struct running *r, int cpu, uint64_t from, uint64_t to, int tid);
/*
 * The different threads on a CPU in [from, to], idle left out: their number, the first `max` of them in
 * tids[] in order of time. Not more than a bounded number of switches is looked at: then, and when some
 * thread in between is not known, *all is false.
 */
size_t running_between(const struct running *r, int cpu, uint64_t from, uint64_t to, int *tids,
		       size_t max, bool *all);

#endif
