/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - ITM and DWT packets to software trace elements; timestamps out of their parts.
 */
#include <string.h>

#include <cstrace/error.h>

#include "itm/itm.h"

#define GTS_LOW_BITS 26		/* that a global timestamp packet 1 has at most */
#define PAGE_BITS 3		/* of an extension packet that says the page of the stimulus ports */
#define PORTS_OF_PAGE 32

const uint8_t cst_itm_roles[CST_ITM_PKT_TYPES] = {
	[CST_ITM_PKT_NOT_SYNC] = CST_ROLE_NOT_SYNC,
	[CST_ITM_PKT_INCOMPLETE] = CST_ROLE_BAD,
	[CST_ITM_PKT_BAD_SEQUENCE] = CST_ROLE_BAD,
	[CST_ITM_PKT_RESERVED] = CST_ROLE_BAD,
	[CST_ITM_PKT_ASYNC] = CST_ROLE_ASYNC,
	[CST_ITM_PKT_OVERFLOW] = CST_ROLE_LOSS,
};

static int packet_error(unsigned int type)
{
	switch (type) {
	case CST_ITM_PKT_INCOMPLETE:
		return CST_ERR_INCOMPLETE;
	case CST_ITM_PKT_RESERVED:
		return CST_ERR_BAD_HEADER;
	default:
		return CST_ERR_BAD_SEQUENCE;
	}
}

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

static int put_local_ts(struct itm_stage *s, const struct cst_packet *pkt, struct cst_generic *g)
{
	s->st.local += pkt->value * s->ready.cfg->ts_prescale;
	put(&s->st, pkt, g, CST_ITM_TS_SYNC + (pkt->event & 3));
	g->channel = 0;
	g->ts = s->st.local;
	g->flags = CST_GF_TS;
	return 1;
}

/* A timestamp that is known in part only tells no time; the reference has zeros for what it does not know. */
static int put_global_ts(struct itm_stage *s, const struct cst_packet *pkt, struct cst_generic *g)
{
	if (!s->st.high_known || (!s->st.low_known && !s->ready.cfg->as_reference))
		return 0;
	put(&s->st, pkt, g, CST_ITM_TS_GLOBAL);
	g->payload = g->size = g->channel = 0;
	g->ts = s->st.global;
	g->flags = CST_GF_TS;
	if (s->st.clock)
		g->num |= CST_SW_CLOCK;
	s->st.clock = 0;
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

int cst_itm_element(void *stage, const struct cst_packet *pkt, struct cst_generic *g)
{
	struct itm_stage *s = stage;

	switch (pkt->type) {
	case CST_ITM_PKT_SWIT:
		put(&s->st, pkt, g, CST_ITM_SWIT);
		g->channel += s->st.page * PORTS_OF_PAGE;
		return 1;
	case CST_ITM_PKT_DWT:
		return put(&s->st, pkt, g, CST_ITM_DWT);
	case CST_ITM_PKT_LOCAL_TS:
		return put_local_ts(s, pkt, g);
	case CST_ITM_PKT_GLOBAL_TS1:
		global_ts1(&s->st, pkt);
		return put_global_ts(s, pkt, g);
	case CST_ITM_PKT_GLOBAL_TS2:
		global_ts2(&s->st, pkt);
		return put_global_ts(s, pkt, g);
	case CST_ITM_PKT_EXTENSION:
		if (pkt->count == PAGE_BITS && !(pkt->flags & CST_ITM_PF_HARDWARE))
			s->st.page = pkt->value;
		return 0;
	case CST_ITM_PKT_OVERFLOW:
		/* deltas are missing: the sum starts anew */
		s->st.local = 0;
		s->st.overflow = 1;
		return 0;
	default:
		return 0;
	}
}

void cst_itm_packet(void *stage, const struct cst_packet *pkt)
{
	struct itm_stage *s = stage;

	switch (cst_ready_packet(&s->ready, pkt, cst_itm_roles[pkt->type], packet_error(pkt->type))) {
	case READY_LOST:
		memset(&s->st, 0, sizeof(s->st));
		break;
	case READY_SKIP:
		break;
	case READY_DECODE:
		if (cst_itm_element(s, pkt, &s->ready.gen))
			cst_ready_put(&s->ready);
		break;
	}
}
