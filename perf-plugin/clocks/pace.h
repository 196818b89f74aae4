/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pace.h - times between two timestamps of the trace. Time goes on with the cycles that were counted, or
 * else with the instructions, as fast as it did from the last timestamp but one to the last, never past
 * the next timestamp. Nothing is carried from one AUX fragment to the next, so that a fragment has the same
 * times whether those before it were decoded or not.
 */
#ifndef CSTRACE_CLOCKS_PACE_H
#define CSTRACE_CLOCKS_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_UNKNOWN UINT64_MAX

struct pace {
	uint64_t now;		/* PACE_UNKNOWN: no timestamp yet */
	uint64_t start;		/* time where the sums begin */
	uint64_t insns, cycles;	/* since then */
	uint64_t per_insn, per_cycle; /* ns with fraction bits; 0: not known */
	bool whole;		/* `start` is a timestamp, and all since then was traced */
	bool loose;		/* `now` may be later than the next timestamp: stream.before bounds what is shown */
};

/* A new AUX fragment. */
void pace_begin(struct pace *p);
/* The trace has come to a timestamp. */
void pace_timestamp(struct pace *p, uint64_t time);
/* Nothing was traced for a while; what follows ran before `next`, PACE_UNKNOWN: no timestamp follows. */
void pace_gap(struct pace *p, uint64_t next);
/* The rate was measured between two timestamps, that of cycles, too, if they are counted. */
bool pace_knows_rate(const struct pace *p, bool cycles);
void pace_forget_rate(struct pace *p);
/* So much was executed, before `limit`. */
void pace_advance(struct pace *p, uint64_t insns, uint64_t cycles, uint64_t limit);

#endif
