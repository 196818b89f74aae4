/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * samples.h - runs around samples (CST_EMIT_SAMPLES): the walk counts instructions and keeps the
 * last taken branches, which become elements where the run ends.
 */
#ifndef CST_LIB_FLOW_SAMPLES_H
#define CST_LIB_FLOW_SAMPLES_H

#include <cstrace/decoder.h>

#include "flow/image/image_int.h"

/*
 * Number of branches kept, a power of 2. The target of the branch before the oldest one of a sample is needed, too, and the
 * open range.
 */
#define SAMPLED_RING 128u
_Static_assert(SAMPLED_RING > CST_SAMPLE_BRANCHES + 2, "the ring has the branches of a sample");

/* Most elements at the end of a run: what was left out, the last branches, the open range. */
#define SAMPLED_ROOM (CST_SAMPLE_BRANCHES + 2)

struct cst_samples {
	uint64_t next, period;	/* of struct cst_emit_opts; period 0: all ranges are elements */
	/*
	 * Taken branches of the open run, from number 1 on, at their number modulo SAMPLED_RING: the block that ends with it;
	 * place and bias of the target; instructions of the walk up to it. Number 0 has the target of the branch before.
	 */
	const struct blk *from[SAMPLED_RING];
	uint64_t to[SAMPLED_RING], bias[SAMPLED_RING], insns[SAMPLED_RING];
};

#endif
