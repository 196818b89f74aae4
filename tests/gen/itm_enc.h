/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * itm_enc.h - an ITM with its DWT that writes random software and hardware trace (DDI 0403 D4), with every packet
 * that there is.
 */
#ifndef CSTRACE_TESTS_GEN_ITM_ENC_H
#define CSTRACE_TESTS_GEN_ITM_ENC_H

#include "sw_enc.h"

struct itm_enc {
	struct sw_trace *t;
	struct rng rng;
	uint64_t local, global;
	uint64_t sent;		/* global timestamp as far as it was sent */
	uint8_t prescale;	/* 1, 4, 16, 64 */
	uint8_t page;
	uint8_t ts64;		/* global timestamps of 64 bits, else 48 */
	uint8_t sent_all;	/* the upper bits of `sent` were */
	uint8_t clock;		/* the clock has changed since the last timestamp that was complete */
	uint8_t overflow;
};

void itm_enc_init(struct itm_enc *e, struct sw_trace *t, uint64_t seed);
/* Synchronisation packet; with `all`, followed by packets that make all state known. */
void itm_enc_sync(struct itm_enc *e, int all);
void itm_enc_step(struct itm_enc *e);

#endif
