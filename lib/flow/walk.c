/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * walk.c - the careful way over instructions: across maps and sections, to a given address, over a
 * given number. Whole blocks where they fit, single instructions where they do not.
 */
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/flow.h"

/* Where a map is kept that holds `a`; what is kept of another space or time is forgotten. */
static struct near_map *near_map(struct cst_flow *f, uint64_t a)
{
	if (f->near_space != f->space || f->near_gen != f->space->generation) {
		memset(f->near_maps, 0, sizeof(f->near_maps));
		f->near_space = f->space;
		f->near_gen = f->space->generation;
	}
	return &f->near_maps[a / CODE_PAGE % NEAR_MAPS];
}

/* Go over to a map that was used before. */
static inline void take_near(struct cst_flow *f, const struct near_map *nm)
{
	f->map_start = nm->start;
	f->map_len = nm->len;
	f->map_bias = nm->bias;
	f->map_sec = nm->sec;
	f->map_space = f->space;
	f->map_gen = f->space->generation;
}

/* As cst_flow_map(), for a map that was not used before. */
static __attribute__((noinline)) enum walk_end search_map(struct cst_flow *f, uint64_t a)
{
	struct near_map *nm;
	const struct map *m;

	f->map_len = 0;
	if (!f->space)
		return WALK_NACC;
	m = cst_space_find(f->space, a);
	if (!m && f->space->on_demand && f->stop_mask & CST_STOP_SECTION) {
		f->lazy = NULL;
		f->wanted = a;
		return WALK_LAZY;
	}
	if (!m)
		return WALK_NACC;
	if (m->sec->lazy && f->stop_mask & CST_STOP_SECTION) {
		f->lazy = m->sec;
		return WALK_LAZY;
	}
	if (m->sec->lazy || a - m->start + m->off >= m->sec->size)
		return WALK_NACC;
	nm = near_map(f, a);
	nm->start = m->start;
	nm->len = m->end - m->start;
	if (nm->len > m->sec->size - m->off)
		nm->len = m->sec->size - m->off;
	nm->bias = m->start - m->off;
	nm->sec = m->sec;
	take_near(f, nm);
	return WALK_DONE;
}

enum walk_end cst_flow_map(struct cst_flow *f, uint64_t a)
{
	const struct near_map *nm = &f->near_maps[a / CODE_PAGE % NEAR_MAPS];

	if (f->map_len && a - f->map_start < f->map_len && f->map_space == f->space &&
	    f->map_gen == f->space->generation)
		return WALK_DONE;
	if (!f->space || f->near_space != f->space || f->near_gen != f->space->generation || a - nm->start >= nm->len)
		return search_map(f, a);
	take_near(f, nm);
	return WALK_DONE;
}

/* `n` bytes of code at `a`, gathered from adjacent maps when one ends in between. */
static enum walk_end read_code(struct cst_flow *f, uint64_t a, uint8_t *buf, unsigned int n)
{
	enum walk_end end;
	uint64_t left;
	unsigned int k;

	while (n) {
		end = cst_flow_map(f, a);
		if (end != WALK_DONE)
			return end;
		left = f->map_start + f->map_len - a;
		k = left < n ? left : n;
		memcpy(buf, f->map_sec->bytes + (a - f->map_bias), k);
		buf += k;
		a += k;
		n -= k;
	}
	return WALK_DONE;
}

enum walk_end cst_flow_fetch(struct cst_flow *f, uint64_t a, struct cst_insn *in, uint32_t *opcode)
{
	enum walk_end end;
	uint8_t b[4];
	uint32_t op;

	if (blk_shift(f->isa) == 1) {
		end = read_code(f, a, b, 2);
		if (end != WALK_DONE)
			return end;
		op = (uint32_t)(b[0] | b[1] << 8) << 16;
		if (cst_t32_size(op >> 16) == 4) {
			end = read_code(f, a + 2, b, 2);
			if (end != WALK_DONE)
				return end;
			op |= b[0] | b[1] << 8;
		}
	} else {
		end = read_code(f, a, b, 4);
		if (end != WALK_DONE)
			return end;
		op = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
	}
	cst_isa_classify(in, f->isa, op, a, f->isa_flags);
	*opcode = op;
	return WALK_DONE;
}

static uint64_t wrap(const struct cst_flow *f, uint64_t a)
{
	return f->isa == CST_ISA_A64 ? a : (uint32_t)a;
}

