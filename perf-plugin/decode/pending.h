/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pending.h - batches that wait for the timestamp behind them. Time between two timestamps is interpolated, and the
 * next timestamp is all that tells when the first instruction after a gap ran. So a batch is delivered when that
 * timestamp has been decoded, or the fragment has ended without one; batches keep the order in which they were decoded.
 * When their memory is full, the session finds the timestamp in the packets (decode/ahead.h): times do not depend on
 * how much memory there is.
 */
#ifndef CSTRACE_DECODE_PENDING_H
#define CSTRACE_DECODE_PENDING_H

#include "decode/decode.h"

struct version;

/* Elements that one pull returns at most. */
#define BATCH 1024u
/* Elements and batches that wait at most, for each thread that decodes. */
#define PENDING_ELEMENTS (32u << 10)
#define PENDING_BATCHES 1024u

/* What is known of the timestamp behind a batch. */
enum next_time {
	NEXT_OPEN,	/* nothing yet */
	NEXT_TIME,	/* its time */
	NEXT_UNUSABLE,	/* there is one, but the clock cannot convert it */
	NEXT_NONE,	/* there is none */
};

struct batch {
	struct stream_state *st;
	const struct cst_generic *g;
	size_t n;
	struct stream s;	/* the stream where the batch ended */
	struct version *code;	/* s.code, with a reference; NULL: none */
	uint64_t limit;		/* moment for threads and maps, unless `late` */
	uint64_t cycles;	/* that were counted in it */
	uint64_t closed;	/* time of the timestamp that is its last element; NO_TIME: unusable */
	uint64_t next;		/* with NEXT_TIME */
	uint8_t why;		/* enum cst_stop of the pull; CST_STOP_TIMESTAMP: with a time that is not 0 */
	uint8_t known;		/* enum next_time */
	bool late;		/* the moment is that of the next timestamp, if that is later than `limit` */
	uint32_t link;		/* next batch of the stream that waits; NO_BATCH: none */
};

#define NO_BATCH UINT32_MAX

/* A ring of elements, and one of batches. */
struct pending {
	struct cst_generic *el;
	size_t cap, at;		/* elements; where the next ones go */
	struct batch *b;	/* NULL: no batch ever waits */
	uint32_t head, nr;
	uint64_t limit;		/* none of the batches has an earlier moment; UINT64_MAX: there are none */
};

#endif
