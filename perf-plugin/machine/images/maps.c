/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.c - an AVL tree by start address. Split and join implement all changes except the insertion of a range that
 * overlaps nothing. A node with several references is copied before it is changed.
 */
#include <stdlib.h>

#include "machine/images/maps.h"
#include "base/alloc.h"

struct map_node {
	struct map map;
	struct map_node *left, *right;
	unsigned int refs;
	/* heights of both subtrees: rebalancing after a change in one need not read the other */
	uint8_t left_height, right_height;
};

struct maplist *maplist_new(void)
{
	struct maplist *ml = mem_zeroed(1, sizeof(*ml));

	ml->refs = 1;
	return ml;
}

struct maplist *maplist_ref(struct maplist *ml)
{
	if (ml)
		ml->refs++;
	return ml;
}

/* an AVL tree is at most 1.45 log2 n high, which bounds the recursion */
static void node_put(struct map_node *n)
{
	struct map_node *right;

	while (n && !--n->refs) {
		node_put(n->left);
		right = n->right;
		free(n);
		n = right;
	}
}

void maplist_unref(struct maplist *ml)
{
	if (!ml || --ml->refs)
		return;
	node_put(ml->root);
	free(ml);
}

struct maplist *maplist_own(struct maplist *ml)
{
	struct maplist *copy;

	if (ml->refs == 1)
		return ml;
	copy = maplist_new();
	copy->root = ml->root;
	if (copy->root)
		copy->root->refs++;
	maplist_unref(ml);
	return copy;
}

/*
 * The functions below take over the references passed to them and return references of their own.
 */
static struct map_node *node_new(const struct map *m)
{
	struct map_node *n = mem_zeroed(1, sizeof(*n));

	n->map = *m;
	n->refs = 1;
	return n;
}

/* Returns a node with one reference: `n` itself or a copy. */
static struct map_node *node_own(struct map_node *n)
{
	struct map_node *copy;

	if (n->refs == 1)
		return n;
	copy = node_new(&n->map);
	*copy = *n;
	copy->refs = 1;
	if (copy->left)
		copy->left->refs++;
	if (copy->right)
		copy->right->refs++;
	node_put(n);
	return copy;
}

static int height(const struct map_node *n)
{
	if (!n)
		return 0;
	return (n->left_height > n->right_height ? n->left_height : n->right_height) + 1;
}

/* `n` must have one reference. */
static struct map_node *node_set(struct map_node *left, struct map_node *n, struct map_node *right)
{
	n->left = left;
	n->right = right;
	n->left_height = (uint8_t)height(left);
	n->right_height = (uint8_t)height(right);
	return n;
}

static struct map_node *rotate_left(struct map_node *n)
{
	struct map_node *r = node_own(n->right);

	node_set(n->left, n, r->left);
	return node_set(n, r, r->right);
}

static struct map_node *rotate_right(struct map_node *n)
{
	struct map_node *l = node_own(n->left);

	node_set(l->right, n, n->right);
	return node_set(l->left, l, n);
}

static struct map_node *join(struct map_node *left, struct map_node *mid, struct map_node *right);

/* `left` must have one reference, and be more than one higher than `right`. */
static struct map_node *join_right(struct map_node *left, struct map_node *mid,
				   struct map_node *right)
{
	struct map_node *outer = left->left, *inner = join(left->right, mid, right);

	if (height(inner) > height(outer) + 1 && height(inner->left) > height(inner->right))
		inner = rotate_right(inner);
	node_set(outer, left, inner);
	return height(inner) > height(outer) + 1 ? rotate_left(left) : left;
}

static struct map_node *join_left(struct map_node *left, struct map_node *mid,
				  struct map_node *right)
{
	struct map_node *outer = right->right, *inner = join(left, mid, right->left);

	if (height(inner) > height(outer) + 1 && height(inner->right) > height(inner->left))
		inner = rotate_left(inner);
	node_set(inner, right, outer);
	return height(inner) > height(outer) + 1 ? rotate_right(right) : right;
}

/* `mid` must have one reference. */
static struct map_node *join(struct map_node *left, struct map_node *mid, struct map_node *right)
{
	if (height(left) > height(right) + 1)
		return join_right(node_own(left), mid, right);
	if (height(right) > height(left) + 1)
		return join_left(left, mid, node_own(right));
	return node_set(left, mid, right);
}

