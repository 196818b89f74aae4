/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - STPv2 packets to software trace elements: what a master wrote to a channel, and when.
 */
#include <string.h>

#include "protocols/stm/stm.h"

/* Returns the enum cst_sw_flags of the packet's element, or -1 if the packet makes none. */
static int meaning(struct ready_stage *s, const struct cst_packet *pkt)
{
	struct stm_state *st = (struct stm_state *)s->own;

	switch (pkt->type) {
	case CST_STM_PKT_D4: case CST_STM_PKT_D8: case CST_STM_PKT_D16:
	case CST_STM_PKT_D32: case CST_STM_PKT_D64:
		return 0;
	case CST_STM_PKT_FLAG:
		return CST_SW_MARKER;
	case CST_STM_PKT_TRIG:
		return CST_SW_TRIGGER;
	case CST_STM_PKT_FREQ:
		return CST_SW_FREQ;
	case CST_STM_PKT_MERR:
		cst_ready_lost(s, &s->stats->master_errors, CST_FIND_STM_MASTER_ERROR);
		return CST_SW_MASTER_ERR;
	case CST_STM_PKT_GERR:
		cst_ready_lost(s, &s->stats->global_errors, CST_FIND_STM_GLOBAL_ERROR);
		st->id_known = 0;
		return CST_SW_GLOBAL_ERR;
	case CST_STM_PKT_NULL:
		return pkt->flags & CST_STM_PF_TS ? 0 : -1;
	case CST_STM_PKT_M8:
	case CST_STM_PKT_M16:
		st->id_known = 1;
		return -1;
	default:
		return -1;
	}
}

int cst_stm_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g)
{
	const struct stm_state *st = (const struct stm_state *)s->own;
	int num = meaning(s, pkt);

	if (num < 0)
		return 0;
	memset(g, 0, sizeof(*g));
	g->kind = CST_GEN_SWTRACE;
	g->payload = pkt->value;
	g->size = pkt->vsize;
	g->num = num | (st->id_known ? CST_SW_ID : 0) | (pkt->flags & CST_STM_PF_MARKER ? CST_SW_MARKER : 0);
	g->master = pkt->cid;
	g->channel = pkt->vmid;
	if (pkt->flags & CST_STM_PF_TS) {
		g->ts = pkt->ts;
		g->flags = CST_GF_TS;
	}
	return 1;
}
