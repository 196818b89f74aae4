/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step.h - the graph of decoded blocks one waypoint at a time, for fast ways whose packets carry more than
 * atoms (PTM). All inline but the searches: it belongs into the loop over the packets, whose variables it lives in,
 * and nobody takes the address of a struct step.
 */
#ifndef CST_LIB_STEP_H
#define CST_LIB_STEP_H

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/fast_out.h"

#define STEP_INLINE static inline __attribute__((always_inline))

/* What the loop keeps out of struct cst_flow while it runs. */
struct step {
	struct cst_flow *f;
	struct blk *base;
	struct blk *b;		/* execution is at its start, which is at `addr` */
	struct cst_generic *g;	/* the next range */
	uint64_t addr;
	uint64_t bias;		/* addresses minus section offsets */
	struct ids ids;
	uint32_t linked, tflags;
	uint64_t insns, branches;
};

/* Execution is in block f->blk, at f->addr. */
STEP_INLINE void step_load(struct step *s)
{
	struct cst_flow *f = s->f;

	s->base = f->img->blk;
	s->b = BLK_AT(s->base, f->blk);
	s->linked = links_hold(f) ? ~0u : 0;
	s->ids = ids_of(f);
	s->addr = f->addr;
	s->bias = f->map_bias;
}

/* Go over to the loop. 0: the code at f->addr is not known so far, or there is none. */
STEP_INLINE int step_enter(struct step *s)
{
	struct cst_flow *f = s->f;

	/* checks of the code are left to the careful way */
	if (f->not_fast || f->cfg->checks)
		return 0;
	forget_stale(f);
	if (!f->blk) {
		f->blk = cst_flow_block(f);
		if (!f->blk)
			return 0;
	}
	s->tflags = f->tmpl.flags;
	f->popped = 0;
	step_load(s);
	return 1;
}

/* Leave the loop with execution in block s->b. */
STEP_INLINE void step_leave(const struct step *s)
{
	s->f->addr = s->addr;
	s->f->isa = s->b->isa;
	s->f->blk = blk_place(s->f->img, s->b);
}

/* The range up to this waypoint; its end. */
STEP_INLINE uint64_t step_range(struct step *s, unsigned int e, uint64_t index, uint32_t ccflag, uint32_t cc)
{
	struct cst_generic *g = s->g++;
	const struct blk *b = s->b;
	uint64_t end = s->addr + (uint32_t)b->step[0];

	g->index = index;
	g->addr = s->addr;
	g->end = end;
	store8(&g->n_insn, pair(b->n_insn, cc));
	memcpy(&g->context_id, &s->ids, sizeof(s->ids));
	store8(&g->flags, flags_word(b, s->tflags | ccflag) | flag_exec(e));
	store8(&g->error, pair(0, b->off * 2));
	s->insns += b->n_insn;
	return end;
}

/*
 * The block at `addr`, which is f->blk then; `link` led there, or is NULL. 0: not in the loop; f says where it is.
 */
static __attribute__((noinline)) uint32_t step_find(struct cst_flow *f, uint64_t addr, uint8_t isa, uint32_t *link,
						    uint32_t linked)
{
	f->addr = addr;
	f->isa = isa;
	f->blk = link_block(f, linked ? link : NULL, 0);
	return f->blk;
}

STEP_INLINE int step_search(struct step *s, uint64_t addr, uint8_t isa, uint32_t *link)
{
	if (!step_find(s->f, (uint32_t)addr, isa, link, s->linked))
		return 0;
	step_load(s);
	return 1;
}

/* Execution goes on behind block s->b after atom `e`, where the opcode says where. 0: not in the loop; f says where. */
STEP_INLINE int step_on(struct step *s, unsigned int e)
{
	struct blk *b = s->b;
	uint32_t next = b->link[e] & s->linked;
	uint64_t addr = s->addr + (int64_t)b->step[e];

	if (!next)
		return step_search(s, addr, e && b->type == CST_INSN_BRANCH ? b->next_isa : b->isa, &b->link[e]);
	/* blocks that are linked are in one map: no wrap at 4 GiB between them */
	s->b = BLK_AT(s->base, next);
	s->addr = addr;
	return 1;
}

/* The same at `addr`, where `link` led the last time. */
STEP_INLINE int step_to(struct step *s, uint32_t addr, uint8_t isa, uint32_t *link)
{
	uint32_t next = *link & s->linked;

	if (!next || blk_off(BLK_AT(s->base, next)) != addr - s->bias || BLK_AT(s->base, next)->isa != isa)
		return step_search(s, addr, isa, link);
	s->b = BLK_AT(s->base, next);
	s->addr = addr;
	return 1;
}

STEP_INLINE void step_push(const struct step *s, uint64_t end)
{
	if (s->b->flags & BLK_LINK && s->f->cfg->ret_stack)
		push_call(s->f, end, s->b->isa, blk_place(s->f->img, s->b));
}

/* An indirect branch that was left to the return stack, which has an entry (as cst_flow_unstack()). */
STEP_INLINE int step_unstack(struct step *s, uint64_t end)
{
	struct cst_flow *f = s->f;
	unsigned int t = f->stack_top;
	uint32_t call = f->stack[t].call;
	uint64_t addr = f->stack[t].addr;
	uint8_t isa = f->stack[t].isa;

	if (f->stack[t].sec != f->map_sec)
		call = 0;
	f->stack_count--;
	f->stack_top = (t - 1) % RETURN_STACK;
	step_push(s, end);
	return call ? step_to(s, (uint32_t)addr, isa, &BLK_AT(s->base, call)->link[0]) : step_search(s, addr, isa, NULL);
}

/*
 * An atom. 1: execution goes on in the loop; 0: it does not, f says where it is; -1: this one is not for
 * the loop, nothing was done.
 */
STEP_INLINE int step_atom(struct step *s, unsigned int e, uint64_t index, uint32_t ccflag, uint32_t cc)
{
	struct blk *b = s->b;
	uint64_t end;

	if (e && b->type == CST_INSN_INDIRECT) {
		if (!s->f->stack_count)
			return -1;
		end = step_range(s, 1, index, ccflag, cc);
		s->branches++;
		return step_unstack(s, end);
	}
	step_range(s, e, index, ccflag, cc);
	if (e && b->type == CST_INSN_BRANCH) {
		s->branches++;
		step_push(s, s->addr + (uint32_t)b->step[0]);
	}
	return step_on(s, e);
}

/* An atom E and where it led; returns as step_atom(). */
STEP_INLINE int step_branch(struct step *s, uint32_t target, uint8_t isa, uint64_t index, uint32_t ccflag, uint32_t cc)
{
	struct blk *b = s->b;
	uint64_t end;

	/* what contradicts the opcode is for the careful way: the link leads where that says, in its instruction set */
	if (b->type == CST_INSN_BRANCH ?
	    (uint32_t)(s->addr + (int64_t)b->step[1]) != target || b->next_isa != isa : b->type != CST_INSN_INDIRECT)
		return -1;
	end = step_range(s, 1, index, ccflag, cc);
	s->branches++;
	step_push(s, end);
	return step_to(s, target, isa, &b->link[1]);
}

#endif
