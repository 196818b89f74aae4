/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - ITM and DWT packets to software trace elements. Local timestamps are sums of deltas, global ones are joined
 * from two packets (DDI 0403 D4).
 */
#include <string.h>

#include "protocols/itm/itm.h"

_Static_assert(sizeof(struct itm_state) <= sizeof(((struct ready_stage *)0)->own), "there is room for it");

#define GTS_LOW_BITS 26		/* maximum bits of a global timestamp packet 1 */
#define PAGE_BITS 3		/* bits of an extension packet that selects the page of stimulus ports */
#define PORTS_OF_PAGE 32

static int put(struct itm_state *st, const struct cst_packet *pkt, struct cst_generic *g, enum cst_itm_kind kind)
{
	memset(g, 0, sizeof(*g));
	g->kind = CST_GEN_ITMTRACE;
	g->last_type = kind;
	g->num = st->overflow ? CST_SW_OVERFLOW : 0;
	st->overflow = 0;
	g->payload = pkt->value;
	g->size = pkt->vsize;
	g->channel = pkt->event;
	return 1;
}

static int put_local_ts(struct itm_state *st, const struct cst_config *cfg, const struct cst_packet *pkt,
			struct cst_generic *g)
{
	st->local += pkt->value * cfg->ts_prescale;
	put(st, pkt, g, CST_ITM_TS_SYNC + (pkt->event & 3));
	g->channel = 0;
	g->ts = st->local;
	g->flags = CST_GF_TS;
	return 1;
}

/* Makes the element of a global timestamp, unless bits of it are unknown. */
static int put_global_ts(struct itm_state *st, const struct cst_packet *pkt, struct cst_generic *g)
{
	if (!st->high_known || !st->low_known)
		return 0;
	put(st, pkt, g, CST_ITM_TS_GLOBAL);
	g->payload = g->size = g->channel = 0;
	g->ts = st->global;
	g->flags = CST_GF_TS;
	if (st->clock)
		g->num |= CST_SW_CLOCK;
	st->clock = 0;
	return 1;
}

static void global_ts1(struct itm_state *st, const struct cst_packet *pkt)
{
	unsigned int bits = pkt->vsize < 4 ? 7 * pkt->vsize : GTS_LOW_BITS;
	uint64_t mask = ((uint64_t)1 << bits) - 1;

	if (pkt->flags & CST_ITM_PF_WRAP)
		st->high_known = 0;
	if (pkt->flags & CST_ITM_PF_CLOCK)
		st->clock = 1;
	if (bits == GTS_LOW_BITS)
		st->low_known = 1;
	st->global = (st->global & ~mask) | pkt->value;
}

static void global_ts2(struct itm_state *st, const struct cst_packet *pkt)
{
	st->global = (st->global & (((uint64_t)1 << GTS_LOW_BITS) - 1)) | pkt->value << GTS_LOW_BITS;
	st->high_known = 1;
}

int cst_itm_element(struct ready_stage *s, const struct cst_packet *pkt, struct cst_generic *g)
{
	struct itm_state *st = (struct itm_state *)s->own;

	switch (pkt->type) {
	case CST_ITM_PKT_SWIT:
		put(st, pkt, g, CST_ITM_SWIT);
		g->channel += st->page * PORTS_OF_PAGE;
		return 1;
	case CST_ITM_PKT_DWT:
		return put(st, pkt, g, CST_ITM_DWT);
	case CST_ITM_PKT_LOCAL_TS:
		return put_local_ts(st, s->cfg, pkt, g);
	case CST_ITM_PKT_GLOBAL_TS1:
		global_ts1(st, pkt);
		return put_global_ts(st, pkt, g);
	case CST_ITM_PKT_GLOBAL_TS2:
		global_ts2(st, pkt);
		return put_global_ts(st, pkt, g);
	case CST_ITM_PKT_EXTENSION:
		if (pkt->count == PAGE_BITS && !(pkt->flags & CST_ITM_PF_HARDWARE))
			st->page = pkt->value;
		return 0;
	case CST_ITM_PKT_OVERFLOW:
		/* deltas were lost, so that their sum restarts */
		st->local = 0;
		st->overflow = 1;
		return 0;
	default:
		return 0;
	}
}
