/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycles.h - the cycles of each range, for consumer.wants.cycles.
 *
 * A count of the trace is of all instructions since the count before it. ETMv4 and ETE count up to
 * a Commit element, so CST_GEN_CYCLE_COUNT follows the ranges that it is of, some thousand at most
 * (TRCCCCTLR). A range of ETMv3 or PTM has a count of its own; other elements have one, too, which
 * is of the ranges before it or, if there are none since the last count, of the next range. The
 * cycles are divided between the ranges of a count in proportion to their instructions: sums are
 * exact where a count ends, and estimated between two counts. Batches are pending until the count
 * is decoded.
 *
 * Some instructions are in no count: before a count that is unknown (U = 1, after an overflow),
 * before the end of the trace or a loss, and, with ETMv4, those of a count that began before a gap
 * in the trace, since it is of code that was not traced as well.
 */
#ifndef CSTRACE_SESSION_DECODE_CYCLES_H
#define CSTRACE_SESSION_DECODE_CYCLES_H

#include "session/decode/pending.h"
#include "session/decode/stream_state.h"

/* The stream begins a fragment. */
void cycles_begin(struct stream_state *st);
/*
 * Takes the counts in the last pending batch, whose number is `number`, and sets the cycles of
 * ranges up to them.
 */
void cycles_take(struct pending *p, struct stream_state *st, uint32_t number);
/* The ranges that wait for a count get none. */
void cycles_give_up(struct pending *p, struct stream_state *st);

/* True if ranges of the stream's pending batch wait for a count. */
static inline bool cycles_await(const struct stream_state *st, uint32_t number)
{
	return st->cycles.first != NO_BATCH && (int32_t)(number - st->cycles.first) >= 0;
}

#endif
