/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * itm.h - inside the ITM decoder: packet parser and element stage.
 */
#ifndef CST_LIB_ITM_ITM_H
#define CST_LIB_ITM_ITM_H

#include <cstrace/config.h>
#include <cstrace/packet_itm.h>

#include "protocol/ready.h"

#define ITM_MAX_PACKET 64

/* Unsynchronised bytes that a listing shows as one piece. */
#define ITM_UNSYNCED_PIECE 8

/* What a parser remembers between packets. */
struct itm_parser {
	const struct cst_config *cfg;
	uint8_t synced;
	uint8_t listing;
	/*
	 * Bytes 0 right before: in a stream that is out of step a synchronisation packet may begin inside what
	 * was taken for a packet's payload. Saturates.
	 */
	uint8_t zeros;
	uint8_t type[256];	/* header -> enum cst_itm_packet_type */
};

void cst_itm_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* As struct cst_protocol_ops (protocol.h) has them. */
unsigned int cst_itm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_itm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
size_t cst_itm_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

/* struct ready_stage.own: what packets say together. */
struct itm_state {
	uint64_t local;		/* sum of the local timestamps since the last overflow */
	uint64_t global;
	uint8_t page;		/* of stimulus ports */
	uint8_t high_known;	/* global: bits from 26 on ... */
	uint8_t low_known;	/* ... and the lower bits, which are still valid */
	uint8_t overflow;	/* next element comes after a loss */
	uint8_t clock;		/* next global timestamp: the clock has changed */
};

extern const uint8_t cst_itm_roles[CST_ITM_PKT_TYPES];

/* struct ready_protocol.element */
int cst_itm_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g);

#endif
