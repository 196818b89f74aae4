/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - ETMv4 data trace packets to generic elements: data synchronisation markers, timestamps, events, and
 * suppressed transfers.
 */
#include <string.h>

#include "protocols/etmv4d/etmv4d.h"

const uint8_t cst_etmv4d_roles[CST_ETMV4D_PKT_TYPES] = {
	[CST_ETMV4D_PKT_NOT_SYNC] = CST_ROLE_NOT_SYNC,
	[CST_ETMV4D_PKT_INCOMPLETE] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_BAD_SEQUENCE] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_RESERVED] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_ASYNC] = CST_ROLE_ASYNC,
	[CST_ETMV4D_PKT_TRACE_INFO] = CST_ROLE_SYNC,
	[CST_ETMV4D_PKT_DISCARD] = CST_ROLE_DISCARD,
	[CST_ETMV4D_PKT_OVERFLOW] = CST_ROLE_LOSS,
	[CST_ETMV4D_PKT_TIMESTAMP] = CST_ROLE_TIMESTAMP,
	[CST_ETMV4D_PKT_EVENT] = CST_ROLE_EVENT,
	/* bad, since the length of these packets is not known (packets.def) */
	[CST_ETMV4D_PKT_P1_F1] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P1_F2] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P1_F3] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P1_F4] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P1_F5] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P1_F6] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P1_F7] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P2_F1] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P2_F2] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P2_F3] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P2_F4] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P2_F5] = CST_ROLE_BAD,
	[CST_ETMV4D_PKT_P2_F6] = CST_ROLE_BAD,
};

static int put(struct cst_generic *g, enum cst_generic_kind kind, unsigned int num, uint64_t value)
{
	memset(g, 0, sizeof(*g));
	g->kind = kind;
	g->num = num;
	g->addr = value;
	return 1;
}

int cst_etmv4d_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g)
{
	struct etmv4d_state *st = (struct etmv4d_state *)s->own;

	switch (pkt->type) {
	case CST_ETMV4D_PKT_TRACE_INFO:
		st->info = 1;
		return 0;
	case CST_ETMV4D_PKT_SUPPRESSION:
		s->stats->data_lost++;
		/* fall through */
	case CST_ETMV4D_PKT_DISCARD:
	case CST_ETMV4D_PKT_OVERFLOW:
		return put(g, CST_GEN_DATA, CST_DATA_SUPPRESSED, 0);
	case CST_ETMV4D_PKT_SYNC_NUM:
		return put(g, CST_GEN_SYNC_MARKER, CST_MARK_DATA_NUMBERED, pkt->event);
	case CST_ETMV4D_PKT_SYNC:
		return put(g, CST_GEN_SYNC_MARKER, CST_MARK_DATA, 0);
	case CST_ETMV4D_PKT_EVENT:
		return put(g, CST_GEN_EVENT, pkt->event, 0);
	case CST_ETMV4D_PKT_TIMESTAMP:
		/* before Trace Info, the bits that the packet omits are unknown */
		return st->info && put(g, CST_GEN_TIMESTAMP, 0, pkt->ts);
	default:
		return 0;
	}
}
