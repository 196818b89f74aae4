/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready.h - element stage of a protocol whose packets are final at once and tell of no program flow: a packet
 * gives at most one generic element, which is put out as it stands.
 */
#ifndef CST_LIB_PROTOCOL_READY_H
#define CST_LIB_PROTOCOL_READY_H

#include <cstrace/decoder.h>

#include "protocol/direct.h"

/* Start, a loss, the packet's own, a change of the configuration. */
#define READY_ELEMENTS 4

struct ready_stage {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_element elem[READY_ELEMENTS];
	struct cst_generic gen;	/* what the READY element in elem[] points to */
	uint64_t last_index;
	uint8_t n, taken;
	uint8_t synced;
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	uint8_t config;		/* and it starts a new configuration */
	uint64_t own[4];	/* what the protocol remembers between packets: all zero after a loss of synchronisation */
};

/* What a protocol has to do with a packet. */
struct ready_protocol {
	unsigned int (*parse)(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
	const uint8_t *roles;
	/* The generic element of a packet that is in step: 1 and *g, but for index and ID; or 0. */
	int (*element)(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g);
	uint8_t reserved;	/* the type of a packet with a reserved header */
	uint8_t own_losses;	/* `element` counts what packets of role LOSS say */
};

/* The functions of struct cst_protocol_ops; what is left to a protocol is to call cst_ready_packet() with its rules. */
int cst_ready_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_ready_reset(void *stage, uint8_t reason, int config);
void cst_ready_restart(void *stage, uint64_t index);
void cst_ready_packet(struct ready_stage *s, const struct cst_packet *pkt, const struct ready_protocol *pr);
void cst_ready_end(void *stage);
const struct cst_element *cst_ready_take(void *stage);
/* struct protocol.stage_same. */
int cst_ready_same(const void *a, const void *b);
/* The packet reports a loss: adds 1 to *count, a member of s->stats, and queues the finding. */
void cst_ready_lost(struct ready_stage *s, uint64_t *count, enum cst_finding what);

/*
 * struct protocol.run: packets that are nothing but an element go straight to the output. To be
 * called with constants, so that the compiler makes one for each protocol.
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
			out[(*n)++].trace_id = x->f->tmpl.trace_id;
		}
	}
	return FAST_LEFT;
}

#endif
