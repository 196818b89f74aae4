/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_walk.c - walk over blocks for traces with an atom for every instruction (ETMv3). It counts the instructions of a
 * block and looks at one only where a range ends. Ranges are joined over consecutive instructions, or one per
 * instruction. Each mode is an instance compiled from the same inline functions, so that the loop's state stays in
 * registers; a further instance takes atoms of an element, through any code, one instruction at a time.
 */
#include "flow/insn_step.h"

/* Properties of an instance; all members are compile-time constants. */
struct insns_how {
	uint8_t join;		/* consecutive instructions are joined into one range */
	uint8_t transfers;	/* record the instruction that loaded or stored last */
	uint8_t element;	/* input is f->elem; the block is f->span with one instruction */
};

/* State of each atom, in registers. */
struct insns_hot {
	const struct insn_code *code;
	const uint8_t *p, *stop; /* as in struct insns */
	struct cst_generic *g;
	struct blk *b;
	uint64_t addr;
	uint32_t k, bits;	/* atoms left of the packet at p */
	uint32_t add, later;	/* cycles of the next atom, and of each further one */
	uint32_t ord, cc;	/* as in struct insns */
};

/* Writes an element that reports cycles without an instruction. */
static __attribute__((noinline)) void put_cycles(struct insns *s, struct cst_generic *g, uint64_t index, uint32_t cc,
						 uint8_t isa)
{
	g->index = index;
	g->addr = g->end = 0;
	store8(&g->n_insn, pair(0, cc));
	memcpy(&g->context_id, &s->none, sizeof(s->none));
	store8(&g->flags, flags_alone(s->tflags));
	g->isa = isa;
	store8(&g->error, 0);
}

/* Passes the instructions of block b from `ord` on that the next atoms E execute, without the block's last one. */
STEP_INLINE void pass(struct insns_hot *h)
{
	uint32_t run = (uint32_t)__builtin_ctz(~h->bits);	/* at most h->k: the bits behind the last atom are 0 */

	if (run > h->b->n_insn - 1u - h->ord)
		run = h->b->n_insn - 1u - h->ord;
	if (!run)
		return;
	h->cc += h->add + (run - 1) * h->later;
	h->add = h->later;
	h->ord += run;
	h->bits >>= run;
	h->k -= run;
}

/* As insns_put(), out of line: the joined loop needs it rarely. */
static __attribute__((noinline)) void put_inside(struct insns *s, struct cst_generic *g, const struct blk *b, uint64_t addr, uint32_t n,
						 uint32_t n_insn, uint32_t e, uint32_t cc, uint64_t index)
{
	insns_put(s, g, b, addr, n, n_insn, e, cc, index);
}

/* Ends a range with the next instruction of block b, which is not its last one. */
STEP_INLINE void inside(struct insns *s, struct insns_hot *h, const struct insns_how *how)
{
	const struct blk *b = h->b;
	const uint32_t e = h->bits & 1, n_insn = how->join ? (uint32_t)s->before + h->ord + 1 : 1;

	if (how->join)
		put_inside(s, h->g, b, h->addr, h->ord + 1 - insns_done(s), n_insn, e, h->cc + h->add, insns_index(s, h->p));
	else
		insns_put(s, h->g, b, h->addr, 1, 1, e, h->add, insns_index(s, h->p));
	h->g++;
	h->ord++;
	h->cc = 0;
	h->add = h->later;
	h->bits >>= 1;
	h->k--;
	s->ranges++;
	s->insns += n_insn;
	s->before = -(int32_t)h->ord;
	if (how->transfers && e) {
		s->f->isa = b->isa;
		cst_flow_loaded(s->f, h->g[-1].addr);
	}
}

/* Walks the last instruction of block b, in the range that has `before` instructions before the block. */
STEP_INLINE void last_insn(struct insns *s, struct insns_hot *h, uint32_t e, const struct insns_how *how)
{
	const uint64_t index = how->element ? s->f->work.elem.index : insns_index(s, h->p);
	const struct blk *b = h->b;
	const struct insns_from from =
		insns_from(s, h->g, h->addr, how->element ? s->f->work.span.sect_off : b->off * 2);

	h->bits >>= 1;
	h->k--;
	step_range(h->g, b, e, from.addr,
		   how->element ? s->f->work.span.end : h->addr + (uint32_t)b->step[0],
		   (uint32_t)s->before + b->n_insn, h->cc + h->add, from.off, &s->ids, index,
		   s->tflags);
	if (how->element && how->join && e && b->type == CST_INSN_OTHER) {
		s->before++;
		h->cc += h->add;
		return;
	}
	h->g++;
	h->add = h->later;
	s->ranges++;
	s->insns += (uint32_t)s->before + b->n_insn;
	s->before = 0;
	h->cc = h->ord = 0;
}

