/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack.c - the stack of a thread: what a return, an exception return, a landing in the middle of a function and the end
 * of a gap mean for it.
 *
 * | what happens                                             | stack                                              |
 * |----------------------------------------------------------|----------------------------------------------------|
 * | return to the return address of a frame                  | unwound to its caller; frames above are abandoned  |
 * | return of a signal handler                               | as before, until execution resumes                 |
 * | return to elsewhere, from the outermost frame            | the caller becomes the new root                    |
 * | branch to where a setjmp() of a frame returned to        | unwound to that frame                              |
 * | branch to the landing pad of a frame's open call         | unwound to that frame                              |
 * | indirect branch into the middle of the function of a frame | unwound to the innermost one                     |
 * | execution resumes where it was interrupted               | as before                                          |
 * | ... where a signal handler interrupted it                | unwound to the interrupted frame                   |
 * | ... elsewhere                                            | a SIGNAL frame                                     |
 * | ... at the entry point of a program                      | a new ROOT                                         |
 * | trace was lost, or execution is elsewhere without reason | unknown: a new ROOT                                |
 *
 * The trace has no stack pointer. Where a function called setjmp() at one place in several open frames, longjmp() is taken to
 * lead to the innermost of them. Threads of a program itself (swapcontext) are seen as returns to elsewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "counting/calls/internal.h"

static inline struct frame *top_of(struct thread_calls *t)
{
	return &t->f[t->nr - 1];
}

static bool inside(uint64_t addr, const struct frame *f)
{
	return addr - f->lo < f->span;
}

static bool at_entry(const struct segment *seg)
{
	return seg->begin.place == seg->begin.entry;
}

/* The begin of a segment, which the thread has reached. */
static struct calls_moment begin_of(const struct thread_calls *t, const struct segment *seg)
{
	return slices_later(&t->now, &(struct calls_moment){ .time = seg->sliced.start });
}

/* Removes the frames from `nr` on. `flags`: enum calls_slice_flags. */
static void remove_frames(struct calls *c, struct thread_calls *t, size_t nr,
			  const struct calls_moment *end, uint8_t flags)
{
	if (c->slices)
		while (t->nr > nr)
			slices_thread_pop(c, t, --t->nr, end, flags);
	t->nr = nr;
}

/* Notes when the top frame was entered: at the begin of the segment. */
static void entered(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	const struct calls_moment begin = begin_of(t, seg);

	if (c->slices)
		slices_thread_push(t, t->nr - 1, &begin);
}

/* Notes the thread in the roots of its tree. */
static void name_roots(struct thread_calls *t)
{
	uint32_t i;

	for (i = 0; i < t->tree.nr; i++)
		if (t->tree.v[i].parent == NO_NODE)
			cct_hang(&t->tree, i, NO_NODE, CST_COUNT_ROOT, t->key);
}

void thread_end(struct calls *c, struct thread_calls *t, uint8_t flags)
{
	remove_frames(c, t, 0, &t->now, flags);
	t->climbs = 0;
	t->trees++;
	if (!t->tree.nr)
		return;
	if (c->by_thread)
		name_roots(t);
	if (!c->done.nr && !t->climbed) {
		cct_free(&c->done);
		c->done = t->tree;
		memset(&t->tree, 0, sizeof(t->tree));
		return;
	}
	t->climbed = false;
	cct_merge(&c->done, &t->tree, c->depth);
	cct_clear(&t->tree);
}

void thread_free(struct thread_calls *t)
{
	cct_free(&t->tree);
	free(t->f);
	free(t->begin);
}

/*
 * Finds or makes a node of the thread's tree; below the limit of depth a CUT node. A tail that is in the chain of tails
 * already continues it (lane.c).
 */
static uint32_t node_of(struct calls *c, struct thread_calls *t, uint32_t parent, uint8_t kind, calls_place from,
			calls_place entry)
{
	const struct cct_node *v = t->tree.v;
	unsigned int n = 0;
	uint32_t p;
	bool fresh;

	if (parent != NO_NODE && v[parent].kind == CST_COUNT_CUT)
		return parent;
	if (kind == CST_COUNT_TAIL) {
		for (p = parent; v[p].kind == CST_COUNT_TAIL && n < MAX_TAILS; p = v[p].parent, n++)
			if (v[p].from == from && v[p].entry == entry)
				return p;
		if (n == MAX_TAILS)
			parent = v[parent].parent;
	}
	if (parent != NO_NODE && t->tree.v[parent].depth + 1u >= c->depth)
		return cct_child(&t->tree, parent, CST_COUNT_CUT, CALLS_NO_PLACE, CALLS_NO_PLACE, &fresh);
	return cct_child(&t->tree, parent, kind, from, entry, &fresh);
}

