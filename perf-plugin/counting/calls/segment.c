/* SPDX-License-Identifier: GPL-2.0-only */
/* segment.c - the segments of a lane, from the first instruction to the gap behind them, and places of code. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "counting/calls/lane.h"

/* ---- places -------------------------------------------------------------------------------------- */

uint32_t lane_binary(struct calls *c, uint32_t section)
{
	uint32_t nr = section + section / 2 + 64, *p;

	if (section >= c->nr_sections) {
		p = mem_more(c->binary_of, nr, sizeof(*p));
		for (c->binary_of = p; c->nr_sections < nr;)
			p[c->nr_sections++] = UNKNOWN_BINARY;
	}
	c->binary_of[section] = c->code.binary(c->code.data, section);
	return c->binary_of[section];
}

void lane_find_where(struct calls *c, const struct stream *s, const struct target *t, struct calls_where *w)
{
	uint64_t key = (uint64_t)t->section << 32 | t->off;
	struct where_slot *slot = &c->wheres[(key * 0x9e3779b97f4a7c15u) >> 51];

	_Static_assert(WHERES == 1 << (64 - 51), "bits of an index");
	if (!t->section) {
		c->code.where(c->code.data, s, t->addr, w);
		return;
	}
	if (slot->key != key) {
		c->code.where(c->code.data, s, t->addr, &slot->where);
		slot->where.place = lane_place(c, t->section, t->off);
		slot->key = key;
	}
	*w = slot->where;
}

/* ---- segments ------------------------------------------------------------------------------------ */

/* Time of the next instruction, by its share of the batch's instructions. */
static uint64_t time_now(const struct calls_lane *ln, const struct stream *s)
{
	uint64_t whole = s->time_end - s->time;

	if (!s->n_insn || ln->batch_insns >= s->n_insn || whole > UINT32_MAX)
		return session_time(s, ln->batch_insns ? s->time_end : s->time);
	return session_time(s, s->time + whole * ln->batch_insns / s->n_insn);
}

void lane_tick(struct calls_lane *ln, const struct stream *s)
{
	uint64_t *now = &ln->slices->now.time, time = s->time_known || !ln->slices->timed ? time_now(ln, s) : 0;

	if (time > *now)
		*now = time;
}

/* Begins a segment in frame `base`, whose function is that of `at`, at the first place of `at`. */
static void begin_at(struct calls *c, struct calls_lane *ln, const struct stream *s,
		     enum cause cause, const struct segment *at, size_t base)
{
	struct segment *seg = &ln->seg;
	uint32_t root;
	bool fresh;

	*seg = *at;
	seg->key = ln->last.key;
	seg->stream = s->place;
	seg->seq = s->aux.aux_seq;
	seg->number = ln->number++;
	seg->begin.cause = (uint8_t)cause;
	seg->when.time = time_now(ln, s);
	if (ln->slices) {
		lane_tick(ln, s);
		seg->sliced.start = ln->slices->now.time;
		ln->slices->now = (struct calls_moment){ .time = seg->sliced.start };
	}
	seg->when.after = ln->times.after;
	seg->when.timed = ln->times.after || s->time_known || s->before;
	seg->begin.program = lane_program(c, s);
	seg->made.tree = &ln->tree;
	seg->gap.lost = ln->gap.lost;
	seg->gap.soft = ln->gap.soft;
	seg->gap.missing = ln->gap.missing;
	root = cct_child(&ln->tree, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, seg->begin.entry,
			 &fresh);
	lane_touch(ln, root);
	array_reserve(&ln->stack.f, 0, &ln->stack.cap, sizeof(*ln->stack.f));
	if (!base)
		ln->stack.f[0] = (struct frame){ .kind = CST_COUNT_ROOT,
						 .lo = seg->begin.lo,
						 .span = seg->begin.span };
	ln->stack.f[base].node = root;
	ln->stack.f[base].jump = 0;
	ln->stack.base = base;
	ln->stack.nr = base + 1;
	ln->lo = seg->begin.lo;
	ln->span = seg->begin.span;
	ln->running = true;
}

