/* SPDX-License-Identifier: GPL-2.0-only */
/* graph.c - what a flame graph leaves out, and its frames from the callers down. */
#include "outputs/report/graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

/* A frame with less than this part of all instructions is left out, ... */
#define NARROW		2000u
#define MAX_DEPTH	1000u	/* ... and those that are deeper; and more of both, ... */
#define MAX_FRAMES	8000u	/* ... if there are more than these */
/* Frames with this part of all instructions are left out by their depth only. */
#define WIDE		64u

void graph_limits(struct graph *g)
{
	g->least = g->total / NARROW ? g->total / NARROW : 1;
	g->limit = MAX_DEPTH;
}

bool graph_fits(const struct graph *g)
{
	return g->n < MAX_FRAMES;
}

bool graph_narrow(struct graph *g)
{
	if (g->limit < 2)
		return false;
	if (g->least < g->total / WIDE)
		g->least *= 2;
	else
		g->limit /= 2;
	return true;
}

void graph_free(struct graph *g)
{
	free(g->v);
	*g = (struct graph){ .v = NULL };
}

/* ---- from the callers down ---------------------------------------------------------------- */

/* A stack that is drawn. */
struct drawn {
	uint32_t stack, parent;	/* index; that of the parent + 1, 0: none */
	uint64_t insns;
};

struct down {
	const struct stacks *s;
	uint64_t *insns;	/* by stack, with those of all below it */
	uint32_t *depth;	/* by stack */
};

/* Adds up the instructions of each stack and those below it. Returns those of all. */
static uint64_t add_up(struct down *d, const struct whole *w, const struct functions *fs)
{
	const struct stacks *s = d->s;
	uint64_t total = 0;
	uint32_t parent;
	size_t i;

	for (i = 0; i < s->n; i++) {
		parent = s->v[i].parent;
		d->insns[i] = whole_has(w, fs->v[s->v[i].function].binary) ? s->v[i].insns : 0;
		d->depth[i] = parent == MODEL_NO_NODE ? 0 : d->depth[parent] + 1;
	}
	for (i = s->n; i-- > 0;) {
		parent = s->v[i].parent;
		if (parent != MODEL_NO_NODE)
			d->insns[parent] = model_sum(d->insns[parent], d->insns[i]);
		else
			total = model_sum(total, d->insns[i]);
	}
	return total;
}

static bool is_drawn(const struct graph *g, const struct down *d, size_t stack)
{
	return d->insns[stack] >= g->least && d->depth[stack] < g->limit;
}

static bool all_fit(struct graph *g, const struct down *d)
{
	size_t i;

	g->n = 0;
	for (i = 0; i < d->s->n; i++) {
		if (!is_drawn(g, d, i))
			continue;
		if (!graph_fits(g))
			return false;
		g->n++;
	}
	return true;
}

static int compare_drawn(const void *pa, const void *pb)
{
	const struct drawn *a = pa, *b = pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static void add_frames(struct graph *g, const struct down *d)
{
	struct drawn *v = mem_array(g->n + 1, sizeof(*v));
	/* by stack: index of its frame + 1 */
	uint32_t *frame = mem_zeroed(d->s->n + 1, sizeof(*frame));
	size_t i, n = 0;

	for (i = 0; i < d->s->n && n < g->n; i++)
		if (is_drawn(g, d, i))
			v[n++] = (struct drawn){ (uint32_t)i, d->s->v[i].parent + 1, d->insns[i] };
	ARRAY_SORT(v, n, compare_drawn);
	g->n = n;
	g->v = mem_array(n + 1, sizeof(*g->v));
	for (i = 0; i < n; i++) {
		const struct stack_node *s = &d->s->v[v[i].stack];

		frame[v[i].stack] = (uint32_t)i + 1;
		g->v[i] = (struct graph_frame){
			.parent = v[i].parent ? frame[v[i].parent - 1] : 0,
			.function = s->function,
			.depth = d->depth[v[i].stack],
			.insns = v[i].insns,
			.own = s->insns,
			.calls = s->calls,
		};
		g->deepest = g->v[i].depth > g->deepest ? g->v[i].depth : g->deepest;
	}
	free(frame);
	free(v);
}

void graph_down(struct graph *g, const struct stacks *s, const struct whole *w,
		const struct functions *fs)
{
	struct down d = { .s = s,
			  .insns = mem_zeroed(s->n + 1, sizeof(*d.insns)),
			  .depth = mem_zeroed(s->n + 1, sizeof(*d.depth)) };

	*g = (struct graph){ .total = add_up(&d, w, fs) };
	graph_limits(g);
	while (!all_fit(g, &d) && graph_narrow(g))
		;
	add_frames(g, &d);
	free(d.insns);
	free(d.depth);
}
