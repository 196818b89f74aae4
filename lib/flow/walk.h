/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * walk.h - the walk over the graph of decoded blocks, where the time goes: atoms to ranges or to counts. One source for
 * all protocols whose atoms stand for P0 instructions (ETMv4, ETE, PTM) and for all consumers; whoever includes it
 * compiles an instance with a constant struct walk_how. Everything here is inline, so that struct walk lives in
 * registers; what is rare is in walk.c, and works on struct loop.
 */
#ifndef CST_LIB_FLOW_WALK_H
#define CST_LIB_FLOW_WALK_H

#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/step.h"
#include "image/counts.h"

/* Atoms of one packet at most. */
#define PACKET_ATOMS 24

/* Of the atoms of an element, as many are walked over at once: fewer than its `bits` has, so that these can be shifted. */
#define ATOM_BITS 31

/* So many instructions end a run: an element has 32 bits for them, and a packet a few million. */
#define RUN_INSNS (1u << 31)

/* The input: p[pos..len), and where in the trace that is. */
struct atom_input {
	const uint8_t *p;
	size_t pos, len;
	const struct seg *seg;
	uint32_t seg_i, seg_count;	/* a run that begins at `pos` or before it */
	void *parser;
	size_t more;		/* bytes used up behind the first ones of their packets */
	uint64_t last;		/* trace offset of the last packet that was used */
	const uint8_t *last_packet; /* and where it is, for a protocol that sets it */
};

/* What a packet says beside its atoms. */
struct atoms {
	uint32_t cc;		/* cycles of each of its ranges */
	uint8_t given;		/* one atom E, which leads to `target` */
	uint8_t isa;		/* instruction set of `target` */
	uint32_t target;
};

/* What the walk needs less often than at each atom. It stays in memory, and the registers are left to the atoms. */
struct loop {
	struct cst_flow *f;
	struct atom_input *in;
	const uint8_t *p, *stop, *end_of_input;
	const struct cst_generic *limit, *end_of_room; /* before `limit` there is room for any packet */
	uint64_t bias;		/* trace offsets minus addresses of the input's bytes */
	uint64_t rest;		/* atoms that there is no room for, with a 1 behind them; or 0 */
	uint64_t branches, others; /* taken branches; elements that are no ranges, or counted elsewhere */
	int64_t linked;		/* the bits of a link that are its place and LINK_SLOW; 0: links do not hold */
	struct ids ids;
	uint8_t stack;		/* calls are pushed */
	uint8_t moved;		/* the last search led to another section, or emptied the block cache */
	uint8_t mispredicted;	/* of an element, the only atom is not what was traced first */
	uint32_t flags;		/* enum cst_generic_flags that ranges have beside those of the context */
	struct atoms now;	/* the packet */
	/*
	 * Runs are ranges that are counted, in one section: from the first behind a taken branch (or any, if counts are not
	 * joined) up to the last one walked over. Ranges in them; their elements count among `others`.
	 */
	uint64_t ranges;
	uint64_t atoms;		/* of all packets */
	uint64_t run_insns, run_atoms, run_conflicts; /* where the run began */
};

/* What becomes of ranges. */
enum runs {
	RUNS_NONE,	/* each is an element */
	RUNS_EACH,	/* each is counted in f->counts */
	RUNS_JOINED,	/* they are counted from the target of a branch that is taken to the next one */
};

/* An instance: all constant. */
struct walk_how {
	enum runs runs;
	uint8_t element;	/* atoms of f->el, through any code: speculation, cycle counts, CST_EL_BRANCH */
	uint8_t given;		/* packets may have targets */
	uint8_t cycles;		/* packets may have cycle counts */
	/* The packet at l->p: 1, its atoms with a 1 behind them, and l->p is behind it. 0: it is something else. */
	int (*packet)(struct loop *l, uint64_t *bits);
	/* Is the packet at l->p one with atoms? NULL: atom E on an indirect branch pops at once (PTM). */
	int (*atom_follows)(const struct loop *l);
	/* Where an indirect branch leads: the packet at l->p, if it is a Target Address; as `packet`, with f->isa. */
	int (*target)(struct loop *l, uint64_t *addr);
};

