/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * etmv4.h - internal interface of the ETMv4/ETE decoder: packet parser and element stage.
 */
#ifndef CST_LIB_PROTOCOLS_ETMV4_ETMV4_H
#define CST_LIB_PROTOCOLS_ETMV4_ETMV4_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/packet.h>

#include "flow/flow_int.h"

struct cst_stats;
struct cst_generic;
struct fast;

#define ETMV4_ASYNC_SIZE 12	/* eleven 0x00, one 0x80 */

/* Bytes of a full unsynchronised piece in a listing. */
#define ETMV4_UNSYNCED_PIECE 8

/* Headers from here up are atom packets of one byte. */
#define ETMV4_ATOMS 0xc0

/* Maximum size of a packet in bytes, which a Trace Info with all its sections does not reach. */
#define ETMV4_MAX_PACKET 64

/*
 * State of the parser between packets (Arm ARM K10.5.2.1 "Retained state"). Plain data, so that a copy can read
 * ahead.
 */
struct etmv4_parser {
	const struct cst_config *cfg;
	uint8_t synced;		/* A-sync seen */
	uint8_t seen_info;	/* Trace Info seen since the last start or reset */
	uint8_t padding;	/* no byte but Ignore packets since the start: an unsynchronised one is no loss */
	uint8_t listing;	/* unsynchronised bytes are returned in the pieces of the reference's listings */
	uint8_t zeros;		/* zeros right before the reading position, up to those of an A-sync, which may begin in them */
	uint8_t type[256];	/* header -> enum cst_etmv4_packet_type, by configuration */
	uint8_t address[256];	/* by header: what its address is like (address_fields.h) */
	struct {
		uint64_t addr;
		uint8_t is;
		uint8_t bits;	/* number of bits that its packet carried; for listings */
	} hist[3];
	struct cst_context ctx;
	uint64_t ts;
	uint32_t cc_threshold;
	uint8_t overflowed;	/* ETE: no cycle count since an overflow */
};

/* Atoms by header byte minus 0xC0. */
extern const struct atom_code cst_etmv4_atoms[64];

void cst_etmv4_parser_init(void *parser, const struct cst_config *cfg, void *user);

/*
 * struct cst_protocol_ops.parse. The size of a bad packet is that of its offending bytes, at least 1. Findings are added
 * to `pkt->finding`, which the caller empties; with cfg->strict a packet with a finding is bad.
 */
unsigned int cst_etmv4_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
/* Adds findings for reserved values in the packet at `p`, which is complete, to pkt->finding. */
void cst_etmv4_check(struct etmv4_parser *ps, const uint8_t *p, struct cst_packet *pkt);
/* struct cst_protocol_ops.parse_rest. */
void cst_etmv4_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);

size_t cst_etmv4_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

extern const uint8_t cst_etmv4_roles[CST_PKT_TYPES]; /* enum cst_packet_role by type */

/*
 * Element stage: speculation and transactions (K10.5.3, K10.5.4). A ring of elements, oldest first. The first `final`
 * ones are resolved and may be taken; if the next one is an atom element, its first `final_atoms` atoms are, too.
 */
struct etmv4_queue {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_element *ring;
	uint32_t cap;		/* power of two, grows up to cfg->max_queue */
	uint32_t head, count;
	struct {
		uint32_t final;
		uint8_t final_atoms;
		/* the final atoms of an element whose other atoms are not final */
		struct cst_element part;
	} committed;
	uint32_t depth;		/* uncommitted P0 elements: the current speculation depth */
	uint32_t unseen;	/* those of them that precede the first packet seen (Trace Info SPEC) */
	struct {
		/* elements after a held Transaction Start already searched for its end */
		uint32_t trans_scan;
		/* a Transaction Start was released; its end is in the ring */
		uint8_t trans_open;
		/*
		 * the trace is inside a transaction behind the last packet, as TSTATE of a Trace
		 * Info states it
		 */
		uint8_t in_trans;
	} trans;
	uint8_t state;		/* enum etmv4_sync */
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	struct {
		uint8_t exc_pending;	/* an Exception packet waits for its address */
		uint16_t exc_num;
		uint16_t exc_flags;
		uint64_t exc_index;
	} exc;
	uint8_t overflow;	/* next Trace On has reason overflow */
	uint8_t ctx_seen;	/* enum cst_context_flags: IDs traced since the last Trace Info, whose values are valid */
	uint8_t ended;
	uint8_t config;		/* the first NO_SYNC starts a new configuration */
	struct {
		uint32_t cond_c, cond_r; /* keys of the last conditional instruction and result */
	} cond;
	uint64_t last_index;	/* of the last packet */
};

