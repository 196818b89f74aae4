/* SPDX-License-Identifier: GPL-2.0-only */
/* calls.c - the calling-context tree of a recording: shards, limits, and its nodes in canonical order. */
#include "counting/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "counting/calls/internal.h"

/* Shards of an only stream that are decoded ahead of the one that is taken, about. */
#define SHARDS_KEPT	4u
/* Threads have many contexts in common: this factor is for the nodes of threads that are apart. */
#define THREADS_NODES	4u

struct calls *calls_new(const struct calls_limits *limits, const struct calls_code *code, unsigned int streams)
{
	struct calls *c = mem_zeroed(1, sizeof(*c));

	c->wheres = mem_zeroed(WHERES, sizeof(*c->wheres));
	c->pads = mem_zeroed(PADS, sizeof(*c->pads));
	if (limits)
		c->limits = *limits;
	if (!c->limits.depth)
		c->limits.depth = CALLS_DEPTH;
	if (c->limits.depth >= UINT16_MAX)
		c->limits.depth = UINT16_MAX - 1;
	if (!c->limits.nodes)
		c->limits.nodes = CALLS_NODES;
	if (!c->limits.kept)
		c->limits.kept = CALLS_KEPT;
	c->depth = c->limits.depth;
	c->code = *code;
	c->keep.deferred = streams > 1;
	c->keep.streams = streams ? streams : 1;
	return c;
}

void calls_by_thread(struct calls *c)
{
	c->by_thread = true;
	c->limits.nodes *= THREADS_NODES;
}

static void free_kept(struct calls *c)
{
	size_t i;

	for (i = 0; i < c->keep.nr_kept; i++) {
		free(c->keep.kept[i].made.counted);
		free(c->keep.kept[i].made.frames);
		free(c->keep.kept[i].sliced.slices);
		free(c->keep.kept[i].sliced.frame_begins);
	}
	free(c->keep.kept);
	c->keep.kept = NULL;
	c->keep.nr_kept = c->keep.cap_kept = 0;
	for (i = 0; i < c->keep.nr_forests; i++) {
		cct_free(c->keep.forests[i]);
		free(c->keep.forests[i]);
	}
	free(c->keep.forests);
	c->keep.forests = NULL;
	c->keep.nr_forests = c->keep.cap_forests = 0;
}

void calls_free(struct calls *c)
{
	size_t i;

	if (!c)
		return;
	free_kept(c);
	for (i = 0; i < c->who.nr_threads; i++) {
		thread_free(c->who.threads[i]);
		free(c->who.threads[i]);
	}
	for (i = 0; i < c->keep.nr_rooms; i++)
		thread_free(&c->keep.rooms[i].orphan);
	cct_free(&c->done);
	free(c->who.threads);
	slices_free(c->slices);
	free(c->binary_of);
	free(c->wheres);
	free(c->pads);
	free(c->keep.rooms);
	free(c->apply.map);
	free(c->walking.order);
	free(c->walking.first);
	free(c->walking.walk);
	free(c);
}

struct calls *calls_shard_new(const struct calls *c, const struct calls_code *code)
{
	struct calls *shard = calls_new(&c->limits, code, c->keep.streams);

	shard->keep.deferred = true;
	/* taken in order, its segments are kept until then only */
	if (!c->keep.deferred)
		shard->limits.kept = c->limits.kept / SHARDS_KEPT;
	shard->by_thread = c->by_thread;
	return shard;
}

void calls_shard_take(struct calls *c, struct calls *shard)
{
	struct segment *k;
	size_t i;

	c->keep.unseen |= shard->keep.unseen;
	if (!c->keep.deferred) {
		join_shard(c, shard);
		return;
	}
	join_orphans(shard);
	cct_merge(&c->done, &shard->done, c->depth);
	for (; shard->keep.nr_forests; shard->keep.nr_forests--)
		*ARRAY_ADD(c->keep.forests, c->keep.nr_forests, c->keep.cap_forests) =
			shard->keep.forests[shard->keep.nr_forests - 1];
	for (i = 0; i < shard->keep.nr_kept; i++) {
		k = ARRAY_ADD(c->keep.kept, c->keep.nr_kept, c->keep.cap_kept);
		*k = shard->keep.kept[i];
		shard->keep.kept[i].made.counted = NULL;
		shard->keep.kept[i].made.frames = NULL;
	}
	shard->keep.nr_kept = 0;
	c->totals.unjoined += shard->totals.unjoined;
	c->totals.roots += shard->totals.roots;
	c->totals.lost += shard->totals.lost;
}

/* ---- limits -------------------------------------------------------------------------------------- */

/*
 * Below each of the deepest nodes there may be a CUT node. Those of the tree are not counted, so that the result is the same
 * for a tree that was cut before.
 */
uint32_t calls_depth_for(const struct cct *t, uint32_t depth, uint32_t limit)
{
	uint64_t *at = mem_zeroed((size_t)depth + 1, sizeof(*at)), sum = 0;
	uint32_t i;

	for (i = 0; i < t->nr; i++)
		if (t->v[i].kind != CST_COUNT_CUT)
			at[t->v[i].depth < depth ? t->v[i].depth : depth]++;
	for (i = 0; i < depth && sum + 2 * at[i] <= limit; i++)
		sum += at[i];
	free(at);
	/* the roots remain in any case */
	return i ? i : 1;
}

/* Copies the finished tree up to a depth: nodes that have become the same are added. */
static void copy_tree(struct calls *c, uint32_t depth)
{
	struct cct all = c->done;

	memset(&c->done, 0, sizeof(c->done));
	cct_merge(&c->done, &all, depth);
	cct_free(&all);
}