/* How a walk ends, or does not. */
enum walk_on {
	WALK_GO,
	WALK_OUT,	/* before the block `next`: no packet, or no room */
	WALK_GONE,	/* the code at f->addr is not in the graph */
	WALK_AWAY,	/* behind an indirect branch whose target is to come */
	WALK_MISMATCH,	/* by cfg->checks the code is not what ran: the last range is void */
};

/* What every atom needs. Nobody takes the address of one in a function that is not inlined. */
struct walk {
	struct cst_flow *f;
	struct loop *l;
	struct cst_generic *g;	/* the next element */
	struct blk *base, *b;	/* the blocks; the one that was walked over, from `from` to `end`, by atom `e` */
	uint64_t end, addr, e;	/* `addr`: before that block, or where execution goes on */
	uint64_t bits;		/* atoms left of the packet, with a 1 behind them */
	uint64_t index, insns;
	int64_t next, linked;	/* signed: a link with LINK_SLOW is negative, and 0 where links do not hold */
	struct ids ids;
	uint32_t flags;
	/* runs: the link, or what it would be, that leads out of block b; the open one's first block; its section */
	uint32_t raw, start, section;
};

/*
 * walk.c: what is rare. cst_walk_begin(): 1, with the loop ready for out[0..cap) and the input; 0 when execution is not at
 * a block of the graph.
 */
int cst_walk_begin(struct loop *l, const struct cst_generic *out, size_t cap);
int cst_walk_next_run(struct loop *l);
uint64_t cst_walk_what_fits(struct loop *l, uint64_t bits, const struct cst_generic *g);
uint32_t cst_walk_search(struct loop *l, uint64_t addr, struct blk *b, unsigned int e);
int cst_walk_forbidden(struct cst_flow *f, const struct blk *b);
void cst_walk_span(struct loop *l, struct cst_generic *g, uint64_t e);
struct cst_generic *cst_walk_conflict(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b,
				      uint64_t addr);
void cst_walk_begin_run(struct loop *l, uint64_t insns, uint64_t bits);
struct cst_generic *cst_walk_put_run(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b,
				     uint64_t e, uint32_t start, uint64_t insns, uint64_t bits);
void cst_walk_take_back_run(struct loop *l, const struct cst_generic *g);
struct cst_generic *cst_walk_away(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b,
				  uint64_t end);
size_t cst_walk_finish(struct loop *l, uint64_t bits, uint64_t index, uint64_t insns, const struct cst_generic *first,
		       const struct cst_generic *g);

/* Atoms in front of the 1 that ends them. */
static inline unsigned int atoms_in(uint64_t bits)
{
	return 63 - __builtin_clzll(bits);
}

static inline unsigned int atoms_taken(uint64_t bits)
{
	unsigned int n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n - 1;
}

/* What following the link of a block after atom `e` leaves out, and what the link is. */
static inline uint32_t walk_link_kind(const struct blk *b, uint64_t e)
{
	if (!step_is_branch(b))
		return LINK_SLOW;
	if (!e)
		return (b->flags & BLK_ALWAYS ? LINK_SLOW : 0) | LINK_BRANCH;
	if (b->type == CST_INSN_INDIRECT)
		return LINK_SLOW | LINK_TAKEN | LINK_BRANCH | LINK_INDIRECT;
	return (b->flags & BLK_LINK ? LINK_SLOW : 0) | LINK_TAKEN | LINK_BRANCH;
}

STEP_INLINE uint32_t walk_place(const struct walk *w)
{
	return (uint32_t)((unsigned char *)w->b - (unsigned char *)w->base);
}

/* Is block b none of the graph, but f->span? */
STEP_INLINE int walk_in_span(const struct walk *w, const struct walk_how *how)
{
	return how->element && w->b == &w->f->span.b;
}

/* The element of the run that ends with block b. */
STEP_INLINE struct cst_generic *walk_put_run(const struct walk *w, const enum runs runs)
{
	return cst_walk_put_run(w->l, w->g, w->index, w->b, w->e, runs == RUNS_EACH ? walk_place(w) : w->start, w->insns,
				w->bits);
}

