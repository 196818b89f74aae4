/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - ETMv4 data trace packets to generic elements: data synchronisation markers, timestamps, events, and
 * suppressed transfers.
 */
#include <string.h>

#include "protocols/etmv4d/etmv4d.h"

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
