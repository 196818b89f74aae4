/* SPDX-License-Identifier: GPL-2.0-only */
/* tree.c - sums up nodes by call site and callee, and by the functions on their stack. */
#include "outputs/profile/tree.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/slots.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15u;

	return h ^ h >> 29;
}

/* ---- arcs ------------------------------------------------------------------------------------- */

struct arcs {
	struct call_arcs *out;
	size_t cap;
	struct slots slots;
	uint32_t *active;	/* for each arc: how many calls of it are on the current stack */
	size_t nr_active, cap_active;
	uint32_t *path;		/* for each depth: arc + 1 on the current stack, 0: none */
	size_t nr_path, cap_path;
};

static uint64_t arc_hash(const void *array, uint32_t i)
{
	const struct call_arc *a = (const struct call_arc *)array + i;

	return mix(mix(a->from, a->binary), (uint64_t)a->caller << 32 | a->callee);
}

static bool same_arc(const struct call_arc *a, const struct call_arc *b)
{
	return a->from == b->from && a->binary == b->binary && a->caller == b->caller && a->callee == b->callee;
}

/* Returns the index of the arc with this key, a new one if needed. */
static uint32_t arc_of(struct arcs *as, const struct call_arc *key)
{
	struct call_arcs *out = as->out;
	size_t at;

	slots_reserve(&as->slots, out->n, out->v, arc_hash);
	SLOTS_FIND(&as->slots, at, arc_hash(key, 0), same_arc(&out->v[as->slots.v[at] - 1], key));
	if (as->slots.v[at])
		return as->slots.v[at] - 1;
	*ARRAY_ADD(out->v, out->n, as->cap) = *key;
	*ARRAY_ADD(as->active, as->nr_active, as->cap_active) = 0;
	as->slots.v[at] = (uint32_t)out->n;
	return (uint32_t)out->n - 1;
}

/* The function that the call of node `n` is in: that of the call, or where there is no place, the caller. */
static void caller_of(struct functions *fs, const struct model_node *n, struct call_arc *key)
{
	const struct model_node *parent = &fs->model->nodes[n->parent];

	key->binary = n->is.from_binary;
	key->from = n->is.from;
	key->caller = n->is.from_binary == CST_COUNT_NO_BINARY || n->is.from == CST_COUNT_OUTSIDE ?
		      functions_of_node(fs, &parent->is) : functions_at(fs, n->is.from_binary, n->is.from);
}

static void add_node(struct arcs *as, struct functions *fs, const struct model_node *n,
		     uint64_t inclusive)
{
	struct call_arc key = { .calls = 0 }, *arc;
	uint32_t *on_path, number;

	/* the calls that are not on the stack of this node */
	for (; as->nr_path > n->is.depth; as->nr_path--)
		if (as->path[as->nr_path - 1])
			as->active[as->path[as->nr_path - 1] - 1]--;
	on_path = ARRAY_ADD(as->path, as->nr_path, as->cap_path);
	*on_path = 0;
	if (n->parent == MODEL_NO_NODE)
		return;
	key.callee = functions_of_node(fs, &n->is);
	caller_of(fs, n, &key);
	number = arc_of(as, &key);
	arc = &as->out->v[number];
	arc->calls = model_sum(arc->calls, n->is.calls);
	if (!as->active[number]++)
		arc->inclusive = model_sum(arc->inclusive, inclusive);
	*on_path = number + 1;
}