/* Walks the last instruction of block b and follows its link. Returns INSNS_OTHER if the next block is known. */
STEP_INLINE enum insns_end waypoint(struct insns *s, struct insns_hot *h, const struct insns_how *how)
{
	struct blk *b = h->b;
	const uint32_t e = h->bits & 1;
	uint32_t next;

	last_insn(s, h, e, how);
	/* a block of the graph does not end inside an IT block */
	s->it = how->element ? step_it(s->f, e) : 0;
	if (how->transfers && e) {
		s->f->isa = b->isa;
		cst_flow_loaded(s->f, h->addr + (uint32_t)b->step[0] - b->last_size);
	}
	s->branches += e && cst_insn_is_branch(b->type);
	if (step_indirect(b, e)) {
		h->addr = (uint32_t)(h->addr + (uint32_t)b->step[0]);
		insns_lose(s->f, b, h->addr,
			   how->element ? 0 : blk_place(s->f->cache.map_sec->img, b));
		h->b = NULL;
		return h->k ? INSNS_INTERRUPTED : INSNS_OTHER;
	}
	h->addr = (uint32_t)step_next(b, e, h->addr);
	next = b->link[e] & s->linked;
	if (__builtin_expect(!next, 0)) {
		s->link = &b->link[e];
		return INSNS_LINK;
	}
	h->b = BLK_AT(s->base, next);
	return INSNS_OTHER;
}

/* Walks the atoms of the packet at h->p. Returns INSNS_OTHER if all were walked. */
STEP_INLINE enum insns_end atoms(struct insns *s, struct insns_hot *h, const struct insns_how *how)
{
	enum insns_end end;

	while (h->k) {
		if (!h->b)
			return INSNS_BLOCK;
		if (how->join)
			pass(h);
		if (!h->k)
			break;
		if (h->ord < h->b->n_insn - 1u) {
			inside(s, h, how);
			continue;
		}
		end = waypoint(s, h, how);
		if (end != INSNS_OTHER)
			return end;
	}
	return INSNS_OTHER;
}

/* Begins the packet at h->p. INSNS_OTHER with h->k 0: it is not a packet for the loop. */
STEP_INLINE enum insns_end begin(struct insns *s, struct insns_hot *h)
{
	const struct insn_code *c = &h->code[*h->p];

	if (!c->fast || h->g >= s->limit)
		return INSNS_OTHER;
	if (!insns_settled(s, h->p))
		return INSNS_PENDING;
	h->k = c->n;
	h->bits = c->bits;
	h->add = c->first;
	h->later = c->later;
	return INSNS_OTHER;
}

/*
 * Joined: skips packets before h->stop that have only cycles and atoms E inside block b. Returns 0 if it has skipped
 * all. The lower half of `count` counts instructions, the upper half cycles.
 */
STEP_INLINE int pass_packets(struct insns_hot *h)
{
	const uint32_t most = h->b ? h->b->n_insn - 1u : 0;
	uint64_t count = h->ord | (uint64_t)h->cc << 32, sum;
	const struct insn_code *c;
	const uint8_t *p = h->p;

	for (; p < h->stop; p++, count = sum) {
		c = &h->code[*p];
		sum = count + (c->run | (uint64_t)c->total << 32);
		if (__builtin_expect((uint32_t)sum > most, 0))
			break;
	}
	h->ord = (uint32_t)count;
	h->cc = (uint32_t)(count >> 32);
	h->p = p;
	return p < h->stop;
}

/*
 * One range per instruction: emits packets before h->stop that have only cycles, as far as there is room. Returns as
 * pass_packets().
 */
STEP_INLINE int pass_cycles(struct insns *s, struct insns_hot *h)
{
	const struct insn_code *c;

	for (; h->p < h->stop; h->p++) {
		c = &h->code[*h->p];
		if (c->fast != 1 || h->g >= s->limit)
			return 1;
		put_cycles(s, h->g++, insns_index(s, h->p), c->total, h->b ? h->b->isa : s->f->isa);
	}
	return 0;
}

/* Moves to the next packet that needs more than pass_packets() or pass_cycles(). Returns 0 at the end of the input. */
STEP_INLINE int skip(struct insns *s, struct insns_hot *h, const struct insns_how *how)
{
	while (!(how->join ? pass_packets(h) : pass_cycles(s, h))) {
		if (h->p == s->end)
			return 0;
		h->stop = insns_next_run(s, h->p);
	}
	return 1;
}

