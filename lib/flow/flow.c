/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.c - trace elements to generic elements (Arm ARM K10.5.5). The atom loop is here; what happens
 * at other elements is in analyze.c.
 */
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/flow.h"
#include "flow/analyze.h"

void cst_flow_reset(struct cst_flow *f)
{
	f->need_addr = f->need_ctx = 1;
	f->pop_pending = f->no_push = f->q_pending = 0;
	f->stack_count = 0;
	f->blk = 0;
}

void cst_flow_init(struct cst_flow *f, const struct cst_config *cfg, struct cst_stats *stats)
{
	memset(f, 0, sizeof(*f));
	f->cfg = cfg;
	f->stats = stats;
	f->isa_flags = (cfg->wfx_p0 ? CST_ISA_WFX_P0 : 0) |
		       (cfg->profile == CST_PROFILE_M ? CST_ISA_M_PROFILE : 0);
	f->isa = CST_ISA_UNKNOWN;
	f->tmpl.trace_id = cfg->trace_id;
	cst_flow_reset(f);
}

void cst_flow_set_space(struct cst_flow *f, struct cst_space *space)
{
	f->space = space;
	f->map_len = 0;
	f->blk = 0;
}

void cst_flow_give(struct cst_flow *f, const struct cst_element *el)
{
	f->el = *el;
	f->busy = 1;
}

void cst_flow_pop(struct cst_flow *f)
{
	if (!f->pop_pending)
		return;
	f->pop_pending = 0;
	if (!f->stack_count) {
		f->stats->stack_empty++;
		return;
	}
	f->stack_count--;
	f->addr = f->stack[f->stack_top].addr;
	f->isa = f->stack[f->stack_top].isa;
	f->stack_top = (f->stack_top - 1) % RETURN_STACK;
	f->need_addr = 0;
	f->blk = 0;
}

static void push_return(struct cst_flow *f, uint64_t addr, uint8_t isa)
{
	if (!f->cfg->ret_stack || f->no_push)
		return;
	f->stack_top = (f->stack_top + 1) % RETURN_STACK;
	f->stack[f->stack_top].addr = isa == CST_ISA_A64 ? addr : (uint32_t)addr;
	f->stack[f->stack_top].isa = isa;
	if (f->stack_count < RETURN_STACK)
		f->stack_count++;
}

/*
 * What an atom means for its P0 instruction at f->addr + before: where execution goes on. `taken`
 * is the final atom, `first_e` the first one (a call that was traced as E at first is pushed whatever
 * a Mispredict made of it, K10.5.5.3).
 */
void cst_flow_leave(struct cst_flow *f, const struct walk *w, int taken, int first_e)
{
	if (w->link && first_e)
		push_return(f, w->end, f->isa);
	f->blk = 0;
	if (taken && w->type == CST_INSN_INDIRECT) {
		f->need_addr = 1;
		f->pop_pending = f->cfg->ret_stack;
	} else if (taken && w->type == CST_INSN_BRANCH) {
		f->addr = w->last + (int64_t)w->disp;
		f->isa = w->next_isa;
		if (f->isa != CST_ISA_A64)
			f->addr = (uint32_t)f->addr;
	} else {
		f->addr = w->end;
	}
}

/* One atom by the careful way. Returns 0 when it is done, 1 when a section must be loaded first. */
static int slow_atom(struct cst_flow *f, struct cst_generic *out, size_t *n, int taken, int first_e)
{
	enum walk_end end;
	struct walk w;

	end = cst_flow_walk(f, WALK_P0, 0, &w);
	if (end == WALK_LAZY)
		return 1;
	if (end != WALK_DONE) {
		cst_flow_broken(f, out, n, end, &w);
		return 0;
	}
	cst_flow_range(f, out, n, &w, taken);
	if (taken && w.type != CST_INSN_ISB)
		f->stats->branches++;
	if (!taken && !w.cond && f->isa == CST_ISA_A64)
		f->stats->image_conflicts++;
	if (taken && w.subtype == CST_INSN_ERET)
		cst_flow_eret(f, out, n);
	cst_flow_leave(f, &w, taken, first_e);
	return 0;
}

/* Block at f->addr; 0 when the careful way must be taken. */
static uint32_t find_block(struct cst_flow *f)
{
	struct cst_image *img;
	struct blk *b;

	if (cst_flow_map(f, f->addr) != WALK_DONE)
		return 0;
	img = f->map_sec->img;
	b = cst_block(f->map_sec, f->addr - f->map_bias, f->isa, f->addr, f->isa_flags);
	f->img_gen = img->generation;
	return b ? b - img->blk : 0;
}

/*
 * The atoms of f->el, as far as there is room. This loop is where the time goes: a block per atom,
 * linked to its successors; everything unusual is left to slow_atom().
 */
