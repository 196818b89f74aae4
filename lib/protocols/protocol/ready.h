/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready.h - element stage of a protocol without program flow (STM, ITM, ETMv4 data trace): a packet is final at once and
 * makes at most one generic element, which is emitted without a flow stage.
 */
#ifndef CST_LIB_PROTOCOLS_PROTOCOL_READY_H
#define CST_LIB_PROTOCOLS_PROTOCOL_READY_H

#include <cstrace/decoder.h>

#include "protocols/protocol/direct.h"

/*
 * A packet queues at most a NO_SYNC at the start, two findings (its boundary was tried, a loss) and its element; a new
 * configuration queues a NO_SYNC.
 */
#define READY_ELEMENTS 4

struct ready_stage {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_element elem[READY_ELEMENTS];
	struct cst_generic gen;	/* generic element that the READY element in elem[] points to */
	uint64_t last_index;
	uint8_t n, taken;
	uint8_t synced;
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	uint8_t config;		/* and it starts a new configuration */
	uint64_t own[4];	/* state of the protocol between packets; zeros after a loss of synchronisation */
};

/* Functions and values in which the protocols differ. */
struct ready_protocol {
	unsigned int (*parse)(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
	const uint8_t *roles;
	/* Makes the generic element of a packet in synchronisation, without index and trace ID. Returns 0 if there is none. */
	int (*element)(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g);
	uint8_t reserved;	/* the type of a packet with a reserved header */
	uint8_t own_losses;	/* `element` counts the losses of packets of role LOSS, not the stage */
	uint8_t tries;		/* the parser may have found the packets' boundary without an A-sync */
};

/* Functions of struct cst_protocol_ops; a protocol adds its own stage_packet, which calls cst_ready_packet(). */
int cst_ready_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_ready_reset(void *stage, uint8_t reason, int config);
void cst_ready_restart(void *stage, uint64_t index);
void cst_ready_packet(struct ready_stage *s, const struct cst_packet *pkt, const struct ready_protocol *pr);
void cst_ready_end(void *stage);
const struct cst_element *cst_ready_take(void *stage);

/* Those of the element stage. */
#define READY_STAGE(packet)									\
	.stage_size = sizeof(struct ready_stage), .stage_init = cst_ready_init,			\
	.stage_fini = cst_stage_fini, .stage_reset = cst_ready_reset,				\
	.stage_restart = cst_ready_restart, .stage_packet = packet,				\
	.stage_end = cst_ready_end, .stage_take = cst_ready_take

/* struct protocol.stage_digest. */
uint64_t cst_ready_digest(const void *stage, uint64_t digest);
/* Records a loss that a packet reports: adds 1 to *count, a member of s->stats, and queues finding `what`. */
void cst_ready_lost(struct ready_stage *s, uint64_t *count, enum cst_finding what);

/*
 * struct protocol.run: emits the elements of packets of role OTHER without the queue. It is called with constants, so
 * that the compiler makes an instance for each protocol.
 */
static inline __attribute__((always_inline)) enum fast_end ready_run(const struct fast *x, const struct ready_protocol *pr,
								     struct cst_generic *out, size_t *n, size_t cap)
{
	struct ready_stage *s = x->stage;
	struct cst_packet pkt;

	if (!s->synced)
		return FAST_LEFT;
	while (*n < cap && direct_packet(x, pr->parse, &pkt)) {
		if (pr->roles[pkt.type] != CST_ROLE_OTHER) {
			cst_ready_packet(s, &pkt, pr);
			return FAST_STAGED;
		}
		s->last_index = pkt.index;
		if (pr->element(s, &pkt, &out[*n])) {
			out[*n].index = pkt.index;
			out[(*n)++].trace_id = x->f->emit.tmpl.trace_id;
		}
	}
	return FAST_LEFT;
}

#endif
