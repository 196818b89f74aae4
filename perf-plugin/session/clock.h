/* SPDX-License-Identifier: GPL-2.0-only */
/* clock.h - trace timestamps to perf time. */
#ifndef CSTRACE_SESSION_CLOCK_H
#define CSTRACE_SESSION_CLOCK_H

#include "perfdata/decode.h"

enum clock_kind {
	CLOCK_NONE,		/* no timestamps in the trace */
	CLOCK_CONVERTED,	/* the file tells how: TIME_CONV, and timestamps of the virtual counter */
	CLOCK_ESTIMATED,	/* one timestamp paired with a record's time, and a frequency */
};

struct trace_clock {
	enum clock_kind kind;
	struct pd_time_conv conv;
	double ns_per_tick;
	bool paired;
	uint64_t pair_ticks, pair_ns;
};

#define CLOCK_DEFAULT_FREQ 1000000000ull

/* `conv` NULL: the file has none. `freq` 0: not given by the user. */
void clock_init(struct trace_clock *c, const struct pd_time_conv *conv, bool timestamps, bool virtual_counter,
		bool counter, uint64_t freq);
/* An estimated clock learns its offset from the first pair. */
void clock_pair(struct trace_clock *c, uint64_t ticks, uint64_t ns);
/* False while the time is not known. */
bool clock_ns(const struct trace_clock *c, uint64_t ticks, uint64_t *ns);

#endif
