/* SPDX-License-Identifier: GPL-2.0-only */
/* clocks.h - the clocks of all trace units of a recording. */
#ifndef CSTRACE_MACHINE_CLOCKS_CLOCKS_H
#define CSTRACE_MACHINE_CLOCKS_CLOCKS_H

#include "base/intmap.h"
#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"
#include "machine/clocks/clock.h"

/* Time at which a CPU was traced. */
struct trace_start {
	uint64_t time;
	bool itrace;		/* the CPU was not traced before */
};

struct clocks {
	const struct trace_units *units;	/* owned by the caller */
	uint64_t ts_freq;		/* ticks per second given by the user; 0: not given */
	bool have_conv;			/* the file has TIME_CONV */
	bool kernel_time;		/* given by the user: it converts the timestamps of all CPUs */
	bool alone;			/* set by the caller: a snapshot, of which only the trace has times; they are those of the counter */
	struct pd_time_conv conv;
	struct intmap starts;		/* key: CPU, value: its first trace_start */
	struct trace_clock *v;		/* one per CPU of the metadata */
	bool timestamps;		/* some trace unit has timestamps */
	struct {
		struct clock_bracket *v;
		size_t nr, cap;
	} brackets; /* that estimated clocks were fitted to */
};

/* Notes a record that shows that a CPU was traced at its time; `itrace`: and not before. */
void clocks_note_start(struct clocks *c, const struct pd_record *rec, bool itrace);
/* pairing.c: creates the clocks, after all records were read. Returns 0 or an error. */
int clocks_make(struct clocks *c, struct queues *qs);
/* Before clocks_make(): brackets of other pieces of the same recording. */
void clocks_restore(struct clocks *c, const struct clock_bracket *v, size_t nr);
void clocks_free(struct clocks *c);
/* scan.c: reads all timestamps of the trace. first > last: it has none, or their times are not known. Returns 0 or an error. */
int clocks_range(const struct clocks *c, const struct queues *qs, uint64_t *first, uint64_t *last);

/* Returns when the trace of a CPU began, NULL if no record shows it. */
const struct trace_start *clocks_start(const struct clocks *c, int cpu);
/*
 * Returns the clock of a CPU; NULL: it has no trace unit. -1: of an STM, which has its timestamps from the generator that the
 * trace units of the CPUs have them from; NULL: none of those has timestamps.
 */
const struct trace_clock *clocks_of_cpu(const struct clocks *c, int cpu);

#endif
