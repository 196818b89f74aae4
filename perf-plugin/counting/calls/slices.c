/* SPDX-License-Identifier: GPL-2.0-only */
/* slices.c - records calls in time, and leaves out the shortest ones where there are too many. */
#include "counting/calls/slices.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/longest.h"
#include "counting/calls/internal.h"

void calls_record_slices(struct calls *c, const struct calls_slice_opts *o)
{
	c->slices = mem_zeroed(1, sizeof(*c->slices));
	c->slices->o = *o;
	c->slices->min = o->min;
}

void slices_free(struct slices *sl)
{
	if (!sl)
		return;
	free(sl->v);
	free(sl);
}

struct lane_slices *lane_slices_new(struct slices *sl)
{
	struct lane_slices *l = mem_zeroed(1, sizeof(*l));

	l->timed = !sl->o.by_insns;
	l->next = sl->lanes;
	sl->lanes = l;
	return l;
}

void lane_slices_free(struct slices *sl, struct lane_slices *l)
{
	struct lane_slices **p;

	if (!l)
		return;
	for (p = &sl->lanes; *p != l; p = &(*p)->next)
		;
	*p = l->next;
	sl->nr_parts -= l->nr;
	free(l->v);
	free(l->begin);
	free(l);
}

/* ---- leaving out --------------------------------------------------------------------------------- */

static uint64_t length(const struct slices *sl, const struct calls_moment *begin, const struct calls_moment *end)
{
	return sl->o.by_insns ? end->insns - begin->insns : end->time - begin->time;
}

/* Calls `each` for the parts of every open segment, and of those that are kept. */
static void each_parts(struct calls *c, void (*each)(struct slices *sl, struct part_slice *v, size_t *nr, void *data), void *data)
{
	struct lane_slices *l;
	size_t i, n;

	for (l = c->slices->lanes; l; l = l->next)
		each(c->slices, l->v, &l->nr, data);
	for (i = 0; i < c->keep.nr_kept; i++) {
		n = c->keep.kept[i].sliced.nr_slices;
		each(c->slices, c->keep.kept[i].sliced.slices, &n, data);
		c->keep.kept[i].sliced.nr_slices = (uint32_t)n;
	}
}

struct lengths {
	uint64_t *v;
	size_t nr;
};

static void add_lengths(struct slices *sl, struct part_slice *v, size_t *nr, void *data)
{
	struct lengths *all = data;
	size_t i;

	for (i = 0; i < *nr; i++)
		all->v[all->nr++] = length(sl, &v[i].begin, &v[i].end);
}

static void drop_short(struct slices *sl, struct part_slice *v, size_t *nr, void *data)
{
	size_t i, n = 0;

	(void)data;
	for (i = 0; i < *nr; i++)
		if (length(sl, &v[i].begin, &v[i].end) >= sl->min)
			v[n++] = v[i];
	sl->left_out += *nr - n;
	sl->nr_parts -= *nr - n;
	*nr = n;
}

/* Raises the minimum to the length of which `max` slices are, or are longer, and leaves out the others. */
static void leave_out(struct calls *c)
{
	struct slices *sl = c->slices;
	struct lengths all = { .v = mem_array(sl->nr + sl->nr_parts, sizeof(*all.v)) };
	size_t i, n;

	for (i = 0; i < sl->nr; i++)
		all.v[all.nr++] = length(sl, &sl->v[i].begin, &sl->v[i].end);
	each_parts(c, add_lengths, &all);
	sl->min = longest_limit(all.v, all.nr, sl->o.max);
	free(all.v);
	for (i = n = 0; i < sl->nr; i++)
		if (length(sl, &sl->v[i].begin, &sl->v[i].end) >= sl->min)
			sl->v[n++] = sl->v[i];
	sl->left_out += sl->nr - n;
	sl->nr = n;
	each_parts(c, drop_short, NULL);
}

static void limit(struct calls *c)
{
	const struct slices *sl = c->slices;

	if (sl->o.max && sl->nr + sl->nr_parts > 2 * sl->o.max)
		leave_out(c);
}

static bool is_wanted(const struct slices *sl, uint8_t kind, calls_place entry)
{
	return !sl->o.wanted || sl->o.wanted(sl->o.data, kind, entry);
}

/* ---- the frames of a lane ------------------------------------------------------------------------ */

void slices_push(struct lane_slices *l, size_t i, const struct calls_moment *now)
{
	array_reserve(&l->begin, i, &l->cap_begin, sizeof(*l->begin));
	l->begin[i] = *now;
}

void slices_pop(struct calls *c, struct lane_slices *l, size_t i, const struct frame *f,
		calls_place entry, const struct calls_moment *now)
{
	struct slices *sl = c->slices;

	if (!is_wanted(sl, f->kind, entry))
		return;
	if (length(sl, &l->begin[i], now) < sl->min || (sl->o.depth && i >= (uint32_t)sl->o.depth)) {
		sl->left_out++;
		return;
	}
	*ARRAY_ADD(l->v, l->nr, l->cap) = (struct part_slice){ .begin = l->begin[i],
							       .end = *now,
							       .node = f->node,
							       .depth = (uint32_t)i,
							       .exception = f->exception };
	sl->nr_parts++;
	limit(c);
}

