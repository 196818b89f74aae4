/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane.c - follows the calls of the thread that runs on a stream, relative to the frame in which the segment began.
 * Whatever needs frames below that ends the segment; stack.c has the rules for it.
 */
#include <stdlib.h>
#include <string.h>

#include "counting/calls/lane.h"
#include "base/alloc.h"
#include "session/decode/branch.h"

struct calls_lane *calls_lane_new(struct calls *c)
{
	struct calls_lane *ln = mem_zeroed(1, sizeof(*ln));

	lane_begin_fragment(ln);
	if (c->slices)
		ln->slices = lane_slices_new(c->slices);
	return ln;
}

/* ---- frames -------------------------------------------------------------------------------------- */

/* Finds or makes the node of a callee below the top frame, which is not the one that was found there last. */
static __attribute__((noinline)) uint32_t find_callee(struct calls *c, struct calls_lane *ln, const struct stream *s, uint8_t kind,
						      calls_place from, calls_place entry, const struct target *t)
{
	uint32_t parent = lane_top(ln)->node, n;
	struct cct_node *p = &ln->tree.v[parent];
	struct calls_where w;
	bool fresh;

	if (p->kind == CST_COUNT_CUT)
		return parent;
	if (p->depth + 1u >= c->depth) {
		kind = CST_COUNT_CUT;
		from = entry = CALLS_NO_PLACE;
	}
	n = cct_child(&ln->tree, parent, kind, from, entry, &fresh);
	if (n == NO_NODE)
		return n;
	ln->tree.v[parent].last = n;
	if (fresh && kind != CST_COUNT_CUT) {
		p = &ln->tree.v[n];
		lane_find_where(c, s, t, &w);
		if (where_known(&w) && w.place == entry) {
			p->back = (uint32_t)w.place - w.start;
			p->size = w.end - w.start;
		}
		p->sets_jump = w.sets_jump;
	}
	return n;
}

static inline uint32_t callee(struct calls *c, struct calls_lane *ln, const struct stream *s, uint8_t kind, calls_place from,
			      calls_place entry, const struct target *t)
{
	uint32_t n = ln->tree.v[lane_top(ln)->node].last;
	const struct cct_node *p = &ln->tree.v[n];

	if (n != NO_NODE && p->from == from && p->entry == entry && p->kind == kind)
		return n;
	return find_callee(c, ln, s, kind, from, entry, t);
}

/*
 * Notes in the frame that called setjmp() where it will return again. The callee is frame `i`, or called by it as a tail. The
 * caller of the base of a segment is known when the segment is applied to its thread.
 */
static void note_jump(struct calls_lane *ln, size_t i)
{
	const size_t base = ln->stack.base;
	uint64_t ret = ln->stack.f[i].ret;

	while (i > base && ln->stack.f[i].kind == CST_COUNT_TAIL)
		i--;
	if (i == base)
		ln->seg.begin.base_calls_setjmp = true;
	else if (ln->stack.f[i].kind == CST_COUNT_CALL)
		ln->stack.f[i - 1].jump = ret;
}

static __attribute__((noinline)) calls_place place_of_address(struct calls *c, const struct stream *s, const struct target *t)
{
	struct calls_where w;

	lane_find_where(c, s, t, &w);
	return w.place;
}

/* Sets the bounds of the top frame, whose node is one of many functions. Returns true if it is setjmp() or the like. */
static __attribute__((noinline)) bool set_bounds(struct calls *c, struct calls_lane *ln, const struct stream *s,
						 const struct target *t)
{
	struct calls_where w;

	lane_find_where(c, s, t, &w);
	ln->lo = t->addr - ((uint32_t)w.place - w.start);
	ln->span = where_known(&w) ? w.end - w.start : 0;
	return w.sets_jump;
}

