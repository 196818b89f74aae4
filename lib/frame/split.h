/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split.h - plain frames straight to the bytes of each trace ID: the short cut of trees that need not keep the
 * order between IDs (CST_ORDER_BY_ID).
 */
#ifndef CST_LIB_FRAME_SPLIT_H
#define CST_LIB_FRAME_SPLIT_H

#include <cstrace/frame.h>

#include "protocol/cursor.h"

enum {
	SPLIT_IDS = 0x70,	/* 0 to the last source */
	SPLIT_SLACK = 32,	/* bytes past what is used that may be written */
	/*
	 * Runs with bytes that a frame has of one ID: between two of them the ID must change away and back again, which
	 * takes two of the eight places of ID bytes.
	 */
	SPLIT_RUNS = 4,
	SPLIT_SPARE = 1,	/* runs past what is used that may be written */
};

/*
 * Where the bytes of one ID go: data[0..pos), seg[0..end) as struct cursor wants them. IDs whose bytes are only
 * counted may have the same memory.
 */
struct frame_sink {
	uint8_t *data;
	struct seg *seg, *end;
	uint32_t pos;
};

static inline uint32_t frame_sink_runs(const struct frame_sink *s)
{
	return (uint32_t)(s->end - s->seg);
}

/*
 * Unpack the whole frames of [in, in + len), as cst_deframe() does, until one is not plain: synchronisation, a
 * barrier, reserved IDs and what the caller wants to be told of. Each sink has room for `len` bytes and SPLIT_RUNS
 * runs of each frame, and what more may be written; it is emptied first. Returns the bytes used; 0 also when the
 * input does not continue the last one, or the way it is formatted is not that of plain frames. Runs begin at
 * offsets that are those of cst_deframe()'s fragments.
 */
size_t cst_frame_split(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
		       struct frame_sink sink[SPLIT_IDS]);

#endif