/* The atom that was walked over is counted: block b led to `next`. */
STEP_INLINE void walk_count(struct walk *w, const enum runs runs)
{
	struct cst_counts *c = w->f->counts;
	const uint32_t place = walk_place(w);

	if (runs == RUNS_EACH && w->start) {
		/* block b was a range */
		if (__builtin_expect(!++count_at(c->blk, place)->atoms[w->e], 0))
			cst_counts_atoms_full(c, w->section, place, w->e);
		if (w->raw & LINK_INDIRECT && !count_pair(&count_at(c->blk, place)->edge[0], (uint32_t)w->next))
			cst_counts_edge_slow(c, w->section, place, (uint32_t)w->next);
	} else if (w->raw & (runs == RUNS_JOINED ? LINK_TAKEN : LINK_BRANCH)) {
		/* the branch at the end of block b ended a range */
		if (w->raw & LINK_TAKEN && !count_pair(&count_at(c->blk, place)->edge[0], (uint32_t)w->next))
			cst_counts_edge_slow(c, w->section, place, (uint32_t)w->next);
		if (!w->start)
			cst_walk_begin_run(w->l, w->insns, w->bits);
		else if (!count_pair(&count_at(c->blk, w->start)->range[0], place))
			cst_counts_range_slow(c, w->section, w->start, place);
		w->start = (uint32_t)w->next;
	}
}

/* One atom through block b, as far as its link shows where execution goes on. */
STEP_INLINE void walk_block(struct walk *w, const struct walk_how *how)
{
	const struct blk *b = w->b;

	w->e = w->bits & 1;
	w->bits >>= 1;
	w->end = w->addr + (uint32_t)b->step[0];
	if (walk_in_span(w, how)) {
		w->end = w->f->span.end;
		cst_walk_span(w->l, w->g++, w->e);
	} else {
		if (!how->runs || !w->start)
			step_range(w->g++, b, w->e, w->addr, w->end, b->n_insn, how->cycles ? w->l->now.cc : 0, b->off * 2,
				   &w->ids, w->index, w->flags);
		w->insns += b->n_insn;
	}
	w->raw = b->link[w->e];
	w->next = (int32_t)w->raw & w->linked;
}

/* The code at `addr` is searched, of f->isa; it becomes the link of block `by` after atom `e`, if there is one. */
STEP_INLINE enum walk_on walk_search(struct walk *w, const struct walk_how *how, uint64_t addr, struct blk *by,
				     unsigned int e)
{
	struct loop *l = w->l;

	/* afterwards its blocks may be gone */
	if (how->runs && w->start)
		walk_put_run(w, how->runs);
	w->next = cst_walk_search(l, addr, by, e);
	if (how->runs && (!w->next || l->moved)) {
		/* the run ends: the code is in another section, or the block cache was emptied */
		w->g += w->start != 0;
		w->start = w->raw = 0;
	} else if (how->runs && w->start) {
		cst_walk_take_back_run(l, w->g);
	}
	if (!w->next)
		return WALK_GONE;
	w->addr = addr;
	w->linked = l->linked;
	w->ids = l->ids;
	w->section = w->f->map_sec->id;
	w->base = w->f->img->blk;
	return WALK_GO;
}

/* Execution goes on at `addr` in f->isa, where the link of block `by` after atom `e` has led before, if there is one. */
STEP_INLINE enum walk_on walk_to(struct walk *w, const struct walk_how *how, uint64_t addr, struct blk *by, unsigned int e)
{
	/* for a packet with a target, w->linked says that no link is to be followed without a look */
	const int64_t linked = how->given ? w->l->linked : w->linked;
	const int64_t next = by ? (int32_t)by->link[e] & linked & ~LINK_SLOW : 0;

	/* from a span no link is followed: it has none, and the links do not hold before the first search */
	if (next && step_leads_to(w->f, w->base, (uint32_t)next, addr, w->f->isa)) {
		w->next = next;
		w->addr = addr;
		return WALK_GO;
	}
	return walk_search(w, how, addr, by, e);
}

/* A call is pushed if its atom was E when it was traced first, whatever a Mispredict made of it (K10.5.5.3). */
STEP_INLINE void walk_push(const struct walk *w, const struct walk_how *how)
{
	if (w->b->flags & BLK_LINK && w->l->stack && (!how->element || w->e != w->l->mispredicted))
		step_push(w->f, w->end, w->b->isa, walk_in_span(w, how) ? 0 : walk_place(w));
}

