/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - STPv2 packets to software trace elements: what a master wrote to a channel, and when.
 */
#include <string.h>

#include <cstrace/error.h>

#include "stm/stm.h"

const uint8_t cst_stm_roles[CST_STM_PKT_TYPES] = {
	[CST_STM_PKT_NOT_SYNC] = CST_ROLE_NOT_SYNC,
	[CST_STM_PKT_INCOMPLETE] = CST_ROLE_BAD,
	[CST_STM_PKT_BAD_SEQUENCE] = CST_ROLE_BAD,
	[CST_STM_PKT_RESERVED] = CST_ROLE_BAD,
	[CST_STM_PKT_ASYNC] = CST_ROLE_ASYNC,
	[CST_STM_PKT_VERSION] = CST_ROLE_SYNC,
	[CST_STM_PKT_TRIG] = CST_ROLE_EVENT,
	[CST_STM_PKT_GERR] = CST_ROLE_LOSS,
	[CST_STM_PKT_MERR] = CST_ROLE_LOSS,
};

static int packet_error(unsigned int type)
{
	switch (type) {
	case CST_STM_PKT_INCOMPLETE:
		return CST_ERR_INCOMPLETE;
	case CST_STM_PKT_RESERVED:
		return CST_ERR_BAD_HEADER;
	default:
		return CST_ERR_BAD_SEQUENCE;
	}
}

/* What the element says beside the payload; -1: the packet makes none. */
static int meaning(struct stm_stage *s, const struct cst_packet *pkt)
{
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
		return CST_SW_MASTER_ERR;
	case CST_STM_PKT_GERR:
		s->id_known = 0;
		return CST_SW_GLOBAL_ERR;
	case CST_STM_PKT_NULL:
		return pkt->flags & CST_STM_PF_TS ? 0 : -1;
	case CST_STM_PKT_M8:
	case CST_STM_PKT_M16:
		s->id_known = 1;
		return -1;
	default:
		return -1;
	}
}

int cst_stm_element(void *stage, const struct cst_packet *pkt, struct cst_generic *g)
{
	struct stm_stage *s = stage;
	int num = meaning(s, pkt);

	if (num < 0)
		return 0;
	memset(g, 0, sizeof(*g));
	g->kind = CST_GEN_SWTRACE;
	g->payload = pkt->value;
	g->size = pkt->vsize;
	g->num = num | (s->id_known ? CST_SW_ID : 0) | (pkt->flags & CST_STM_PF_MARKER ? CST_SW_MARKER : 0);
	g->master = pkt->cid;
	g->channel = pkt->vmid;
	if (pkt->flags & CST_STM_PF_TS) {
		g->ts = pkt->ts;
		g->flags = CST_GF_TS;
	}
	return 1;
}

void cst_stm_packet(void *stage, const struct cst_packet *pkt)
{
	struct stm_stage *s = stage;
	struct cst_stats *stats = s->ready.stats;
	enum cst_packet_role role = cst_stm_roles[pkt->type];

	/* of a loss each error packet has its own to say */
	switch (cst_ready_packet(&s->ready, pkt, role == CST_ROLE_LOSS ? CST_ROLE_OTHER : role,
				 packet_error(pkt->type))) {
	case READY_LOST:
		s->id_known = 0;
		break;
	case READY_SKIP:
		break;
	case READY_DECODE:
		if (pkt->type == CST_STM_PKT_MERR)
			cst_ready_lost(&s->ready, &stats->master_errors, CST_FIND_STM_MASTER_ERROR);
		else if (pkt->type == CST_STM_PKT_GERR)
			cst_ready_lost(&s->ready, &stats->global_errors, CST_FIND_STM_GLOBAL_ERROR);
		if (cst_stm_element(s, pkt, &s->ready.gen))
			cst_ready_put(&s->ready);
		break;
	}
}
