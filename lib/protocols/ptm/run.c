/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - fast path for runs of PTM atom and branch packets: from the bytes through the walk over blocks. All other
 * packets, and those with a reserved value, are left to the parser and the element stage.
 */
#include "flow/walk.h"
#include "bytes/reader/async.h"
#include "protocols/protocol/direct.h"
#include "protocols/ptm/address.h"

#define BRANCH 0x01
#define ATOM 0x80
/* header of one atom: bit 1 is the atom with a cycle count; without one, bit 2 is reserved (headers 84 and 86) */
#define ATOM_N 0x02
#define ATOM_RESERVED_MASK 0xfc
#define ATOM_RESERVED 0x84

/* Reads the cycle count at `p`. Returns its end, or NULL if the input ends in it or reserved bits are set. */
STEP_INLINE const uint8_t *ptm_cycle_count(const struct loop *l, const uint8_t *p, uint32_t *cc)
{
	int reserved = 0;

	if (p == l->end_of_input || *p & CC_RESERVED)
		return NULL;
	p = ptm_read_cycles(p + 1, l->end_of_input, *p, cc, &reserved);
	return reserved ? NULL : p;
}

/* Parses a branch to A32 or T32 code without exception bytes. Returns its end, or NULL if the parser must parse it. */
STEP_INLINE const uint8_t *ptm_branch_packet(struct loop *l, const int cycles)
{
	struct ptm_parser *ps = l->in->parser;
	struct ptm_address a;
	const uint8_t *p = ptm_read_address(l->p, l->end_of_input, &a);
	unsigned int isa, bits;

	if (!p || a.more || a.isa == CST_ISA_JAZELLE || ptm_address_reserved(&a))
		return NULL;
	if (cycles)
		p = ptm_cycle_count(l, p, &l->now.cc);
	if (!p)
		return NULL;
	isa = a.isa == CST_ISA_UNKNOWN ? ps->isa : a.isa;
	ps->addr = ptm_address(&a, ps->addr, isa, &bits);
	ps->isa = (uint8_t)isa;
	l->now.target = ps->addr;
	l->now.isa = (uint8_t)isa;
	return p;
}

STEP_INLINE int ptm_packet(struct loop *l, uint64_t *bits, const int cycles)
{
	const struct atom_code *code = &cst_ptm_atoms[*l->p >> 1 & 63];
	const int given = *l->p & BRANCH;
	const uint8_t h = *l->p, *p = l->p + 1;
	int reserved = 0;

	if (given)
		p = ptm_branch_packet(l, cycles);
	else if (!(h & ATOM))
		return 0;
	else if (cycles)
		p = ptm_read_cycles(p, l->end_of_input, h, &l->now.cc, &reserved);
	else
		reserved = (h & ATOM_RESERVED_MASK) == ATOM_RESERVED;
	if (!p || reserved)
		return 0;
	if (cycles || given)
		*bits = given || !(h & ATOM_N) ? 3 : 2;
	else
		*bits = code->bits;
	l->branches += cycles || given ? *bits & 1 : code->taken;
	l->now.given = (uint8_t)given;
	l->in->last_packet = l->p;
	l->in->more += (size_t)(p - l->p) - 1;
	l->p = p;
	/* the packet may end in another run of trace offsets */
	if (p > l->stop)
		l->stop = p;
	return 1;
}

STEP_INLINE int ptm_packet_plain(struct loop *l, uint64_t *bits)
{
	return ptm_packet(l, bits, 0);
}

STEP_INLINE int ptm_packet_cycles(struct loop *l, uint64_t *bits)
{
	return ptm_packet(l, bits, 1);
}

static __attribute__((noinline)) int ptm_walk_plain(struct cst_flow *f, struct atom_input *in, struct cst_generic *out,
						     size_t *n, size_t cap)
{
	static const struct walk_how how = { .packet = ptm_packet_plain, .given = 1 };

	return walk_input(f, in, 0, out, n, cap, &how);
}

static __attribute__((noinline)) int ptm_walk_cycles(struct cst_flow *f, struct atom_input *in, struct cst_generic *out,
						     size_t *n, size_t cap)
{
	static const struct walk_how how = { .packet = ptm_packet_cycles, .given = 1, .cycles = 1 };

	return walk_input(f, in, CST_GF_CC, out, n, cap, &how);
}

/* Decodes atoms and branches up to another packet. */
static void ptm_walk(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	struct ptm_parser *ps = x->c->ps;
	struct ptm_stage *st = x->stage;
	struct cursor *c = x->c;
	struct atom_input in = { .p = c->data, .pos = c->pos, .len = c->len, .seg = c->seg, .seg_count = c->seg_count,
				 .seg_i = c->seg_i, .parser = ps, .last = st->last_index };

	/* with AltISA set, the next branch to Thumb code leads to ThumbEE, which the walk over blocks does not decode */
	if (ps->alt_isa || (ps->isa != CST_ISA_A32 && ps->isa != CST_ISA_T32))
		return;
	if (!(ps->cfg->cycle_count ? ptm_walk_cycles(x->f, &in, out, n, cap) : ptm_walk_plain(x->f, &in, out, n, cap)))
		return;
	ps->zeros = (uint8_t)zeros_before(in.last_packet, in.p + in.pos, PTM_ASYNC_ZEROS);
	x->stats->packets += in.pos - c->pos - in.more;
	c->pos = in.pos;
	c->seg_i = in.seg_i;
	st->last_index = in.last;
	if (x->f->work.busy)
		cst_flow_run(x->f, out, n, cap);
}

enum fast_end cst_ptm_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	const struct ptm_parser *ps = x->c->ps;
	const struct ptm_stage *st = x->stage;

	x->f->stop.stopped = 0;
	while (ps->synced && st->state == PTM_SYNCED && x->c->pos < x->c->len) {
		if (cap - *n < FLOW_ROOM)
			return *n ? FAST_FULL : FAST_LEFT;
		ptm_walk(x, out, n, cap);
		if (x->f->work.busy | x->f->stop.stopped ||
		    !direct_elements(x, cst_ptm_parse, cst_ptm_stage_packet, cst_ptm_stage_take, out, n, cap))
			break;
	}
	return FAST_LEFT;
}
