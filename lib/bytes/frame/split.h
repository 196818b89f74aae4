/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split.h - plain frames directly to the bytes of each trace ID: the fast path of trees that need not keep the order
 * between IDs (CST_ORDER_BY_ID).
 */
#ifndef CST_LIB_BYTES_FRAME_SPLIT_H
#define CST_LIB_BYTES_FRAME_SPLIT_H

#include <cstrace/frame.h>

#include "bytes/reader/cursor.h"

enum {
	SPLIT_IDS = 0x70,	/* IDs 0 to the last source ID */
	SPLIT_SLACK = 32,	/* bytes that may be written after the end of the data */
	/*
	 * Maximum number of runs of one ID in a frame: between two of them the ID must change away and back, which
	 * takes two of the eight ID bytes.
	 */
	SPLIT_RUNS = 4,
	SPLIT_SPARE = 1,	/* run records that may be written after the last one */
};

/*
 * Destination of the bytes of one ID: data[0..pos), and seg[0..end) in the form of struct cursor. IDs whose bytes are
 * only counted may share memory.
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
 * Splits the whole frames of [in, in + len) as cst_deframe() does, up to a frame that is not plain: synchronisation, a
 * barrier, reserved IDs, or findings that the caller asked for. Each sink is emptied first and must have room for `len`
 * bytes and SPLIT_RUNS runs per frame, plus SPLIT_SLACK and SPLIT_SPARE. Returns the number of bytes used, which is
 * also 0 if the input does not continue the last call's or the stream's flags exclude plain frames. Runs begin at the
 * offsets of cst_deframe()'s fragments.
 */
size_t cst_frame_split(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
		       struct frame_sink sink[SPLIT_IDS]);

#endif