static int compare_arcs(const void *pa, const void *pb)
{
	const struct call_arc *a = pa, *b = pb;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* Instructions of each node and of all below it. */
static uint64_t *inclusive_insns(const struct model *m)
{
	uint64_t *v = mem_array(m->nr_nodes ? m->nr_nodes : 1, sizeof(*v));
	uint32_t parent;
	size_t i;

	for (i = 0; i < m->nr_nodes; i++)
		v[i] = m->nodes[i].is.insns;
	for (i = m->nr_nodes; i-- > 0;) {
		parent = m->nodes[i].parent;
		if (parent != MODEL_NO_NODE)
			v[parent] = model_sum(v[parent], v[i]);
	}
	return v;
}

void call_arcs_init(struct call_arcs *a, struct functions *fs)
{
	const struct model *m = fs->model;
	uint64_t *inclusive = inclusive_insns(m);
	struct arcs as = { .out = a };
	size_t i;

	*a = (struct call_arcs){ .v = NULL };
	for (i = 0; i < m->nr_nodes; i++)
		add_node(&as, fs, &m->nodes[i], inclusive[i]);
	free(inclusive);
	slots_free(&as.slots);
	free(as.active);
	free(as.path);
	ARRAY_SORT(a->v, a->n, compare_arcs);
}

void call_arcs_free(struct call_arcs *a)
{
	free(a->v);
	*a = (struct call_arcs){ .v = NULL };
}

/* ---- functions -------------------------------------------------------------------------------- */

uint64_t *functions_inclusive(struct functions *fs)
{
	const struct model *m = fs->model;
	uint64_t *inclusive = inclusive_insns(m), *v;
	uint32_t *of = mem_array(m->nr_nodes, sizeof(*of));
	/* for each function: how many calls of it are on the current stack */
	uint32_t *active;
	uint32_t *path = mem_array(m->cap_path, sizeof(*path)), depth = 0;
	size_t i;

	for (i = 0; i < m->nr_nodes; i++)
		of[i] = functions_of_node(fs, &m->nodes[i].is);
	v = mem_zeroed(fs->nr, sizeof(*v));
	active = mem_zeroed(fs->nr, sizeof(*active));
	for (i = 0; i < m->nr_nodes; i++) {
		while (depth > m->nodes[i].is.depth)
			active[path[--depth]]--;
		path[depth++] = of[i];
		if (!active[of[i]]++)
			v[of[i]] = model_sum(v[of[i]], inclusive[i]);
	}
	free(inclusive);
	free(of);
	free(active);
	free(path);
	return v;
}

/* ---- stacks ----------------------------------------------------------------------------------- */

static uint64_t stack_hash(const void *array, uint32_t i)
{
	const struct stack_node *s = (const struct stack_node *)array + i;

	return mix(s->parent, s->function);
}

static bool same_stack(const struct stack_node *a, const struct stack_node *b)
{
	return a->parent == b->parent && a->function == b->function;
}

/* Returns the index of the stack, a new one if needed. */
static uint32_t stack_of(struct stacks *s, size_t *cap, struct slots *slots, uint32_t parent, uint32_t function)
{
	const struct stack_node key = { .parent = parent, .function = function };
	size_t at;

	slots_reserve(slots, s->n, s->v, stack_hash);
	SLOTS_FIND(slots, at, stack_hash(&key, 0), same_stack(&s->v[slots->v[at] - 1], &key));
	if (slots->v[at])
		return slots->v[at] - 1;
	*ARRAY_ADD(s->v, s->n, *cap) = key;
	slots->v[at] = (uint32_t)s->n;
	return (uint32_t)s->n - 1;
}

/* Stacks while they are made. */
struct making {
	struct stacks *s;
	size_t cap;
	struct slots slots;
	uint32_t *made;		/* by node: its stack */
};

static void add_span(struct making *m, struct functions *fs, struct node_span span)
{
	struct stack_node *to;
	uint32_t parent;
	size_t i;

	for (i = span.first; i < span.end; i++) {
		const struct model_node *n = &fs->model->nodes[i];

		parent = n->parent == MODEL_NO_NODE ? MODEL_NO_NODE : m->made[n->parent];
		m->made[i] = stack_of(m->s, &m->cap, &m->slots, parent,
				      functions_of_node(fs, &n->is));
		to = &m->s->v[m->made[i]];
		to->calls = model_sum(to->calls, n->is.calls);
		to->insns = model_sum(to->insns, n->is.insns);
	}
}

void stacks_of(struct stacks *s, struct functions *fs, const struct node_span *v, size_t n)
{
	const size_t nodes = fs->model->nr_nodes;
	struct making m = { .s = s, .made = mem_array(nodes ? nodes : 1, sizeof(*m.made)) };
	size_t i;

	*s = (struct stacks){ .v = NULL };
	for (i = 0; i < n; i++)
		add_span(&m, fs, v[i]);
	free(m.made);
	slots_free(&m.slots);
}

void stacks_init(struct stacks *s, struct functions *fs)
{
	const struct node_span all = { 0, fs->model->nr_nodes };

	stacks_of(s, fs, &all, 1);
}

void stacks_free(struct stacks *s)
{
	free(s->v);
	*s = (struct stacks){ .v = NULL };
}

uint64_t stacks_without(const struct stacks *s, const struct whole *w, const struct functions *fs)
{
	uint64_t all = whole_instructions(w), have = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (whole_has(w, fs->v[s->v[i].function].binary))
			have = model_sum(have, s->v[i].insns);
	return have < all ? all - have : 0;
}