/* Inserts `m`, which has one reference and overlaps nothing: one descent instead of two splits and two joins. */
static struct map_node *insert(struct map_node *n, struct map_node *m)
{
	if (!n)
		return m;
	n = node_own(n);
	if (m->map.start < n->map.start) {
		n->left = insert(n->left, m);
		n->left_height = (uint8_t)height(n->left);
	} else {
		n->right = insert(n->right, m);
		n->right_height = (uint8_t)height(n->right);
	}
	if (n->left_height <= n->right_height + 1 && n->right_height <= n->left_height + 1)
		return n;
	return join(n->left, n, n->right);
}

/* Splits a tree into the ranges that start before `addr`, and the rest. */
static void split(struct map_node *n, uint64_t addr, struct map_node **before,
		  struct map_node **after)
{
	struct map_node *left, *right, *inner;

	*before = *after = NULL;
	if (!n)
		return;
	n = node_own(n);
	left = n->left;
	right = n->right;
	if (n->map.start < addr) {
		split(right, addr, &inner, after);
		*before = join(left, n, inner);
	} else {
		split(left, addr, before, &inner);
		*after = join(inner, n, right);
	}
}

/* Removes the last node of a tree and returns it in *last with one reference. */
static struct map_node *take_last(struct map_node *n, struct map_node **last)
{
	struct map_node *left;

	n = node_own(n);
	left = n->left;
	if (!n->right) {
		*last = node_set(NULL, n, NULL);
		return left;
	}
	n->right = take_last(n->right, last);
	return join(left, n, n->right);
}

static struct map_node *join_two(struct map_node *left, struct map_node *right)
{
	struct map_node *mid;

	if (!left || !right)
		return left ? left : right;
	left = take_last(left, &mid);
	return join(left, mid, right);
}

static const struct map *last_of(const struct map_node *n)
{
	while (n && n->right)
		n = n->right;
	return n ? &n->map : NULL;
}

static bool same_code(const struct map *a, const struct map *b)
{
	return a->dso == b->dso && a->start - a->off == b->start - b->off && a->memory == b->memory;
}

/* Inserts the part of `m` after `end`, which precedes everything in `after`. */
static struct map_node *keep_end(const struct map *m, uint64_t end, struct map_node *after)
{
	struct map rest = *m;

	if (m->end <= end)
		return after;
	rest.off += end - rest.start;
	rest.start = end;
	return join(NULL, node_new(&rest), after);
}

void maplist_set(struct maplist *ml, const struct map *m)
{
	/* the first range that ends after the start */
	const struct map *there = maplist_next(ml, m->start), *last;
	struct map_node *before, *inside, *after, *n;

	if (m->start >= m->end)
		return;
	if (!there || there->start >= m->end) {
		if (m->dso)
			ml->root = insert(ml->root, node_new(m));
		return;
	}
	if (there->start <= m->start && m->dso && there->end >= m->end && same_code(there, m))
		return;
	split(ml->root, m->start, &before, &inside);
	split(inside, m->end, &inside, &after);
	/* keep the remaining parts of the ranges at both ends */
	last = last_of(inside);
	if (last)
		after = keep_end(last, m->end, after);
	node_put(inside);
	last = last_of(before);
	if (last && last->end > m->start) {
		after = keep_end(last, m->end, after);
		before = take_last(before, &n);
		n->map.end = m->start;
		before = join(before, n, NULL);
	}
	if (m->dso)
		ml->root = join(before, node_new(m), after);
	else
		ml->root = join_two(before, after);
}

const struct map *maplist_next(const struct maplist *ml, uint64_t addr)
{
	const struct map_node *n = ml->root, *best = NULL;

	while (n) {
		if (n->map.end > addr) {
			best = n;
			n = n->left;
		} else {
			n = n->right;
		}
	}
	return best ? &best->map : NULL;
}

bool maplist_conflicts(const struct maplist *ml, const struct map *m)
{
	const struct map *x;

	for (x = maplist_next(ml, m->start); x && x->start < m->end; x = maplist_next(ml, x->end))
		if (!same_code(x, m))
			return true;
	return false;
}

const struct map *maplist_find(const struct maplist *ml, uint64_t addr)
{
	const struct map *m = maplist_next(ml, addr);

	return m && m->start <= addr ? m : NULL;
}