static void push(struct calls *c, struct calls_lane *ln, const struct stream *s, uint8_t kind,
		 uint64_t ret,
		const struct target *t)
{
	calls_place from = kind == CST_COUNT_EXCEPTION ? ln->gap.from : lane_last_place(c, ln);
	calls_place entry = t->section ? lane_place(c, t->section, t->off) :
					 place_of_address(c, s, t);
	struct cct_node *p;
	bool sets_jump;
	uint32_t n;

	lane_flush(ln);
	n = callee(c, ln, s, kind, from, entry, t);
	lane_touch(ln, n);
	array_reserve(&ln->stack.f, ln->stack.nr, &ln->stack.cap, sizeof(*ln->stack.f));
	if (ln->stack.nr == MAX_FRAMES) {
		ln->gap.lost = true;
		segment_cut(c, ln, s, CAUSE_JOIN, t);
		return;
	}
	p = &ln->tree.v[n];
	p->calls++;
	ln->lo = t->addr - p->back;
	ln->span = p->size;
	sets_jump = p->sets_jump;
	if (__builtin_expect(p->kind == CST_COUNT_CUT, 0))
		sets_jump = set_bounds(c, ln, s, t);
	ln->stack.f[ln->stack.nr++] =
		(struct frame){ .ret = ret,
				.lo = ln->lo,
				.span = ln->span,
				.node = n,
				.kind = kind,
				.exception = kind == CST_COUNT_EXCEPTION ? ln->gap.exception : 0 };
	if (__builtin_expect(!!ln->slices, 0)) {
		lane_tick(ln, s);
		slices_push(ln->slices, ln->stack.nr - 1, &ln->slices->now);
	}
	if (__builtin_expect(sets_jump, 0))
		note_jump(ln, ln->stack.nr - 1);
}

/* Removes the frames from `nr` on, which is not 0. */
static inline void remove_frames(struct calls *c, struct calls_lane *ln, const struct stream *s,
				 size_t nr)
{
	if (__builtin_expect(!!ln->slices, 0))
		for (lane_tick(ln, s); ln->stack.nr > nr; ln->stack.nr--)
			slices_pop(c, ln->slices, ln->stack.nr - 1, lane_top(ln),
				   ln->tree.v[lane_top(ln)->node].entry, &ln->slices->now);
	ln->stack.nr = nr;
}

/* True if the branch at the end of the last range returns to the caller of the top frame. */
static inline bool is_return(struct calls_lane *ln, uint64_t addr)
{
	const unsigned int returns = 1u << BRANCH_RET | 1u << BRANCH_COND_RET | 1u << BRANCH_ERET;

	return returns >> ln->last.kind & 1 && lane_top(ln)->ret == addr && addr;
}

/* Returns the number of frames below the top one and the call whose tail it is, at least 1. */
static inline size_t frames_below(const struct calls_lane *ln)
{
	size_t nr = ln->stack.nr;

	while (nr > 1 && ln->stack.f[nr - 1].kind == CST_COUNT_TAIL)
		nr--;
	return nr > 1 ? nr - 1 : nr;
}

/* Closes the top frame, with the call whose tail it is. False: that is below the base. */
static inline bool leave(struct calls *c, struct calls_lane *ln, const struct stream *s)
{
	const size_t nr = frames_below(ln);

	if (__builtin_expect(nr <= ln->stack.base, 0))
		return false;
	lane_flush(ln);
	remove_frames(c, ln, s, nr);
	ln->lo = lane_top(ln)->lo;
	ln->span = lane_top(ln)->span;
	return true;
}

/*
 * A branch to another function instead of a call and a return. The same branch to the same function again continues its
 * frame: functions that call each other as tails make a loop, not a deep stack.
 */
static void tail(struct calls *c, struct calls_lane *ln, const struct stream *s, calls_place entry,
		 const struct target *t)
{
	calls_place from = lane_last_place(c, ln);
	const struct cct_node *p;
	unsigned int n = 0;
	size_t i;

	for (i = ln->stack.nr;
	     i-- > ln->stack.base + 1 && n < MAX_TAILS && ln->stack.f[i].kind == CST_COUNT_TAIL;
	     n++) {
		p = &ln->tree.v[ln->stack.f[i].node];
		if (p->from != from || p->entry != entry)
			continue;
		lane_flush(ln);
		ln->tree.v[ln->stack.f[i].node].calls++;
		ln->lo = ln->stack.f[i].lo;
		ln->span = ln->stack.f[i].span;
		remove_frames(c, ln, s, i + 1);
		return;
	}
	if (n == MAX_TAILS) {
		lane_flush(ln);
		remove_frames(c, ln, s, ln->stack.nr - 1);
	}
	push(c, ln, s, CST_COUNT_TAIL, lane_top(ln)->ret, t);
}

static inline bool inside(uint64_t addr, uint64_t lo, uint64_t span)
{
	return addr - lo < span;
}

