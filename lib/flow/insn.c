/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn.c - elements of traces with an atom for every instruction (ETMv3): atoms, and the data transfers of the
 * instructions. The walk is in insn_walk.c.
 */
#include <string.h>

#include <cstrace/decoder.h>
#include <cstrace/isa.h>
#include <cstrace/log.h>

#include "flow/insn_step.h"

/* Handles atoms at an unknown address: the first element reports the gap, later ones only their cycles. */
static void unknown(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	struct cst_element *elem = &f->work.elem;
	uint32_t cc = elem->cc + (elem->n - 1u) * elem->num;
	struct cst_generic *g;

	f->stats->atoms_lost += elem->n;
	/* the sizes of Jazelle byte codes are unknown, so the next address is, too */
	cst_flow_report_lasting(f, f->isa == CST_ISA_JAZELLE ? CST_FIND_JAZELLE : CST_FIND_ATOMS_LOST, f->addr);
	elem->cc = cc;
	if (f->each.gap_reported && f->each.join) {
		cst_flow_wait(f);
		return;
	}
	if (f->each.gap_reported && !(elem->flags & CST_EL_F_CC))
		return;
	g = cst_flow_emit(f, out, n,
			  f->each.gap_reported ? CST_GEN_CYCLE_COUNT : CST_GEN_ADDR_UNKNOWN);
	cst_flow_add_cycles(f, g);
	f->each.gap_reported = 1;
}

void cst_flow_close(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	struct cst_generic *g = &out[(*n)++];

	f->each.open_any = 0;
	if (f->each.open.n_insn) {
		*g = f->each.open;
		f->stats->ranges++;
		return;
	}
	*g = f->emit.tmpl;
	g->kind = CST_GEN_CYCLE_COUNT;
	g->index = f->each.open.index;
	g->isa = f->isa;
	g->flags |= CST_GF_CC;
	g->cc = f->each.open.cc;
}

void cst_flow_wait(struct cst_flow *f)
{
	if (!(f->work.elem.flags & CST_EL_F_CC) || !f->work.elem.cc)
		return;
	if (!f->each.open_any)
		f->each.open.n_insn = f->each.open.cc = 0;
	f->each.open_any = 1;
	if (!f->each.open.n_insn)
		f->each.open.index = f->work.elem.index;
	f->each.open.cc += f->work.elem.cc;
}

void cst_flow_loaded(struct cst_flow *f, uint64_t a)
{
	if (!cst_flow_is_transfer(f, a))
		return;
	f->each.transfer = a;
	f->each.transfer_known = 1;
}

/* Handles an atom whose code is not available. */
static void no_code(struct cst_flow *f, struct cst_generic *out, size_t *n, enum span_end end)
{
	struct cst_element *elem = &f->work.elem;

	cst_flow_broken(f, out, n, end, &f->work.span);
	if (end == SPAN_NACC)
		cst_flow_add_cycles(f, &out[*n - 1]);
	f->each.gap_reported = 0;
	elem->cc = elem->num;
	elem->n--;
	elem->bits >>= 1;
}

void cst_flow_insns(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	struct cst_element *elem = &f->work.elem;
	enum span_end end;
	struct insns s;

	while (elem->n && !f->stop.stopped) {
		if (cap - *n < FLOW_ROOM)
			return;
		if (f->need_addr | f->need_ctx) {
			unknown(f, out, n);
			break;
		}
		s = (struct insns){ .f = f, .g = out + *n, .limit = out + cap - FLOW_ROOM + 1 };
		end = cst_flow_insns_element(&s);
		*n = (size_t)(s.g - out);
		if (end == SPAN_LAZY) {
			f->stop.stopped = CST_STOP_SECTION;
			return;
		}
		if (end != SPAN_DONE)
			no_code(f, out, n, end);
	}
	f->work.busy = 0;
}

/* Completes out-of-order data with the address and the instruction of its placeholder. */
static void late_data(struct cst_flow *f, struct cst_generic *g)
{
	struct data_place *p = &f->each.place[g->channel & 3];

	if (!p->open) {
		cst_flow_report(f, CST_FIND_DATA_NO_PLACE, 0);
		g->num &= ~CST_DATA_INSN;
		g->insn = 0;
		return;
	}
	p->open = 0;
	g->num = (g->num & ~CST_DATA_INSN) | p->flags;
	g->addr = p->addr;
	g->insn = p->insn;
}

void cst_flow_data(struct cst_flow *f, struct cst_generic *g)
{
	const struct cst_element *elem = &f->work.elem;

	g->num = elem->num;
	g->addr = elem->addr;
	g->value = elem->value;
	g->size = elem->n;
	g->channel = elem->is;
	g->insn = 0;
	if (f->each.transfer_known) {
		g->insn = f->each.transfer;
		g->num |= CST_DATA_INSN;
	}
	if (elem->num & CST_DATA_STACKING) {
		/* the processor's own transfers */
		g->num = elem->num;
		g->insn = 0;
		f->each.transfer_known = 0;
	} else if (elem->num & CST_DATA_LATE) {
		late_data(f, g);
	} else if (elem->num & CST_DATA_PENDING) {
		f->each.place[elem->is & 3] = (struct data_place){
			g->addr, g->insn,
			g->num & (CST_DATA_ADDR | CST_DATA_INSN | CST_DATA_BIG_ENDIAN), 1,
		};
	}
}
