/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph_up.c - the frames of a flame graph from the functions that executed the instructions up to
 * their callers.
 *
 * It is made row by row. A frame keeps its share of each stack that ends with its chain of callers:
 * the row below it divides these by the next caller. What a frame that is left out has is in no
 * frame below it, so only stacks of drawn frames are followed, and those that continue in the same
 * stack become one.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "outputs/report/graph.h"

/* Instructions of a frame in a stack, whose callers continue there. */
struct share {
	uint32_t stack;
	uint64_t insns;
};

/* The shares of a frame: from `begin` to before `end`. */
struct extent {
	size_t begin, end;
};

struct up {
	struct graph *g;
	const struct stacks *s;
	struct share *now, *next;	/* of the last row, and of the one below it */
	struct extent *of;		/* by frame */
	size_t cap_of, cap_v, used;	/* used: of `next` */
	struct sum {
		uint64_t insns;
		size_t shares;
		uint32_t frame;		/* its index + 1; 0: left out */
	} *sums;			/* by function, of the callers of one frame */
	uint32_t *callers;		/* functions with a sum */
	size_t nr_callers;
	size_t *place;			/* by stack: index of its share in `next` */
};

static void add_sum(struct up *u, uint32_t function, uint64_t insns)
{
	struct sum *sum = &u->sums[function];

	if (!sum->shares++)
		u->callers[u->nr_callers++] = function;
	sum->insns = model_sum(sum->insns, insns);
}

static int compare_callers(const void *pa, const void *pb, void *data)
{
	const struct sum *sums = data;
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	if (sums[a].insns != sums[b].insns)
		return sums[a].insns > sums[b].insns ? -1 : 1;
	return a < b ? -1 : a > b;
}

/*
 * Adds a frame for each sum that is wide enough, with room for its shares. False: there are too
 * many.
 */
static bool add_frames(struct up *u, uint32_t parent, uint32_t depth)
{
	struct graph *g = u->g;
	size_t i, cap;

	if (u->nr_callers)
		qsort_r(u->callers, u->nr_callers, sizeof(*u->callers), compare_callers, u->sums);
	for (i = 0; i < u->nr_callers; i++) {
		struct sum *sum = &u->sums[u->callers[i]];

		if (sum->insns < g->least)
			break;
		if (!graph_fits(g))
			return false;
		*ARRAY_ADD(g->v, g->n, u->cap_v) = (struct graph_frame){ .parent = parent,
									 .function = u->callers[i],
									 .depth = depth,
									 .insns = sum->insns };
		cap = g->n - 1;
		*ARRAY_ADD(u->of, cap, u->cap_of) = (struct extent){ u->used, u->used };
		u->used += sum->shares;
		sum->frame = (uint32_t)g->n;
		g->deepest = depth;
	}
	return true;
}

static void add_share(struct up *u, uint32_t stack, uint64_t insns)
{
	const uint32_t frame = u->sums[u->s->v[stack].function].frame;
	struct extent *e;
	size_t at;

	if (!frame)
		return;
	e = &u->of[frame - 1];
	at = u->place[stack];
	if (at >= e->begin && at < e->end && u->next[at].stack == stack) {
		u->next[at].insns = model_sum(u->next[at].insns, insns);
		return;
	}
	u->place[stack] = e->end;
	u->next[e->end++] = (struct share){ stack, insns };
}

static void clear_sums(struct up *u)
{
	while (u->nr_callers)
		u->sums[u->callers[--u->nr_callers]] = (struct sum){ .insns = 0 };
}

/* The first row: functions by what they executed themselves. */
static bool first_row(struct up *u, const uint64_t *own)
{
	bool fits;
	size_t i;

	for (i = 0; i < u->s->n; i++)
		if (own[i])
			add_sum(u, u->s->v[i].function, own[i]);
	fits = add_frames(u, 0, 0);
	for (i = 0; fits && i < u->s->n; i++)
		if (own[i])
			add_share(u, (uint32_t)i, own[i]);
	clear_sums(u);
	return fits;
}

/* The callers of a frame. */
static bool callers_of(struct up *u, size_t frame)
{
	const struct extent e = u->of[frame];
	bool fits;
	uint32_t parent;
	size_t i;

	for (i = e.begin; i < e.end; i++) {
		parent = u->s->v[u->now[i].stack].parent;
		if (parent != MODEL_NO_NODE)
			add_sum(u, u->s->v[parent].function, u->now[i].insns);
	}
	fits = add_frames(u, (uint32_t)frame + 1, u->g->v[frame].depth + 1);
	for (i = e.begin; fits && i < e.end; i++) {
		parent = u->s->v[u->now[i].stack].parent;
		if (parent != MODEL_NO_NODE)
			add_share(u, parent, u->now[i].insns);
	}
	clear_sums(u);
	return fits;
}

/* Draws all rows. False: there are too many frames. */
static bool draw(struct up *u, const uint64_t *own)
{
	struct graph *g = u->g;
	struct share *row;
	size_t begin = 0, end;

	g->n = g->deepest = u->used = 0;
	if (!first_row(u, own))
		return false;
	for (; begin < g->n; begin = end) {
		row = u->now;
		u->now = u->next;
		u->next = row;
		u->used = 0;
		end = g->n;
		if (g->v[begin].depth + 1 >= g->limit)
			break;
		for (; begin < end; begin++)
			if (!callers_of(u, begin))
				return false;
	}
	return true;
}

void graph_up(struct graph *g, const struct stacks *s, const struct whole *w,
	      const struct functions *fs)
{
	struct up u = { .g = g, .s = s };
	uint64_t *own = mem_zeroed(s->n + 1, sizeof(*own));
	size_t i;

	*g = (struct graph){ .v = NULL };
	for (i = 0; i < s->n; i++) {
		own[i] = whole_has(w, fs->v[s->v[i].function].binary) ? s->v[i].insns : 0;
		g->total = model_sum(g->total, own[i]);
	}
	u.now = mem_array(s->n + 1, sizeof(*u.now));
	u.next = mem_array(s->n + 1, sizeof(*u.next));
	u.place = mem_zeroed(s->n + 1, sizeof(*u.place));
	u.sums = mem_zeroed(fs->nr + 1, sizeof(*u.sums));
	u.callers = mem_array(fs->nr + 1, sizeof(*u.callers));
	graph_limits(g);
	while (!draw(&u, own) && graph_narrow(g))
		;
	graph_place(g);
	free(own);
	free(u.now);
	free(u.next);
	free(u.place);
	free(u.sums);
	free(u.callers);
	free(u.of);
}
