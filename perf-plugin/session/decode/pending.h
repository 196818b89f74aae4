/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pending.h - batches that are delivered when the timestamp after them is known. Times between two
 * timestamps are interpolated, and after a gap only the next timestamp dates the first instruction.
 * So a batch is pending until that timestamp is decoded, or the fragment ends without one; the
 * order of batches is kept. Times are in proportion to the work between both timestamps then,
 * however it is cut into batches. When the memory for batches is full, the session finds the
 * timestamp in the packets (decode/ahead.h); the work up to it is not known. With
 * consumer.wants.cycles batches wait for the counts of cycles as well (cycles.h).
 */
#ifndef CSTRACE_SESSION_DECODE_PENDING_H
#define CSTRACE_SESSION_DECODE_PENDING_H

#include "session/decode/stream.h"

struct version;

/* Maximum number of elements of one pull. A pull costs as much as 30 elements, the copy of its last branches in inject more. */
#define BATCH 4096u
/* Maximum number of branches listed in one pull. */
#define BATCH_BRANCHES 8192u
/* The same while the place of the next sample is not known (consumer.wants.plan) and all ranges are elements. */
#define PULL_UNPLANNED 256u
/*
 * Limit of pending elements and batches, per decoding thread. A count of cycles may be of some
 * thousand ranges of each stream: with consumer.wants.cycles there is PENDING_CYCLES times the
 * room.
 */
#define PENDING_ELEMENTS (32u << 10)
#define PENDING_BATCHES 1024u
#define PENDING_CYCLES 8u

/* State of the timestamp after a batch. */
enum next_time {
	NEXT_OPEN,	/* not known yet */
	NEXT_TIME,	/* its time is known */
	NEXT_NONE,	/* there is none, or the clock cannot convert it */
};

struct batch {
	struct stream_state *st;
	const struct cst_generic *g;
	size_t n;
	struct stream s;	/* state of the stream at the end of the batch */
	struct version *code, *other; /* s.code and s.other, with references; NULL: none */
	uint64_t limit;		/* moment for threads and maps, unless `late` */
	uint64_t cycles;	/* cycles counted in the batch */
	uint64_t closed;	/* time of the timestamp that is its last element; NO_TIME: unusable */
	uint64_t next;		/* time of the next timestamp, with NEXT_TIME */
	/* instructions and cycles from the begin of the batch to the next timestamp, with `whole` */
	uint64_t left_insns, left_cycles;
	uint8_t why;		/* enum cst_stop of the pull; CST_STOP_TIMESTAMP only for a time that is not 0 */
	uint8_t known;		/* enum next_time */
	bool late;		/* the moment is that of the next timestamp if that is later than `limit` */
	bool whole;		/* the next timestamp is decoded, and the trace up to it has no gap */
	uint32_t link;		/* the stream's pending batch before; NO_BATCH: none */
};

#define NO_BATCH UINT32_MAX

/* A ring of elements and one of batches. */
struct pending {
	struct cst_generic *el;
	size_t cap, at;		/* size in elements; position of the next ones */
	struct batch *b;	/* NULL: no batch is ever pending */
	uint32_t max;		/* size of b */
	uint32_t head, nr;
	uint64_t limit;		/* minimum moment of the batches; UINT64_MAX: no batches */
};

static inline struct batch *pending_nth(const struct pending *p, uint32_t number)
{
	return &p->b[number % p->max];
}

#endif
