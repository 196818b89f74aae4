/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step.h - the graph of decoded blocks one waypoint at a time, for fast ways whose packets carry more than
 * atoms (PTM). All inline: it belongs into the loop over the packets.
 */
#ifndef CST_LIB_STEP_H
#define CST_LIB_STEP_H

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/fast_out.h"

/* What the loop keeps out of struct cst_flow while it runs. */
struct step {
	struct cst_flow *f;
	struct blk *base;
	struct cst_generic *g;	/* the next range */
	uint64_t addr;		/* of block `cur` */
	uint64_t bias;		/* addresses minus section offsets */
	struct ids ids;
	uint32_t cur, linked, tflags;
	uint64_t insns, branches, ranges;
};

/* Execution is in block s->cur, at f->addr. */
static inline void step_load(struct step *s)
{
	struct cst_flow *f = s->f;

	s->base = f->map_sec->img->blk;
	s->linked = links_hold(f) ? ~0u : 0;
	s->ids = ids_of(f);
	s->addr = f->addr;
	s->bias = f->map_bias;
}

/* Go over to the loop. 0: the code at f->addr is not known so far, or there is none. */
static inline int step_enter(struct step *s)
{
	struct cst_flow *f = s->f;

	/* checks of the code are left to the careful way */
	if (f->not_fast || f->cfg->checks)
		return 0;
	if (!f->map_len || f->map_space != f->space || f->map_gen != f->space->generation ||
	    f->img_gen != f->map_sec->img->generation)
		f->blk = f->from = 0;
	if (!f->blk) {
		f->blk = cst_flow_target_block(f);
		f->from = 0;
		if (!f->blk)
			return 0;
	}
	s->cur = f->blk;
	s->tflags = f->tmpl.flags;
	f->popped = 0;
	step_load(s);
	return 1;
}

/* Leave the loop with execution in block s->cur. */
static inline void step_leave(struct step *s)
{
	s->f->addr = s->addr;
	s->f->isa = BLK_AT(s->base, s->cur)->isa;
	s->f->blk = s->cur;
}

/* The range up to this waypoint; its end. */
static inline uint64_t step_range(struct step *s, const struct blk *b, unsigned int e, uint64_t index,
				  uint32_t ccflag, uint32_t cc)
{
	struct cst_generic *g = s->g++;
	uint64_t end = s->addr + b->step[0];

	g->index = index;
	g->addr = s->addr;
	g->end = end;
	store8(&g->n_insn, pair(b->n_insn, cc));
	memcpy(&g->context_id, &s->ids, sizeof(s->ids));
	_Static_assert(CST_GF_EXEC == 1, "an atom's bit is the flag");
	store8(&g->flags, flags_word(b, s->tflags | ccflag | e));
	store8(&g->error, pair(0, b->off * 2));
	s->insns += b->n_insn;
	s->ranges++;
	return end;
}

/* As step_to(), by a search. */
static __attribute__((noinline)) int step_find(struct step *s, uint64_t addr, uint8_t isa, uint32_t *link)
{
	struct cst_flow *f = s->f;
	const struct cst_section *sec = f->map_sec;
	uint64_t bias = f->map_bias;
	uint32_t gen = f->img_gen;

	f->addr = addr;
	f->isa = isa;
	f->blk = cst_flow_block(f);
	if (!f->blk)
		return 0;
	/* a link is good while the cache is not emptied, within one map */
	if (link && s->linked && f->img_gen == gen && f->map_sec == sec && f->map_bias == bias && links_hold(f))
		*link = f->blk;
	s->cur = f->blk;
	step_load(s);
	return 1;
}

/*
 * Execution goes on at `addr` in `isa`, which `link` of block s->cur led to the last time, when that is not
 * NULL. 0: not in the loop; f says where.
 */
static inline int step_to(struct step *s, uint64_t addr, uint8_t isa, uint32_t *link)
{
	uint32_t next = link ? *link & s->linked : 0;

	addr = (uint32_t)addr;
	if (next && blk_off(BLK_AT(s->base, next)) == addr - s->bias && BLK_AT(s->base, next)->isa == isa) {
		s->cur = next;
		s->addr = addr;
		return 1;
	}
	return step_find(s, addr, isa, link);
}

static inline void step_push(struct step *s, uint64_t end, const struct blk *b)
{
	if (b->flags & BLK_LINK && s->f->cfg->ret_stack)
		push_call(s->f, end, b->isa, s->cur);
}

/* An indirect branch that was left to the return stack (as cst_flow_unstack()). */
static inline int step_unstack(struct step *s, uint64_t end, const struct blk *b)
{
	struct cst_flow *f = s->f;
	unsigned int t = f->stack_top;
	uint32_t call, *link = NULL;
	uint64_t addr;
	uint8_t isa;

	if (!f->stack_count)
		return -1;
	addr = f->stack[t].addr;
	isa = f->stack[t].isa;
	call = f->stack[t].call;
	if (call && f->stack[t].sec == f->map_sec)
		link = &BLK_AT(s->base, call)->link[0];
	f->stack_count--;
	f->stack_top = (t - 1) % RETURN_STACK;
	step_push(s, end, b);
	return step_to(s, addr, isa, link);
}

/*
 * An atom. 1: execution goes on in the loop; 0: it does not, f says where it is; -1: this one is not for
 * the loop, nothing was done.
 */
static inline int step_atom(struct step *s, unsigned int e, uint64_t index, uint32_t ccflag, uint32_t cc)
{
	struct blk *b = BLK_AT(s->base, s->cur);
	uint64_t end;

	if (!e) {
		end = step_range(s, b, 0, index, ccflag, cc);
		return step_to(s, end, b->isa, &b->link[0]);
	}
	if (b->type == CST_INSN_INDIRECT) {
		if (!s->f->stack_count)
			return -1;
		end = step_range(s, b, 1, index, ccflag, cc);
		s->branches++;
		return step_unstack(s, end, b);
	}
	end = step_range(s, b, 1, index, ccflag, cc);
	if (b->type != CST_INSN_BRANCH)
		return step_to(s, end, b->isa, &b->link[0]);
	s->branches++;
	step_push(s, end, b);
	return step_to(s, s->addr + (int64_t)b->step[1], b->next_isa, &b->link[1]);
}

/* An atom E and where it led; returns as step_atom(). */
static inline int step_branch(struct step *s, uint32_t target, uint8_t isa, uint64_t index, uint32_t ccflag,
			      uint32_t cc)
{
	struct blk *b = BLK_AT(s->base, s->cur);
	uint64_t end;

	if (b->type == CST_INSN_BRANCH ? (uint32_t)(s->addr + (int64_t)b->step[1]) != target :
					 b->type != CST_INSN_INDIRECT)
		return -1;
	end = step_range(s, b, 1, index, ccflag, cc);
	s->branches++;
	step_push(s, end, b);
	return step_to(s, target, isa, &b->link[1]);
}

#endif
