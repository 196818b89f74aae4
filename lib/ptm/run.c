/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - the fast way over PTM trace: atoms, branches and Trace On synchronisation, straight from the bytes to
 * ranges. What is damaged, reserved or rare is left to the parser, the element stage and the flow.
 */
#include <cstrace/flow.h>

#include "flow/step.h"
#include "protocol/async.h"
#include "protocol/protocol.h"
#include "ptm/ptm.h"

#define CONTINUE 0x80
#define CC_CONTINUE 0x40
#define CC_RESERVED 0x83
#define CC_ISYNC_RESERVED 0x03
#define CC_MAX_MORE 4
#define ADDR_EXCEPTION 0x40
#define ATOM_N 0x02
#define ISYNC_HEADER 0x08
#define ISYNC_SIZE 6		/* without a cycle count */
/* information byte of an I-sync after Trace On: all but NS and Hyp */
#define ISYNC_FIXED 0xf5
#define ISYNC_TRACE_ON 0x21
#define ISYNC_NS 0x08
#define ISYNC_HYP 0x02
/* fifth address byte without exception bytes */
#define LAST_THUMB 0x10
#define LAST_THUMB_MASK 0xf0
#define LAST_ARM 0x08
#define LAST_ARM_MASK 0xf8

/* What is left of a packet's cycle count, whose first byte is `b`. NULL: cut, or not as it should be. */
static inline const uint8_t *get_cycles(const uint8_t *p, const uint8_t *end, uint8_t b, uint32_t *cc)
{
	unsigned int shift = 4;

	*cc = b >> 2 & 15;
	if (!(b & CC_CONTINUE))
		return p;
	do {
		if (p == end)
			return NULL;
		b = *p++;
		*cc |= (uint32_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & CONTINUE && shift < 4 + 7 * CC_MAX_MORE);
	return b & CONTINUE ? NULL : p;
}

/* The address of a branch packet without exception bytes, in A32 or T32. NULL as above; then nothing is changed. */
static inline const uint8_t *get_address(const struct ptm_parser *ps, const uint8_t *p, const uint8_t *end,
					 uint32_t *addr, uint8_t *isa)
{
	unsigned int thumb = ps->isa == CST_ISA_T32, shift = 6, bits;
	uint8_t b = *p++;
	uint32_t v = b >> 1 & 0x3f, mask;

	if (b & CONTINUE) {
		for (;; shift += 7) {
			if (p == end)
				return NULL;
			b = *p++;
			if (shift == 6 + 7 * (PTM_MAX_ADDRESS - 2)) {
				thumb = (b & LAST_THUMB_MASK) == LAST_THUMB;
				if (!thumb && (b & LAST_ARM_MASK) != LAST_ARM)
					return NULL;
				v |= (uint32_t)b << shift;
				*isa = thumb ? CST_ISA_T32 : CST_ISA_A32;
				*addr = v << (thumb ? 1 : 2);
				return p;
			}
			v |= (uint32_t)(b & 0x7f) << shift;
			if (!(b & CONTINUE))
				break;
		}
		if (b & ADDR_EXCEPTION)
			return NULL;
		shift += 6;
	}
	bits = shift + (thumb ? 1 : 2);
	mask = (1u << bits) - 1;
	*isa = ps->isa;
	*addr = (ps->addr & ~mask) | v << (thumb ? 1 : 2);
	return p;
}

/* Trace On with nothing new but the address: the element, and execution goes on there. */
static const uint8_t *trace_on(const struct fast *x, const uint8_t *p, const uint8_t *end, uint64_t index,
			       struct cst_generic *out, size_t *n)
{
	struct ptm_parser *ps = x->c->ps;
	const struct ptm_stage *st = x->stage;
	struct cst_flow *f = x->f;
	struct cst_generic *g;
	uint32_t addr, cc = 0;
	const uint8_t *q;
	uint8_t info, isa;

	if (end - p < ISYNC_SIZE || ps->cfg->cid_bytes || !st->told || !st->running ||
	    f->stop_mask & CST_STOP_TRACE_ON)
		return NULL;
	info = p[5];
	isa = p[1] & 1 ? CST_ISA_T32 : CST_ISA_A32;
	if ((info & ISYNC_FIXED) != ISYNC_TRACE_ON || isa != ps->isa ||
	    !(info & ISYNC_NS) != (st->ctx.security == CST_SEC_SECURE) || !(info & ISYNC_HYP) != !st->ctx.el)
		return NULL;
	addr = p[1] | p[2] << 8 | p[3] << 16 | (uint32_t)p[4] << 24;
	q = p + ISYNC_SIZE;
	if (ps->cfg->cycle_count) {
		if (q == end || *q & CC_ISYNC_RESERVED)
			return NULL;
		q = get_cycles(q + 1, end, *q, &cc);
		if (!q)
			return NULL;
	}
	ps->addr = addr & ~1u;
	ps->addr_known = 32;
	ps->alt_isa = 0;
	ps->ns = !!(info & ISYNC_NS);
	ps->hyp = !!(info & ISYNC_HYP);
	f->el.index = index;
	g = cst_flow_emit(f, out, n, CST_GEN_TRACE_ON);
	g->num = CST_ON_NORMAL;
	cst_flow_set_next(f, g);
	if (ps->cfg->cycle_count) {
		g->flags |= CST_GF_CC;
		g->cc = cc;
	}
	cst_flow_reset(f);
	f->need_ctx = 0;
	cst_flow_at(f, ps->addr, isa);
	return q;
}

/* The atoms of a packet without cycle counts. As step_atom(); what is left waits in f->el. */
static inline int atoms(struct step *s, uint8_t header, uint64_t index)
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

/* Packets from the cursor, as long as execution stays where the loop knows the code. */
static void walk(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	struct ptm_parser *ps = x->c->ps;
	struct cursor *c = x->c;
	struct cst_flow *f = x->f;
	const uint8_t *p = c->data + c->pos, *const end = c->data + c->len, *last = p, *q;
	const unsigned int cycles = ps->cfg->cycle_count, ccflag = cycles ? CST_GF_CC : 0;
	struct step s = { .f = f, .g = out + *n };
	const struct cst_generic *const limit = out + cap - FLOW_ROOM - 5;
	uint64_t index = 0, packets = 0;
	uint32_t addr, cc = 0;
	uint8_t isa, h;
	int in = cap >= FLOW_ROOM + 5 && step_enter(&s), r;

	while (p < end && s.g < limit) {
		h = *p;
		/* out of known code, a synchronisation may lead back into it */
		if (!in && (h != ISYNC_HEADER || f->busy))
			break;
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
			index = cst_cursor_index(c, p - c->data);
			r = step_branch(&s, addr, isa, index, ccflag, cc);
			if (r < 0)
				break;
			ps->addr = addr;
			ps->isa = isa;
			in = r;
		} else if (h & 0x80) {
			q = p + 1;
			if (cycles) {
				q = get_cycles(q, end, h, &cc);
				if (!q)
					break;
				index = cst_cursor_index(c, p - c->data);
				r = step_atom(&s, !(h & ATOM_N), index, ccflag, cc);
				if (r < 0)
					break;
				in = r;
			} else {
				/* headers 84 and 86 have a reserved bit */
				if ((h & 0xfc) == 0x84)
					break;
				index = cst_cursor_index(c, p - c->data);
				in = atoms(&s, h, index);
			}
		} else {
			if (h != ISYNC_HEADER)
				break;
			index = cst_cursor_index(c, p - c->data);
			if (in)
				step_leave(&s);
			*n = s.g - out;
			q = trace_on(x, p, end, index, out, n);
			if (!q)
				break;
			s.g = out + *n;
			in = step_enter(&s);
		}
		packets++;
		last = p;
		p = q;
	}
	if (in)
		step_leave(&s);
	*n = s.g - out;
	c->pos = p - c->data;
	if (packets) {
		ps->zeros = zeros_before(last, p, PTM_ASYNC_ZEROS);
		((struct ptm_stage *)x->stage)->last_index = index;
	}
	x->stats->packets += packets;
	x->stats->ranges += s.ranges;
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
	walk(x, out, n, cap);
	if (x->f->busy)
		cst_flow_run(x->f, out, n, cap);
	return FAST_LEFT;
}
