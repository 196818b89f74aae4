/* SPDX-License-Identifier: GPL-2.0-only */
/* tree.c - a calling-context tree in one array, with a hash table of its edges. */
#include "counting/calls/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/large.h"

#define FIRST_NODES	64u
#define MAX_NODES	(1u << 30)
/* number of nodes from which on an array is in large pages */
#define LARGE_NODES	(1u << 15)

static uint32_t hash(uint32_t parent, uint8_t kind, calls_place from, calls_place entry)
{
	uint64_t h = (from ^ (uint64_t)parent << 40 ^ parent) * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 32 ^ entry ^ (uint64_t)kind << 61) * 0xd6e8feb86659fd93u;
	return (uint32_t)(h >> 32);
}

static void insert(struct cct *t, uint32_t n)
{
	const struct cct_node *p = &t->v[n];
	uint32_t i = hash(p->parent, p->kind, p->from, p->entry) & t->mask;

	while (t->slot[i])
		i = (i + 1) & t->mask;
	t->slot[i] = n + 1;
}

/*
 * A large array grows fourfold into memory that needs none until it is written: it is copied less
 * often than one that grows twofold, and nothing of it is moved in small pages.
 */
static void grow_nodes(struct cct *t, uint32_t want)
{
	uint32_t cap = t->cap ? t->cap : FIRST_NODES;
	struct cct_node *v;

	while (cap < want)
		cap *= cap < LARGE_NODES || cap > MAX_NODES / 4 ? 2 : 4;
	v = large_zeroed(cap, sizeof(*v));
	if (t->nr)
		memcpy(v, t->v, t->nr * sizeof(*v));
	large_drop(t->v, t->cap * sizeof(*t->v));
	t->v = v;
	t->cap = cap;
}

static void drop_slots(struct cct *t)
{
	large_drop(t->slot, t->mask ? ((size_t)t->mask + 1) * sizeof(*t->slot) : 0);
}

/* Makes a table with a free slot at least for each node. */
static void grow_slots(struct cct *t, uint32_t want)
{
	uint32_t slots = t->mask ? t->mask + 1 : 2 * FIRST_NODES, i;

	while (slots / 2 < want)
		slots *= 2;
	drop_slots(t);
	t->slot = large_zeroed(slots, sizeof(*t->slot));
	t->mask = slots - 1;
	for (i = 0; i < t->nr; i++)
		insert(t, i);
}

void cct_reserve(struct cct *t, uint32_t more)
{
	if (more > MAX_NODES - t->nr)
		mem_refused(SIZE_MAX);
	if (more > t->cap - t->nr)
		grow_nodes(t, t->nr + more);
	if (t->nr + more > (t->mask + 1) / 2)
		grow_slots(t, t->nr + more);
}

uint32_t cct_child(struct cct *t, uint32_t parent, uint8_t kind, calls_place from, calls_place entry, bool *fresh)
{
	const uint32_t mask = t->mask;
	uint32_t i = 0, n;

	*fresh = false;
	if (t->mask) {
		for (i = hash(parent, kind, from, entry) & t->mask; t->slot[i]; i = (i + 1) & t->mask) {
			const struct cct_node *p = &t->v[t->slot[i] - 1];

			if (p->parent == parent && p->from == from && p->entry == entry && p->kind == kind)
				return t->slot[i] - 1;
		}
	}
	cct_reserve(t, 1);
	n = t->nr++;
	t->v[n] = (struct cct_node){ .from = from, .entry = entry, .parent = parent, .last = NO_NODE, .mark = NO_NODE,
				     .kind = kind };
	if (parent != NO_NODE)
		t->v[n].depth = t->v[parent].depth < UINT16_MAX ? (uint16_t)(t->v[parent].depth + 1) : UINT16_MAX;
	/* the search has ended at its slot, if the table has not grown */
	if (t->mask == mask)
		t->slot[i] = n + 1;
	else
		insert(t, n);
	*fresh = true;
	return n;
}

/* Removes a node from the hash table, and moves up those that were put behind it because of it. */
static void take_out(struct cct *t, uint32_t n)
{
	const struct cct_node *p = &t->v[n];
	uint32_t i = hash(p->parent, p->kind, p->from, p->entry) & t->mask, hole, home;

	while (t->slot[i] != n + 1)
		i = (i + 1) & t->mask;
	hole = i;
	for (i = (i + 1) & t->mask; t->slot[i]; i = (i + 1) & t->mask) {
		p = &t->v[t->slot[i] - 1];
		home = hash(p->parent, p->kind, p->from, p->entry) & t->mask;
		if (((i - home) & t->mask) < ((i - hole) & t->mask))
			continue;
		t->slot[hole] = t->slot[i];
		hole = i;
	}
	t->slot[hole] = 0;
}

void cct_hang(struct cct *t, uint32_t root, uint32_t parent, uint8_t kind, calls_place from)
{
	take_out(t, root);
	t->v[root].parent = parent;
	t->v[root].kind = kind;
	t->v[root].from = from;
	insert(t, root);
}

void cct_clear(struct cct *t)
{
	t->nr = 0;
	if (t->cap > FIRST_NODES * 64) {
		cct_free(t);
		return;
	}
	if (t->slot)
		memset(t->slot, 0, ((size_t)t->mask + 1) * sizeof(*t->slot));
}

void cct_free(struct cct *t)
{
	large_drop(t->v, t->cap * sizeof(*t->v));
	drop_slots(t);
	memset(t, 0, sizeof(*t));
}

/* Returns the node of `to` for node `n` of `from`, whose parent has one. */
static uint32_t counterpart(struct cct *to, const struct cct_node *p, uint32_t parent,
			    uint32_t depth)
{
	bool fresh;
	uint32_t n;

	if (parent != NO_NODE && to->v[parent].kind == CST_COUNT_CUT)
		return parent;
	if (p->kind == CST_COUNT_CUT || (parent != NO_NODE && to->v[parent].depth + 1u >= depth))
		return cct_child(to, parent, CST_COUNT_CUT, CALLS_NO_PLACE, CALLS_NO_PLACE, &fresh);
	n = cct_child(to, parent, p->kind, p->from, p->entry, &fresh);
	if (fresh) {
		to->v[n].back = p->back;
		to->v[n].size = p->size;
		to->v[n].sets_jump = p->sets_jump;
	}
	return n;
}

void cct_merge(struct cct *to, struct cct *from, uint32_t depth)
{
	uint32_t *chain = mem_array(from->nr ? from->nr : 1, sizeof(*chain));
	uint32_t i, n, at, parent;
	struct cct_node *p;

	/* a tree that is new has no nodes in common */
	if (!to->nr)
		cct_reserve(to, from->nr);
	for (i = 0; i < from->nr; i++)
		from->v[i].mark = NO_NODE;
	for (i = 0; i < from->nr; i++) {
		/* a root that became a child has a parent behind it */
		for (n = 0, at = i; at != NO_NODE && from->v[at].mark == NO_NODE; at = from->v[at].parent)
			chain[n++] = at;
		while (n) {
			p = &from->v[chain[--n]];
			parent = p->parent == NO_NODE ? NO_NODE : from->v[p->parent].mark;
			p->mark = counterpart(to, p, parent, depth);
			to->v[p->mark].calls += p->calls;
			to->v[p->mark].insns += p->insns;
		}
	}
	free(chain);
}
