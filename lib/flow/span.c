/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * span.c - collects executed code as a block for which the graph has none: code in several maps or sections, inside an
 * IT block, up to a given address, or of a given number of instructions. It adds whole blocks where they fit and single
 * instructions elsewhere.
 */
#include <string.h>

#include <cstrace/decoder.h>

#include "base/quirks.h"
#include "flow/step.h"

void cst_flow_forget_maps(struct cst_flow *f)
{
	if (!++f->cache.map_tag) {
		memset(f->cache.near_maps, 0, sizeof(f->cache.near_maps));
		f->cache.map_tag = 1;
	}
}

/* Returns the cache entry for a map that contains `a`. Entries of another generation become void first. */
static struct near_map *near_map(struct cst_flow *f, uint64_t a)
{
	if (f->cache.near_gen != f->code.space->generation) {
		cst_flow_forget_maps(f);
		f->cache.near_gen = f->code.space->generation;
	}
	return step_map_slot(f, a);
}

/* As cst_flow_map(), for a map that is not cached. */
static __attribute__((noinline)) enum span_end search_map(struct cst_flow *f, uint64_t a)
{
	struct near_map *nm;
	const struct map *m;
	int on_demand;

	f->cache.map_len = 0;
	if (!f->code.space)
		return SPAN_NACC;
	m = cst_space_find(f->code.space, a);
	on_demand = f->code.space->on_demand && f->stop.stop_mask & CST_STOP_SECTION;
	if (!m && on_demand && f->code.space->mapper &&
	    f->code.space->mapper(f->code.space->mapper_data, f->code.space, a))
		m = cst_space_find(f->code.space, a);
	if (!m && on_demand) {
		f->code.lazy = NULL;
		f->code.wanted = a;
		return SPAN_LAZY;
	}
	if (!m)
		return SPAN_NACC;
	if (m->sec->lazy && f->stop.stop_mask & CST_STOP_SECTION) {
		f->code.lazy = m->sec;
		return SPAN_LAZY;
	}
	if (m->sec->lazy || a - m->start + m->off >= m->sec->size)
		return SPAN_NACC;
	nm = near_map(f, a);
	nm->start = m->start;
	nm->len = m->end - m->start;
	if (nm->len > m->sec->size - m->off)
		nm->len = m->sec->size - m->off;
	nm->bias = m->start - m->off;
	nm->sec = m->sec;
	nm->id = m->id;
	nm->tag = f->cache.map_tag;
	step_take_map(f, nm);
	return SPAN_DONE;
}

enum span_end cst_flow_map(struct cst_flow *f, uint64_t a)
{
	return step_cached_map(f, a) ? SPAN_DONE : search_map(f, a);
}

/* Copies `n` bytes of code at `a`, from adjacent maps if one ends in between. */
static enum span_end read_code(struct cst_flow *f, uint64_t a, uint8_t *buf, unsigned int n)
{
	enum span_end end;
	uint64_t left;
	unsigned int k;

	while (n) {
		end = cst_flow_map(f, a);
		if (end != SPAN_DONE)
			return end;
		left = f->cache.map_start + f->cache.map_len - a;
		k = left < n ? left : n;
		memcpy(buf, f->cache.map_sec->bytes + (a - f->cache.map_bias), k);
		buf += k;
		a += k;
		n -= k;
	}
	return SPAN_DONE;
}

enum span_end cst_flow_fetch(struct cst_flow *f, uint64_t a, struct cst_insn *in, uint32_t *opcode)
{
	enum span_end end;
	uint8_t b[4];
	uint32_t op;

	if (blk_shift(f->isa) == 1) {
		end = read_code(f, a, b, 2);
		if (end != SPAN_DONE)
			return end;
		op = (uint32_t)(b[0] | b[1] << 8) << 16;
		if (cst_t32_size(op >> 16) == 4) {
			end = read_code(f, a + 2, b, 2);
			if (end != SPAN_DONE)
				return end;
			op |= b[0] | b[1] << 8;
		}
	} else {
		end = read_code(f, a, b, 4);
		if (end != SPAN_DONE)
			return end;
		op = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
	}
	cst_isa_classify(in, f->isa, op, a, f->isa_flags);
	*opcode = op;
	return SPAN_DONE;
}

int cst_flow_is_transfer(struct cst_flow *f, uint64_t a)
{
	struct cst_insn in;
	uint32_t op;

	return cst_flow_fetch(f, a, &in, &op) == SPAN_DONE && cst_isa_is_transfer(f->isa, op, f->isa_flags);
}

/* Adds the whole block at s->end if the limit allows it. Returns 0 if not. */
static int add_block(struct cst_flow *f, enum span_mode mode, uint64_t limit, struct span *s)
{
	uint64_t left = f->cache.map_start + f->cache.map_len - s->end;
	const struct blk *b;

	/* classifying one instruction is cheaper than finding its block */
	if (s->it || (mode == SPAN_COUNT && limit - s->n_insn == 1))
		return 0;
	b = cst_block(f->cache.map_sec, s->end - f->cache.map_bias, blk_key(f->isa, 0), s->end,
		      f->isa_flags);
	if (!b || !b->n_insn || (uint32_t)b->step[0] > left)
		return 0;
	if ((mode == SPAN_COUNT && limit - s->n_insn < b->n_insn) ||
	    (mode != SPAN_COUNT && mode != SPAN_P0 && limit - s->end < (uint32_t)b->step[0]))
		return 0;
	s->b = *b;
	s->n_insn += b->n_insn;
	s->end += (uint32_t)b->step[0];
	s->last = s->end - b->last_size;
	s->disp = b->step[1] - (b->step[0] - b->last_size);
	s->it = b->flags >> BLK_IT_SHIFT;
	return 1;
}