/* Returns the begin of a segment at `t`. */
static struct segment segment_at(struct calls *c, const struct stream *s, enum cause cause,
				 const struct target *t)
{
	struct segment at = { .begin.addr = t->addr, .begin.el = t->el };
	struct calls_where w;

	lane_find_where(c, s, t, &w);
	at.begin.place = at.begin.entry = w.place;
	at.begin.begins_program = w.begins_program;
	if (cause == CAUSE_RETURN)
		at.begin.call_size = (uint8_t)c->code.call_before(c->code.data, s, t->addr, t->isa);
	if (where_known(&w)) {
		at.begin.lo = t->addr - ((uint32_t)w.place - w.start);
		at.begin.span = w.end - w.start;
		at.begin.entry = (w.place & ~(uint64_t)UINT32_MAX) | w.start;
	}
	return at;
}

void segment_begin(struct calls *c, struct calls_lane *ln, const struct stream *s, enum cause cause,
		   const struct target *t)
{
	const struct segment at = segment_at(c, s, cause, t);

	begin_at(c, ln, s, cause, &at, 0);
}

void lane_close_gap(struct calls *c, struct calls_lane *ln, const struct stream *s)
{
	if (ln->open > LANE_TAKEN)
		return;
	ln->gap = (struct gap){ .from = s ? lane_last_place(c, ln) : CALLS_NO_PLACE,
				.expect = ln->open == LANE_SEQ ? ln->last.end : 0,
				.el = ln->last.el,
				.program = ln->last.program };
	ln->open = LANE_GAP;
}

/* Gives the segment that ends its calls in time. The lane keeps their array, and fills it again after join_take(). */
static void give_slices(struct calls *c, struct calls_lane *ln)
{
	struct lane_slices *l = ln->slices;
	size_t i;

	for (i = 0; i < l->nr; i++)
		l->v[i].node = ln->tree.v[l->v[i].node].mark;
	ln->seg.sliced.slices = l->v;
	ln->seg.sliced.nr_slices = (uint32_t)l->nr;
	c->slices->nr_parts -= l->nr;
	l->nr = 0;
	ln->seg.sliced.frame_begins = l->begin ? l->begin + 1 : NULL;
	ln->seg.sliced.finish = l->now;
}

void segment_end(struct calls *c, struct calls_lane *ln, const struct stream *s)
{
	const size_t base = ln->stack.base;
	struct segment *seg = &ln->seg;
	size_t i;

	lane_flush(ln);
	if (ln->slices && s)
		lane_tick(ln, s);
	while (ln->room.cap_counted < ln->touch.nr_touched)
		array_reserve(&ln->room.counted, ln->room.cap_counted, &ln->room.cap_counted,
			      sizeof(*ln->room.counted));
	for (i = 0; i < ln->touch.nr_touched; i++) {
		struct cct_node *p = &ln->tree.v[ln->touch.touched[i]];

		ln->room.counted[i] = (struct counted){
			.node = ln->touch.touched[i],
			.calls = p->calls,
			.insns = p->insns,
			.parent = p->parent == NO_NODE ? NO_NODE : ln->tree.v[p->parent].mark
		};
		p->calls = p->insns = 0;
	}
	for (i = base; i < ln->stack.nr; i++)
		ln->stack.f[i].node = ln->tree.v[ln->stack.f[i].node].mark;
	if (ln->slices)
		give_slices(c, ln);
	for (i = 0; i < ln->touch.nr_touched; i++)
		ln->tree.v[ln->touch.touched[i]].mark = NO_NODE;
	seg->begin.base_jump = ln->stack.f[base].jump;
	seg->end = ln->gap;
	seg->made.counted = ln->room.counted;
	seg->made.nr_counted = (uint32_t)ln->touch.nr_touched;
	seg->made.frames = ln->stack.f + base + 1;
	seg->made.nr_frames = (uint32_t)(ln->stack.nr - base) - 1;
	seg->when.before = ln->times.before;
	join_take(c, seg);
	ln->touch.nr_touched = 0;
	ln->running = false;
}

void segment_cut(struct calls *c, struct calls_lane *ln, const struct stream *s, enum cause cause,
		 const struct target *t)
{
	if (cause != CAUSE_JOIN)
		ln->gap = (struct gap){ .from = lane_last_place(c, ln) };
	segment_end(c, ln, s);
	segment_begin(c, ln, s, cause, t);
}

