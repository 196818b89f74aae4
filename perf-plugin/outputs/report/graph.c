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

void graph_place(struct graph *g)
{
	/* by frame, from 1: where the next one below it begins; 0: the row on top */
	uint64_t *next = mem_zeroed(g->n + 1, sizeof(*next));
	size_t i;

	for (i = 0; i < g->n; i++) {
		struct graph_frame *f = &g->v[i];

		f->begin = next[i + 1] = next[f->parent];
		next[f->parent] += f->insns;
	}
	free(next);
}

/* ---- from the callers down ---------------------------------------------------------------- */

/* A stack that is drawn. */
struct drawn {
	uint32_t stack, parent;	/* index; that of the parent + 1, 0: none */
	uint64_t insns;
};

uint64_t graph_sum(struct graph_stack *v, size_t n)
{
	uint64_t total = 0;
	uint32_t parent;
	size_t i;

	for (i = 0; i < n; i++)
		v[i].depth = v[i].parent == MODEL_NO_NODE ? 0 : v[v[i].parent].depth + 1;
	for (i = n; i-- > 0;) {
		parent = v[i].parent;
		if (parent != MODEL_NO_NODE)
			v[parent].insns = model_sum(v[parent].insns, v[i].insns);
		else
			total = model_sum(total, v[i].insns);
	}
	return total;
}

static bool is_drawn(const struct graph *g, const struct graph_stack *s)
{
	return s->insns >= g->least && s->depth < g->limit;
}

static bool all_fit(struct graph *g, const struct graph_stack *v, size_t n)
{
	size_t i;

	g->n = 0;
	for (i = 0; i < n; i++) {
		if (!is_drawn(g, &v[i]))
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

static void add_frames(struct graph *g, const struct graph_stack *s, size_t nr_stacks)
{
	struct drawn *v = mem_array(g->n + 1, sizeof(*v));
	/* by stack: index of its frame + 1 */
	uint32_t *frame = mem_zeroed(nr_stacks + 1, sizeof(*frame));
	size_t i, n = 0;

	for (i = 0; i < nr_stacks && n < g->n; i++)
		if (is_drawn(g, &s[i]))
			v[n++] = (struct drawn){ (uint32_t)i, s[i].parent + 1, s[i].insns };
	ARRAY_SORT(v, n, compare_drawn);
	g->n = n;
	g->v = mem_array(n + 1, sizeof(*g->v));
	for (i = 0; i < n; i++) {
		const struct graph_stack *of = &s[v[i].stack];

		frame[v[i].stack] = (uint32_t)i + 1;
		g->v[i] = (struct graph_frame){
			.parent = v[i].parent ? frame[v[i].parent - 1] : 0,
			.stack = v[i].stack,
			.function = of->function,
			.depth = of->depth,
			.insns = of->insns,
		};
		g->deepest = of->depth > g->deepest ? of->depth : g->deepest;
	}
	free(frame);
	free(v);
}

void graph_of(struct graph *g, const struct graph_stack *v, size_t n, uint64_t total)
{
	*g = (struct graph){ .total = total };
	graph_limits(g);
	while (!all_fit(g, v, n) && graph_narrow(g))
		;
	add_frames(g, v, n);
	graph_place(g);
}

void graph_down(struct graph *g, const struct stacks *s, const struct whole *w,
		const struct functions *fs)
{
	struct graph_stack *v = mem_array(s->n + 1, sizeof(*v));
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct stack_node *of = &s->v[i];

		v[i] = (struct graph_stack){
			.parent = of->parent,
			.function = of->function,
			.insns = whole_has(w, fs->v[of->function].binary) ? of->insns : 0,
		};
	}
	graph_of(g, v, s->n, graph_sum(v, s->n));
	free(v);
}