/* A branch that neither calls nor returns, out of the code that is executed. */
static __attribute__((noinline)) void plain(struct calls *c, struct calls_lane *ln,
					    const struct stream *s, const struct target *t)
{
	const struct frame *f = lane_top(ln);
	calls_place from = lane_last_place(c, ln);
	struct calls_where w;

	if (inside(t->addr, f->lo, f->span)) {
		ln->lo = f->lo;
		ln->span = f->span;
		return;
	}
	lane_find_where(c, s, t, &w);
	if (!where_known(&w)) {
		ln->lo = ln->span = 0;
		if (w.place == CALLS_NO_PLACE || from == CALLS_NO_PLACE || w.place >> 32 == from >> 32)
			return;
		tail(c, ln, s, w.place, t);
		return;
	}
	if (!w.part && (uint32_t)w.place == w.start) {
		tail(c, ln, s, w.place, t);
		return;
	}
	ln->lo = t->addr - ((uint32_t)w.place - w.start);
	ln->span = w.end - w.start;
	if (w.part)
		return;
	if (f == ln->stack.f)
		ln->seg.begin.base_left = true;
	/* from a part of a stripped function back to it */
	if (f->kind == CST_COUNT_TAIL && inside(t->addr, f[-1].lo, f[-1].span)) {
		if (f == ln->stack.f + ln->stack.base) {
			segment_descend(c, ln, s, CAUSE_PART, t, ln->stack.base - 1);
			return;
		}
		lane_flush(ln);
		remove_frames(c, ln, s, ln->stack.nr - 1);
		return;
	}
	if (ln->last.kind == BRANCH_IND)
		segment_cut(c, ln, s, CAUSE_LAND, t);
}

/* Follows a return but those of leave(). */
static __attribute__((noinline)) void go_back(struct calls *c, struct calls_lane *ln,
					      const struct stream *s, const struct target *t)
{
	if (is_return(ln, t->addr))
		segment_descend(c, ln, s, CAUSE_RETURN, t, frames_below(ln) - 1);
	else
		segment_cut(c, ln, s, ln->last.kind == BRANCH_ERET ? CAUSE_ERET : CAUSE_RETURN, t);
}

/* Follows the taken branch at the end of the last range to its target, but those of leave(). */
static void branch_to(struct calls *c, struct calls_lane *ln, const struct stream *s,
		      const struct target *t)
{
	switch (ln->last.kind) {
	case BRANCH_CALL:
	case BRANCH_IND_CALL:
	case BRANCH_COND_CALL:
		push(c, ln, s, CST_COUNT_CALL, ln->last.end, t);
		return;
	case BRANCH_RET:
	case BRANCH_COND_RET:
	case BRANCH_ERET:
		go_back(c, ln, s, t);
		return;
	}
	if (inside(t->addr, ln->lo, ln->span))
		return;
	plain(c, ln, s, t);
}

/* Follows the taken branch at the end of the last range to its target. */
static void transfer(struct calls *c, struct calls_lane *ln, const struct stream *s,
		     const struct target *t)
{
	if (!is_return(ln, t->addr) || !leave(c, ln, s))
		branch_to(c, ln, s, t);
}

/* ---- elements ------------------------------------------------------------------------------------ */

/* The idle threads of all CPUs have number 0. */
uint64_t calls_thread_of(const struct stream *s)
{
	if (s->guest && s->tid >= 0)
		return session_thread_key(s->tid, s->guest, s->host);
	if (s->tid > 0)
		return (uint32_t)s->tid;
	return s->tid == 0 ? CALLS_THREAD_IDLE | (uint32_t)s->cpu : CALLS_THREAD_UNKNOWN | s->place;
}

/* The handler of an exception is traced: execution continues in it without a gap. */
static void handler(struct calls *c, struct calls_lane *ln, const struct stream *s,
		    const struct cst_generic *g)
{
	bool user = g->flags & CST_GF_EL && !g->el;
	struct target t = target_of(g);

	if (ln->gap.expect && g->addr == ln->gap.expect &&
	    !(g->flags & CST_GF_EL && g->el > ln->last.el)) {
		if (c->keep.deferred && user)
			segment_cut(c, ln, s, CAUSE_JOIN, &t);
		return;
	}
	if (user) {
		segment_cut(c, ln, s, CAUSE_JOIN, &t);
		return;
	}
	push(c, ln, s, CST_COUNT_EXCEPTION, ln->gap.expect, &t);
}