/* Account the whole block at w->end if the limit allows it. */
static int take_block(struct cst_flow *f, enum walk_mode mode, uint64_t limit, struct walk *w,
		      unsigned int *it)
{
	uint64_t left = f->map_start + f->map_len - w->end;
	const struct blk *b;

	if (*it)
		return 0;
	b = cst_block(f->map_sec, w->end - f->map_bias, blk_key(f->isa, 0), w->end, f->isa_flags);
	if (!b || !b->n_insn || (uint32_t)b->step[0] > left || (f->isa_flags & CST_ISA_SINGLE && b->flags & BLK_IT))
		return 0;
	switch (mode) {
	case WALK_P0:
		break;
	case WALK_TO:
		if (limit - w->end < (uint32_t)b->step[0])
			return 0;
		break;
	case WALK_THROUGH:
	case WALK_INTO:
		if (limit - w->end < (uint32_t)b->step[0])
			return 0;
		break;
	case WALK_COUNT:
		if (limit - w->n_insn < b->n_insn)
			return 0;
		break;
	}
	w->n_insn += b->n_insn;
	w->end += b->step[0];
	w->last = w->end - b->last_size;
	w->disp = b->step[1] - (b->step[0] - b->last_size);
	w->type = b->type;
	w->subtype = b->subtype;
	w->size = b->last_size;
	w->cond = !!(b->flags & BLK_COND);
	w->link = !!(b->flags & BLK_LINK);
	w->p0 = !!(b->flags & BLK_P0);
	w->transfer = f->isa_flags & CST_ISA_SINGLE && b->flags & BLK_TRANSFER;
	w->next_isa = blk_key_isa(blk_next_key(b));
	*it = f->isa_flags & CST_ISA_SINGLE ? blk_key_it(blk_next_key(b)) : b->flags >> BLK_IT_SHIFT;
	return 1;
}

static enum walk_end take_insn(struct cst_flow *f, struct walk *w, unsigned int *it)
{
	struct cst_insn in;
	uint32_t op;
	enum walk_end end = cst_flow_fetch(f, w->end, &in, &op);

	if (end != WALK_DONE)
		return end;
	w->transfer = f->isa_flags & CST_ISA_SINGLE && cst_isa_is_transfer(f->isa, op, f->isa_flags);
	w->last = w->end;
	w->end = wrap(f, w->end + in.size);
	w->n_insn++;
	w->disp = in.disp;
	w->p0 = cst_insn_is_p0(&in, f->isa_flags);
	w->type = w->p0 ? in.type : CST_INSN_OTHER;
	w->subtype = w->p0 ? in.subtype : CST_INSN_PLAIN;
	w->size = in.size;
	w->cond = in.cond || *it;
	w->link = in.link;
	w->next_isa = in.type == CST_INSN_BRANCH ? in.next_isa : f->isa;
	if (*it)
		--*it;
	if (in.it_count)
		*it = in.it_count;
	return WALK_DONE;
}

/* CST_CHECK_UNDEFINED. What cannot be read is found missing by who takes it. */
static int undefined_at(struct cst_flow *f, uint64_t a)
{
	uint8_t b[4];

	return f->isa == CST_ISA_A64 && read_code(f, a, b, 4) == WALK_DONE && !(b[2] | b[3]);
}

enum walk_end cst_flow_walk(struct cst_flow *f, enum walk_mode mode, uint64_t limit, struct walk *w)
{
	struct cst_section *first = NULL;
	unsigned int it = f->it, passed = 0;
	enum walk_end end;

	memset(w, 0, sizeof(*w));
	w->end = w->last = f->addr;
	for (;;) {
		switch (mode) {
		case WALK_P0:
			break;
		case WALK_TO:
			if (w->end == limit)
				return WALK_DONE;
			if (w->end > limit || w->end < f->addr)
				return WALK_LOST;
			break;
		case WALK_THROUGH:
		case WALK_INTO:
			if (w->n_insn && w->last == limit) {
				w->it = it;
				return WALK_DONE;
			}
			if (w->end > limit || w->end < f->addr)
				return WALK_LOST;
			break;
		case WALK_COUNT:
			if (w->n_insn == limit) {
				w->it = it;
				return WALK_DONE;
			}
			break;
		}
		if (w->n_insn >= MAX_RANGE_INSNS || passed >= MAX_PASSED)
			return WALK_LOST;
		end = cst_flow_map(f, w->end);
		if (end != WALK_DONE)
			return end;
		if (!first) {
			first = f->map_sec;
			w->section = first->id;
			w->sect_off = w->end - f->map_bias;
		} else if (first != f->map_sec ||
			   (uint32_t)(w->end - f->map_bias) != w->sect_off + (uint32_t)(w->end - f->addr)) {
			w->section = 0;
			w->sect_off = 0;
		}
		if (f->cfg->checks & CST_CHECK_UNDEFINED && undefined_at(f, w->end))
			return WALK_UNDEFINED;
		if (!take_block(f, mode, limit, w, &it)) {
			end = take_insn(f, w, &it);
			if (end != WALK_DONE)
				return end;
		}
		if (!w->p0)
			continue;
		if (mode == WALK_THROUGH) {
			passed++;
			continue;
		}
		w->it = it;
		if (mode == WALK_P0 || (mode == WALK_INTO && w->last == limit))
			return WALK_DONE;
		if ((mode == WALK_TO && w->end == limit) || (mode == WALK_COUNT && w->n_insn == limit))
			return WALK_DONE;
		return WALK_STOPPED;
	}
}