static void run_atoms(struct cst_flow *f, struct cst_generic *out, size_t *pn, size_t cap)
{
	struct cst_element *el = &f->el;
	uint64_t insns = 0, ranges = 0, branches = 0;
	size_t n = *pn;
	const int eret = f->cfg->protocol == CST_PROTO_ETE;

	while (el->n) {
		struct cst_generic *g;
		const struct blk *b;
		struct blk *blk;
		uint32_t next, nb;
		uint64_t addr = f->addr;
		int e = el->bits & 1;

		if (f->need_addr | f->need_ctx) {
			if (f->need_addr && !f->need_ctx)
				cst_flow_pop(f);
			if (f->need_addr | f->need_ctx) {
				/* an address without a context is void once an atom has come (K10.5.6.2.2) */
				f->need_addr = 1;
				f->stats->atoms_lost += el->n;
				el->n = 0;
				break;
			}
			addr = f->addr;
		}
		if (cap - n < FLOW_ROOM)
			break;
		nb = f->blk;
		if (!nb || f->img_gen != f->map_sec->img->generation) {
			nb = find_block(f);
			f->blk = nb;
		}
		blk = f->map_len ? f->map_sec->img->blk : NULL;
		if (!nb || !(blk[nb].flags & BLK_P0) ||
		    addr - f->map_start + blk[nb].len > f->map_len) {
			f->blk = 0;
			if (slow_atom(f, out, &n, e, el->first_e & 1)) {
				f->stopped = CST_STOP_SECTION;
				break;
			}
			el->bits >>= 1;
			el->first_e >>= 1;
			el->n--;
			continue;
		}
		b = &blk[nb];
		g = &out[n++];
		*g = f->tmpl;
		g->kind = CST_GEN_RANGE;
		g->index = el->index;
		g->addr = addr;
		g->end = addr + b->len;
		g->n_insn = b->n_insn;
		g->section = f->map_sec->id;
		g->sect_off = b->off * 2;
		g->isa = b->isa;
		g->last_type = b->type;
		g->last_subtype = b->subtype;
		g->last_size = b->last_size;
		g->flags |= CST_GF_WAYPOINT | (e ? CST_GF_EXEC : 0) |
			    (b->flags & BLK_COND ? CST_GF_COND : 0) |
			    (b->flags & BLK_LINK ? CST_GF_LINK : 0);
		insns += b->n_insn;
		ranges++;
		if (b->flags & BLK_LINK && el->first_e & 1)
			push_return(f, addr + b->len, b->isa);
		if (e && (b->type == CST_INSN_BRANCH || b->type == CST_INSN_INDIRECT)) {
			branches++;
			if (b->type == CST_INSN_INDIRECT) {
				f->need_addr = 1;
				f->pop_pending = f->cfg->ret_stack;
				f->blk = 0;
				if (eret && b->subtype == CST_INSN_ERET)
					cst_flow_eret(f, out, &n);
				goto next_atom;
			}
			addr += (int64_t)b->disp;
			next = b->link_e;
			f->isa = b->next_isa;
		} else {
			if (!e && !(b->flags & BLK_COND) && b->isa == CST_ISA_A64)
				f->stats->image_conflicts++;
			addr += b->len;
			next = b->link_n;
		}
		if (f->isa != CST_ISA_A64)
			addr = (uint32_t)addr;
		f->addr = addr;
		if (addr - f->map_start >= f->map_len) {
			f->blk = 0;
		} else if (next) {
			f->blk = next;
		} else {
			uint32_t gen = f->img_gen;

			next = find_block(f);
			f->blk = next;
			/* a block number is worth keeping only if the cache was not emptied to make it */
			if (next && f->img_gen == gen) {
				if (e && b->type == CST_INSN_BRANCH)
					blk[nb].link_e = next;
				else
					blk[nb].link_n = next;
			}
		}
next_atom:
		el->bits >>= 1;
		el->first_e >>= 1;
		el->n--;
	}
	f->stats->insns += insns;
	f->stats->ranges += ranges;
	f->stats->branches += branches;
	*pn = n;
	if (!el->n)
		f->busy = 0;
}

void cst_flow_run(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	f->stopped = 0;
	/* the caller may have changed the maps since the last call */
	if (f->map_len && (f->map_space != f->space || f->map_gen != f->space->generation)) {
		f->map_len = 0;
		f->blk = 0;
	}
	if (f->q_pending && f->el.kind == CST_EL_ATOMS) {
		if (cap - *n < FLOW_ROOM)
			return;
		cst_flow_finish_q(f, out, n, 0, 0);
	}
	if (f->el.kind == CST_EL_ATOMS)
		run_atoms(f, out, n, cap);
	else if (cap - *n >= FLOW_ROOM)
		cst_flow_analyze(f, out, n);
}