static void push(struct calls *c, struct thread_calls *t, uint8_t kind, calls_place from,
		 uint64_t ret,
		const struct segment *seg)
{
	uint32_t parent = t->nr ? top_of(t)->node : NO_NODE, n;

	n = node_of(c, t, parent, kind, from,
		    parent == NO_NODE ? seg->begin.entry : seg->begin.place);
	array_reserve(&t->f, t->nr, &t->cap, sizeof(*t->f));
	t->tree.v[n].calls++;
	t->f[t->nr++] = (struct frame){
		.ret = ret, .lo = seg->begin.lo, .span = seg->begin.span, .node = n, .kind = kind
	};
	entered(c, t, seg);
}

/* The stack is unknown: begins a new tree. `flags`: of the calls that are open. */
static void new_root(struct calls *c, struct thread_calls *t, const struct segment *seg,
		     uint8_t flags)
{
	thread_end(c, t, flags);
	c->totals.roots++;
	t->estimated = false;
	push(c, t, CST_COUNT_ROOT, CALLS_NO_PLACE, 0, seg);
}

static void lose(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	c->totals.lost++;
	new_root(c, t, seg, CALLS_END_LOST);
}

/* Unwinds to frame `i`, which is on top then. */
static void unwind(struct calls *c, struct thread_calls *t, const struct segment *seg, size_t i)
{
	const struct calls_moment end = begin_of(t, seg);

	remove_frames(c, t, i + 1, &end, 0);
}

/* Returns the landing pad of the call at `site`. Deep recursion asks for the same few in each frame. */
static calls_place landing_pad(struct calls *c, calls_place site)
{
	struct pad_slot *slot = &c->pads[(site * 0x9e3779b97f4a7c15u) >> 54];

	_Static_assert(PADS == 1 << (64 - 54), "bits of an index");
	if (!c->code.landing_pad)
		return CALLS_NO_PLACE;
	if (slot->site != site || !site)
		*slot = (struct pad_slot){ site, c->code.landing_pad(c->code.data, site) };
	return slot->pad;
}

/* Finds the frame below the top in which execution may continue at the segment's begin. False: there is none. */
static bool find_landing(struct calls *c, struct thread_calls *t, const struct segment *seg, size_t *found)
{
	size_t i;

	for (i = t->nr; i-- > 0;) {
		if (t->f[i].jump == seg->begin.addr && seg->begin.addr) {
			*found = i;
			return true;
		}
		if (i + 1 == t->nr || t->f[i + 1].kind != CST_COUNT_CALL ||
		    seg->begin.place == CALLS_NO_PLACE)
			continue;
		if (landing_pad(c, t->tree.v[t->f[i + 1].node].from) == seg->begin.place) {
			*found = i;
			return true;
		}
	}
	for (i = t->nr; i-- > 0;) {
		if (i + 1 == t->nr || !inside(seg->begin.addr, &t->f[i]))
			continue;
		*found = i;
		return true;
	}
	return false;
}

static void land(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	size_t i;

	if (!at_entry(seg) && find_landing(c, t, seg, &i))
		unwind(c, t, seg, i);
}

/* Makes the function that was returned to the root, above the present one. */
static void climb(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	const struct calls_moment begin = c->slices ? t->begin[0] : (struct calls_moment){ 0 }, end = begin_of(t, seg);
	uint32_t old = t->f[0].node, root;
	calls_place site = seg->begin.place == CALLS_NO_PLACE ?
				   seg->begin.place :
				   seg->begin.place - seg->begin.call_size;
	bool fresh;

	root = cct_child(&t->tree, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, seg->begin.entry,
			 &fresh);
	if (!fresh) {
		/* the caller is the function itself: a second root of this name would be found as the first one */
		cct_hang(&t->tree, old, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE - 1);
		root = cct_child(&t->tree, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE,
				 seg->begin.entry, &fresh);
	}
	cct_hang(&t->tree, old, root, CST_COUNT_CALL, site);
	remove_frames(c, t, 0, &end, 0);
	t->climbed = true;
	t->tree.v[root].calls = 1;
	t->f[0] = (struct frame){
		.node = root, .kind = CST_COUNT_ROOT, .lo = seg->begin.lo, .span = seg->begin.span
	};
	t->nr = 1;
	if (c->slices)
		slices_climb(t, &begin);
}

size_t stack_head(const struct thread_calls *t, size_t i)
{
	while (i && t->f[i].kind == CST_COUNT_TAIL)
		i--;
	return i;
}

