/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_step.h - the graph of blocks for packets that have an atom for every instruction (ETMv3): from its
 * bytes to ranges (insn_walk.c), and what there is to do between (insn_step.c).
 */
#ifndef CST_LIB_FLOW_INSN_STEP_H
#define CST_LIB_FLOW_INSN_STEP_H

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/step.h"

/* What a byte means that begins a packet. */
struct insn_code {
	/* of atoms E alone, how many (none: cycles); INSN_SLOW: it is something else; the packet's cycles */
	uint32_t run, total;
	uint16_t bits;		/* 1 = E, oldest in bit 0 */
	uint8_t n;
	uint8_t first, later;	/* cycles of the first atom, of each that follows */
	uint8_t fast;		/* of a packet with atoms, with cycles, or with both: n + 1; 0: leave it to others */
	uint8_t settles;	/* nothing can cancel an atom before this packet any more */
	uint8_t form;		/* the protocol's own */
};

/* More than a block has instructions. */
#define INSN_SLOW 0x10000u

/* Put out by one packet at most. */
#define INSN_ATOMS_MAX 16

/* What the loops keep out of struct cst_flow while they run. */
struct insns {
	struct cst_flow *f;
	const struct insn_code *code;	/* by byte */
	/* the input: the next byte, the end of its run of trace offsets and of all */
	const uint8_t *p, *stop, *data, *end;
	const struct seg *seg, *last_seg;
	const uint8_t *settled;	/* atoms before this are, whatever the next bytes say */
	struct cst_generic *g, *limit; /* the output */
	struct ids ids;
	struct ids none;	/* of elements that only tell cycles */
	uint32_t tflags;
	/* where execution is: block b begins at addr; NULL: not looked for yet, f->isa and f->it say how */
	struct blk *base, *b;
	uint64_t addr;
	uint32_t linked;
	/*
	 * The range that goes on has `before` instructions up to block b (then *g shows them), and the first `ord` of b. Where
	 * one has ended inside block b, at `at`, `before` is minus the instructions of b up to there. Cycles so far, also when
	 * it has none. From `since` on, packets were no more than atoms E and cycles.
	 */
	int32_t before;
	uint32_t ord, cc;
	uint64_t at;
	uint8_t it;		/* what an IT block has left at addr, or at `at` */
	const uint8_t *since;
	uint64_t wait_index;	/* of cycles that belong to no range yet, up to `since` */
	/* atoms of the packet at p that are left, 0 none, and the cycles of the next one; the link that was not known */
	uint32_t left, bits, next_cc;
	uint32_t *link;
	uint64_t insns, ranges, branches; /* for the statistics; what an open range has had before is taken off again */
};

/* The byte at `p` begins a run of trace offsets. Returns where that ends. */
static inline const uint8_t *insns_next_run(struct insns *s, const uint8_t *p)
{
	const struct seg *seg = s->seg;
	const uint8_t *stop;

	do {
		seg++;
		stop = seg < s->last_seg ? s->data + seg[1].pos : s->end;
	} while (stop <= p);
	s->seg = seg;
	s->stop = stop;
	return stop;
}

/* Trace offset of the byte at `p`, in the run that the loop has come to. */
static inline uint64_t insns_index(const struct insns *s, const uint8_t *p)
{
	return s->seg->offset + ((size_t)(p - s->data) - s->seg->pos);
}

/* What comes behind the packet at p shows, at once, that its atoms ran. */
static inline int insns_settled(const struct insns *s, const uint8_t *p)
{
	const struct insn_code *const code = s->code, *c;
	const uint8_t *const end = s->end, *q;

	for (q = p + 1; q < end; q++) {
		c = &code[*q];
		if (c->settles)
			return 1;
		if (c->fast != 1)
			break;
	}
	return p < s->settled;
}

/* A32: the first condition that is none. */
#define COND_ALWAYS 14

/* The size of the instruction at `p`. `it`: what an IT block has left, then behind it; `cond`: it has a condition. */
static inline unsigned int insns_size(const uint8_t *p, uint8_t isa, unsigned int *it, unsigned int *cond)
{
	uint16_t op;

	if (blk_shift(isa) == 2) {
		*cond = p[3] >> 4 < COND_ALWAYS;
		return 4;
	}
	op = (uint16_t)(p[0] | p[1] << 8);
	*cond = *it;
	*it -= *it > 0;
	if (cst_t32_size(op) == 4)
		return 4;
	if (cst_t32_it_count(op))
		*it = cst_t32_it_count(op);
	return 2;
}

/* Where a range begins: address and section offset. */
struct insns_from {
	uint64_t addr;
	uint32_t off;
};

/* Of the range that goes on in the block at `addr` and `off`; *g shows it where it has begun before. */
STEP_INLINE struct insns_from insns_from(const struct insns *s, const struct cst_generic *g, uint64_t addr, uint32_t off)
{
	if (!s->before)
		return (struct insns_from){ addr, off };
	if (s->before > 0)
		return (struct insns_from){ g->addr, g->sect_off };
	return (struct insns_from){ s->at, off + (uint32_t)(s->at - addr) };
}

