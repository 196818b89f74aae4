/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.c - trace elements to generic elements (Arm ARM K10.5.5): atoms, the return stack. Other
 * elements are in analyze.c, the fast loop over atom packets is in fast.c.
 */
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/flow.h"
#include "flow/analyze.h"

void cst_flow_reset(struct cst_flow *f)
{
	f->need_addr = f->need_ctx = 1;
	f->pop_pending = f->no_push = f->q_pending = f->stale = f->popped = 0;
	f->splitting = f->after_n = 0;
	f->stack_count = 0;
	f->it = 0;
	f->cond_count = f->cond_new = f->cond_done = f->cond_torn = 0;
	f->blk = 0;
	f->told = f->transfer_known = 0;
	f->open_any = 0;
}

void cst_flow_configure(struct cst_flow *f)
{
	f->careful = f->cfg->cond_trace;
	f->join = f->cfg->atom_per_insn && !f->cfg->insn_ranges && !f->cfg->as_reference && !f->cfg->data_trace;
	f->pop_first = f->cfg->protocol == CST_PROTO_PTM;
	f->isa_flags = (f->cfg->atom_per_insn ? f->join ? CST_ISA_RUNS : CST_ISA_SINGLE : 0) |
		       (f->cfg->wfx_p0 ? CST_ISA_WFX_P0 : 0) |
		       (f->cfg->barrier_p0 ? CST_ISA_BARRIER_P0 : 0) |
		       (f->cfg->protocol == CST_PROTO_PTM ? CST_ISA_THUMBEE : 0) |
		       (f->cfg->profile == CST_PROFILE_M ? CST_ISA_M_PROFILE : 0) |
		       (f->cfg->load_p0 ? CST_ISA_LOAD_P0 : 0) | (f->cfg->store_p0 ? CST_ISA_STORE_P0 : 0);
}

void cst_flow_init(struct cst_flow *f, const struct cst_config *cfg, struct cst_stats *stats)
{
	memset(f, 0, sizeof(*f));
	f->cfg = cfg;
	f->stats = stats;
	cst_flow_configure(f);
	f->isa = CST_ISA_UNKNOWN;
	f->tmpl.trace_id = cfg->trace_id;
	cst_flow_reset(f);
}

void cst_flow_set_space(struct cst_flow *f, struct cst_space *space)
{
	f->space = space;
	f->near_space = NULL;
	f->map_len = 0;
	f->blk = 0;
}

/* Without the exception level: any space of the security state. */
unsigned int cst_flow_memspace(const struct cst_flow *f)
{
	if (f->tmpl.flags & CST_GF_EL)
		return cst_memspace_of(f->tmpl.el, f->tmpl.security);
	return f->tmpl.security == CST_SEC_SECURE ? CST_MEM_EL1S | CST_MEM_EL2S | CST_MEM_EL3 :
						    CST_MEM_EL1N | CST_MEM_EL2N;
}

static void choose(struct cst_flow *f, unsigned int spaces)
{
	struct cst_space *space = cst_images_find(f->images, spaces, &f->ctx);

	if (space != f->space)
		cst_flow_set_space(f, space);
}

void cst_flow_choose_space(struct cst_flow *f, const struct cst_context *ctx)
{
	f->ctx = *ctx;
	if (f->images)
		choose(f, cst_flow_memspace(f));
}

void cst_flow_set_images(struct cst_flow *f, const struct cst_images *images)
{
	f->images = images;
	if (images)
		choose(f, f->need_ctx ? CST_MEM_EL1N : cst_flow_memspace(f));
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
		cst_flow_tell(f, CST_FIND_STACK_EMPTY, f->addr);
		return;
	}
	f->stack_count--;
	f->addr = f->stack[f->stack_top].addr;
	f->isa = f->stack[f->stack_top].isa;
	f->stack_top = (f->stack_top - 1) % RETURN_STACK;
	f->need_addr = 0;
	f->it = 0;
	f->blk = 0;
}

void cst_flow_push(struct cst_flow *f, uint64_t addr, uint8_t isa)
{
	if (!f->cfg->ret_stack || f->no_push)
		return;
	f->stack_top = (f->stack_top + 1) % RETURN_STACK;
	f->stack[f->stack_top].addr = isa == CST_ISA_A64 ? addr : (uint32_t)addr;
	f->stack[f->stack_top].isa = isa;
	f->stack[f->stack_top].call = 0;
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
	f->blk = 0;
	f->popped = 0;
	f->it = taken && (w->type == CST_INSN_BRANCH || w->type == CST_INSN_INDIRECT) ? 0 : w->it;
	if (f->pop_first && taken && w->type == CST_INSN_INDIRECT) {
		cst_flow_unstack(f, w);
		return;
	}
	if (w->link && first_e)
		cst_flow_push(f, w->end, f->isa);
	if (taken && w->type == CST_INSN_INDIRECT) {
		f->addr = w->end;
		f->need_addr = f->stale = 1;
		f->pop_pending = f->cfg->ret_stack;
	} else if (taken && w->type == CST_INSN_BRANCH) {
		f->addr = w->last + (int64_t)w->disp;
		f->isa = w->next_isa;
	} else {
		f->addr = w->end;
	}
	if (f->isa != CST_ISA_A64)
		f->addr = (uint32_t)f->addr;
}

