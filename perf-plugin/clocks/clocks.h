/* SPDX-License-Identifier: GPL-2.0-only */
/* clocks.h - the clocks of all trace units of a recording: how their timestamps become perf time. */
#ifndef CSTRACE_CLOCKS_CLOCKS_H
#define CSTRACE_CLOCKS_CLOCKS_H

#include "base/intmap.h"
#include "buffers/queues.h"
#include "buffers/units.h"
#include "clocks/clock.h"

/* Start of a CPU's trace. */
struct trace_start {
	uint64_t time;
	bool itrace;		/* nothing was traced before; else it only was traced then */
};

struct clocks {
	const struct trace_units *units;	/* the caller's */
	uint64_t ts_freq;		/* ticks per second, by the user; 0: not given */
	bool have_conv;			/* TIME_CONV */
	struct pd_time_conv conv;
	struct intmap starts;		/* cpu -> the first trace_start */
	struct trace_clock *v;		/* of each CPU of the metadata */
	bool timestamps;		/* on any of them */
};

/* A record says that a CPU was traced at its time; `itrace`: and not before. 0, or ERR_NOMEM. */
int clocks_note_start(struct clocks *c, const struct pd_record *rec, bool itrace);
/* pairing.c: makes the clocks, after all records were read. 0, or -CST_ERR_x. */
int clocks_make(struct clocks *c, struct queues *qs);
void clocks_free(struct clocks *c);

/* When the trace of a CPU began, as far as records say it; NULL: they do not. */
const struct trace_start *clocks_start(const struct clocks *c, int cpu);
/* The clock of a CPU; NULL: it has no trace unit. */
const struct trace_clock *clocks_of_cpu(const struct clocks *c, int cpu);

#endif
