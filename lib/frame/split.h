/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split.h - plain frames straight to the bytes of each trace ID: the short cut of trees that need not keep the
 * order between IDs (CST_ORDER_BY_ID).
 */
#ifndef LIB_FRAME_SPLIT_H
#define LIB_FRAME_SPLIT_H

#include <cstrace/frame.h>

#include "protocol/cursor.h"

enum {
	SPLIT_IDS = 0x70,	/* 0 to the last source */
	SPLIT_SLACK = 32,	/* bytes past what is used that may be written */
	SPLIT_RUNS = 8,		/* a frame makes at most so many runs */
};

/*
 * Where the bytes of one ID go: data[0..pos), seg[0..n) as struct cursor wants them. With masks 0 they are only
 * counted: `data` and `seg` have room for one run.
 */
struct frame_sink {
	uint8_t *data;
	struct seg *seg;
	uint32_t pos, n;
	uint32_t mask, seg_mask;	/* room minus one; powers of two, of bytes without the slack */
};

/*
 * Unpack the whole frames of [in, in + len), of which sink[id].data has room for all, as cst_deframe() does, until one
 * is not plain: synchronisation, a barrier, reserved IDs and what the caller wants to be told of. Returns the
 * bytes used; 0 also when the input does not continue the last one, or the way it is formatted is not that of
 * plain frames. Runs of sink[i] begin at offsets that are those of cst_deframe()'s fragments.
 */
size_t cst_frame_split(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
		       struct frame_sink sink[SPLIT_IDS]);

#endif
