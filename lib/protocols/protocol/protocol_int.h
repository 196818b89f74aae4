/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol_int.h - a protocol of the library: the functions that a custom decoder has (include/cstrace/protocol.h), and
 * further ones for the fast path and for indexes. To add one: a room like lib/protocols/ptm/ with a struct protocol, a line in
 * table.c, an enum cst_protocol.
 */
#ifndef CST_LIB_PROTOCOLS_PROTOCOL_PROTOCOL_INT_H
#define CST_LIB_PROTOCOLS_PROTOCOL_PROTOCOL_INT_H

#include <cstrace/error.h>
#include <cstrace/protocol.h>

#include "bytes/reader/cursor.h"
#include "flow/flow_int.h"

/* Arguments of struct protocol.run. */
struct fast {
	struct cursor *c;
	struct cst_flow *f;
	struct cst_stats *stats;
	void *stage;
	struct cst_log *log;	/* or NULL */
};

/* Why struct protocol.run returned. */
enum fast_end {
	FAST_LEFT,		/* the next packet is left to the parser, or the input ended */
	FAST_STAGED,		/* elements are ready in the stage */
	FAST_FULL,		/* elements were emitted, and there is no room for those of the next packet */
};

struct protocol {
	struct cst_protocol_ops ops;
	uint8_t is_flow;	/* traces executed instructions, for which address and context matter */
	/*
	 * The fast path, NULL if there is none. Called with an empty carry, no element ready and f->busy 0, it makes of
	 * the packets at the cursor what parser, element stage and flow make, up to a packet that it leaves to them.
	 * The cursor is then before a packet, or cst_flow_run() has set f->busy or f->stopped.
	 */
	enum fast_end (*run)(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);
	/* Returns how many bytes from p on are packets of role FLOW, which a search passes over. NULL: it parses them. */
	size_t (*skip)(const void *parser, const uint8_t *p, size_t len);
	/* Returns the address of the queued elements as cst_queued_address(). NULL: the stage queues none. */
	int (*queue_address)(const void *stage, uint64_t *addr);
	/*
	 * Extends a digest by the state of a stage: two stages of one configuration, which began at different places, make
	 * the same elements of the same packets from here on if theirs are equal. NULL: it has none, as a custom protocol.
	 */
	uint64_t (*stage_digest)(const void *stage, uint64_t digest);
	/* Returns element `i` of the queue, the oldest first, or NULL after the last. NULL: the stage queues none. */
	const struct cst_element *(*queue_at)(const void *stage, uint32_t i);
	/* Returns 1 if the packets that `skip` passes over do not change the stage. NULL: they do. */
	int (*stage_idle)(const void *stage);
	/*
	 * Makes the elements final that wait for another packet, before a reset in the middle of the trace. Returns 1 if
	 * there were any. NULL: the stage has none, or `stage_reset` counts them as lost.
	 */
	int (*stage_leave)(void *stage);
};

/* Packet types that have the same number in all protocols. */
#define PACKET_INCOMPLETE 1
#define PACKET_BAD_SEQUENCE 2
_Static_assert(CST_PKT_INCOMPLETE == PACKET_INCOMPLETE && CST_PTM_PKT_INCOMPLETE == PACKET_INCOMPLETE &&
	       CST_ETMV3_PKT_INCOMPLETE == PACKET_INCOMPLETE && CST_STM_PKT_INCOMPLETE == PACKET_INCOMPLETE &&
	       CST_ITM_PKT_INCOMPLETE == PACKET_INCOMPLETE && CST_ETMV4D_PKT_INCOMPLETE == PACKET_INCOMPLETE, "cut");
_Static_assert(CST_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE && CST_PTM_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE &&
	       CST_ETMV3_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE && CST_STM_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE &&
	       CST_ITM_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE && CST_ETMV4D_PKT_BAD_SEQUENCE == PACKET_BAD_SEQUENCE,
	       "malformed");

/* The flags of a protocol begin after the common ones. */
_Static_assert((int)CST_PTM_PF_ISA == CST_PF_OWN && (int)CST_ETMV3_PF_ISA == CST_PF_OWN && (int)CST_STM_PF_TS == CST_PF_OWN &&
	       (int)CST_ITM_PF_CLOCK == CST_PF_OWN, "own flags");

/*
 * Returns the error of a packet of role BAD, an enum cst_error, and 0 for other packets. `reserved` is the protocol's type
 * of a packet with a reserved header, `other` the error of all bad types without one of their own.
 */
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

/* Defines a parser_synced or parser_listing of struct cst_protocol_ops that sets one field of the parser. */
#define PARSER_FLAG(function, parser, field) \
	static void function(void *ps) { ((struct parser *)ps)->field = 1; }

/* stage_fini of a stage that owns no memory. */
void cst_stage_fini(void *stage);

extern const struct protocol cst_protocol_etmv4;
extern const struct protocol cst_protocol_etmv4_data;
extern const struct protocol cst_protocol_etmv3;
extern const struct protocol cst_protocol_ptm;
extern const struct protocol cst_protocol_stm;
extern const struct protocol cst_protocol_itm;

/* Returns NULL if the library has no decoder for the protocol. */
const struct protocol *cst_protocol_find(enum cst_protocol id);
/*
 * True if a decoder that begins at a synchronisation reaches the state of one that began before it. Otherwise the flow
 * stage has more state than a synchronisation traces again: conditional instructions that wait for their result, the
 * instruction that data transfers belong to, the last atom.
 */
int cst_protocol_resumes(const struct protocol *pr, const struct cst_config *cfg);

/*
 * Returns 1 and the address of the next instruction if it is in the elements e[0..n), which are queued in this order; -1 if
 * an instruction or a restart of trace comes before an address, 0 if there is neither.
 */
int cst_queued_address(const struct cst_element *e, uint32_t n, uint64_t *addr);

#endif
