/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stm.h - inside the STM decoder: packet parser and element stage.
 */
#ifndef CST_LIB_STM_STM_H
#define CST_LIB_STM_STM_H

#include <cstrace/config.h>
#include <cstrace/packet_stm.h>

#include "protocol/ready.h"

/* F F and nothing but F for longer than this is no ASYNC. */
#define STM_MAX_PACKET 64

enum stm_ts_type {
	STM_TS_UNKNOWN,		/* until VERSION */
	STM_TS_BINARY,
	STM_TS_GRAY,
};

/* What a parser remembers between packets. */
struct stm_parser {
	const struct cst_config *cfg;
	uint64_t ts;
	uint16_t master, channel;
	uint8_t ts_type;	/* enum stm_ts_type */
	uint8_t synced;
	uint8_t has_nibble;	/* the last byte's upper half is the next packet's first nibble ... */
	uint8_t nibble;		/* ... this one; synchronised only */
	/*
	 * Nibbles F right before: in a stream that is out of step an ASYNC may begin inside what was taken for
	 * a packet's payload. Saturates.
	 */
	uint8_t run;
};

void cst_stm_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* As struct cst_protocol_ops (protocol.h) has them. */
unsigned int cst_stm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_stm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
size_t cst_stm_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

/* struct ready_stage.own */
struct stm_state {
	uint8_t id_known;	/* a master was set, and no global error since */
};

extern const uint8_t cst_stm_roles[CST_STM_PKT_TYPES];

/* struct ready_protocol.element */
int cst_stm_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g);

#endif