/* Continues the open segment with a range that does not follow the last one, nor a taken branch. */
static __attribute__((noinline)) void arrive_elsewhere(struct calls *c, struct calls_lane *ln,
						       const struct stream *s,
						       const struct cst_generic *g)
{
	struct target t = target_of(g);

	switch (ln->open) {
	case LANE_EXCEPTION:
		handler(c, ln, s, g);
		return;
	case LANE_SEQ:
		lane_close_gap(c, ln, s);
		ln->gap.lost = true;
		break;
	}
	if (c->keep.deferred || ln->gap.lost || !ln->gap.expect || g->addr != ln->gap.expect) {
		segment_cut(c, ln, s, CAUSE_JOIN, &t);
		return;
	}
}

/* Continues the open segment with a range that does not follow the last one. */
static inline void arrive(struct calls *c, struct calls_lane *ln, const struct stream *s,
			  const struct cst_generic *g)
{
	struct target t;

	if (__builtin_expect(ln->open != LANE_TAKEN, 0)) {
		arrive_elsewhere(c, ln, s, g);
		return;
	}
	if (is_return(ln, g->addr) && leave(c, ln, s))
		return;
	t = target_of(g);
	branch_to(c, ln, s, &t);
}

/* Begins with the thread of the batch, whose next instruction is at `t`. */
static void enter(struct calls *c, struct calls_lane *ln, const struct stream *s,
		  const struct target *t)
{
	uint64_t key = calls_thread_of(s);

	lane_close_gap(c, ln, s);
	if (ln->running)
		segment_end(c, ln, s);
	ln->last.key = key;
	segment_begin(c, ln, s, CAUSE_JOIN, t);
}

/* Sets where execution continues. Returns its place. */
static calls_place set_expect(struct calls *c, struct calls_lane *ln, const struct stream *s, uint64_t addr)
{
	struct calls_where w;

	ln->gap.expect = addr;
	if (addr == ln->last.end && lane_last_place(c, ln) != CALLS_NO_PLACE)
		return lane_last_place(c, ln) + ln->last.size;
	c->code.where(c->code.data, s, addr, &w);
	return w.place;
}

/* Where execution continues: if the return address lies inside the last instruction, that one is executed again. */
static uint64_t resumes_at(const struct calls_lane *ln, uint64_t ret)
{
	return ret != ln->last.end && ln->last.end - ret < ln->last.size ?
		       ln->last.end - ln->last.size :
		       ret;
}

static void exception(struct calls *c, struct calls_lane *ln, const struct stream *s,
		      const struct cst_generic *g)
{
	bool returns = g->flags & CST_GF_RET_ADDR;
	struct target t = { .addr = g->end, .isa = ln->last.isa, .el = ln->last.el };
	enum branch_kind kind = branch_exception_kind(s, g, ln->last.isa, NULL);

	if (!ln->running || ln->open == LANE_GAP)
		return;
	if (ln->open == LANE_EXCEPTION) {
		/* the handler was interrupted before its first instruction */
		if (!returns || g->end == ln->gap.expect)
			return;
		push(c, ln, s, CST_COUNT_EXCEPTION, ln->gap.expect, &t);
		ln->gap.from = set_expect(c, ln, s, g->end);
		ln->gap.exception = (uint8_t)kind;
		return;
	}
	if (ln->open == LANE_TAKEN && returns)
		transfer(c, ln, s, &t);
	lane_close_gap(c, ln, s);
	ln->gap.lost |= !returns && !ln->gap.expect;
	if (returns) {
		calls_place place = set_expect(c, ln, s, ln->open == LANE_SEQ ? resumes_at(ln, g->end) : g->end);

		/* an SVC was executed; else the instruction at the return address was interrupted, or failed */
		if (g->end != ln->last.end || kind != BRANCH_SYSCALL)
			ln->gap.from = place;
	}
	ln->gap.kernel = true;
	ln->gap.exception = (uint8_t)kind;
	ln->open = LANE_EXCEPTION;
}