/* ---- the frames of a thread ---------------------------------------------------------------------- */

struct calls_moment slices_later(const struct calls_moment *base, const struct calls_moment *m)
{
	return (struct calls_moment){ m->time > base->time ? m->time : base->time,
				      base->insns + m->insns, base->branches + m->branches,
				      base->cycles + m->cycles };
}

static void put(struct calls *c, const struct calls_slice *s)
{
	struct slices *sl = c->slices;

	if (length(sl, &s->begin, &s->end) < sl->min || (sl->o.depth && s->depth >= sl->o.depth)) {
		sl->left_out++;
		return;
	}
	if (sl->o.each) {
		sl->o.each(sl->o.data, s);
		return;
	}
	*ARRAY_ADD(sl->v, sl->nr, sl->cap) = *s;
	limit(c);
}

void slices_thread_push(struct thread_calls *t, size_t i, const struct calls_moment *begin)
{
	array_reserve(&t->begin, i, &t->cap_begin, sizeof(*t->begin));
	t->begin[i] = *begin;
}

void slices_climb(struct thread_calls *t, const struct calls_moment *begin)
{
	t->climbs++;
	t->begin[0] = *begin;
}

void slices_thread_pop(struct calls *c, struct thread_calls *t, size_t i,
		       const struct calls_moment *end, uint8_t flags)
{
	const struct frame *f = &t->f[i];
	const struct cct_node *p = &t->tree.v[f->node];
	const struct calls_slice s = {
		.begin = t->begin[i],
		.end = *end,
		.thread = t->key,
		.tree = t->trees,
		.from = p->from,
		.entry = p->entry,
		.depth = (int32_t)i - t->climbs,
		.kind = p->kind,
		.flags = flags | (f->kind == CST_COUNT_ROOT ? CALLS_BEGAN_BEFORE : 0),
		.exception = f->exception,
	};

	if (is_wanted(c->slices, p->kind, p->entry))
		put(c, &s);
}

void slices_take(struct calls *c, struct thread_calls *t, const struct segment *seg,
		 const uint32_t *map, uint32_t frames,
		uint32_t *taken)
{
	const uint64_t end =
		frames < seg->made.nr_frames ? seg->sliced.frame_begins[frames].insns : UINT64_MAX;
	/* less than that of the segment's base if a frame of the segment continues one of the thread */
	const int32_t base = (int32_t)t->nr - 1 - (int32_t)frames - t->climbs;
	const struct cct_node *node;
	const struct part_slice *p;

	for (; *taken < seg->sliced.nr_slices && seg->sliced.slices[*taken].end.insns <= end;
	     ++*taken) {
		p = &seg->sliced.slices[*taken];
		node = &t->tree.v[map[p->node]];
		put(c, &(struct calls_slice){ .begin = slices_later(&t->now, &p->begin),
					      .end = slices_later(&t->now, &p->end),
					      .thread = t->key,
					      .tree = t->trees,
					      .from = node->from,
					      .entry = node->entry,
					      .depth = base + (int32_t)p->depth,
					      .kind = node->kind,
					      .exception = p->exception });
	}
}

void slices_finish_segment(struct thread_calls *t, const struct segment *seg)
{
	t->now = slices_later(&t->now, &seg->sliced.finish);
}

/* ---- the result ---------------------------------------------------------------------------------- */

static int by_thread_and_begin(const void *pa, const void *pb)
{
	const struct calls_slice *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->tree != b->tree)
		return a->tree < b->tree ? -1 : 1;
	if (a->begin.insns != b->begin.insns)
		return a->begin.insns < b->begin.insns ? -1 : 1;
	if (a->end.insns != b->end.insns)
		return a->end.insns > b->end.insns ? -1 : 1;
	return (a->depth > b->depth) - (a->depth < b->depth);
}

const struct calls_slice *calls_slices(struct calls *c, size_t *nr, uint64_t *left_out)
{
	struct slices *sl = c->slices;

	ARRAY_SORT(sl->v, sl->nr, by_thread_and_begin);
	*nr = sl->nr;
	*left_out = sl->left_out;
	return sl->v;
}

void calls_limit_slices(struct calls *c, size_t max)
{
	struct slices *sl = c->slices;
	uint64_t *v, least, len;
	size_t i, n, equal = max;

	if (max >= sl->nr)
		return;
	v = mem_array(sl->nr, sizeof(*v));
	for (i = 0; i < sl->nr; i++)
		v[i] = length(sl, &sl->v[i].begin, &sl->v[i].end);
	least = longest_nth(v, sl->nr, max);
	/* callers are before what they called: of the same length, those are kept */
	for (i = 0; i < sl->nr; i++)
		equal -= v[i] > least;
	free(v);
	for (i = n = 0; i < sl->nr; i++) {
		len = length(sl, &sl->v[i].begin, &sl->v[i].end);
		if (len < least || (len == least && !equal))
			continue;
		equal -= len == least;
		sl->v[n++] = sl->v[i];
	}
	sl->left_out += sl->nr - n;
	sl->nr = n;
}
