/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn.c - where every instruction has an atom (ETMv3): one instruction at a time, through any code, and the data transfers
 * that belong to them. The loop over blocks is in insn_walk.c.
 */
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/log.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/step.h"

/*
 * The atoms that are left are of instructions at an unknown address: one element says so, those that follow
 * only how much time passed.
 */
static void unknown(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	struct cst_element *el = &f->el;
	uint32_t cc = el->n ? el->cc + (el->n - 1u) * el->num : 0;
	struct cst_generic *g;

	f->stats->atoms_lost += el->n;
	/* the sizes of byte codes are not known: nor is what comes next */
	cst_flow_report_lasting(f, f->isa == CST_ISA_JAZELLE ? CST_FIND_JAZELLE : CST_FIND_ATOMS_LOST, f->addr);
	el->cc = cc;
	if (f->gap_reported && f->join) {
		cst_flow_wait(f);
		return;
	}
	if (f->gap_reported && !(el->flags & CST_EL_F_CC))
		return;
	g = cst_flow_emit(f, out, n, f->gap_reported ? CST_GEN_CYCLE_COUNT : CST_GEN_ADDR_UNKNOWN);
	cst_flow_add_cycles(f, g);
	f->gap_reported = 1;
}

void cst_flow_close(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	struct cst_generic *g = &out[(*n)++];

	f->open_any = 0;
	if (f->open.n_insn) {
		*g = f->open;
		f->stats->ranges++;
		return;
	}
	*g = f->tmpl;
	g->kind = CST_GEN_CYCLE_COUNT;
	g->index = f->open.index;
	g->isa = f->isa;
	g->flags |= CST_GF_CC;
	g->cc = f->open.cc;
}

/* The range that goes on has none yet. */
static void open_none(struct cst_flow *f)
{
	if (f->open_any)
		return;
	f->open.n_insn = f->open.cc = 0;
	f->open_any = 1;
}

void cst_flow_wait(struct cst_flow *f)
{
	if (!(f->el.flags & CST_EL_F_CC) || !f->el.cc)
		return;
	open_none(f);
	if (!f->open.n_insn)
		f->open.index = f->el.index;
	f->open.cc += f->el.cc;
}

/* One more instruction: as cst_flow_range(), but ranges go on. */
static void join_range(struct cst_flow *f, struct cst_generic *out, size_t *n, const struct span *s, int taken)
{
	const struct ids ids = ids_of_kind(f, CST_GEN_RANGE, s->section);
	const uint32_t cycles = f->el.flags & CST_EL_F_CC ? CST_GF_CC : 0;
	struct cst_generic *g = &f->open;

	if (f->open_any && g->n_insn && !cst_flow_continues(g, f->addr, f->isa, s->section, s->sect_off))
		cst_flow_close(f, out, n);
	open_none(f);
	if (!g->n_insn) {
		g->addr = f->addr;
		g->sect_off = s->sect_off;
	}
	step_range(g, &s->b, taken, g->addr, s->end, g->n_insn + s->n_insn, g->cc + (cycles ? f->el.cc : 0), g->sect_off, &ids,
		   f->el.index, f->tmpl.flags | cycles | (g->n_insn ? g->flags & CST_GF_CC : 0));
	f->stats->insns += s->n_insn;
	if (!taken || s->b.type != CST_INSN_OTHER)
		cst_flow_close(f, out, n);
}

void cst_flow_loaded(struct cst_flow *f, uint64_t a)
{
	if (!cst_flow_is_transfer(f, a))
		return;
	f->transfer = a;
	f->transfer_known = 1;
}

/* One atom. Returns 0 when it is done, 1 when a section must be loaded first. */
static int one_insn(struct cst_flow *f, struct cst_generic *out, size_t *n, int taken)
{
	struct span *s = &f->span;
	enum span_end end;

	end = cst_flow_span(f, SPAN_COUNT, 1, s);
	if (end == SPAN_LAZY)
		return 1;
	if (end != SPAN_DONE) {
		cst_flow_broken(f, out, n, end, s);
		if (end == SPAN_NACC)
			cst_flow_add_cycles(f, &out[*n - 1]);
		f->gap_reported = 0;
		f->el.cc = f->el.num;
		return 0;
	}
	/* every instruction has an atom */
	s->b.gflags |= CST_GF_WAYPOINT;
	if (!(s->b.flags & BLK_P0))
		s->b.type = CST_INSN_OTHER;
	if (f->join)
		join_range(f, out, n, s, taken);
	else
		cst_flow_range(f, out, n, s, taken);
	f->el.cc = f->el.num;	/* of the next atom */
	if (taken && step_is_branch(&s->b))
		f->stats->branches++;
	if (taken && f->cfg->data_trace)
		cst_flow_loaded(f, s->last);
	if (taken && s->b.type == CST_INSN_INDIRECT) {
		step_await(f, &s->b, s->end);
		return 0;
	}
	/* what an IT block makes conditional says so; the reference does not look */
	f->it = f->cfg->as_reference || (taken && s->b.type == CST_INSN_BRANCH) ? 0 : s->it;
	f->blk = 0;
	f->isa = step_isa(&s->b, taken);
	f->addr = (uint32_t)(f->addr + (int64_t)s->b.step[taken]);
	return 0;
}

void cst_flow_insns(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	struct cst_element *el = &f->el;

	for (; el->n; el->n--, el->bits >>= 1) {
		if (cap - *n < FLOW_ROOM)
			return;
		if (f->need_addr | f->need_ctx) {
			unknown(f, out, n);
			break;
		}
		if (one_insn(f, out, n, el->bits & 1)) {
			f->stopped = CST_STOP_SECTION;
			return;
		}
	}
	f->busy = 0;
}

/* Data that comes out of order has the address and the instruction of its placeholder. */
static void late_data(struct cst_flow *f, struct cst_generic *g)
{
	struct data_place *p = &f->place[g->channel & 3];

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
	const struct cst_element *el = &f->el;

	g->num = el->num;
	g->addr = el->addr;
	g->value = el->value;
	g->size = el->n;
	g->channel = el->is;
	g->insn = 0;
	if (f->transfer_known) {
		g->insn = f->transfer;
		g->num |= CST_DATA_INSN;
	}
	if (el->num & CST_DATA_STACKING) {
		if (f->cfg->as_reference)
			g->kind = CST_GEN_EXCEPTION;
		/* the processor's own transfers */
		g->num = f->cfg->as_reference ? 0 : el->num;
		g->insn = 0;
		f->transfer_known = 0;
	} else if (el->num & CST_DATA_LATE) {
		late_data(f, g);
	} else if (el->num & CST_DATA_PENDING) {
		f->place[el->is & 3] = (struct data_place){
			g->addr, g->insn,
			g->num & (CST_DATA_ADDR | CST_DATA_INSN | CST_DATA_BIG_ENDIAN), 1,
		};
	}
}
