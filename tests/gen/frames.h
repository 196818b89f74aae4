/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frames.h - the CoreSight formatter: byte streams of several trace sources in 16-byte frames.
 */
#ifndef CSTRACE_TESTS_GEN_FRAMES_H
#define CSTRACE_TESTS_GEN_FRAMES_H

#include "util.h"

struct frames_opts {
	uint64_t seed;
	/* per mille of byte pairs that name the ID although it does not change */
	uint16_t p_repeat;
	uint16_t p_null;	/* per mille of byte pairs: padding under ID 0 between data */
	uint16_t p_fsync;	/* per mille: full synchronisation between frames (TPIU) */
	uint16_t p_hsync;	/* per mille: half synchronisation between byte pairs (TPIU) */
};

struct frames {
	struct frames_opts o;
	struct rng rng;
	struct gbuf *out;
	uint8_t f[16];
	int pos;		/* next byte of the frame: 0, 2, .. 14 */
	int cur;		/* ID in force, -1: none yet */
	struct {
		int id;
		uint8_t byte;
	} wait[2];		/* data that has no place yet: a pair is laid out knowing both */
	int nwait;
};

void frames_init(struct frames *f, const struct frames_opts *o, struct gbuf *out);
void frames_put(struct frames *f, int id, const uint8_t *p, size_t n);
/* completes the frame with padding under ID 0, as a stopped or flushed formatter does */
void frames_flush(struct frames *f);
/*
 * the four full synchronisation words the kernel writes where a buffer does not follow the one
 * before
 */
void frames_barrier(struct frames *f);
/* one full synchronisation word; the frame must be complete */
void frames_fsync(struct frames *f);
/* appends the trace at p as a DSTREAM probe stores it: 504 bytes in blocks of 512 */
void frames_dstream(struct rng *rng, const uint8_t *p, size_t n, struct gbuf *out);

#endif
