/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - the fast way over PTM trace: atoms and branches through the graph of known blocks, straight from the
 * bytes to ranges. What is damaged, reserved or rare is left to the parser, the element stage and the flow.
 */
#include <cstrace/flow.h>

#include "flow/step.h"
#include "protocol/async.h"
#include "ptm/fast.h"

/* Elements that a packet may make: its atoms, and what then is left to the flow. */
#define ROOM (FLOW_ROOM + 5)

/* The atoms of a packet without cycle counts. 1 and 0 as step_atom(); what is left waits in f->el. */
STEP_INLINE int atoms(struct step *s, uint8_t header, uint64_t index)
{
	struct ptm_atoms a = cst_ptm_atoms[header >> 1 & 63];
	int r = 1;

	for (; a.n; a.n--, a.bits >>= 1) {
		r = step_atom(s, a.bits & 1, index, 0, 0);
		if (r <= 0)
			break;
	}
	if (r > 0)
		return 1;
	if (r < 0) {
		step_leave(s);
	} else {
		a.n--;
		a.bits >>= 1;
	}
	if (a.n)
		cst_flow_give_atoms(s->f, a.bits, a.n, index);
	return 0;
}

/* Packets from the cursor, up to one for the careful way. `cycles`: they have cycle counts. */
STEP_INLINE void walk(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap, const int cycles)
{
	const uint32_t ccflag = cycles ? CST_GF_CC : 0;
	struct ptm_parser *ps = x->c->ps;
	struct cursor *c = x->c;
	struct cst_flow *f = x->f;
	const uint8_t *const data = c->data, *const end = data + c->len;
	const uint8_t *p = data + c->pos, *last = p, *q = NULL;
	const struct cst_generic *const limit = out + cap - ROOM;
	struct aside a = { .x = x, .end = end, .out = out, .cap = cap };
	struct step s = { .f = f, .g = out + *n };
	struct cst_generic *mark = s.g;		/* what follows are ranges made here */
	uint64_t index, last_index = 0, packets = 0, ranges = 0;
	struct cursor_place at = { 0, 0 };
	uint32_t addr, cc = 0;
	uint8_t isa, h;
	int in = step_enter(&s), r;

	for (; p < end && s.g < limit; last = p, last_index = index, p = q, packets++) {
		index = cst_cursor_place(c, &at, (size_t)(p - data));
		h = *p;
		if (!in)
			goto aside;
		if (h & 1) {
			q = get_address(ps, p, end, &addr, &isa);
			if (!q)
				break;
			if (cycles) {
				if (q == end || *q & CC_RESERVED)
					break;
				q = get_cycles(q + 1, end, *q, &cc);
				if (!q)
					break;
			}
			r = step_branch(&s, addr, isa, index, ccflag, cc);
			if (r < 0)
				goto aside;
			ps->addr = addr;
			ps->isa = isa;
			in = r;
			continue;
		}
		if (h & 0x80 && cycles) {
			q = get_cycles(p + 1, end, h, &cc);
			if (!q)
				break;
			r = step_atom(&s, !(h & ATOM_N), index, ccflag, cc);
			if (r < 0)
				goto aside;
			in = r;
			continue;
		}
		if (h & 0x80) {
			if ((h & ATOM_RESERVED_MASK) == ATOM_RESERVED)
				break;
			q = p + 1;
			in = atoms(&s, h, index);
			if (!f->busy)
				continue;
		}
aside:
		if (in)
			step_leave(&s);
		ranges += (uint64_t)(s.g - mark);
		a.p = p;
		a.index = index;
		a.n = (size_t)(s.g - out);
		a.moved = f->busy;
		if (f->busy)
			cst_flow_run(f, out, &a.n, cap);
		else
			q = cst_ptm_aside(&a);
		mark = s.g = out + a.n;
		if (!q)
			break;
		if (f->busy | f->stopped) {
			in = 0;
			last = p;
			last_index = index;
			p = q;
			packets++;
			break;
		}
		if (a.moved)
			in = step_enter(&s);
	}
	if (in)
		step_leave(&s);
	ranges += (uint64_t)(s.g - mark);
	*n = (size_t)(s.g - out);
	c->pos = (size_t)(p - data);
	if (packets) {
		ps->zeros = (uint8_t)zeros_before(last, p, PTM_ASYNC_ZEROS);
		((struct ptm_stage *)x->stage)->last_index = last_index;
	}
	x->stats->packets += packets;
	x->stats->ranges += ranges;
	x->stats->insns += s.insns;
	x->stats->branches += s.branches;
}

enum fast_end cst_ptm_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	const struct ptm_parser *ps = x->c->ps;
	const struct ptm_stage *st = x->stage;

	/* ThumbEE may follow where the bit was seen, whatever the instruction set is now */
	if (!ps->synced || ps->alt_isa || st->state != PTM_SYNCED || (ps->isa != CST_ISA_A32 && ps->isa != CST_ISA_T32))
		return FAST_LEFT;
	x->f->stopped = 0;
	if (cap - *n <= ROOM)
		return *n ? FAST_FULL : FAST_LEFT;
	if (ps->cfg->cycle_count)
		walk(x, out, n, cap, 1);
	else
		walk(x, out, n, cap, 0);
	return cap - *n <= ROOM && *n && !(x->f->busy | x->f->stopped) ? FAST_FULL : FAST_LEFT;
}
