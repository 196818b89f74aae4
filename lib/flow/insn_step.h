/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_step.h - walk over the graph of blocks for packets that have an atom for every instruction (ETMv3): state of the
 * loops and the steps that they share. The loops from bytes to ranges are in insn_walk.c, rarer steps in insn_step.c.
 */
#ifndef CST_LIB_FLOW_INSN_STEP_H
#define CST_LIB_FLOW_INSN_STEP_H

#include <cstrace/decoder.h>
#include <cstrace/isa.h>

#include "flow/analyze.h"
#include "flow/step.h"

/* Meaning of a byte that begins a packet. */
struct insn_code {
	/* number of atoms if all are E (0: cycles only, INSN_SLOW: another packet); cycles of the packet */
	uint32_t run, total;
	uint16_t bits;		/* 1 = E, oldest in bit 0 */
	uint8_t n;
	uint8_t first, later;	/* cycles of the first atom, and of each further one */
	uint8_t fast;		/* packet with atoms or cycles: n + 1; 0: not for the loop */
	uint8_t settles;	/* once this packet is traced, no earlier atom can be cancelled */
	uint8_t form;		/* for the protocol's own use */
};

/* Greater than the number of instructions in any block. */
#define INSN_SLOW 0x10000u

/* Maximum number of atoms in one packet. */
#define INSN_ATOMS_MAX 16

/* State of the loops that they keep out of struct cst_flow. */
struct insns {
	struct cst_flow *f;
	const struct insn_code *code;	/* by byte */
	/* input: next byte; end of its run of trace offsets; begin and end of all bytes */
	const uint8_t *p, *stop, *data, *end;
	const struct seg *seg, *last_seg;
	const uint8_t *settled;	/* atoms before this byte can no longer be cancelled */
	struct cst_generic *g, *limit; /* the output */
	struct ids ids;
	struct ids none;	/* shared fields of elements that report cycles only */
	uint32_t tflags;
	/*
	 * position: block b begins at addr; NULL: not looked up, f->isa and f->it are those of the instruction at addr
	 */
	struct blk *base, *b;
	uint64_t addr;
	uint32_t linked;
	/*
	 * The open range has `before` instructions up to block b (if any, *g has its begin) and the first `ord`
	 * instructions of b. If a range has ended inside block b, at `at`, `before` is negative: minus the instructions
	 * of b up to `at`. `cc`: cycles of the open range, or unreported cycles if it is empty. All packets from
	 * `since` on had only atoms E and cycles.
	 */
	int32_t before;
	uint32_t ord, cc;
	uint64_t at;
	uint8_t it;		/* instructions left in the IT block at addr, or at `at` */
	const uint8_t *since;
	uint64_t wait_index;	/* trace offset for cycles before `since` that no range has yet */
	/* packet at p: atoms left, 0 none; cycles of the next one. link: the link to set for INSNS_LINK */
	uint32_t left, bits, next_cc;
	uint32_t *link;
	/* for the statistics; insns is without those of the open range that were counted before */
	uint64_t insns, ranges, branches;
};

/* Moves to the run of trace offsets that begins with the byte at `p`. Returns its end. */
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

/* Trace offset of the byte at `p`, which is in the current run of trace offsets. */
static inline uint64_t insns_index(const struct insns *s, const uint8_t *p)
{
	return s->seg->offset + ((size_t)(p - s->data) - s->seg->pos);
}

/* True if the bytes after the packet at `p` show that its atoms can no longer be cancelled. */
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

/* A32: the lowest value of the condition field that is not a condition */
#define COND_ALWAYS 14

/*
 * Returns the size of the instruction at `p`. *it: instructions left in the IT block, before and after it. *cond: it is
 * conditional.
 */
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

/* Address and section offset of the begin of a range. */
struct insns_from {
	uint64_t addr;
	uint32_t off;
};

/* Returns the begin of the open range in the block at `addr` and `off`. If it began in an earlier block, *g has it. */
STEP_INLINE struct insns_from insns_from(const struct insns *s, const struct cst_generic *g, uint64_t addr, uint32_t off)
{
	if (!s->before)
		return (struct insns_from){ addr, off };
	if (s->before > 0)
		return (struct insns_from){ g->addr, g->sect_off };
	return (struct insns_from){ s->at, off + (uint32_t)(s->at - addr) };
}