void cst_flow_mismatch(struct cst_flow *f)
{
	f->stats->image_conflicts++;
	cst_flow_tell(f, CST_FIND_IMAGE_CONFLICT, f->addr);
	f->stopped = FLOW_MISMATCH;
	f->busy = 0;
}

int cst_flow_forbids_n(const struct cst_flow *f, unsigned int type, unsigned int isa, int64_t disp, unsigned int size)
{
	unsigned int checks = f->cfg->checks;

	if (isa == CST_ISA_T32 && checks & CST_CHECK_N_NOT_T32)
		return 0;
	if (checks & CST_CHECK_N_ANY && (type == CST_INSN_BRANCH || type == CST_INSN_INDIRECT))
		return 1;
	return checks & CST_CHECK_N_DIRECT && type == CST_INSN_BRANCH && disp != size;
}

/* One atom. Returns 0 when it is done, 1 when a section must be loaded first. */
static int one_atom(struct cst_flow *f, struct cst_generic *out, size_t *n, int taken, int first_e)
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
	if ((f->after_n && f->addr != f->next_n) ||
	    (f->cfg->checks && !taken && !w.cond && cst_flow_forbids_n(f, w.type, f->isa, w.disp, w.size))) {
		cst_flow_mismatch(f);
		return 0;
	}
	cst_flow_range(f, out, n, &w, taken);
	if (f->cfg->checks & CST_CHECK_CONTINUE) {
		f->after_n = !taken;
		f->next_n = f->isa == CST_ISA_A64 ? w.end : (uint32_t)w.end;
	}
	if (taken && (w.type == CST_INSN_BRANCH || w.type == CST_INSN_INDIRECT))
		f->stats->branches++;
	if (!taken && !w.cond && f->isa == CST_ISA_A64)
		f->stats->image_conflicts++;
	if (taken && w.subtype == CST_INSN_ERET)
		cst_flow_eret(f, out, n);
	cst_flow_leave(f, &w, taken, first_e);
	return 0;
}

/* Places of blocks are void: another image, or its cache was emptied. */
static void forget_blocks(struct cst_flow *f, const struct cst_image *img)
{
	unsigned int i;

	for (i = 0; i < RETURN_STACK; i++)
		f->stack[i].call = 0;
	f->from = 0;
	f->img = img;
	f->img_gen = img->generation;
}

uint32_t cst_flow_block(struct cst_flow *f)
{
	struct cst_image *img;
	unsigned int key;
	struct blk *b;
	uint32_t place;

	if (f->it && (f->isa != CST_ISA_T32 || !f->cfg->atom_per_insn))
		return 0;
	if (cst_flow_map(f, f->addr) != WALK_DONE)
		return 0;
	img = f->map_sec->img;
	key = blk_key(f->isa, f->it);
	place = cst_block_known(f->map_sec, f->addr - f->map_bias, key, f->isa_flags);
	b = place ? BLK_AT(img->blk, place) :
		    cst_block(f->map_sec, f->addr - f->map_bias, key, f->addr, f->isa_flags);
	if (f->img != img || f->img_gen != img->generation)
		forget_blocks(f, img);
	/* what follows inside an IT block depends on it: the careful way */
	if (!b || (b->flags & (BLK_P0 | BLK_IT)) != BLK_P0 || f->addr - f->map_start + b->step[0] > f->map_len)
		return 0;
	return blk_place(img, b);
}

/*
 * What is left of an atom element goes the fast way again, as if it were a packet of its own. Returns 0
 * when the next atom must be taken with care; then nothing has changed.
 */
static int resume_fast(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	const struct cst_element *el = &f->el;

	if (el->first_e != el->bits || f->pop_first || el->flags & CST_EL_F_CC || el->n > ATOM_BITS)
		return 0;
	f->busy = 0;
	if (cst_flow_fast_rest(f, out, n, cap))
		return 1;
	f->busy = 1;
	return 0;
}

/* The atoms of f->el, as far as there is room. */
static void run_atoms(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	struct cst_element *el = &f->el;

	for (; el->n; el->n--, el->bits >>= 1, el->first_e >>= 1) {
		if (cap - *n < FLOW_ROOM)
			return;
		if (f->cond_done && (cst_flow_cond_late(f, out, n) || cap - *n < FLOW_ROOM))
			return;
		if (resume_fast(f, out, n, cap)) {
			if (!f->busy || f->stopped)
				return;
			if (cap - *n < FLOW_ROOM)
				return;
		}
		if (f->need_addr && !f->need_ctx)
			cst_flow_pop(f);
		if (f->need_addr | f->need_ctx) {
			/* an address without a context is void once an atom has come (K10.5.6.2.2) */
			cst_flow_lost(f, out, n, el->n);
			el->n = 0;
			break;
		}
		if (one_atom(f, out, n, el->bits & 1, el->first_e & 1)) {
			f->stopped = CST_STOP_SECTION;
			return;
		}
		if (f->stopped)
			return;
	}
	f->busy = 0;
}

void cst_flow_run(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	f->stopped = 0;
	if (f->cond_done && (cap - *n < FLOW_ROOM || cst_flow_cond_late(f, out, n)))
		return;
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
	if (f->el.kind == CST_EL_ATOMS && f->cfg->atom_per_insn)
		cst_flow_insns(f, out, n, cap);
	else if (f->el.kind == CST_EL_ATOMS)
		run_atoms(f, out, n, cap);
	else
		while (f->busy && !f->stopped && cap - *n >= FLOW_ROOM)
			cst_flow_analyze(f, out, n);
}
