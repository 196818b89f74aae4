/* SPDX-License-Identifier: GPL-2.0-only */
/* clock.h - trace timestamps of a CPU to perf time. */
#ifndef CSTRACE_CLOCKS_CLOCK_H
#define CSTRACE_CLOCKS_CLOCK_H

#include "perfdata/decode.h"

enum clock_kind {
	CLOCK_NONE,		/* no timestamps in the trace */
	CLOCK_CONVERTED,	/* the file tells how: TIME_CONV, and timestamps of the virtual counter */
	CLOCK_ESTIMATED,	/* fitted to the times of records between which timestamps were made */
};

enum clock_rate {
	CLOCK_RATE_ASSUMED,	/* CLOCK_DEFAULT_FREQ */
	CLOCK_RATE_GIVEN,	/* by the user */
	CLOCK_RATE_FILE,	/* TIME_CONV: physical counters tick like the virtual one, from another zero */
	CLOCK_RATE_MEASURED,
};

struct trace_clock {
	enum clock_kind kind;
	struct pd_time_conv conv;
	unsigned int bits;	/* of a timestamp; the counter may have more */
	enum clock_rate rate;
	double ns_per_tick;
	bool paired;
	uint64_t pair_ticks, pair_ns;
	uint64_t error_ns;	/* the pair is right within so much; UINT64_MAX: not known */
	bool contradicted;	/* no pair agrees with all records */
	size_t windows;		/* that it was fitted to */
};

#define CLOCK_DEFAULT_FREQ 1000000000ull

/* What is known of the counter of a CPU. */
struct clock_facts {
	const struct pd_time_conv *conv;	/* NULL: the file has none */
	bool timestamps;
	bool virtual_counter;
	bool counter;		/* which of the counters is known */
	unsigned int bits;	/* 0: 64 */
	uint64_t freq;		/* by the user; 0: not given */
};
void clock_init(struct trace_clock *c, const struct clock_facts *facts);

/* A timestamp that was made in [from, to]; `to` is known. */
struct clock_window {
	uint64_t ticks;
	uint64_t from, to;	/* from 0: not known */
	int cpu;
};

/* Fit an estimated clock to windows, which are put in order of time. */
void clock_fit(struct trace_clock *c, struct clock_window *w, size_t n);

/*
 * False while the time is not known. `hint` is a perf time not far from it, UINT64_MAX for none: narrow
 * timestamps wrap.
 */
bool clock_ns(const struct trace_clock *c, uint64_t ticks, uint64_t hint, uint64_t *ns);

#endif