static void back(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	size_t i;

	for (i = t->nr; i-- > 1;)
		if (t->f[i].ret == seg->begin.addr && t->f[i].kind != CST_COUNT_SIGNAL &&
		    t->f[i].kind != CST_COUNT_TAIL) {
			unwind(c, t, seg, i - 1);
			return;
		}
	i = stack_head(t, t->nr - 1);
	/* the code that ends a handler is not behind a call */
	if (t->f[i].kind == CST_COUNT_SIGNAL && !seg->begin.call_size) {
		t->f[i].returned = true;
		unwind(c, t, seg, i);
		return;
	}
	if (!i && seg->begin.call_size) {
		climb(c, t, seg);
		return;
	}
	if (find_landing(c, t, seg, &i)) {
		unwind(c, t, seg, i);
		return;
	}
	lose(c, t, seg);
}

/* The kernel continues the thread at the segment's begin, not where it was interrupted. */
static void resume(struct calls *c, struct thread_calls *t, const struct segment *seg,
		   const struct gap *e, bool soft)
{
	calls_place from = e->from;
	uint64_t expect = e->expect;
	size_t i;

	for (i = t->nr; i-- > 1;)
		if ((t->f[i].kind == CST_COUNT_SIGNAL || t->f[i].kind == CST_COUNT_EXCEPTION) &&
		    t->f[i].ret == seg->begin.addr) {
			unwind(c, t, seg, i - 1);
			return;
		}
	/* the handler is traced, and its begin is not */
	if (seg->begin.el > e->el) {
		push(c, t, CST_COUNT_EXCEPTION, from, expect, seg);
		top_of(t)->exception = e->exception;
		return;
	}
	if (e->el) {
		lose(c, t, seg);
		return;
	}
	/* a restartable sequence is aborted */
	if (inside(seg->begin.addr, top_of(t)) && !at_entry(seg))
		return;
	if ((seg->begin.program && e->program && seg->begin.program != e->program) ||
	    (soft && !at_entry(seg))) {
		lose(c, t, seg);
		return;
	}
	i = stack_head(t, t->nr - 1);
	if (i && t->f[i].kind == CST_COUNT_SIGNAL && t->f[i].returned) {
		/* a handler returned to the begin of the next one, of a signal that was pending */
		from = t->tree.v[t->f[i].node].from;
		expect = t->f[i].ret;
		unwind(c, t, seg, i - 1);
		if (inside(seg->begin.addr, top_of(t)) && !at_entry(seg))
			return;
	}
	/* the handler has changed where execution continues */
	if (!at_entry(seg) && find_landing(c, t, seg, &i)) {
		unwind(c, t, seg, i);
		return;
	}
	push(c, t, CST_COUNT_SIGNAL, from, expect, seg);
}

static void exception_return(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	struct gap e = { .expect = 0 };
	size_t i;

	for (i = t->nr; i-- > 1;)
		if (t->f[i].kind == CST_COUNT_EXCEPTION &&
		    (t->f[i].ret == seg->begin.addr || !t->f[i].ret)) {
			unwind(c, t, seg, i - 1);
			return;
		}
	for (i = t->nr; i-- > 1;) {
		if (t->f[i].kind != CST_COUNT_EXCEPTION)
			continue;
		e.expect = t->f[i].ret;
		e.from = t->tree.v[t->f[i].node].from;
		e.el = seg->begin.el;
		unwind(c, t, seg, i - 1);
		resume(c, t, seg, &e, false);
		return;
	}
	lose(c, t, seg);
}

static void join(struct calls *c, struct thread_calls *t, const struct segment *seg, bool unordered)
{
	const struct gap e = t->end;
	size_t i;

	if (unordered) {
		c->totals.unordered++;
		new_root(c, t, seg, CALLS_END_LOST);
		return;
	}
	if (seg->begin.begins_program) {
		new_root(c, t, seg, 0);
		return;
	}
	if (e.lost || seg->gap.lost || (seg->gap.missing && !e.kernel && !e.missing)) {
		lose(c, t, seg);
		return;
	}
	if (e.expect && e.expect == seg->begin.addr)
		return;
	/* the thread ran between the selected stretches: this need not be the begin of a signal handler */
	if (c->keep.unseen) {
		lose(c, t, seg);
		return;
	}
	i = stack_head(t, t->nr - 1);
	if (e.missing && i && t->f[i].kind == CST_COUNT_CALL && t->f[i].ret == seg->begin.addr) {
		unwind(c, t, seg, i - 1);
		return;
	}
	/* the code that ends a signal handler, in the vDSO, has no image */
	if (e.kernel || (e.missing && t->f[i].returned)) {
		resume(c, t, seg, &e, e.soft || seg->gap.soft);
		return;
	}
	lose(c, t, seg);
}

static void position(struct calls *c, struct thread_calls *t, const struct segment *seg,
		     bool unordered)
{
	if (!t->nr) {
		new_root(c, t, seg, 0);
		return;
	}
	switch (seg->begin.cause) {
	case CAUSE_RETURN:
		back(c, t, seg);
		return;
	case CAUSE_ERET:
		exception_return(c, t, seg);
		return;
	case CAUSE_PART:
		if (t->nr > 1)
			unwind(c, t, seg, t->nr - 2);
		return;
	case CAUSE_LAND:
		land(c, t, seg);
		return;
	case CAUSE_CONTINUE:
		return;
	}
	join(c, t, seg, unordered);
}

