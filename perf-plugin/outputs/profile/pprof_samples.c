/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_samples.c - packs samples as protobuf ("Encoding"): nearly all of the file is the ids of their places.
 *
 * A sample has the places of its stack from the innermost one on. All but the first are those of the node's parent
 * behind the call of the node itself. Their bytes are kept for the current node, in a buffer that is filled from its end,
 * so that a sample is a copy, whatever its depth.
 */
#include "outputs/profile/pprof_samples.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/protobuf.h"
#include "outputs/profile/costs.h"
#include "outputs/profile/functions.h"

enum {
	ID_ROOM = 5,	/* bytes of an id, at most */
	TAG_PROFILE_SAMPLE = PROTOBUF_TAG(2, PROTOBUF_LEN),
	TAG_SAMPLE_LOCATION_ID = PROTOBUF_TAG(1, PROTOBUF_LEN),
	TAG_SAMPLE_VALUE = PROTOBUF_TAG(2, PROTOBUF_LEN),
};

struct node_places {
	uint32_t entry;		/* id of the begin of the callee; 0: the node has no sample */
	uint32_t site;		/* id of the place of the call in the caller; 0: it has no caller, or no sample is below it */
};

struct samples {
	const struct whole *w;
	struct locations *places;
	struct gzip *to;
	struct node_places *nodes;
	/* bytes of the sites of the current node and its parents: from stack + begin[depth] to the end of the stack */
	uint8_t *stack;
	size_t *begin;
	size_t room;		/* of the stack */
};

static uint32_t place(struct samples *s, uint32_t binary, uint64_t offset)
{
	return locations_id(s->places, binary, offset);
}

/* Writes a sample: the place `first`, then those whose ids are the `n` bytes at `others`. */
static void put_sample(struct samples *s, uint32_t first, const uint8_t *others, size_t n, uint64_t insns, uint64_t calls)
{
	uint8_t head[4 * PROTOBUF_NUMBER], tail[4 * PROTOBUF_NUMBER], *p = tail, *values;
	size_t ids = protobuf_size(first) + n;

	*p++ = TAG_SAMPLE_VALUE;
	values = ++p;
	p = protobuf_put(p, model_signed(calls));
	p = protobuf_put(p, model_signed(insns));
	p = protobuf_put(p, model_signed(insns));
	values[-1] = (uint8_t)(p - values);
	n = (size_t)(p - tail);
	p = head;
	*p++ = TAG_PROFILE_SAMPLE;
	p = protobuf_put(p, 1 + protobuf_size(ids) + ids + n);
	*p++ = TAG_SAMPLE_LOCATION_ID;
	p = protobuf_put(protobuf_put(p, ids), first);
	gzip_write(s->to, head, (size_t)(p - head));
	gzip_write(s->to, others, ids - protobuf_size(first));
	gzip_write(s->to, tail, n);
}

/* ---- samples of nodes ------------------------------------------------------------------------- */

static uint64_t calls_of(const struct cst_count_node *n)
{
	return n->kind == CST_COUNT_ROOT ? 0 : n->calls;
}

static bool has_sample(const struct samples *s, const struct cst_count_node *n)
{
	return whole_has(s->w, n->binary) && (n->insns | calls_of(n));
}

/* Where the callee of a node began. */
static uint32_t entry_of(struct samples *s, const struct cst_count_node *n)
{
	if (n->kind == CST_COUNT_CUT || n->binary == CST_COUNT_NO_BINARY)
		return place(s, CST_COUNT_NO_BINARY, n->kind == CST_COUNT_CUT ? FUNCTION_CUT : FUNCTION_ELSEWHERE);
	return place(s, n->binary, n->entry);
}

/* Where the call of a node is in its caller. */
static uint32_t site_of(struct samples *s, const struct model_node *n)
{
	if (n->is.from_binary == CST_COUNT_NO_BINARY || n->is.from == CST_COUNT_OUTSIDE)
		return entry_of(s, &s->w->model->nodes[n->parent].is);
	return place(s, n->is.from_binary, n->is.from);
}

/* Counts the samples of each node and of all below it. */
static uint32_t *count_samples(const struct samples *s)
{
	const struct model *m = s->w->model;
	uint32_t *below = mem_zeroed(m->nr_nodes + 1, sizeof(*below));
	size_t i;

	for (i = m->nr_nodes; i-- > 0;) {
		below[i] += has_sample(s, &m->nodes[i].is);
		if (m->nodes[i].parent != MODEL_NO_NODE)
			below[m->nodes[i].parent] += below[i];
	}
	return below;
}