/* Sets the final places, and cuts the tree to the limit of nodes. */
static void finish_tree(struct calls *c, calls_place (*place)(void *data, calls_place p),
			void *data)
{
	struct cct_node *p;
	uint32_t i;

	for (i = 0; i < c->done.nr; i++) {
		p = &c->done.v[i];
		if (p->from != CALLS_NO_PLACE && p->kind != CST_COUNT_ROOT)
			p->from = place(data, p->from);
		if (p->entry != CALLS_NO_PLACE)
			p->entry = place(data, p->entry);
	}
	if (c->done.nr <= c->limits.nodes && c->depth == c->limits.depth)
		return;
	copy_tree(c, calls_depth_for(&c->done, c->depth, c->limits.nodes));
}

/* ---- canonical order ----------------------------------------------------------------------------- */

/* Orders siblings, as `order` of struct calls has them. */
static int compare_nodes(const void *pa, const void *pb, void *data)
{
	const struct cct_node *v = data, *a = &v[*(const uint32_t *)pa], *b = &v[*(const uint32_t *)pb];

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/*
 * Sorts the nodes by parent, and siblings among each other. Roots are the children of number `nr`. *twins: siblings are
 * equal.
 */
static void sort_nodes(struct calls *c, bool *twins)
{
	const struct cct *t = &c->done;
	uint32_t i, p, sum = 0, n;

	free(c->walking.order);
	free(c->walking.first);
	c->walking.order = mem_array((size_t)t->nr + 1, sizeof(*c->walking.order));
	c->walking.first = mem_zeroed((size_t)t->nr + 2, sizeof(*c->walking.first));
	for (i = 0; i < t->nr; i++)
		c->walking.first[t->v[i].parent == NO_NODE ? t->nr : t->v[i].parent]++;
	for (i = 0; i <= t->nr; i++) {
		n = c->walking.first[i];
		c->walking.first[i] = sum;
		sum += n;
	}
	c->walking.first[t->nr + 1] = sum;
	for (i = 0; i < t->nr; i++) {
		p = t->v[i].parent == NO_NODE ? t->nr : t->v[i].parent;
		c->walking.order[c->walking.first[p]++] = i;
	}
	/* the begins were moved to the ends */
	for (i = t->nr + 1; i > 0; i--)
		c->walking.first[i] = c->walking.first[i - 1];
	c->walking.first[0] = 0;
	*twins = false;
	for (i = 0; i <= t->nr; i++) {
		n = c->walking.first[i + 1] - c->walking.first[i];
		if (n > 1)
			qsort_r(c->walking.order + c->walking.first[i], n,
				sizeof(*c->walking.order), compare_nodes, t->v);
		for (p = c->walking.first[i]; p + 1 < c->walking.first[i + 1]; p++)
			*twins |= !compare_nodes(&c->walking.order[p],
						 &c->walking.order[p + 1], t->v);
	}
}

static void add_walk(struct calls *c, uint32_t parent)
{
	*ARRAY_ADD(c->walking.walk, c->walking.nr_walk, c->walking.cap_walk) =
		(struct walk){ c->walking.first[parent], c->walking.first[parent + 1] };
}

static void add_totals(struct calls *c)
{
	struct calls_totals *sum = &c->totals;
	uint32_t i;

	for (i = 0; i < c->done.nr; i++) {
		const struct cct_node *p = &c->done.v[i];

		sum->insns += p->insns;
		if (p->kind == CST_COUNT_CALL || p->kind == CST_COUNT_TAIL)
			sum->calls += p->calls;
		if (p->kind == CST_COUNT_CUT) {
			sum->cut_calls += p->calls;
			sum->cut_insns += p->insns;
		}
	}
}

void calls_finish(struct calls *c, calls_place (*place)(void *data, calls_place p), void *data)
{
	bool twins = false;
	size_t i;

	join_all(c);
	for (i = 0; i < c->who.nr_threads; i++)
		thread_end(c, c->who.threads[i], CALLS_STILL_OPEN);
	join_orphans(c);
	free_kept(c);
	finish_tree(c, place, data);
	sort_nodes(c, &twins);
	if (twins) {
		copy_tree(c, c->depth);
		sort_nodes(c, &twins);
	}
	add_walk(c, c->done.nr);
	add_totals(c);
}

static uint32_t binary_of(calls_place p)
{
	return p == CALLS_NO_PLACE ? CST_COUNT_NO_BINARY : (uint32_t)(p >> 32);
}

static uint64_t offset_of(calls_place p)
{
	return p == CALLS_NO_PLACE ? CST_COUNT_OUTSIDE : (uint32_t)p;
}

bool calls_next(struct calls *c, struct cst_count_node *n)
{
	const struct cct_node *p;
	uint32_t i;

	while (c->walking.nr_walk && c->walking.walk[c->walking.nr_walk - 1].at ==
					     c->walking.walk[c->walking.nr_walk - 1].end)
		c->walking.nr_walk--;
	if (!c->walking.nr_walk)
		return false;
	i = c->walking.order[c->walking.walk[c->walking.nr_walk - 1].at++];
	p = &c->done.v[i];
	*n = (struct cst_count_node){
		.depth = (uint32_t)c->walking.nr_walk - 1,
		.kind = p->kind,
		.from_binary = p->kind == CST_COUNT_ROOT ? CST_COUNT_NO_BINARY : binary_of(p->from),
		/* of a root it is the thread, or none */
		.from = p->kind == CST_COUNT_ROOT ? p->from : offset_of(p->from),
		.binary = binary_of(p->entry),
		.entry = offset_of(p->entry),
		.calls = p->calls,
		.insns = p->insns,
	};
	add_walk(c, i);
	return true;
}

const struct calls_totals *calls_totals(const struct calls *c)
{
	return &c->totals;
}