/* Notes where setjmp() returns that the base of a segment, which is the top frame, called. */
static void note_jumps(struct thread_calls *t, const struct segment *seg)
{
	size_t i = stack_head(t, t->nr - 1);

	if (seg->begin.base_jump)
		top_of(t)->jump = seg->begin.base_jump;
	if (seg->begin.base_calls_setjmp && i && t->f[i].kind == CST_COUNT_CALL)
		t->f[i - 1].jump = t->f[i].ret;
}

/* Adds the counts of a segment below the top frame. c->map has the node of each. */
static void add_counts(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	const struct counted *k = seg->made.counted;
	const struct cct_node *p;
	uint32_t i, n, base = top_of(t)->node;

	cct_reserve(&t->tree,
		    seg->made.nr_counted > t->tree.nr ? seg->made.nr_counted - t->tree.nr : 0);
	while (c->apply.cap_map < seg->made.nr_counted)
		array_reserve(&c->apply.map, c->apply.cap_map, &c->apply.cap_map,
			      sizeof(*c->apply.map));
	for (i = 0; i < seg->made.nr_counted; i++, k++) {
		p = &seg->made.tree->v[k->node];
		n = k->parent == NO_NODE ?
			    base :
			    node_of(c, t, c->apply.map[k->parent], p->kind, p->from, p->entry);
		c->apply.map[i] = n;
		t->tree.v[n].calls += k->calls;
		t->tree.v[n].insns += k->insns;
	}
}

/* Returns the number of frames up to that of a tail that continues the chain of tails; 0: it is not in the chain. */
static size_t continues(const struct thread_calls *t, uint32_t node)
{
	size_t i;

	for (i = t->nr; i-- > 0 && t->f[i].kind == CST_COUNT_TAIL;)
		if (t->f[i].node == node)
			return i + 1;
	return 0;
}

/* Adds a frame that is open at the end of a segment. */
static void add_frame(struct calls *c, struct thread_calls *t, const struct segment *seg,
		      uint32_t i)
{
	const struct frame *f = &seg->made.frames[i];
	const struct calls_moment begin =
		c->slices ? slices_later(&t->now, &seg->sliced.frame_begins[i]) :
			    (struct calls_moment){ 0 };
	size_t chain = f->kind == CST_COUNT_TAIL ? continues(t, c->apply.map[f->node]) : 0;

	if (chain) {
		remove_frames(c, t, chain, &begin, 0);
		return;
	}
	array_reserve(&t->f, t->nr, &t->cap, sizeof(*t->f));
	if (c->slices)
		slices_thread_push(t, t->nr, &begin);
	t->f[t->nr] = *f;
	t->f[t->nr].node = c->apply.map[f->node];
	/* tails of the base return where it does */
	if (f->kind == CST_COUNT_TAIL)
		t->f[t->nr].ret = t->f[t->nr - 1].ret;
	t->nr++;
}

/* Adds the frames that are open at the end of a segment, and the calls in time between them. */
static void add_frames(struct calls *c, struct thread_calls *t, const struct segment *seg)
{
	uint32_t i, taken = 0;

	for (i = 0; i < seg->made.nr_frames; i++) {
		if (c->slices)
			slices_take(c, t, seg, c->apply.map, i, &taken);
		add_frame(c, t, seg, i);
	}
	if (!c->slices)
		return;
	slices_take(c, t, seg, c->apply.map, i, &taken);
}

/* Reduces the depth of all trees to that up to which the tree of the thread is within the limit of nodes. */
static void shrink(struct calls *c, struct thread_calls *t)
{
	uint32_t depth = calls_depth_for(&t->tree, c->depth, c->limits.nodes);
	struct cct all = t->tree;
	size_t i;

	c->depth = depth;
	memset(&t->tree, 0, sizeof(t->tree));
	cct_merge(&t->tree, &all, depth);
	for (i = 0; i < t->nr; i++)
		t->f[i].node = all.v[t->f[i].node].mark;
	cct_free(&all);
}

void segment_apply(struct calls *c, struct thread_calls *t, const struct segment *seg,
		   bool unordered)
{
	position(c, t, seg, unordered);
	note_jumps(t, seg);
	add_counts(c, t, seg);
	add_frames(c, t, seg);
	if (c->slices)
		slices_finish_segment(t, seg);
	t->end = seg->end;
	if (t->tree.nr > c->limits.nodes)
		shrink(c, t);
	/* a stack without an end */
	if (t->nr > MAX_FRAMES) {
		c->totals.lost++;
		remove_frames(c, t, 0, &t->now, CALLS_END_LOST);
	}
}