/* The traced stretch ends. Its last branch has a target if the decoder read it from the opcode. */
static void stretch_end(struct calls *c, struct calls_lane *ln, const struct stream *s,
			const struct cst_generic *g)
{
	bool doubtful = g->flags & CST_GF_DOUBTFUL;
	struct target t = { .addr = g->addr, .isa = ln->last.isa, .el = ln->last.el };

	if (ln->running && ln->open == LANE_TAKEN && g->flags & CST_GF_NEXT && !doubtful) {
		transfer(c, ln, s, &t);
		lane_close_gap(c, ln, s);
		set_expect(c, ln, s, g->addr);
	}
	lane_close_gap(c, ln, s);
	ln->open = LANE_GAP;
	ln->gap.lost |= doubtful || (g->kind == CST_GEN_TRACE_ON && g->num == CST_ON_OVERFLOW);
	if (g->kind == CST_GEN_NO_SYNC)
		ln->gap.lost |= g->error || (g->num != CST_UNSYNC_INIT && g->num != CST_UNSYNC_RESET && g->num != CST_UNSYNC_END);
	ln->gap.soft |= g->kind != CST_GEN_TRACE_ON;
}

/* Execution enters code without an image. */
static void missing(struct calls *c, struct calls_lane *ln, const struct stream *s, uint64_t addr)
{
	struct target t = { .addr = addr, .isa = ln->last.isa, .el = ln->last.el };

	if (ln->open > LANE_TAKEN) {
		/* a handler without an image is as one that is not traced */
		ln->gap.lost |= !ln->gap.kernel && !ln->gap.missing;
		ln->open = LANE_GAP;
		return;
	}
	if (ln->open == LANE_TAKEN)
		transfer(c, ln, s, &t);
	lane_close_gap(c, ln, s);
	ln->gap.missing = true;
	ln->gap.expect = 0;
}

/* Handles an element that has no ranges. */
static void other(struct calls *c, struct calls_lane *ln, const struct stream *s,
		  const struct cst_generic *g)
{
	struct target t = target_of(g);

	switch (g->kind) {
	case CST_GEN_EXCEPTION:
		exception(c, ln, s, g);
		return;
	case CST_GEN_TRACE_ON:
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		stretch_end(c, ln, s, g);
		return;
	case CST_GEN_NACC:
		if (ln->running && calls_thread_of(s) == ln->last.key) {
			missing(c, ln, s, g->addr);
			return;
		}
		segment_suspend(c, ln, s);
		ln->gap.missing = true;
		return;
	case CST_GEN_NOPATH:
		if (!ln->running || calls_thread_of(s) != ln->last.key)
			enter(c, ln, s, &t);
		else if (ln->open != LANE_SEQ)
			arrive(c, ln, s, g);
		ln->insns += g->n_insn;
		ln->batch_insns += g->n_insn;
		if (ln->slices)
			ln->slices->now.insns += g->n_insn;
		lane_close_gap(c, ln, s);
		ln->open = LANE_GAP;
		ln->gap = (struct gap){ .from = CALLS_NO_PLACE, .lost = true };
		return;
	case CST_GEN_CYCLE_COUNT:
		if (ln->slices && g->flags & CST_GF_CC)
			ln->slices->now.cycles += g->cc;
		break;
	case CST_GEN_ADDR_UNKNOWN:
		lane_close_gap(c, ln, s);
		ln->open = LANE_GAP;
		ln->gap.lost = true;
	}
}

/* Ends the segment: a filter excludes what the stream has next. */
static void pass(struct calls *c, struct calls_lane *ln, const struct stream *s)
{
	lane_close_gap(c, ln, s);
	ln->gap.lost |= ln->running && calls_thread_of(s) == ln->last.key;
	segment_suspend(c, ln, s);
	ln->gap.lost = ln->gap.soft = false;
}

static bool has_insns(const struct cst_generic *g, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (g[i].kind == CST_GEN_RANGE || g[i].kind == CST_GEN_NOPATH || g[i].kind == CST_GEN_NACC)
			return true;
	return false;
}

/* Sets the state of the lane at the end of a range. */
static inline void set_last(struct calls_lane *ln, const struct cst_generic *g)
{
	ln->last.end = g->end;
	ln->open = LANE_SEQ;
	ln->last.section = g->section;
	ln->last.last_off = g->sect_off + (uint32_t)(g->end - g->addr) - g->last_size;
	ln->last.size = g->last_size;
	ln->last.isa = g->isa;
	ln->last.el = g->flags & CST_GF_EL ? g->el : 0;
	if (branch_taken(g)) {
		ln->open = LANE_TAKEN;
		ln->last.kind = (uint8_t)branch_kind_of(g);
	}
}

