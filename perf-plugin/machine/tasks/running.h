/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * running.h - the thread that ran on a CPU at a time, from context switch records, sched:sched_switch samples and the
 * records that start a trace. It is used where the trace does not identify the thread.
 */
#ifndef CSTRACE_MACHINE_TASKS_RUNNING_H
#define CSTRACE_MACHINE_TASKS_RUNNING_H

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
	bool of_machine;	/* `tid` is the machine's number, which a PID namespace has another one for */
};

struct run_cpu {
	struct run_switch *v;	/* sorted by time after running_finish() */
	size_t nr, cap;
	bool switches;		/* there are switches; without them running threads are unknown */
	uint64_t first_time;
	int first_prev;		/* thread that ran until the first switch; -1 unknown */
	bool prev_of_machine;	/* as run_switch.of_machine, of `first_prev` */
};

struct running {
	struct intmap cpus;	/* struct run_cpu */
	/*
	 * A thread 0 followed another one. There is one idle task per CPU, so the recorder was inside a PID namespace, where
	 * all threads outside of it have the number 0.
	 */
	bool outsiders;
};

/* Adds a switch. `prev` is the thread that ran before, -1 if the record does not name it. */
void running_add(struct running *r, int cpu, uint64_t time, enum run_kind kind, int tid, int prev);
/* As running_add(), with numbers of the machine, for a sample of sched:sched_switch. */
void running_add_sample(struct running *r, int cpu, uint64_t time, int tid, int prev);
/* Replaces the numbers of the machine by those of the records: `thread` returns them, or -1. */
void running_translate(struct running *r, int (*thread)(const void *data, int tid), const void *data);
/* Completes the lists; must be called once, after the last event. */
void running_finish(struct running *r);
void running_free(struct running *r);

/* Returns the number of CPUs with switches. */
size_t running_cpus(const struct running *r);
/* True if the CPU has switches. */
bool running_known(const struct running *r, int cpu);
/* Returns the thread on a CPU at a time; -1 unknown. */
int running_thread(const struct running *r, int cpu, uint64_t time);
/* True if another thread begins to run on the CPU in (from, to]. */
bool running_changes(const struct running *r, int cpu, uint64_t from, uint64_t to);

/* What the number 0 stands for. */
enum run_zero {
	ZERO_IDLE,	/* the idle task, which has no code of its own at EL0 */
	ZERO_OUTSIDER,	/* or a thread outside of the recorder's PID namespace */
};

/* True if a thread other than `tid` was switched in on the CPU in (from, to]. */
bool running_other(const struct running *r, int cpu, uint64_t from, uint64_t to, int tid, enum run_zero zero);
/*
 * Collects the distinct threads on a CPU in [from, to] without idle: returns their number and the first `max` of them
 * in tids[] in order of time. The number of switches searched is bounded; *all is false if it was exceeded or an
 * unknown thread ran.
 */
size_t running_between(const struct running *r, int cpu, uint64_t from, uint64_t to, enum run_zero zero, int *tids,
		       size_t max, bool *all);

#endif
