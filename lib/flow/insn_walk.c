/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_walk.c - the loop over P-headers: it counts the instructions of a block, and looks at them only where a range ends.
 * Ranges go on over instructions that follow each other, or each instruction has its own. Compiled once for each, from
 * functions that are inlined, so that what the loop needs stays in registers.
 */
#include "flow/insn_step.h"

enum insns_how {
	INSNS_JOINED,
	INSNS_EACH,
	INSNS_TRANSFERS,	/* each, and it is known which one loaded or stored last */
};

/* What every atom needs. */
struct insns_hot {
	const struct insn_code *code;
	const uint8_t *p, *stop; /* as in struct insns */
	struct cst_generic *g;
	struct blk *b;
	uint64_t addr;
	uint32_t k, bits;	/* atoms left of the packet at p */
	uint32_t add, later;	/* cycles of the next one, and of each that follows */
	uint32_t ord, cc;	/* as in struct insns */
};

/* Returns the instructions of a block before its last one: an atom E of one of them only counts it. */
static inline uint32_t before_last(const struct blk *b)
{
	return b ? b->n_insn - 1u : 0;
}

/* Cycles without an instruction. */
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

/* The instructions of block b from `ord` on that the next atoms E run, up to its last one. */
STEP_INLINE void pass(struct insns_hot *h)
{
	uint32_t run = (uint32_t)__builtin_ctz(~h->bits);

	if (run > h->k)
		run = h->k;
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

/* The last instruction of block b: its range, and where execution goes on. INSNS_OTHER: in a block that is known. */
STEP_INLINE enum insns_end waypoint(struct insns *s, struct insns_hot *h, const enum insns_how how)
{
	struct blk *b = h->b;
	const uint32_t e = h->bits & 1;
	uint32_t *link = &b->link[0], next;

	h->bits >>= 1;
	h->k--;
	/* a range that goes on keeps its beginning */
	step_range(h->g, b, e, s->before ? h->g->addr : h->addr, h->addr + (uint32_t)b->step[0], s->before + b->n_insn,
		   h->cc + h->add, s->before ? h->g->sect_off : b->off * 2, &s->ids, s->bias + (uintptr_t)h->p, s->tflags);
	h->g++;
	h->add = h->later;
	s->ranges++;
	s->insns += s->before + b->n_insn - s->counted;
	s->before = s->counted = h->cc = h->ord = 0;
	s->it = 0;
	if (how == INSNS_TRANSFERS && e) {
		s->f->isa = b->isa;
		cst_flow_loaded(s->f, h->addr + (uint32_t)b->step[0] - b->last_size);
	}
	if (e && step_is_branch(b)) {
		s->branches++;
		if (b->type == CST_INSN_INDIRECT) {
			h->addr = (uint32_t)(h->addr + (uint32_t)b->step[0]);
			insns_lose(s->f, b, h->addr);
			h->b = NULL;
			return h->k ? INSNS_INTERRUPTED : INSNS_OTHER;
		}
		link = &b->link[1];
	}
	h->addr = (uint32_t)(h->addr + (int64_t)b->step[e]);
	next = *link & s->linked;
	if (__builtin_expect(!next, 0)) {
		s->link = link;
		return INSNS_LINK;
	}
	h->b = BLK_AT(s->base, next);
	return INSNS_OTHER;
}

/* The atoms of the packet at h->p. INSNS_OTHER: all of them. */
STEP_INLINE enum insns_end atoms(struct insns *s, struct insns_hot *h, const enum insns_how how)
{
	enum insns_end end;

	while (h->k) {
		if (!h->b)
			return INSNS_BLOCK;
		if (how == INSNS_JOINED)
			pass(h);
		if (!h->k)
			break;
		if (h->ord < h->b->n_insn - 1u)
			return INSNS_SKIP;
		end = waypoint(s, h, how);
		if (end != INSNS_OTHER)
			return end;
	}
	return INSNS_OTHER;
}

/* The packet at h->p begins. INSNS_OTHER with no atoms in h->k: it is none for the loop. */
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

/* Packets up to one that is more than atoms E inside block b, and cycles. 0: the input ends. */
STEP_INLINE int skip(struct insns *s, struct insns_hot *h, const enum insns_how how)
{
	const uint32_t most = how == INSNS_JOINED ? before_last(h->b) : 0;
	const struct insn_code *c;

	for (;; h->p++) {
		if (h->p >= h->stop) {
			if (h->p == s->end)
				return 0;
			h->stop = insns_next_run(s, h->p);
		}
		c = &h->code[*h->p];
		if (how != INSNS_JOINED) {
			if (c->fast != 1 || h->g >= s->limit)
				return 1;
			put_cycles(s, h->g++, s->bias + (uintptr_t)h->p, c->total, h->b ? h->b->isa : s->f->isa);
			continue;
		}
		if (__builtin_expect(h->ord + c->run > most, 0))
			return 1;
		h->ord += c->run;
		h->cc += c->total;
	}
}

STEP_INLINE enum insns_end walk(struct insns *s, const enum insns_how how)
{
	struct insns_hot h = { .code = s->code, .stop = s->stop, .p = s->p, .g = s->g, .b = s->b, .addr = s->addr, .k = s->left, .bits = s->bits,
			       .add = s->next_cc, .later = s->left ? s->code[*s->p].later : 0, .ord = s->ord, .cc = s->cc };
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
	s->left = h.k;
	s->bits = h.bits;
	s->next_cc = h.add;
	s->g = h.g;
	s->p = h.p;
	s->b = h.b;
	s->addr = h.addr;
	s->cc = h.cc;
	s->ord = h.ord;
	return end;
}

static __attribute__((noinline)) enum insns_end walk_joined(struct insns *s)
{
	return walk(s, INSNS_JOINED);
}

static __attribute__((noinline)) enum insns_end walk_each(struct insns *s)
{
	return walk(s, INSNS_EACH);
}

static __attribute__((noinline)) enum insns_end walk_transfers(struct insns *s)
{
	return walk(s, INSNS_TRANSFERS);
}

enum insns_end cst_flow_insns_walk(struct insns *s)
{
	if (s->f->join)
		return walk_joined(s);
	return s->f->cfg->data_trace ? walk_transfers(s) : walk_each(s);
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
