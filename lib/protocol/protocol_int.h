/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol_int.h - the library's own protocols: what include/cstrace/protocol.h says, and what only they have.
 * To add one: a room like lib/ptm/ with a struct protocol, a line in table.c, an enum cst_protocol.
 */
#ifndef CST_LIB_PROTOCOL_PROTOCOL_INT_H
#define CST_LIB_PROTOCOL_PROTOCOL_INT_H

#include <cstrace/error.h>
#include <cstrace/protocol.h>

#include "flow/flow_int.h"
#include "reader/cursor.h"

/* What struct protocol.run works on. */
struct fast {
	struct cursor *c;
	struct cst_flow *f;
	struct cst_stats *stats;
	void *stage;
	struct cst_log *log;	/* or NULL */
};

/*
 * Why it returns: a packet for the parser comes next (or the input ends); elements are ready in the stage; there is too
 * little room for the next packet, and some elements were put out.
 */
enum fast_end { FAST_LEFT, FAST_STAGED, FAST_FULL };

struct protocol {
	struct cst_protocol_ops ops;
	/*
	 * The fast path, NULL when there is none: takes packets from the cursor (nothing is carried, no element is
	 * ready, f->busy is 0) and makes of them what parser, element stage and flow make, up to a packet that needs more.
	 * Ends with the cursor before a packet; or with f->busy or f->stopped set, as cst_flow_run() leaves them.
	 */
	enum fast_end (*run)(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);
	/* Bytes from p on that are packets of role FLOW, when looking for something else. NULL: parse them. */
	size_t (*skip)(const void *parser, const uint8_t *p, size_t len);
	/* The address that the queued elements begin with, as cst_etmv4_queue_address() has it. NULL: none are queued. */
	int (*queue_address)(const void *stage, uint64_t *addr);
	/*
	 * For indexes. Do two stages that were begun at different places, under one configuration, go on the same?
	 * NULL: compared byte by byte, which is right for stages without pointers of their own.
	 */
	int (*stage_same)(const void *a, const void *b);
	/* Element `i` of those that are held back, the oldest first; NULL behind the last. NULL: none ever is. */
	const struct cst_element *(*queue_at)(const void *stage, uint32_t i);
	/* 1: the packets that `skip` passes over leave the stage as it is. NULL: never. */
	int (*stage_idle)(const void *stage);
};

/*
 * What is wrong with a packet of role BAD, an enum cst_error; 0 for others. `reserved`: the protocol's type of a packet with a
 * reserved header; `other`: the error of any further bad type. All protocols number the first types alike.
 */
#define PACKET_INCOMPLETE 1
#define PACKET_BAD_SEQUENCE 2
_Static_assert(CST_PKT_INCOMPLETE == PACKET_INCOMPLETE && CST_PTM_PKT_INCOMPLETE == PACKET_INCOMPLETE &&
	       CST_ETMV3_PKT_INCOMPLETE == PACKET_INCOMPLETE && CST_STM_PKT_INCOMPLETE == PACKET_INCOMPLETE &&
	       CST_ITM_PKT_INCOMPLETE == PACKET_INCOMPLETE && CST_ETMV4D_PKT_INCOMPLETE == PACKET_INCOMPLETE, "cut");
_Static_assert(CST_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE && CST_PTM_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE &&
	       CST_ETMV3_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE && CST_STM_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE &&
	       CST_ITM_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE && CST_ETMV4D_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE,
	       "malformed");

/* Flags of one protocol begin behind those that all have. */
_Static_assert((int)CST_PTM_PF_ISA == CST_PF_OWN && (int)CST_ETMV3_PF_ISA == CST_PF_OWN && (int)CST_STM_PF_TS == CST_PF_OWN &&
	       (int)CST_ITM_PF_CLOCK == CST_PF_OWN, "own flags");

static inline int packet_error(const uint8_t *roles, unsigned int type, unsigned int reserved, int other)
{
	if (roles[type] != CST_ROLE_BAD)
		return 0;
	if (type == PACKET_INCOMPLETE)
		return CST_ERR_INCOMPLETE;
	if (type == PACKET_BAD_SEQUENCE)
		return CST_ERR_BAD_SEQUENCE;
	return type == reserved ? CST_ERR_BAD_HEADER : other;
}

/* parser_synced or parser_listing of struct cst_protocol_ops: a function that sets one field of a parser. */
#define PARSER_FLAG(function, parser, field) \
	static void function(void *ps) { ((struct parser *)ps)->field = 1; }

/* stage_fini of a stage that owns nothing. */
void cst_stage_fini(void *stage);

extern const struct protocol cst_protocol_etmv4;
extern const struct protocol cst_protocol_etmv4_data;
extern const struct protocol cst_protocol_etmv3;
extern const struct protocol cst_protocol_ptm;
extern const struct protocol cst_protocol_stm;
extern const struct protocol cst_protocol_itm;

/* NULL when the library has no decoder for it. */
const struct protocol *cst_protocol_find(enum cst_protocol id);

#endif