/* Finds the places of all samples, and numbers them by use. */
static void find_places(struct samples *s)
{
	const struct model *m = s->w->model;
	uint32_t *below = count_samples(s), *ids;
	size_t i;

	s->nodes = mem_zeroed(m->nr_nodes + 1, sizeof(*s->nodes));
	for (i = 0; i < m->nr_nodes; i++) {
		struct node_places *at = &s->nodes[i];

		if (below[i] && m->nodes[i].parent != MODEL_NO_NODE) {
			at->site = site_of(s, &m->nodes[i]);
			s->places->v[at->site - 1].uses += below[i];
		}
		if (has_sample(s, &m->nodes[i].is)) {
			at->entry = entry_of(s, &m->nodes[i].is);
			s->places->v[at->entry - 1].uses++;
		}
	}
	free(below);
	ids = locations_by_use(s->places);
	for (i = 0; i < m->nr_nodes; i++) {
		s->nodes[i].site = s->nodes[i].site ? ids[s->nodes[i].site - 1] : 0;
		s->nodes[i].entry = s->nodes[i].entry ? ids[s->nodes[i].entry - 1] : 0;
	}
	free(ids);
}

/* Makes room for the deepest stack. */
static void make_stack(struct samples *s)
{
	const struct model *m = s->w->model;
	uint32_t depth = 0;
	size_t i;

	for (i = 0; i < m->nr_nodes; i++)
		depth = m->nodes[i].is.depth > depth ? m->nodes[i].is.depth : depth;
	s->room = ID_ROOM * ((size_t)depth + 1);
	s->stack = mem_new(s->room);
	s->begin = mem_array((size_t)depth + 1, sizeof(*s->begin));
}

static void put_node(struct samples *s, const struct cst_count_node *n, const struct node_places *at)
{
	const size_t behind = n->depth ? s->begin[n->depth - 1] : s->room;

	s->begin[n->depth] = behind;
	if (at->site) {
		s->begin[n->depth] = behind - protobuf_size(at->site);
		protobuf_put(s->stack + s->begin[n->depth], at->site);
	}
	if (at->entry)
		put_sample(s, at->entry, s->stack + s->begin[n->depth], s->room - s->begin[n->depth], n->insns, calls_of(n));
}

/* Returns the instructions that the samples have. */
static uint64_t put_nodes(struct samples *s)
{
	const struct model *m = s->w->model;
	uint64_t have = 0;
	size_t i;

	find_places(s);
	make_stack(s);
	for (i = 0; i < m->nr_nodes; i++) {
		put_node(s, &m->nodes[i].is, &s->nodes[i]);
		if (s->nodes[i].entry)
			have = model_sum(have, m->nodes[i].is.insns);
	}
	return have;
}

/* ---- samples of instructions ------------------------------------------------------------------ */

/* Without calls: a sample for each instruction. Returns the instructions that the samples have. */
static uint64_t put_flat(struct samples *s, const struct model_binary *b)
{
	struct costs costs;
	uint64_t at;
	size_t i;

	costs_measured(&costs, s->w->model, b);
	for (i = 0; i < costs.n; i++)
		for (at = costs.v[i].begin; at < costs.v[i].end; at += costs_size(b, &costs.v[i], at))
			put_sample(s, place(s, b->number, at), NULL, 0, costs.v[i].count, 0);
	costs_free(&costs);
	return b->insns;
}

void pprof_samples(const struct whole *w, struct locations *places, struct gzip *to)
{
	struct samples s = { .w = w, .places = places, .to = to };
	const struct model *m = w->model;
	uint64_t have = 0, all = whole_instructions(w);
	size_t i;

	if (m->nr_nodes)
		have = put_nodes(&s);
	for (i = 0; !m->nr_nodes && i < m->nr_binaries; i++)
		if (whole_has(w, (uint32_t)i))
			have = model_sum(have, put_flat(&s, &m->binaries[i]));
	if (have < all)
		put_sample(&s, place(&s, CST_COUNT_NO_BINARY, FUNCTION_ELSEWHERE), NULL, 0, all - have, 0);
	free(s.nodes);
	free(s.stack);
	free(s.begin);
}
