/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * etmv4.h - inside the ETMv4/ETE decoder: packet parser and element stage.
 */
#ifndef CST_LIB_ETMV4_ETMV4_H
#define CST_LIB_ETMV4_ETMV4_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/packet.h>

#include "flow/flow_int.h"

struct cst_stats;
struct cst_generic;
struct fast;

#define ETMV4_ASYNC_SIZE 12	/* eleven 0x00, one 0x80 */

/* Unsynchronised bytes that a listing shows as one piece. */
#define ETMV4_UNSYNCED_PIECE 8

/* Every byte from here on is an atom packet. */
#define ETMV4_ATOMS 0xc0


/* A longest packet is a few ULEB sections; anything that needs more is not a packet. */
#define ETMV4_MAX_PACKET 64

/*
 * What a parser remembers between packets (Arm ARM K10.5.2.1 "Retained state"). Plain data, so that
 * a copy can look ahead.
 */
struct etmv4_parser {
	const struct cst_config *cfg;
	uint8_t synced;		/* A-sync seen */
	uint8_t seen_info;	/* Trace Info seen since the last start or reset */
	uint8_t listing;	/* unsynchronised bytes come in pieces, as the reference lists them */
	uint8_t zeros;		/* right before: of an A-sync whose beginning was taken for part of a packet; saturates */
	uint8_t type[256];	/* header -> enum cst_etmv4_packet_type, by configuration */
	uint8_t address[256];	/* by header: enum address_form << 1 | instruction set (packet.c) */
	struct {
		uint64_t addr;
		uint8_t is;
		uint8_t bits;	/* that its packet carried; for listings */
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
 * Parse one packet from [p, end). Returns its size, or 0 when it is not complete. Fills the fields
 * of `pkt` that its type has, but not index and bytes. Never reads outside [p, end). A bad packet has
 * its size, too: the offending bytes, at least 1. `pkt->finding` is added to: empty it before. In strict mode a
 * packet with a finding is bad.
 */
unsigned int cst_etmv4_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
/*
 * A Target Address packet at `p` with nothing reserved in it, and an atom packet behind it: its size, and ps->hist[0] is
 * the address. 0: something else, and nothing has changed.
 */
unsigned int cst_etmv4_address(struct etmv4_parser *ps, const uint8_t *p, const uint8_t *end);
/* The packet at `p`, which is complete: what is reserved in it, into pkt->finding. */
void cst_etmv4_check(struct etmv4_parser *ps, const uint8_t *p, struct cst_packet *pkt);
/* What the rest [p, end) is when the trace ends in it: NOT_SYNC or INCOMPLETE. */
void cst_etmv4_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);

size_t cst_etmv4_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

extern const uint8_t cst_etmv4_roles[CST_PKT_TYPES]; /* enum cst_packet_role by type */

/*
 * Element stage: speculation and transactions (K10.5.3, K10.5.4). A ring of elements, oldest first.
 * The first `final` of them are resolved and may be taken; of the next one, when it is an atom
 * element, the first `final_atoms` atoms are.
 */
struct etmv4_queue {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_element *ring;
	uint32_t cap;		/* power of two, grows up to cfg->max_queue */
	uint32_t head, count;
	uint32_t final;
	uint8_t final_atoms;
	uint32_t depth;		/* uncommitted P0 elements, with the unseen ones */
	uint32_t unseen;	/* of these, older than the first packet seen (Trace Info SPEC) */
	uint32_t trans_scan;	/* elements after a held Transaction Start already searched for its end */
	uint8_t state;		/* enum etmv4_sync */
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	uint8_t exc_pending;	/* an Exception packet waits for its address */
	uint8_t overflow;	/* next Trace On has reason overflow */
	uint8_t trans_open;	/* a Transaction Start was released; its end is in the ring */
	uint8_t ctx_seen;	/* enum cst_context_flags: traced since the last Trace Info, so the values hold */
	uint8_t ended;
	uint8_t config;		/* the first NO_SYNC starts a new configuration */
	uint32_t cond_c, cond_r; /* keys of the last conditional instruction and result */
	uint16_t exc_num;
	uint16_t exc_flags;
	uint64_t exc_index;
	uint64_t last_index;	/* of the last packet */
	struct cst_element part; /* split off an atom element that is final only in part */
};

/* Conditional Result format 1: `event` of the packet, beside two results of four bits. */
enum etmv4_cond {
	ETMV4_COND_CI0 = 0x100,	/* an instruction with this key comes first */
	ETMV4_COND_CI1 = 0x200,
	ETMV4_COND_TWO = 0x400,	/* there is a second result */
};

enum etmv4_sync {
	ETMV4_WAIT_ASYNC,	/* decoding starts at the next A-sync ... */
	ETMV4_WAIT_INFO,	/* ... and the Trace Info after it */
	ETMV4_SYNCED,
};

/* The stage's functions, of a struct etmv4_queue, as struct cst_protocol_ops says. */
int cst_etmv4_queue_init(void *queue, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_etmv4_queue_free(void *queue);
void cst_etmv4_queue_reset(void *queue, uint8_t reason, int config);
/* Decoding starts anew with the A-sync at `index`: what is queued ends with a NO_SYNC. */
void cst_etmv4_queue_restart(void *queue, uint64_t index);
/* A new element at the young end; NULL after the failure was dealt with. */
struct cst_element *cst_etmv4_queue_push(struct etmv4_queue *q, enum cst_element_kind kind, uint64_t index);
/* Conditional instruction packets (cond.c); what is outstanding becomes unknown. Only when synchronised. */
void cst_etmv4_cond_packet(struct etmv4_queue *q, const struct cst_packet *pkt);
void cst_etmv4_cond_flush(struct etmv4_queue *q, uint64_t index);
/* Turn a packet into elements. Take until NULL before the next one. */
void cst_etmv4_queue_packet(void *queue, const struct cst_packet *pkt);
/* End of trace: what is not committed is dropped, EO_TRACE queued. */
void cst_etmv4_queue_end(void *queue);
/* Take the next final element: valid until the next call of a queue function, NULL when there is none. */
const struct cst_element *cst_etmv4_queue_take(void *queue);
/* 1 when from here on both do the same with the same packets, whatever came before. */
int cst_etmv4_queue_same(const void *one, const void *other);
/* The Target Address that is queued before any P0 element: 1 and *addr; -1 when a P0 element comes first; or 0. */
int cst_etmv4_queue_address(const void *queue, uint64_t *addr);

/*
 * Nothing is queued, nothing speculative, so that an atom packet's atoms are final at once and can
 * go straight to the flow stage.
 */
static inline int cst_etmv4_queue_direct(const struct etmv4_queue *q)
{
	return !q->count && !q->cfg->max_spec && q->state == ETMV4_SYNCED && !q->exc_pending &&
	       !q->unseen;
}

/*
 * The next packet is an atom packet: without speculation it makes everything before it final. 1 when
 * there is something to take now.
 */
static inline int cst_etmv4_queue_settle(struct etmv4_queue *q)
{
	if (!q->count || q->final || q->cfg->max_spec || q->state != ETMV4_SYNCED || q->exc_pending ||
	    q->unseen)
		return 0;
	q->final = q->count;
	return 1;
}

/* Runs of atoms (struct protocol). */
enum fast_end cst_etmv4_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);

#endif