/* True if execution continues at `addr` behind range `g`, without a call, a return, or a branch out of [lo, lo + span). */
static inline bool continues(const struct cst_generic *g, uint64_t addr, uint64_t lo, uint64_t span)
{
	if ((g->flags & (CST_GF_EXEC | CST_GF_WAYPOINT)) == (CST_GF_EXEC | CST_GF_WAYPOINT)) {
		if (g->last_type == CST_INSN_BRANCH)
			return !(g->flags & CST_GF_LINK) && inside(addr, lo, span);
		if (g->last_type == CST_INSN_INDIRECT)
			return false;
	}
	return addr == g->end;
}

/* Returns how many of the ranges [first, last] end with a taken branch. */
static uint64_t taken(const struct cst_generic *first, const struct cst_generic *last)
{
	uint64_t n = 0;

	for (; first <= last; first++)
		n += branch_taken(first);
	return n;
}

/*
 * Adds a range, and those behind it up to the next element, or the next branch that may leave the function. Returns the
 * last one.
 */
static inline const struct cst_generic *ranges(struct calls_lane *ln, const struct cst_generic *g,
					       const struct cst_generic *end)
{
	const uint64_t lo = ln->lo, span = ln->span;
	uint64_t insns = g->n_insn;
	const struct cst_generic *first = g;

	for (g++; g < end && g->kind == CST_GEN_RANGE && continues(g - 1, g->addr, lo, span); g++)
		insns += g->n_insn;
	g--;
	ln->insns += insns;
	ln->batch_insns += insns;
	if (__builtin_expect(!!ln->slices, 0)) {
		ln->slices->now.insns += insns;
		ln->slices->now.branches += taken(first, g);
	}
	set_last(ln, g);
	return g;
}

static uint64_t next_timestamp(const struct stream *s)
{
	if (s->before)
		return s->before;
	return s->aux.aux_time ? s->aux.aux_time : UINT64_MAX;
}

static void batch(struct calls *c, struct calls_lane *ln, const struct stream *s,
		  const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;
	bool begun = false;
	struct target t;

	ln->batch_insns = 0;
	ln->times.before = next_timestamp(s);
	if (s->fragment_start) {
		segment_suspend(c, ln, s);
		lane_begin_fragment(ln);
	}
	if (s->selected.excluded) {
		if (has_insns(g, n))
			pass(c, ln, s);
		return;
	}
	if (ln->running && ln->tree.nr > c->limits.nodes)
		segment_renew(c, ln, s);
	for (; g < end; g++) {
		if (__builtin_expect(g->kind != CST_GEN_RANGE, 0)) {
			other(c, ln, s, g);
			continue;
		}
		if (!begun && (!ln->running || calls_thread_of(s) != ln->last.key)) {
			t = target_of(g);
			enter(c, ln, s, &t);
		} else if (ln->open != LANE_SEQ || g->addr != ln->last.end) {
			arrive(c, ln, s, g);
		}
		if (!begun)
			ln->last.program = lane_program(c, s);
		begun = true;
		g = ranges(ln, g, end);
	}
	if (ln->slices)
		lane_tick(ln, s);
	if (n && end[-1].kind == CST_GEN_TIMESTAMP && s->time_known)
		ln->times.after = s->time_end < ln->times.before ? s->time_end : ln->times.before;
}

void calls_batch(struct calls *c, struct calls_lane *ln, const struct stream *s,
		 const struct cst_generic *g, size_t n)
{
	c->keep.unseen |= s->selected.filter && filter_interrupts(s->selected.filter);
	batch(c, ln, s, g, n);
}

void calls_lane_end(struct calls *c, struct calls_lane *ln)
{
	lane_close_gap(c, ln, NULL);
	if (ln->running)
		segment_end(c, ln, NULL);
	if (c->keep.deferred)
		join_forest(c, &ln->tree);
	lane_slices_free(c->slices, ln->slices);
	cct_free(&ln->tree);
	free(ln->stack.f);
	free(ln->touch.touched);
	free(ln->room.counted);
	free(ln);
}