void segment_descend(struct calls *c, struct calls_lane *ln, const struct stream *s,
		     enum cause cause, const struct target *t, size_t base)
{
	struct segment at = segment_at(c, s, cause, t);

	ln->gap = (struct gap){ .from = lane_last_place(c, ln) };
	segment_end(c, ln, s);
	at.begin.lo = ln->stack.f[base].lo;
	at.begin.span = ln->stack.f[base].span;
	begin_at(c, ln, s, cause, &at, base);
}

void segment_suspend(struct calls *c, struct calls_lane *ln, const struct stream *s)
{
	lane_close_gap(c, ln, s);
	if (ln->running)
		segment_end(c, ln, s);
	ln->open = LANE_GAP;
	ln->gap = (struct gap){ .from = CALLS_NO_PLACE, .lost = ln->gap.lost,
				.soft = ln->gap.soft };
}

void segment_renew(struct calls *c, struct calls_lane *ln, const struct stream *s)
{
	const struct frame top = *lane_top(ln);
	const struct cct_node was = ln->tree.v[top.node];
	struct gap gap = ln->gap;

	segment_end(c, ln, s);
	if (c->keep.deferred)
		join_forest(c, &ln->tree);
	cct_clear(&ln->tree);
	ln->gap = gap;
	begin_at(c, ln, s, CAUSE_CONTINUE,
		 &(struct segment){ .begin.place = was.entry,
				    .begin.entry = was.entry,
				    .begin.lo = top.lo,
				    .begin.span = top.span },
		 0);
}

/* ---- shards that begin inside of a fragment ----------------------------------------- */

/* What matters of a gap, which is that of an open stretch or of none. */
static uint64_t gap_digest(const struct gap *gap, uint64_t digest)
{
	const uint64_t v[] = {
		gap->expect,
		gap->from,
		gap->program,
		gap->kernel | gap->soft << 1 | gap->lost << 2 | gap->missing << 3 | gap->el << 8 |
			gap->exception << 16,
	};

	return cst_index_digest(digest, v, sizeof(v));
}

uint64_t calls_lane_digest(struct calls *c, const struct calls_lane *ln, uint64_t digest)
{
	const uint8_t is[] = { ln->running, ln->open };

	digest = cst_index_digest(digest, is, sizeof(is));
	if (ln->running) {
		const struct frame *top = &ln->stack.f[ln->stack.nr - 1];
		const uint64_t v[] = {
			ln->last.key,
			ln->last.program,
			ln->last.end,
			lane_last_place(c, ln),
			ln->open == LANE_TAKEN ? ln->last.kind : 0,
			ln->last.size | ln->last.isa << 8 | ln->last.el << 16,
			ln->lo,
			ln->span,
			top->lo,
			top->span,
		};

		digest = cst_index_digest(digest, v, sizeof(v));
	}
	return ln->open > LANE_TAKEN ? gap_digest(&ln->gap, digest) : digest;
}

void calls_lane_move(struct calls *c, struct calls_lane *ln, const struct stream *s)
{
	const struct frame top = ln->running ? *lane_top(ln) : (struct frame){ .lo = 0 };
	const calls_place entry = ln->running ? ln->tree.v[top.node].entry : CALLS_NO_PLACE;
	const uint64_t lo = ln->lo, span = ln->span;

	cct_clear(&ln->tree);
	ln->touch.nr_touched = 0;
	ln->insns = 0;
	if (!ln->running)
		return;
	begin_at(c, ln, s, CAUSE_CONTINUE,
		 &(struct segment){ .begin.place = entry,
				    .begin.entry = entry,
				    .begin.lo = top.lo,
				    .begin.span = top.span },
		 ln->stack.nr - 1);
	ln->lo = lo;
	ln->span = span;
}

void lane_begin_fragment(struct calls_lane *ln)
{
	ln->open = LANE_GAP;
	ln->gap = (struct gap){ .from = CALLS_NO_PLACE, .soft = true };
	ln->times.after = 0;
}