/*
 * The range that goes on, of `n_insn` instructions, is put to `g`: its last `n` are the next of block b at `addr`, the block's
 * last one is not among them. s->at and s->it are behind them.
 */
STEP_INLINE void insns_put(struct insns *s, struct cst_generic *g, const struct blk *b, uint64_t addr, uint32_t n, uint32_t n_insn,
			   uint32_t e, uint32_t cc, uint64_t index)
{
	const struct cst_flow *f = s->f;
	const struct insns_from from = insns_from(s, g, addr, b->off * 2);
	uint64_t at = s->before < 0 ? s->at : addr;
	const uint8_t *p = f->map_sec->bytes + (at - f->map_bias);
	unsigned int it = s->it, cond = 0, size = 4;
	struct blk last;

	if (blk_shift(b->isa) == 2) {
		p += 4 * (n - 1);
		at += 4 * (uint64_t)(n - 1);
		n = 1;
	}
	for (; n; n--, p += size, at += size)
		size = insns_size(p, b->isa, &it, &cond);
	last = (struct blk){ .isa = b->isa, .type = CST_INSN_OTHER, .last_size = (uint8_t)size,
			     .gflags = CST_GF_WAYPOINT | (cond ? CST_GF_COND : 0) };
	step_range(g, &last, e, from.addr, at, n_insn, cc, from.off, &s->ids, index, s->tflags);
	s->at = at;
	s->it = (uint8_t)it;
}

/* Instructions of block b in ranges that have ended. */
static inline uint32_t insns_done(const struct insns *s)
{
	return s->before < 0 ? (uint32_t)-s->before : 0;
}

/* Behind an indirect branch: the next address is to come. `place` of block b in the graph, 0: it is not there. */
static inline void insns_lose(struct cst_flow *f, const struct blk *b, uint64_t end, uint32_t place)
{
	f->from = place;
	f->from_sec = f->map_sec;
	step_await(f, b, end);
}

/* The range at s->g is complete. */
static inline void insns_close(struct insns *s)
{
	s->g->cc = s->cc;
	s->insns += s->g->n_insn;
	s->g++;
	s->ranges++;
	s->before = s->ord = s->cc = 0;
}

/* Execution goes on with an instruction at f->addr: the range does, too, or is complete. */
static inline void insns_continue(struct insns *s, uint8_t isa, uint32_t section, uint32_t sect_off)
{
	if (s->before > 0 && !cst_flow_continues(s->g, s->f->addr, isa, section, sect_off))
		insns_close(s);
}

static inline void insns_count(struct insns *s)
{
	s->f->stats->insns += s->insns;
	s->f->stats->ranges += s->ranges;
	s->f->stats->branches += s->branches;
	s->insns = s->ranges = s->branches = 0;
}

static inline void insns_map(struct insns *s)
{
	s->base = s->f->map_sec->img->blk;
	s->linked = links_hold(s->f) ? ~0u : 0;
	s->ids = ids_of(s->f);
}

/* Trace offset of a byte before s->p. */
uint64_t cst_flow_insns_index(const struct insns *s, const uint8_t *p);
/* Go over to the loop. */
void cst_flow_insns_enter(struct insns *s);
/* Leave it. */
void cst_flow_insns_leave(struct insns *s);

enum insns_end {
	INSNS_OTHER,	/* at p is something else, or the input ends, or there is no room */
	INSNS_PENDING,	/* a packet whose last atom may still be cancelled, as far as the next byte tells */
	INSNS_BLOCK,	/* the code at addr is not known, and at p are s->left atoms */
	INSNS_LINK,	/* nor that behind s->b, where s->left atoms of the packet at p go on (without any, p is behind it) */
	INSNS_INTERRUPTED,	/* an indirect branch, and s->left atoms behind it */
};

/* Bytes from s->p on, as far as the graph goes (insn_walk.c). */
enum insns_end cst_flow_insns_walk(struct insns *s);
/* Joined: the last atoms E may be cancelled by what is at s->p: back before their packet. */
void cst_flow_insns_back(struct insns *s);
/* INSNS_BLOCK: the code at s->addr. 0: it is not in the graph. */
int cst_flow_insns_find(struct insns *s);
/* INSNS_LINK: the code behind s->b, which the link is to lead to from now on. As cst_flow_insns_find(). */
int cst_flow_insns_follow(struct insns *s);
/* On to `p`, behind another packet. */
void cst_flow_insns_move(struct insns *s, const uint8_t *p);
/*
 * Atoms of f->el instead, through any code, up to an indirect branch and before s->limit; el->n are left. As
 * cst_flow_span(): why the next instruction was not walked over. Enters, leaves and counts.
 */
enum span_end cst_flow_insns_element(struct insns *s);
/* What is left of the packet at s->p becomes f->el, for cst_flow_run(). To be called after cst_flow_insns_leave(). */
void cst_flow_insns_give(struct insns *s);

#endif
