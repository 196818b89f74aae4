/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stm_enc.h - a System Trace Macrocell that writes random software trace as STPv2 (DDI 0444), with every packet
 * that one sends and, when asked to, those that STPv2 has besides.
 */
#ifndef CSTRACE_TESTS_GEN_STM_ENC_H
#define CSTRACE_TESTS_GEN_STM_ENC_H

#include "sw_enc.h"

struct stm_enc {
	struct sw_trace *t;
	struct rng rng;
	uint64_t ts;		/* last one sent */
	uint16_t master, channel;
	uint8_t id_known;
	uint8_t gray;
	uint8_t foreign;	/* packets that no STM sends, too */
	uint8_t ts_full;	/* the next timestamp has all its bits: after a synchronisation */
	uint8_t odd;		/* the last byte's upper half is free */
};

/* Everything follows from the seed. */
void stm_enc_init(struct stm_enc *e, struct sw_trace *t, uint64_t seed);
/* ASYNC, VERSION, a master and a channel. */
void stm_enc_sync(struct stm_enc *e);
/* One random packet, or a few. */
void stm_enc_step(struct stm_enc *e);
/* To the end of the byte, with a NULL packet. */
void stm_enc_end(struct stm_enc *e);

#endif