/* Adds the instruction at s->end. */
static enum span_end add_insn(struct cst_flow *f, struct span *s)
{
	struct cst_insn in;
	uint32_t op;
	enum span_end end = cst_flow_fetch(f, s->end, &in, &op);
	int p0, cond;

	if (end != SPAN_DONE)
		return end;
	p0 = cst_insn_is_p0(&in, f->isa_flags);
	cond = in.cond || s->it;
	s->last = s->end;
	s->end = step_wrap(s->end + in.size, f->isa);
	s->n_insn++;
	s->disp = in.disp;
	s->b = (struct blk){
		.isa = f->isa,
		.next_isa = in.type == CST_INSN_BRANCH ? in.next_isa : f->isa,
		.type = p0 ? in.type : CST_INSN_OTHER,
		.subtype = p0 ? in.subtype : CST_INSN_PLAIN,
		.last_size = in.size,
		.flags = (p0 ? BLK_P0 : 0) | (in.link ? BLK_LINK : 0) | (cond ? BLK_COND : p0 ? BLK_ALWAYS : 0),
		.gflags = (p0 ? CST_GF_WAYPOINT : 0) | (in.link ? CST_GF_LINK : 0) | (cond ? CST_GF_COND : 0),
		.num = s->it ? CST_RANGE_IT : 0,
	};
	if (s->it)
		s->it--;
	if (in.it_count)
		s->it = in.it_count;
	return SPAN_DONE;
}

/* CST_CHECK_UNDEFINED: true if the instruction at `a` is UDF. Unreadable code is reported by the caller's own read. */
static int undefined_at(struct cst_flow *f, uint64_t a)
{
	uint8_t b[4];

	return f->isa == CST_ISA_A64 && read_code(f, a, b, 4) == SPAN_DONE && !(b[2] | b[3]);
}

/* Compares the span with its limit: SPAN_DONE, SPAN_LOST if it has passed the limit, or SPAN_STOPPED if neither. */
static enum span_end at_limit(const struct cst_flow *f, enum span_mode mode, uint64_t limit, const struct span *s)
{
	switch (mode) {
	case SPAN_P0:
		return SPAN_STOPPED;
	case SPAN_COUNT:
		return s->n_insn == limit ? SPAN_DONE : SPAN_STOPPED;
	case SPAN_TO:
		if (s->end == limit)
			return SPAN_DONE;
		break;
	default:
		if (s->n_insn && s->last == limit)
			return SPAN_DONE;
	}
	return s->end > limit || s->end < f->addr ? SPAN_LOST : SPAN_STOPPED;
}

/* Sets the span's section and offset for the code at s->end, which is in the current map. */
static void place(struct cst_flow *f, struct span *s, struct cst_section **first)
{
	if (!*first) {
		*first = f->cache.map_sec;
		s->section = f->cache.map_sec->id;
		s->sect_off = s->end - f->cache.map_bias;
	} else if (*first != f->cache.map_sec ||
		   (uint32_t)(s->end - f->cache.map_bias) !=
			   s->sect_off + (uint32_t)(s->end - f->addr)) {
		s->section = 0;
		s->sect_off = 0;
	}
}

/* True for a branch that no path passes: an unconditional one of A64. */
static int is_always_taken(const struct cst_flow *f, const struct blk *b)
{
	return b->flags & BLK_ALWAYS && b->isa == CST_ISA_A64 && cst_insn_is_branch(b->type) &&
	       !quirk(f->cfg, QUIRK_WALKS_TO_EXCEPTION);
}

static enum span_end collect(struct cst_flow *f, enum span_mode mode, uint64_t limit, struct span *s)
{
	struct cst_section *first = NULL;
	unsigned int passed = 0, alone = 0;
	enum span_end end;

	/* no instruction of A32 or A64 is there, and blocks are not either */
	if (s->end & ((1u << blk_shift(f->isa)) - 1))
		return SPAN_LOST;
	for (;;) {
		end = at_limit(f, mode, limit, s);
		if (end != SPAN_STOPPED)
			return end;
		if (s->n_insn >= MAX_RANGE_INSNS || passed >= MAX_PASSED || alone >= MAX_ALONE)
			return SPAN_LOST;
		end = cst_flow_map(f, s->end);
		if (end != SPAN_DONE)
			return end;
		place(f, s, &first);
		if (f->cfg->checks & CST_CHECK_UNDEFINED && undefined_at(f, s->end))
			return SPAN_UNDEFINED;
		if (!add_block(f, mode, limit, s)) {
			end = add_insn(f, s);
			if (end != SPAN_DONE)
				return end;
			alone++;
		}
		if (!(s->b.flags & BLK_P0))
			continue;
		if (mode == SPAN_P0)
			return SPAN_DONE;
		if (mode != SPAN_THROUGH)
			return at_limit(f, mode, limit, s) == SPAN_DONE ? SPAN_DONE : SPAN_STOPPED;
		if (s->last != limit && is_always_taken(f, &s->b))
			return SPAN_LOST;
		passed++;
	}
}

enum span_end cst_flow_span(struct cst_flow *f, enum span_mode mode, uint64_t limit, struct span *s)
{
	enum span_end end;

	memset(s, 0, sizeof(*s));
	s->end = s->last = f->addr;
	s->it = f->it;
	s->b.isa = f->isa;
	end = collect(f, mode, limit, s);
	s->b.step[0] = (int32_t)(s->end - f->addr);
	s->b.step[1] = s->b.type == CST_INSN_BRANCH ? (int32_t)(s->last - f->addr + (int64_t)s->disp) : s->b.step[0];
	s->b.link[0] = s->b.link[1] = 0;
	return end;
}