STEP_INLINE struct insns_hot take_up(const struct insns *s)
{
	return (struct insns_hot){ .code = s->code, .stop = s->stop, .p = s->p, .g = s->g, .b = s->b, .addr = s->addr, .k = s->left,
				   .bits = s->bits, .add = s->next_cc, .later = s->left ? s->code[*s->p].later : 0,
				   .ord = s->ord, .cc = s->cc };
}

STEP_INLINE void put_back(struct insns *s, const struct insns_hot *h)
{
	s->left = h->k;
	s->bits = h->bits;
	s->next_cc = h->add;
	s->g = h->g;
	s->p = h->p;
	s->b = h->b;
	s->addr = h->addr;
	s->cc = h->cc;
	s->ord = h->ord;
}

STEP_INLINE enum insns_end walk(struct insns *s, const struct insns_how *how)
{
	struct insns_hot h = take_up(s);
	enum insns_end end = INSNS_OTHER;

	for (;;) {
		if (!h.k) {
			if (!skip(s, &h, how))
				break;
			end = begin(s, &h);
			if (end != INSNS_OTHER || !h.k)
				break;
		}
		end = atoms(s, &h, how);
		if (!h.k && (end == INSNS_OTHER || end == INSNS_LINK))
			s->since = ++h.p;
		if (end != INSNS_OTHER)
			break;
	}
	put_back(s, &h);
	return end;
}

static __attribute__((noinline)) enum insns_end walk_joined(struct insns *s)
{
	static const struct insns_how how = { .join = 1 };

	return walk(s, &how);
}

static __attribute__((noinline)) enum insns_end walk_each(struct insns *s)
{
	static const struct insns_how how = { .join = 0 };

	return walk(s, &how);
}

static __attribute__((noinline)) enum insns_end walk_transfers(struct insns *s)
{
	static const struct insns_how how = { .transfers = 1 };

	return walk(s, &how);
}

enum insns_end cst_flow_insns_walk(struct insns *s)
{
	if (s->f->each.join)
		return walk_joined(s);
	return s->f->cfg->data_trace ? walk_transfers(s) : walk_each(s);
}

/* Makes the instruction at s->addr a block of its own in f->span. An open range continues in the same section only. */
static enum span_end scratch_block(struct insns *s)
{
	struct cst_flow *f = s->f;
	struct span *sp = &f->work.span;
	enum span_end end;

	f->addr = s->addr;
	end = cst_flow_span(f, SPAN_COUNT, 1, sp);
	if (end != SPAN_DONE)
		return end;
	sp->b.n_insn = 1;
	/* every instruction has an atom */
	sp->b.gflags |= CST_GF_WAYPOINT;
	if (!(sp->b.flags & BLK_P0))
		sp->b.type = CST_INSN_OTHER;
	insns_continue(s, f->isa, sp->section, sp->sect_off);
	s->ids = ids_of_kind(f, CST_GEN_RANGE, sp->section);
	s->b = &sp->b;
	return SPAN_DONE;
}

enum span_end cst_flow_insns_element(struct insns *s)
{
	struct cst_flow *f = s->f;
	struct cst_element *elem = &f->work.elem;
	const struct insns_how how = { .join = f->each.join,
				       .transfers = f->cfg->data_trace,
				       .element = 1 };
	const uint32_t cycles = elem->flags & CST_EL_F_CC ? CST_GF_CC : 0;
	enum span_end end = SPAN_DONE;
	struct insns_hot h;

	cst_flow_insns_enter(s);
	for (; elem->n && !f->need_addr && s->g < s->limit; elem->n--, elem->bits >>= 1) {
		end = scratch_block(s);
		if (end != SPAN_DONE)
			break;
		s->tflags =
			f->emit.tmpl.flags | cycles | (s->before > 0 ? s->g->flags & CST_GF_CC : 0);
		h = take_up(s);
		h.k = 1;
		h.bits = elem->bits;
		h.add = cycles ? elem->cc : 0;
		elem->cc = elem->num;	/* cycles of the next atom */
		waypoint(s, &h, &how);
		put_back(s, &h);
		f->isa = step_isa(&f->work.span.b, elem->bits & 1);
		f->it = s->it;
	}
	s->b = NULL;
	cst_flow_insns_leave(s);
	insns_count(s);
	return end;
}

void cst_flow_insns_back(struct insns *s)
{
	const struct insn_code *c;
	const uint8_t *p = s->p;
	uint32_t cc = 0;

	while (p > s->since) {
		c = &s->code[*--p];
		cc += c->total;
		if (!c->run)
			continue;
		s->ord -= c->run;
		s->cc -= cc;
		s->p = p;
		return;
	}
}
