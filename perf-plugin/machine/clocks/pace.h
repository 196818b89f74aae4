/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pace.h - interpolates times between two timestamps of the trace. Time advances with counted cycles, or else with
 * instructions: at the rate between the two timestamps or, as long as the work between them is not known, at the rate
 * between the two before, and never past the next timestamp. The state is reset at each AUX fragment, so that its times
 * do not depend on whether fragments before it were decoded.
 */
#ifndef CSTRACE_MACHINE_CLOCKS_PACE_H
#define CSTRACE_MACHINE_CLOCKS_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_UNKNOWN UINT64_MAX

struct pace {
	uint64_t now;		/* current time; PACE_UNKNOWN: no timestamp yet */
	uint64_t start;		/* time at which the sums begin */
	uint64_t insns, cycles;	/* executed since `start` */
	uint64_t per_insn, per_cycle; /* ns with fraction bits; 0: unknown */
	bool whole;		/* `start` is a timestamp, and the trace since then has no gap */
	bool loose;		/* `now` may exceed the next timestamp: stream.before limits the times shown */
};

/* Resets the state for a new AUX fragment. */
void pace_begin(struct pace *p);
/* Sets the rate up to the timestamp at `next`, before which these instructions and cycles follow. */
void pace_until(struct pace *p, uint64_t insns, uint64_t cycles, uint64_t next);
/* Advances to a timestamp. */
void pace_timestamp(struct pace *p, uint64_t time);
/* Handles a gap in the trace; the trace after it is before `next`, PACE_UNKNOWN: no timestamp follows. */
void pace_gap(struct pace *p, uint64_t next);
/* Advances by executed instructions and cycles, to a time before `limit`. */
void pace_advance(struct pace *p, uint64_t insns, uint64_t cycles, uint64_t limit);

#endif
