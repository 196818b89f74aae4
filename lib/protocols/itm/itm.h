/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * itm.h - internal interface of the ITM decoder: packet parser and element stage.
 */
#ifndef CST_LIB_PROTOCOLS_ITM_ITM_H
#define CST_LIB_PROTOCOLS_ITM_ITM_H

#include <cstrace/config.h>
#include <cstrace/packet_itm.h>

#include "protocols/protocol/protocol_int.h"
#include "protocols/protocol/ready.h"

#define ITM_MAX_PACKET 64

/* Bytes of a full unsynchronised piece in a listing. */
#define ITM_UNSYNCED_PIECE 8

/* State of the parser between packets. */
struct itm_parser {
	const struct cst_config *cfg;
	uint8_t synced;
	uint8_t listing;
	uint8_t sync;		/* enum cst_itm_sync */
	uint8_t begun;		/* bytes were parsed */
	/*
	 * Zeros right before the reading position, saturating. A synchronisation packet may begin in them if damage
	 * made a packet longer than it was.
	 */
	uint8_t zeros;
	uint8_t type[256];	/* header -> enum cst_itm_packet_type */
};

void cst_itm_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* Parses the packet at p, in synchronisation. Sizes as struct cst_protocol_ops.parse. */
unsigned int cst_itm_packet(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);

/* Bytes that boundary.c reads to choose where packets begin, of which the first ITM_TRIED may be the place. */
#define ITM_WINDOW 64
#define ITM_TRIED 32
_Static_assert(ITM_WINDOW <= CST_MAX_PACKET, "the cursor has a carry for them");

/*
 * boundary.c: returns how many of the bytes [p, end), of which there are at most ITM_WINDOW, are before the place where
 * packets most plausibly begin, or end - p if no place is plausible. `most` is the last place to try. With `first` the
 * place p is taken unless the bytes contradict it.
 */
unsigned int cst_itm_boundary(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, unsigned int most, int first);

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
