/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aside.c - packets between the steps of the fast way: synchronisation, timestamps, and what leads into code or
 * out of it. They go straight to the flow.
 */
#include <cstrace/flow.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "protocol/async.h"
#include "protocol/reader.h"
#include "ptm/fast.h"

#define CC_ISYNC_RESERVED 0x03
#define ASYNC_HEADER 0x00
#define ISYNC_HEADER 0x08
#define TIMESTAMP_HEADER 0x42
#define TIMESTAMP_CLOCK 0x46
#define EXC_RETURN_HEADER 0x76
#define ISYNC_SIZE 6		/* without a cycle count */
/* information byte of an I-sync: all but NS and Hyp */
#define ISYNC_FIXED 0xf5
#define ISYNC_PERIODIC 0x01
#define ISYNC_TRACE_ON 0x21
#define ISYNC_NS 0x08
#define ISYNC_HYP 0x02

static void add_cycles(const struct ptm_parser *ps, struct cst_generic *g, uint32_t cc)
{
	if (!ps->cfg->cycle_count)
		return;
	g->flags |= CST_GF_CC;
	g->cc = cc;
}

/* Trace On: the element, and what was known of the flow ends. */
static void trace_on(struct aside *a, uint32_t cc)
{
	struct ptm_parser *ps = a->x->c->ps;
	struct cst_flow *f = a->x->f;
	struct cst_generic *g;

	f->el.index = a->index;
	g = cst_flow_emit(f, a->out, &a->n, CST_GEN_TRACE_ON);
	g->num = CST_ON_NORMAL;
	cst_flow_set_next(f, g);
	add_cycles(ps, g, cc);
	cst_flow_reset(f);
	f->need_ctx = 0;
	cst_flow_at(f, ps->addr, (enum cst_isa)ps->isa);
}

/* An address to compare with the one that is known. */
static void resync(struct aside *a)
{
	const struct ptm_parser *ps = a->x->c->ps;
	struct cst_flow *f = a->x->f;

	f->el.index = a->index;
	f->el.addr = ps->addr;
	f->el.is = ps->isa;
	cst_flow_resync(f, a->out, &a->n);
}

/* Periodic, or after Trace On, with nothing new but the address. */
static const uint8_t *isync(struct aside *a)
{
	struct ptm_parser *ps = a->x->c->ps;
	const struct ptm_stage *st = a->x->stage;
	const uint8_t *p = a->p, *q = p + ISYNC_SIZE;
	uint8_t info;
	uint32_t cc = 0;
	int on;

	if (a->end - p < ISYNC_SIZE || ps->cfg->cid_bytes || !st->told || !st->running ||
	    a->x->f->stop_mask & CST_STOP_TRACE_ON)
		return NULL;
	info = p[5];
	on = (info & ISYNC_FIXED) == ISYNC_TRACE_ON;
	if ((!on && (info & ISYNC_FIXED) != ISYNC_PERIODIC) || (p[1] & 1 ? CST_ISA_T32 : CST_ISA_A32) != ps->isa ||
	    !(info & ISYNC_NS) != (st->ctx.security == CST_SEC_SECURE) || !(info & ISYNC_HYP) != !st->ctx.el)
		return NULL;
	if (on)
		q = cycles_after(ps, q, a->end, CC_ISYNC_RESERVED, &cc);
	if (!q)
		return NULL;
	ps->addr = (p[1] & 0xfeu) | p[2] << 8 | p[3] << 16 | (uint32_t)p[4] << 24;
	ps->addr_known = 32;
	ps->alt_isa = 0;
	ps->ns = !!(info & ISYNC_NS);
	ps->hyp = !!(info & ISYNC_HYP);
	if (on)
		trace_on(a, cc);
	else
		resync(a);
	a->moved = 1;
	return q;
}

static const uint8_t *timestamp(struct aside *a)
{
	struct ptm_parser *ps = a->x->c->ps;
	struct reader r = { a->p + 1, a->end, 0, 0, 0 };
	struct cst_flow *f = a->x->f;
	struct cst_generic *g;
	struct times ts = ps->ts;
	struct cst_packet pkt;
	uint32_t cc = 0;
	const uint8_t *q;
	int whole;

	if (f->stop_mask & CST_STOP_TIMESTAMP)
		return NULL;
	whole = get_time(&r, ps->cfg, &ts, &pkt);
	if (r.more | r.wide || !(whole || ps->cfg->as_reference))
		return NULL;
	q = cycles_after(ps, r.p, a->end, CC_RESERVED, &cc);
	if (!q)
		return NULL;
	ps->ts = ts;
	f->el.index = a->index;
	g = cst_flow_emit(f, a->out, &a->n, CST_GEN_TIMESTAMP);
	g->addr = pkt.ts;
	add_cycles(ps, g, cc);
	return q;
}

/* In step, nothing follows from it; unless a new configuration has been waiting for it. */
static const uint8_t *async(const struct aside *a)
{
	const uint8_t *q = a->p;

	if (a->x->c->next)
		return NULL;
	while (q < a->end && !*q)
		q++;
	if (q == a->end || *q != ASYNC_END || q - a->p < PTM_ASYNC_ZEROS || q - a->p > PTM_MAX_ZEROS)
		return NULL;
	return q + 1;
}

static const uint8_t *exception_return(struct aside *a)
{
	struct cst_flow *f = a->x->f;

	if (f->stop_mask & CST_STOP_EXCEPTION)
		return NULL;
	f->el.index = a->index;
	cst_flow_emit(f, a->out, &a->n, CST_GEN_EXCEPTION_RET);
	return a->p + 1;
}

/* An atom or branch packet that leads into code, or out of it, where the graph does not go. */
static const uint8_t *waypoint(struct aside *a)
{
	struct ptm_parser *ps = a->x->c->ps;
	struct cst_flow *f = a->x->f;
	struct cst_element *el = &f->el;
	uint8_t h = *a->p, isa = ps->isa;
	uint32_t addr = 0, cc = 0;
	const uint8_t *q;

	if (h & 1) {
		q = get_address(ps, a->p, a->end, &addr, &isa);
		q = q ? cycles_after(ps, q, a->end, CC_RESERVED, &cc) : NULL;
	} else if (ps->cfg->cycle_count) {
		q = get_cycles(a->p + 1, a->end, h, &cc);
	} else {
		q = (h & ATOM_RESERVED_MASK) == ATOM_RESERVED ? NULL : a->p + 1;
	}
	if (!q)
		return NULL;
	if (h & 1) {
		ps->addr = addr;
		ps->isa = isa;
		cst_flow_give_branch(f, addr, isa, a->index);
	} else if (ps->cfg->cycle_count) {
		cst_flow_give_atoms(f, !(h & ATOM_N), 1, a->index);
	} else {
		cst_flow_give_atoms(f, cst_ptm_atoms[h >> 1 & 63].bits, cst_ptm_atoms[h >> 1 & 63].n, a->index);
	}
	if (ps->cfg->cycle_count) {
		el->flags = CST_EL_F_CC;
		el->cc = cc;
	}
	a->moved = 1;
	cst_flow_run(f, a->out, &a->n, a->cap);
	return q;
}

const uint8_t *cst_ptm_aside(struct aside *a)
{
	switch (*a->p) {
	case ISYNC_HEADER:
		return isync(a);
	case TIMESTAMP_HEADER:
	case TIMESTAMP_CLOCK:
		return timestamp(a);
	case ASYNC_HEADER:
		return async(a);
	case EXC_RETURN_HEADER:
		return exception_return(a);
	}
	return *a->p & 0x81 ? waypoint(a) : NULL;
}
