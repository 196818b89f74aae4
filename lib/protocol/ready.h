/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready.h - element stage of a protocol whose packets are final at once and tell of no program flow: a packet
 * gives at most one generic element, which is put out as it stands.
 */
#ifndef CST_LIB_READY_H
#define CST_LIB_READY_H

#include <cstrace/tree.h>

/* Start, a loss, the packet's own, a change of the configuration. */
#define READY_ELEMENTS 4

/* First in the protocol's own stage. */
struct ready_stage {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_element el[READY_ELEMENTS];
	struct cst_generic gen;	/* what the READY element in el[] points to */
	uint64_t last_index;
	uint8_t n, taken;
	uint8_t synced;
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	uint8_t config;		/* and it starts a new configuration */
};

void cst_ready_init(struct ready_stage *s, const struct cst_config *cfg, struct cst_stats *stats);
void cst_ready_reset(struct ready_stage *s, uint8_t reason, int config);
void cst_ready_restart(struct ready_stage *s, uint64_t index);

enum ready_packet {
	READY_SKIP,		/* nothing to do: out of step */
	READY_DECODE,
	READY_LOST,		/* a bad packet: what the stage remembers is void */
};

/* What every packet needs: `role` is its role, `err` an enum cst_error (positive) for one of role BAD. */
enum ready_packet cst_ready_packet(struct ready_stage *s, const struct cst_packet *pkt, enum cst_packet_role role,
				   int err);
/* The packet's generic element, empty, queued. One for a packet. */
struct cst_generic *cst_ready_put(struct ready_stage *s, enum cst_generic_kind kind);
void cst_ready_end(struct ready_stage *s);
const struct cst_element *cst_ready_take(struct ready_stage *s);

#endif
