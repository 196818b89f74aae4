/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * etmv4d.h - internal interface of the decoder of the ETMv4 data trace stream: packet parser and element stage.
 */
#ifndef CST_LIB_PROTOCOLS_ETMV4D_ETMV4D_H
#define CST_LIB_PROTOCOLS_ETMV4D_ETMV4D_H

#include <cstrace/config.h>
#include <cstrace/packet_etmv4d.h>

#include "protocols/protocol/ready.h"

#define ETMV4D_ASYNC_SIZE 12	/* eleven 0x00, one 0x80 */
#define ETMV4D_MAX_PACKET 64

/* State of the parser between packets. */
struct etmv4d_parser {
	const struct cst_config *cfg;
	uint8_t synced;
	/*
	 * Zeros right before the reading position, saturating. An A-sync may begin in them if damage made a packet
	 * longer than it was.
	 */
	uint8_t zeros;
	uint64_t ts;
	uint8_t type[256];	/* header -> enum cst_etmv4d_packet_type */
};

void cst_etmv4d_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* Functions of struct cst_protocol_ops (protocol.h). */
unsigned int cst_etmv4d_parse(void *parser, const uint8_t *p, const uint8_t *end,
			      struct cst_packet *pkt);
void cst_etmv4d_parse_rest(void *parser, const uint8_t *p, const uint8_t *end,
			   struct cst_packet *pkt);
size_t cst_etmv4d_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

/* struct ready_stage.own */
struct etmv4d_state {
	uint8_t info;		/* Trace Info seen since the last loss of synchronisation: timestamps are complete */
};

extern const uint8_t cst_etmv4d_roles[CST_ETMV4D_PKT_TYPES];

/* struct ready_protocol.element */
int cst_etmv4d_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g);

#endif
