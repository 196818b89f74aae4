/* SPDX-License-Identifier: GPL-2.0-only */
/* clock.h - conversion of the trace timestamps of a CPU to perf time. */
#ifndef CSTRACE_MACHINE_CLOCKS_CLOCK_H
#define CSTRACE_MACHINE_CLOCKS_CLOCK_H

#include "perfdata/decode.h"

enum clock_kind {
	CLOCK_NONE,		/* no timestamps in the trace */
	CLOCK_CONVERTED,	/* by TIME_CONV of the file, from timestamps of the virtual counter */
	CLOCK_ESTIMATED,	/* fitted to the times of the records before and after timestamps */
};

enum clock_rate {
	CLOCK_RATE_ASSUMED,	/* CLOCK_DEFAULT_FREQ */
	CLOCK_RATE_GIVEN,	/* given by the user */
	CLOCK_RATE_FILE,	/* of TIME_CONV: physical counters have the rate of the virtual one, but another offset */
	CLOCK_RATE_MEASURED,
};

struct trace_clock {
	enum clock_kind kind;
	struct pd_time_conv conv;
	unsigned int bits;	/* bits of a timestamp, which may be fewer than those of the counter */
	enum clock_rate rate;
	double ns_per_tick;
	bool paired;
	uint64_t pair_ticks, pair_ns;
	uint64_t error_ns;	/* bound of the pair's error in ns; UINT64_MAX: unknown */
	bool contradicted;	/* no pair is consistent with all records */
	size_t brackets;	/* number of brackets fitted */
};

#define CLOCK_DEFAULT_FREQ 1000000000ull

/* Facts about the counter of a CPU. */
struct clock_facts {
	const struct pd_time_conv *conv;	/* NULL: the file has none */
	bool timestamps;
	bool virtual_counter;
	bool counter;		/* the counter that is traced is known */
	unsigned int bits;	/* 0: 64 */
	uint64_t freq;		/* given by the user; 0: not given */
};
void clock_init(struct trace_clock *c, const struct clock_facts *facts);

/* A timestamp that was taken in [from, to]. */
struct clock_bracket {
	uint64_t ticks;
	uint64_t from, to;	/* from 0: unknown */
	int cpu;
};

/* Fits an estimated clock to brackets, which are sorted by time first. */
void clock_fit(struct trace_clock *c, struct clock_bracket *w, size_t n);

/* Makes the times of an estimated clock those of the counter since it was 0, if no record bounds them. */
void clock_alone(struct trace_clock *c);

/*
 * Converts a timestamp. Returns false if the time is not known. `hint` is a perf time near it, UINT64_MAX for none,
 * which resolves the wrap of narrow timestamps.
 */
bool clock_ns(const struct trace_clock *c, uint64_t ticks, uint64_t hint, uint64_t *ns);
/* Returns a bound in ns for the error of clock_ns(); UINT64_MAX: unknown, since the rate is not. */
static inline uint64_t clock_error(const struct trace_clock *c)
{
	if (c->kind != CLOCK_ESTIMATED)
		return 0;
	return c->contradicted || (c->rate != CLOCK_RATE_FILE && c->rate != CLOCK_RATE_GIVEN) ? UINT64_MAX : c->error_ns;
}

#endif
