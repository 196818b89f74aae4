/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waypoint.c - elements of waypoint traces (PTM): a branch with its target, waypoint updates, exceptions that
 * name their vector, contexts and synchronisation (Arm IHI 0035B chapters 2 and 4).
 */
#include <cstrace/decoder.h>
#include <cstrace/error.h>
#include <cstrace/isa.h>
#include <cstrace/log.h>

#include "flow/analyze.h"
#include "flow/step.h"

void cst_flow_at(struct cst_flow *f, uint64_t addr, enum cst_isa isa)
{
	f->isa = isa;
	f->addr = addr;
	f->need_addr = f->gap = f->origin = 0;
	f->ret.pop_pending = 0;
	f->each.gap_reported = 0;
	f->ret.no_push = 0;
	f->it = 0;
	f->cache.blk = 0;
	/* byte codes are not traced; a synchronisation follows them (IHI 0035B 4.17) */
	if (isa >= CST_ISA_JAZELLE)
		f->need_addr = 1;
}

int cst_flow_waypoint(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	struct span *s = &f->work.span;
	enum span_end end;

	if (f->need_addr | f->need_ctx)
		return 0;
	end = cst_flow_span(f, SPAN_INTO, f->work.elem.addr, s);
	if (end == SPAN_LAZY)
		return 1;
	if (end != SPAN_DONE) {
		cst_flow_broken(f, out, n, end == SPAN_STOPPED ? SPAN_LOST : end, s);
		return 0;
	}
	/* the last instruction has no atom, whatever its type */
	s->b.gflags &= ~CST_GF_WAYPOINT;
	cst_flow_range(f, out, n, s, 1);
	cst_flow_behind(f, s);
	return 0;
}

void cst_flow_vector(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	struct cst_generic *g = cst_flow_emit(f, out, n, CST_GEN_EXCEPTION);

	g->num = elem->num;
	if (!(f->need_addr | f->need_ctx)) {
		g->flags |= CST_GF_RET_ADDR;
		g->end = f->addr;
	}
	cst_flow_set_next(f, g);
	cst_flow_add_cycles(f, g);
	cst_flow_at(f, elem->addr, elem->is);
	cst_flow_stop_at(f, CST_STOP_EXCEPTION);
}

void cst_flow_come_to(struct cst_flow *f, uint64_t addr, enum cst_isa isa)
{
	uint8_t it = !(f->need_addr | f->need_ctx) && f->addr == addr && f->isa == isa ? f->it : 0;

	cst_flow_at(f, addr, isa);
	f->it = it;
}

void cst_flow_resync(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;

	step_empty_stack(f);
	if (!(f->need_addr | f->need_ctx) && (f->addr != elem->addr || f->isa != elem->is))
		cst_flow_conflict(f, out, n, CST_FIND_PTM_ADDRESS, f->addr);
	cst_flow_come_to(f, elem->addr, elem->is);
}

void cst_flow_state(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	const struct cst_context *c = &elem->ctx;
	struct cst_generic *g;

	f->need_ctx = 0;
	cst_flow_set_context(f, c);
	/* PTM traces no exception level except Hyp mode */
	f->emit.tmpl.flags = 0;
	cst_flow_choose_space(f, c);
	if (elem->flags & CST_EL_F_QUIET)
		return;
	g = cst_flow_emit(f, out, n, CST_GEN_PE_CONTEXT);
	if (elem->flags & CST_EL_F_ADDRESS)
		g->isa = elem->is;
	g->flags |= (c->flags & CST_CTX_CID ? CST_GF_CID : 0) | (c->flags & CST_CTX_VMID ? CST_GF_VMID : 0);
	cst_flow_add_cycles(f, g);
	cst_flow_stop_at(f, CST_STOP_CONTEXT);
}
