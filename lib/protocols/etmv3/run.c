/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - fast path for runs of ETMv3 P-headers and branches: from the bytes through the loop over blocks. All other
 * packets, and those with a reserved value, are left to the parser and the element stage.
 */
#include <cstrace/decoder.h>

#include "base/quirks.h"
#include "protocols/etmv3/etmv3.h"
#include "protocols/protocol/direct.h"

/* Maximum bytes of a timestamp after the header, of 48 and of 64 bits. */
#define TIMESTAMP_BYTES 7
#define TIMESTAMP_BYTES_64 9

/*
 * Bytes to search for a packet that shows that an atom was not cancelled. It is mostly close behind the atom; if not, the
 * element stage holds the atom. A search up to the end of the input, for each packet, would take quadratic time.
 */
#define LOOK_AHEAD 64

/* Free entries of `out` that any packet needs. */
#define ROOM (INSN_ATOMS_MAX + 2 * FLOW_ROOM)

struct etmv3_walk {
	struct etmv3_parser *ps;
	struct insns s;
	struct etmv3_branch branch; /* result of the last cst_etmv3_read_branch() */
	unsigned int branch_size; /* its size */
};

static int etmv3_is_phdr(uint8_t h)
{
	return (h & 0x81) == 0x80;
}

/* As cst_etmv3_read_branch(), but does not read the same packet twice. */
static unsigned int etmv3_plain_branch(struct etmv3_walk *w, const uint8_t *p)
{
	if (p != w->branch.at)
		w->branch_size = cst_etmv3_read_branch(w->ps, p, w->s.end, &w->branch);
	return w->branch_size;
}

/* True if the first packet that is not a P-header without atoms shows that the last instruction was executed. */
static int etmv3_will_settle(const struct etmv3_parser *ps, const uint8_t *p, const uint8_t *end)
{
	if (end - p > LOOK_AHEAD)
		end = p + LOOK_AHEAD;
	while (p < end && ps->phdr[*p].fast == 1)
		p++;
	return p < end && ps->phdr[*p].settles;
}

/* Returns the size of a timestamp packet, or 0 if the input ends in it: bit 7 is set in all payload bytes but the last. */
static size_t etmv3_timestamp_size(const struct etmv3_parser *ps, const uint8_t *p, size_t len)
{
	const size_t most = ps->cfg->ts64 ? TIMESTAMP_BYTES_64 : TIMESTAMP_BYTES;
	size_t n = 1;

	while (n < len && n < most && p[n] & 0x80)
		n++;
	return n < len ? n + 1 : 0;
}

/*
 * True if a packet at or soon after `p` shows that the last instruction was executed. Cycles and timestamps do not show
 * it; they are passed over, so that an atom before them need not be held.
 */
static int etmv3_settles(struct etmv3_walk *w, const uint8_t *p)
{
	const struct etmv3_parser *ps = w->ps;
	const uint8_t *const end = w->s.end, *far = end - p > LOOK_AHEAD ? p + LOOK_AHEAD : end;
	size_t size = 1;

	for (; p < far && size; p += size) {
		if (ps->phdr[*p].settles)
			return 1;
		if (*p & 1)
			return !!etmv3_plain_branch(w, p);
		if (ps->type[*p] == CST_ETMV3_PKT_TIMESTAMP)
			size = etmv3_timestamp_size(ps, p, end - p);
		else if (!etmv3_is_phdr(*p))
			break;
		else
			size = 1;
	}
	return 0;
}

/*
 * Decodes P-headers from s->p on. Returns 1 at another packet, and 0 if the run ends: the atom at s->p must be held, or
 * the slow path decodes the s->left atoms of that P-header.
 */
static int etmv3_walk_phdrs(struct etmv3_walk *w)
{
	struct insns *s = &w->s;

	for (;;) {
		switch (cst_flow_insns_walk(s)) {
		case INSNS_OTHER:
			/* etmv3_walk_branch() examines a branch packet that can be decoded next */
			if (!s->f->each.join || (s->p < s->end && *s->p & 1 && s->g < s->limit) ||
			    etmv3_settles(w, s->p))
				return 1;
			cst_flow_insns_back(s);
			return 0;
		case INSNS_PENDING:
			if (!etmv3_settles(w, s->p + 1))
				return 0;
			s->settled = s->p + 1;
			break;
		case INSNS_BLOCK:
			if (cst_flow_insns_find(s))
				break;
			return 0;
		case INSNS_LINK:
			if (cst_flow_insns_follow(s) || !s->left)
				break;
			return 0;
		case INSNS_INTERRUPTED:
			return 0;
		}
	}
}

/*
 * Decodes a branch packet at s->p without exception information. Returns its size, or 0 if it is incomplete or of another
 * form.
 */
