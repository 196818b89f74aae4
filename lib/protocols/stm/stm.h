/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stm.h - internal interface of the STM decoder: packet parser and element stage.
 */
#ifndef CST_LIB_PROTOCOLS_STM_STM_H
#define CST_LIB_PROTOCOLS_STM_STM_H

#include <cstrace/config.h>
#include <cstrace/packet_stm.h>

#include "protocols/protocol/ready.h"

/* Maximum size of a packet in bytes, which limits the nibbles F of an ASYNC. */
#define STM_MAX_PACKET 64

enum stm_ts_type {
	STM_TS_UNKNOWN,		/* until VERSION */
	STM_TS_BINARY,
	STM_TS_GRAY,
};

/* State of the parser between packets. */
struct stm_parser {
	const struct cst_config *cfg;
	uint64_t ts;
	uint16_t master, channel;
	uint8_t ts_type;	/* enum stm_ts_type */
	uint8_t synced;
	uint8_t has_nibble;	/* `nibble` is valid; 0 while the parser is not synchronised */
	uint8_t nibble;		/* upper half of the last byte, the first nibble of the next packet */
	/*
	 * Nibbles F right before the reading position, saturating. An ASYNC may begin in them if damage made a packet
	 * longer than it was.
	 */
	uint8_t run;
};

void cst_stm_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* Functions of struct cst_protocol_ops (protocol.h). */
unsigned int cst_stm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_stm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
size_t cst_stm_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

/* struct ready_stage.own */
struct stm_state {
	uint8_t id_known;	/* a packet has set the master since the last loss of synchronisation or global error */
};

extern const uint8_t cst_stm_roles[CST_STM_PKT_TYPES];

/* struct ready_protocol.element */
int cst_stm_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g);

#endif