/* To the target on top of the return stack (K10.5.5.3). */
STEP_INLINE enum walk_on walk_return(struct walk *w, const struct walk_how *how, int push)
{
	const struct return_entry *r = step_pop(w->f);
	const uint64_t addr = r->addr;
	const uint8_t isa = r->isa;
	struct blk *by = NULL;

	if (r->call && r->sec == w->f->map_sec)
		by = BLK_AT(how->element ? w->f->img->blk : w->base, r->call);
	/* a call's entry may be the one that was popped */
	if (push)
		walk_push(w, how);
	w->f->isa = isa;
	/* behind a call comes what an atom N would lead to */
	return walk_to(w, how, addr, by, 0);
}

/* An atom E whose target is traced with it (IHI 0035B 4.5.4). */
STEP_INLINE enum walk_on walk_given(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	struct blk *b = w->b;

	walk_push(w, how);
	if (!step_is_branch(b))
		l->branches--;
	w->f->isa = l->now.isa;
	if (b->type == CST_INSN_INDIRECT)
		return walk_to(w, how, l->now.target, walk_in_span(w, how) ? NULL : b, 1);
	/* with branch broadcast: its link leads where the opcode says */
	if ((uint32_t)(w->addr + (int64_t)b->step[1]) == l->now.target)
		return walk_to(w, how, l->now.target, walk_in_span(w, how) || step_isa(b, 1) != l->now.isa ? NULL : b, 1);
	w->g = cst_walk_conflict(l, w->g, w->index, b, w->addr);
	w->f->isa = l->now.isa;
	return walk_to(w, how, l->now.target, NULL, 1);
}

/* An indirect branch was taken. */
STEP_INLINE enum walk_on walk_indirect(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	struct cst_flow *f = w->f;
	uint64_t target;

	/* IHI 0035B 2.4.3: the atom says that the target is on the return stack, before a call pushes */
	if (how->element ? f->pop_first : !how->atom_follows) {
		if (f->stack_count)
			return walk_return(w, how, 1);
		walk_push(w, how);
		return WALK_AWAY;
	}
	walk_push(w, how);
	if (w->b->subtype == CST_INSN_ERET || how->element)
		return WALK_AWAY;
	/* the target is on the return stack if a P0 element follows without an address */
	if (f->stack_count && f->cfg->ret_stack && (w->bits != 1 || (!l->rest && how->atom_follows(l))))
		return walk_return(w, how, 0);
	if (w->bits != 1 || l->rest || !how->target(l, &target))
		return WALK_AWAY;
	return walk_to(w, how, target, w->b, 1);
}

/* Block b was left where following its link is not all that there is to do. */
STEP_INLINE enum walk_on walk_exit(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	struct cst_flow *f = w->f;
	struct blk *b = w->b;
	const int64_t next = w->next & ~LINK_SLOW;

	if (how->runs)
		w->raw = walk_link_kind(b, w->e);
	if (walk_in_span(w, how))
		f->it = w->e && step_is_branch(b) ? 0 : f->span.it;
	if (how->given && l->now.given)
		return walk_given(w, how);
	if (w->e && b->type == CST_INSN_INDIRECT)
		return walk_indirect(w, how);
	if (w->e || how->element)
		walk_push(w, how);
	if (!w->e && b->flags & BLK_ALWAYS && cst_walk_forbidden(f, b))
		return WALK_MISMATCH;
	if (w->e && !step_is_branch(b))
		l->branches--;
	if (how->runs == RUNS_EACH && w->start && !step_is_branch(b)) {
		/* this range goes on */
		w->g = walk_put_run(w, how->runs);
		w->start = w->raw = 0;
	}
	f->isa = step_isa(b, w->e);
	w->addr += (int64_t)b->step[w->e];
	if (next) {
		w->next = next;
		return WALK_GO;
	}
	return walk_search(w, how, step_wrap(w->addr, f->isa), walk_in_span(w, how) ? NULL : b, (unsigned int)w->e);
}

