/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_step.c - entry to and exit from the loops over P-headers (insn_walk.c), and the steps that these leave to a
 * caller.
 */
#include <string.h>

#include "flow/insn_step.h"

void cst_flow_insns_enter(struct insns *s)
{
	struct cst_flow *f = s->f;

	drop_void_blocks(f);
	s->addr = f->addr;
	s->it = f->it;
	s->none = ids_of_kind(f, CST_GEN_CYCLE_COUNT, 0);
	s->tflags = f->emit.tmpl.flags | (f->cfg->cycle_count ? CST_GF_CC : 0);
	s->before = s->ord = s->cc = 0;
	s->since = s->p;
	if (f->each.open_any) {
		s->cc = f->each.open.cc;
		s->wait_index = f->each.open.index;
		s->before = (int32_t)f->each.open.n_insn;
		s->insns -= s->before;
		if (s->before)
			*s->g = f->each.open;
		f->each.open_any = 0;
	}
	s->base = s->b = NULL;
	s->linked = 0;
	if (!f->cache.blk)
		return;
	insns_map(s);
	s->b = BLK_AT(s->base, f->cache.blk);
}

uint64_t cst_flow_insns_index(const struct insns *s, const uint8_t *p)
{
	const struct seg *seg = s->seg;

	while (seg->pos > (size_t)(p - s->data))
		seg--;
	return seg->offset + ((size_t)(p - s->data) - seg->pos);
}

/*
 * Returns the trace offset of the last packet with atoms that were executed: the packet at s->p if some of its atoms
 * are left, else an earlier one.
 */
static uint64_t last_index(const struct insns *s)
{
	const uint8_t *p = s->p + !!s->left;

	while (p > s->data && !s->code[*--p].n)
		;
	return cst_flow_insns_index(s, p);
}

void cst_flow_insns_move(struct insns *s, const uint8_t *p)
{
	/* only cycles since: the last packet has reported them */
	if (s->cc && (uint32_t)s->before + s->ord == 0 && s->p > s->since)
		s->wait_index = cst_flow_insns_index(s, s->p - 1);
	s->p = s->since = p;
}

void cst_flow_insns_leave(struct insns *s)
{
	struct cst_flow *f = s->f;
	const uint32_t n = (uint32_t)s->before + s->ord;

	if (s->ord) {
		if (n)
			insns_put(s, s->g, s->b, s->addr, s->ord - insns_done(s), n, 1, s->cc, last_index(s));
		s->addr = s->at;
		f->isa = s->b->isa;
		f->it = s->it;
		s->b = NULL;
	}
	if (n) {
		s->g->cc = s->cc;
		s->insns += n;
		f->each.open = *s->g;
		f->each.open_any = 1;
	} else if (s->cc) {
		cst_flow_insns_move(s, s->p);
		f->each.open.n_insn = 0;
		f->each.open.cc = s->cc;
		f->each.open.index = s->wait_index;
		f->each.open_any = 1;
	}
	f->addr = s->addr;
	f->cache.blk = 0;
	if (!s->b)
		return;
	f->cache.blk = blk_place(f->cache.map_sec->img, s->b);
	f->isa = s->b->isa;
	f->it = s->it;
}

/* Sets s->b to the block `nb` at f->addr, if there is one. An open range continues in the same section only. */
STEP_INLINE int found(struct insns *s, uint32_t nb)
{
	const struct cst_flow *f = s->f;

	s->addr = f->addr;
	s->b = NULL;
	if (!nb)
		return 0;
	insns_continue(s, f->isa, f->cache.map_sec->id, (uint32_t)(f->addr - f->cache.map_bias));
	insns_map(s);
	s->b = BLK_AT(s->base, nb);
	s->it = f->it;
	return 1;
}

int cst_flow_insns_find(struct insns *s)
{
	struct cst_flow *f = s->f;
	uint32_t place;

	if (f->need_addr | f->need_ctx | f->no_graph)
		return 0;
	f->addr = s->addr;
	if (f->ret.from && !f->it) {
		/* the address follows an indirect branch */
		place = cst_flow_target_block(f);
		f->ret.from = 0;
	} else {
		place = cst_flow_block(f);
	}
	return found(s, place);
}

int cst_flow_insns_follow(struct insns *s)
{
	struct cst_flow *f = s->f;
	const struct blk *b = s->b;

	f->addr = (uint32_t)s->addr;
	f->isa = step_isa(b, s->link == &b->link[1]);
	f->it = 0;
	return found(s, link_block(f, s->linked ? s->link : NULL, 0));
}

void cst_flow_insns_give(struct insns *s)
{
	struct cst_element *elem = &s->f->work.elem;

	*elem = (struct cst_element){
		.kind = CST_EL_ATOMS,
		.index = insns_index(s, s->p),
		.bits = s->bits,
		.first_e = s->bits,
		.n = s->left,
		.num = s->code[*s->p].later,
		.cc = s->next_cc,
		.flags = s->f->cfg->cycle_count ? CST_EL_F_CC : 0,
	};
	s->f->work.busy = 1;
	s->left = 0;
	s->p++;
}