/* Conditional Result format 1: flags in `event` of the packet, whose bits 7:0 are two results. */
enum etmv4_cond {
	ETMV4_COND_CI0 = 0x100,	/* a C element with the key of the first result precedes it */
	ETMV4_COND_CI1 = 0x200,	/* a C element with the key of the second result precedes that */
	ETMV4_COND_TWO = 0x400,	/* the packet has a second result */
};

enum etmv4_sync {
	ETMV4_WAIT_ASYNC,	/* before an A-sync */
	ETMV4_WAIT_INFO,	/* after an A-sync, before a Trace Info */
	ETMV4_SYNCED,
};

/* Functions of struct cst_protocol_ops, whose stage is a struct etmv4_queue. */
int cst_etmv4_queue_init(void *queue, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_etmv4_queue_free(void *queue);
void cst_etmv4_queue_reset(void *queue, uint8_t reason, int config);
/* Restarts decoding at the A-sync at `index`; the queue ends with a NO_SYNC element. */
void cst_etmv4_queue_restart(void *queue, uint64_t index);
/* Appends an element. Returns NULL if there is no room: synchronisation then ends with a NO_SYNC element. */
struct cst_element *cst_etmv4_queue_push(struct etmv4_queue *q, enum cst_element_kind kind, uint64_t index);
/* Queues the elements of a conditional instruction packet (cond.c). The stage is synchronised. */
void cst_etmv4_cond_packet(struct etmv4_queue *q, const struct cst_packet *pkt);
/* Makes the outstanding results of conditional instructions unknown. */
void cst_etmv4_cond_flush(struct etmv4_queue *q, uint64_t index);
/* Queues the elements of a packet. The caller has taken all final elements of the packets before. */
void cst_etmv4_queue_packet(void *queue, const struct cst_packet *pkt);
/* Ends the trace: drops what is not committed and queues CST_EL_END. */
void cst_etmv4_queue_end(void *queue);
/* Returns the next final element, valid until the next call of a queue function, or NULL. */
const struct cst_element *cst_etmv4_queue_take(void *queue);
/* struct protocol.stage_digest. */
uint64_t cst_etmv4_queue_digest(const void *queue, uint64_t digest);
/* Returns 1, and *addr, if a Target Address is queued before any P0 element, -1 if a P0 element is first, else 0. */
int cst_etmv4_queue_address(const void *queue, uint64_t *addr);

/*
 * True if nothing is queued and nothing can be speculative, so that the atoms of an atom packet are final at once and
 * can be passed to the flow stage.
 */
static inline int cst_etmv4_queue_direct(const struct etmv4_queue *q)
{
	return !q->count && !q->cfg->max_spec && q->state == ETMV4_SYNCED && !q->exc.exc_pending &&
	       !q->unseen;
}

/*
 * Called before an atom packet. Without speculation it makes all elements before it final. Returns 1 if some can be taken
 * now.
 */
static inline int cst_etmv4_queue_settle(struct etmv4_queue *q)
{
	if (!q->count || q->committed.final || q->cfg->max_spec || q->state != ETMV4_SYNCED ||
	    q->exc.exc_pending || q->unseen)
		return 0;
	q->committed.final = q->count;
	return 1;
}

/* struct protocol.run: atoms and addresses. */
enum fast_end cst_etmv4_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);

#endif