/* The next packet, if it is one with atoms and there is room for it. */
STEP_INLINE int walk_packet(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	const uint8_t *at;

	if (how->element || (l->p == l->stop && !cst_walk_next_run(l)))
		return 0;
	at = l->p;
	if (w->g >= l->limit && l->end_of_room - w->g < FLOW_ROOM)
		return 0;
	if (how->runs && w->start && w->insns - l->run_insns >= RUN_INSNS)
		return 0;
	if (!how->packet(l, &w->bits))
		return 0;
	w->index = l->bias + (uintptr_t)at;
	if (how->given)
		w->linked = l->now.given ? 0 : l->linked;
	if (w->g >= l->limit)
		w->bits = cst_walk_what_fits(l, w->bits, w->g);
	if (how->runs)
		l->atoms += atoms_in(w->bits);
	return 1;
}

STEP_INLINE enum walk_on walk_blocks(struct walk *w, const struct walk_how *how)
{
	enum walk_on on;

	for (;;) {
		if (w->bits == 1 && !walk_packet(w, how))
			return WALK_OUT;
		if (how->runs)
			walk_count(w, how->runs);
		w->b = BLK_AT(w->base, w->next);
		walk_block(w, how);
		if (__builtin_expect(w->next > 0, 1)) {
			/* blocks that are linked are in one map: no wrap at 4 GiB between them */
			w->addr += (int64_t)w->b->step[w->e];
		} else {
			on = walk_exit(w, how);
			if (on != WALK_GO)
				return on;
		}
	}
}

/*
 * With execution at the block f->blk or, for an element only, in f->span: appends to out[*n] what the atoms of the input
 * make, or of an element those in l->rest. Returns how it ended; the atoms that are left are l->rest then.
 */
STEP_INLINE enum walk_on walk_run(struct loop *l, struct cst_generic *out, size_t *n, const struct walk_how *how)
{
	struct cst_flow *f = l->f;
	struct walk w = {
		.f = f, .l = l, .g = out + *n, .base = f->blk ? f->img->blk : &f->span.b, .next = f->blk, .addr = f->addr,
		.linked = l->linked, .ids = l->ids, .section = f->blk ? f->map_sec->id : 0, .index = l->in->last,
		.flags = f->tmpl.flags | l->flags, .bits = how->element ? l->rest : 1,
	};
	enum walk_on why;

	if (how->element) {
		l->rest = 0;
		w.bits = cst_walk_what_fits(l, w.bits, w.g);
	}
	why = walk_blocks(&w, how);

	if (how->runs && w.start)
		w.g = walk_put_run(&w, how->runs);
	if (why == WALK_OUT) {
		f->addr = w.addr;
		f->blk = (uint32_t)w.next;
		f->isa = BLK_AT(w.base, w.next)->isa;
	} else if (why == WALK_AWAY) {
		w.g = cst_walk_away(l, w.g, w.index, w.b, w.end);
	} else if (why == WALK_MISMATCH) {
		f->addr = w.addr;
		f->blk = 0;
		w.g--;
		w.insns -= w.g->n_insn;
	}
	*n += cst_walk_finish(l, w.bits, w.index, w.insns, out + *n, w.g);
	return why;
}

/*
 * An instance over packets, whose ranges have `flags` beside those of the context: appends to out[*n], and moves in->pos. With f->busy set, the last packet is not done yet and
 * cst_flow_run() must go on with it. 0: nothing was done. Only for a stream whose atoms are final at once, and with
 * f->busy 0.
 */
STEP_INLINE int walk_input(struct cst_flow *f, struct atom_input *in, uint32_t flags, struct cst_generic *out, size_t *n,
			   size_t cap, const struct walk_how *how)
{
	struct loop l = { .f = f, .in = in, .flags = flags };
	const size_t pos = in->pos;
	enum walk_on why;

	if ((f->after_n && f->addr != f->next_n) || !cst_walk_begin(&l, out, cap))
		return 0;
	why = walk_run(&l, out, n, how);
	if (why == WALK_MISMATCH) {
		f->el.index = in->last;
		cst_flow_mismatch(f);
	} else if (l.rest > 1) {
		cst_flow_give_atoms(f, (uint32_t)(l.rest & ~(1ull << atoms_in(l.rest))), atoms_in(l.rest), in->last);
	}
	return in->pos != pos;
}

#endif