/*
 * Writes the open range, of `n_insn` instructions, to `g`. Its last `n` instructions are in block b, which begins at
 * `addr`, without the block's last one. Sets s->at and s->it to the position after them.
 */
STEP_INLINE void insns_put(struct insns *s, struct cst_generic *g, const struct blk *b, uint64_t addr, uint32_t n, uint32_t n_insn,
			   uint32_t e, uint32_t cc, uint64_t index)
{
	const struct cst_flow *f = s->f;
	const struct insns_from from = insns_from(s, g, addr, b->off * 2);
	uint64_t at = s->before < 0 ? s->at : addr;
	const uint8_t *p = f->cache.map_sec->bytes + (at - f->cache.map_bias);
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
			     .gflags = CST_GF_WAYPOINT | (cond ? CST_GF_COND : 0),
			     .num = cond && blk_shift(b->isa) == 1 ? CST_RANGE_IT : 0 };
	step_range(g, &last, e, from.addr, at, n_insn, cc, from.off, &s->ids, index, s->tflags);
	s->at = at;
	s->it = (uint8_t)it;
}

/* Number of instructions of block b in ranges that have ended. */
static inline uint32_t insns_done(const struct insns *s)
{
	return s->before < 0 ? (uint32_t)-s->before : 0;
}

/*
 * Sets the state after an indirect branch in block b, at offset `place` of the block cache (0: not in the graph). The
 * next address is unknown.
 */
static inline void insns_lose(struct cst_flow *f, const struct blk *b, uint64_t end, uint32_t place)
{
	f->ret.from = place;
	f->ret.from_sec = f->cache.map_sec;
	step_await(f, b, end);
}

/* Completes the range at s->g. */
static inline void insns_close(struct insns *s)
{
	s->g->cc = s->cc;
	s->insns += s->g->n_insn;
	s->g++;
	s->ranges++;
	s->before = s->ord = s->cc = 0;
}

/* Completes the open range unless the instruction at f->addr continues it. */
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
	s->base = s->f->cache.map_sec->img->blocks.blk;
	s->linked = links_hold(s->f) ? ~0u : 0;
	s->ids = ids_of(s->f);
}

/* Returns the trace offset of a byte before s->p. */
uint64_t cst_flow_insns_index(const struct insns *s, const uint8_t *p);
/* Loads the loop's state from struct cst_flow. */
void cst_flow_insns_enter(struct insns *s);
/* Stores the loop's state to struct cst_flow. */
void cst_flow_insns_leave(struct insns *s);

enum insns_end {
	INSNS_OTHER,	/* another packet at p, end of input, or no room */
	INSNS_PENDING,	/* the last atom of the packet at p can be cancelled by packets that are not fed yet */
	INSNS_BLOCK,	/* no block is known at addr; s->left atoms of the packet at p are left */
	INSNS_LINK,	/* no block is linked after s->b; s->left atoms are left (if 0, p is after the packet) */
	INSNS_INTERRUPTED,	/* an indirect branch with s->left atoms after it */
};

/* Walks the bytes from s->p on as far as the graph goes (insn_walk.c). */
enum insns_end cst_flow_insns_walk(struct insns *s);
/* Joined ranges: moves back before the packet of the last atoms E, which the packet at s->p may cancel. */
void cst_flow_insns_back(struct insns *s);
/* After INSNS_BLOCK: finds the block at s->addr. Returns 0 if it is not in the graph. */
int cst_flow_insns_find(struct insns *s);
/* After INSNS_LINK: finds the block after s->b and links to it. Returns as cst_flow_insns_find(). */
int cst_flow_insns_follow(struct insns *s);
/* Moves to `p`, after a packet that the loop has not decoded. */
void cst_flow_insns_move(struct insns *s, const uint8_t *p);
/*
 * Walks the atoms of f->elem, through any code, up to an indirect branch and before s->limit; elem->n are left. Returns why
 * the next instruction was not walked, as cst_flow_span(). Calls _enter and _leave itself and updates the statistics.
 */
enum span_end cst_flow_insns_element(struct insns *s);
/*
 * Makes the rest of the packet at s->p the element f->elem, for cst_flow_run(). To be called after
 * cst_flow_insns_leave().
 */
void cst_flow_insns_give(struct insns *s);

#endif
