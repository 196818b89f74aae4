/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * itm.h - internal interface of the ITM decoder: packet parser and element stage.
 */
#ifndef CST_LIB_ITM_ITM_H
#define CST_LIB_ITM_ITM_H

#include <cstrace/config.h>
#include <cstrace/packet_itm.h>

#include "protocol/ready.h"

#define ITM_MAX_PACKET 64

/* Bytes of a full unsynchronised piece in a listing. */
#define ITM_UNSYNCED_PIECE 8

/* State of the parser between packets. */
struct itm_parser {
	const struct cst_config *cfg;
	uint8_t synced;
	uint8_t listing;
	/*
	 * Zeros right before the reading position, saturating. A synchronisation packet may begin in them if damage
	 * made a packet longer than it was.
	 */
	uint8_t zeros;
	uint8_t type[256];	/* header -> enum cst_itm_packet_type */
};

void cst_itm_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* Functions of struct cst_protocol_ops (protocol.h). */
unsigned int cst_itm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_itm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
size_t cst_itm_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

/* struct ready_stage.own: values that several packets make together. */
struct itm_state {
	uint64_t local;		/* sum of the local timestamps since the last overflow */
	uint64_t global;	/* last global timestamp */
	uint8_t page;		/* page of the stimulus ports, 32 each */
	uint8_t high_known;	/* bits 26 and above of `global` were sent since they last changed */
	uint8_t low_known;	/* bits 25:0 of `global` were sent */
	uint8_t overflow;	/* there was a loss before the next element */
	uint8_t clock;		/* the clock has changed since the last global timestamp element */
};

extern const uint8_t cst_itm_roles[CST_ITM_PKT_TYPES];

/* struct ready_protocol.element */
int cst_itm_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g);

#endif