static unsigned int etmv3_walk_branch(const struct fast *x, struct etmv3_walk *w, struct cst_generic *out, size_t *n)
{
	struct etmv3_parser *ps = w->ps;
	struct insns *s = &w->s;
	unsigned int size = etmv3_plain_branch(w, s->p);

	if (!size) {
		if (x->f->each.join)
			cst_flow_insns_back(s);
		return 0;
	}
	cst_etmv3_take_branch(ps, &w->branch, size);
	if (s->before | s->ord || s->addr == ps->addr) {
		/* an open range ends here without a branch, or execution is at the target already */
		cst_flow_insns_leave(s);
		*n = s->g - out;
		if (x->f->each.open_any && x->f->each.open.n_insn)
			cst_flow_close(x->f, out, n);
		cst_flow_come_to(x->f, ps->addr, ps->isa);
		s->p += size;
		s->g = out + *n;
		cst_flow_insns_enter(s);
	} else {
		cst_flow_at(x->f, ps->addr, ps->isa);
		cst_flow_insns_move(s, s->p + size);
		s->addr = ps->addr;
		s->b = NULL;
	}
	cst_flow_insns_find(s);
	return size;
}

/*
 * Decodes P-headers, and branches between them, up to another packet. A P-header whose last atom may still be cancelled
 * is left to the element stage.
 */
static enum fast_end etmv3_walk_packets(const struct fast *x, struct etmv3_walk *w, struct cst_generic *out, size_t *n,
					size_t cap)
{
	struct etmv3_parser *ps = w->ps;
	struct etmv3_stage *stage = x->stage;
	struct insns *const s = &w->s;
	struct cursor *c = x->c;
	const struct seg *seg = &c->seg[c->seg_i];
	const uint8_t *const first = c->data + c->pos, *last = first, *behind = first;	/* [last, behind): last packet decoded */
	size_t more = 0;

	s->p = first;
	s->stop = c->data + (c->seg_i + 1 < c->seg_count ? seg[1].pos : c->len);
	s->seg = seg;
	s->g = out + *n;
	s->limit = out + cap - ROOM;
	cst_flow_insns_enter(s);
	if (!s->b)
		cst_flow_insns_find(s);
	while (etmv3_walk_phdrs(w) && s->p < s->end && s->g < s->limit && *s->p & 1) {
		const unsigned int size = etmv3_walk_branch(x, w, out, n);

		if (!size)
			break;
		more += size - 1;
		behind = s->p;
		last = behind - size;
	}
	cst_flow_insns_leave(s);
	if (s->left)
		cst_flow_insns_give(s);
	if (s->p > behind) {
		last = s->p - 1;
		ps->zeros = 0;
	}
	if (s->p > first)
		stage->last_index = cst_flow_insns_index(s, last);
	*n = (size_t)(s->g - out);
	c->pos = (size_t)(s->p - c->data);
	c->seg_i = (uint32_t)(s->seg - c->seg);
	while (c->seg[c->seg_i].pos > c->pos)
		c->seg_i--;
	x->stats->packets += (size_t)(s->p - first) - more;
	insns_count(s);
	if (x->f->work.busy)
		cst_flow_run(x->f, out, n, cap);
	return s->g >= s->limit && s->g > out ? FAST_FULL : FAST_LEFT;
}

enum fast_end cst_etmv3_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	struct etmv3_parser *ps = x->c->ps;
	const struct cursor *c = x->c;
	struct etmv3_walk w;

	if (quirk(ps->cfg, QUIRK_HOLDS_ONE) || c->pos == c->len)
		return FAST_LEFT;
	if (cst_etmv3_stage_holds(x->stage) && ps->synced && etmv3_will_settle(ps, c->data + c->pos, c->data + c->len)) {
		etmv3_settle(x->stage);
		return FAST_STAGED;
	}
	x->f->stop.stopped = 0;
	w.ps = ps;
	w.branch.at = NULL;
	w.s.f = x->f;
	w.s.code = ps->phdr;
	w.s.data = c->data;
	w.s.end = c->data + c->len;
	w.s.last_seg = &c->seg[c->seg_count - 1];
	w.s.settled = NULL;
	w.s.left = 0;
	w.s.insns = w.s.ranges = w.s.branches = 0;
	while (cst_etmv3_stage_direct(x->stage) && ps->synced && c->pos < c->len) {
		if (cap - *n < ROOM)
			return *n ? FAST_FULL : FAST_LEFT;
		if (etmv3_walk_packets(x, &w, out, n, cap) == FAST_FULL)
			return FAST_FULL;
		if (x->f->work.busy | x->f->stop.stopped ||
		    !direct_elements(x, cst_etmv3_parse, cst_etmv3_stage_packet, etmv3_stage_next, out, n, cap))
			break;
	}
	return FAST_LEFT;
}
