/* SPDX-License-Identifier: GPL-2.0-only */
/* hot.c - adds up the instructions of functions, and sorts them. */
#include "outputs/profile/hot.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "outputs/profile/costs.h"

/* Room for all functions so far. Returns the row of `function`. */
static struct hot_function *row_of(struct hot *t, uint32_t function)
{
	size_t n = 2 * (size_t)function + 64;
	struct hot_function *v;

	if (function >= t->n) {
		v = mem_more(t->v, n, sizeof(*v));
		memset(v + t->n, 0, (n - t->n) * sizeof(*v));
		t->v = v;
		t->n = n;
	}
	return &t->v[function];
}

static void add(struct hot *t, uint32_t function, uint64_t insns, uint64_t calls)
{
	struct hot_function *r = row_of(t, function);

	r->insns = model_sum(r->insns, insns);
	r->calls = model_sum(r->calls, calls);
	t->total = model_sum(t->total, insns);
}

/* Adds instructions that were executed equally often, function by function. */
static void add_cost(struct hot *t, struct functions *fs, const struct model_binary *b,
		     const struct cost *c)
{
	uint64_t at = c->begin, end, insns;
	uint32_t function;

	while (at < c->end) {
		function = functions_at(fs, b->number, at);
		/* a symbol may have another one inside of it, and code behind that */
		end = at >= fs->v[function].start && at < fs->v[function].end ? fs->v[function].end : at + 1;
		insns = costs_pass(b, c, &at, end);
		add(t, function, model_product(insns, c->count), 0);
	}
}

static void add_binary(struct hot *t, struct functions *fs, const struct model_binary *b)
{
	struct costs costs;
	size_t i;

	costs_measured(&costs, fs->model, b);
	for (i = 0; i < costs.n; i++)
		add_cost(t, fs, b, &costs.v[i]);
	costs_free(&costs);
}

/* Instructions of each function, and its calls, whatever called it. */
static void count(struct hot *t, struct functions *fs, const struct whole *w)
{
	const struct model *m = w->model;
	size_t i;

	for (i = 0; i < m->nr_binaries; i++)
		if (whole_has(w, (uint32_t)i))
			add_binary(t, fs, &m->binaries[i]);
	if (!w->only)
		add(t, FUNCTION_ELSEWHERE, model_total(m, "instructions.elsewhere"), 0);
	for (i = 0; i < m->nr_nodes; i++) {
		const struct cst_count_node *n = &m->nodes[i].is;

		if (n->kind != CST_COUNT_ROOT && n->kind != CST_COUNT_CUT && whole_has(w, n->binary))
			add(t, functions_of_node(fs, n), 0, n->calls);
	}
	t->calls = m->nr_nodes;
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct hot_function *a = pa, *b = pb;
	int order;

	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	order = strcmp(a->f->name, b->f->name);
	if (order)
		return order;
	if (a->f->binary != b->f->binary)
		return a->f->binary < b->f->binary ? -1 : 1;
	return a->f->start < b->f->start ? -1 : 1;
}

/* Moves the functions that have counts to the front, sorted. */
static void sort(struct hot *t, const struct functions *fs)
{
	size_t i, n = 0;

	for (i = 0; i < t->n && i < fs->nr; i++)
		if (t->v[i].insns | t->v[i].calls) {
			t->v[n] = t->v[i];
			t->v[n].index = (uint32_t)i;
			t->v[n++].f = &fs->v[i];
		}
	t->n = n;
	ARRAY_SORT(t->v, n, compare_rows);
}

void hot_init(struct hot *t, struct functions *fs, const struct whole *w)
{
	*t = (struct hot){ .v = NULL };
	count(t, fs, w);
	sort(t, fs);
}

void hot_free(struct hot *t)
{
	free(t->v);
	*t = (struct hot){ .v = NULL };
}
