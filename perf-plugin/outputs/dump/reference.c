/* SPDX-License-Identifier: GPL-2.0-only */
/* reference.c - packets and elements of the library to those of the reference lister. */
#include "outputs/dump/reference.h"

void reference_packet(struct cst_packet *pkt)
{
	bool timestamp = (pkt->protocol == CST_PROTO_ETMV3 && pkt->type == CST_ETMV3_PKT_TIMESTAMP) ||
			 (pkt->protocol == CST_PROTO_PTM && pkt->type == CST_PTM_PKT_TIMESTAMP);

	/* upper bits that were not sent yet are zeros, and Gray code is taken for a number */
	if (timestamp)
		pkt->ts = pkt->value;
}

bool reference_element(struct cst_generic *g, unsigned int protocol)
{
	bool etmv3 = protocol == CST_PROTO_ETMV3;

	switch (g->kind) {
	case CST_GEN_ADDR_UNKNOWN:
		/* only of ETMv3, for atoms whose address was never known */
		return etmv3 && !g->error;
	case CST_GEN_TIMESTAMP:
		if (etmv3 || protocol == CST_PROTO_PTM)
			g->addr = g->value;
		break;
	case CST_GEN_EXCEPTION:
		/* of ETMv3 the trace has no return address, and the place of the exception is not taken for one */
		if (etmv3)
			g->flags &= (uint16_t)~CST_GF_RET_ADDR;
		break;
	case CST_GEN_RANGE:
		/* IT blocks of ETMv3 are not followed */
		if (etmv3 && g->num & CST_RANGE_IT)
			g->flags &= (uint16_t)~CST_GF_COND;
		break;
	}
	return true;
}

void reference_stats(struct cst_stats *stats)
{
	stats->times_unknown = 0;
}
