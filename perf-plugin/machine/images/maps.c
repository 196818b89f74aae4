/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.c - an AVL tree by start address. Split and join implement all changes except the insertion of a range that
 * overlaps nothing. A node with several references is copied before it is changed.
 */
#include <stdlib.h>

#include "machine/images/maps.h"

struct map_node {
	struct map map;
	struct map_node *left, *right;
	unsigned int refs;
	/* heights of both subtrees: rebalancing after a change in one need not read the other */
	uint8_t left_height, right_height;
};

struct maplist *maplist_new(void)
{
	struct maplist *ml = calloc(1, sizeof(*ml));

	if (ml)
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
	if (!copy)
		return NULL;
	copy->root = ml->root;
	if (copy->root)
		copy->root->refs++;
	maplist_unref(ml);
	return copy;
}

/*
 * The functions below take over the references passed to them and return references of their own. Without memory they
 * set `failed`; the tree then lacks parts, but remains consistent and can be freed.
 */
static struct map_node *node_new(const struct map *m, bool *failed)
{
	struct map_node *n = calloc(1, sizeof(*n));

	if (!n) {
		*failed = true;
		return NULL;
	}
	n->map = *m;
	n->refs = 1;
	return n;
}

/* Returns a node with one reference: `n` itself or a copy. */
static struct map_node *node_own(struct map_node *n, bool *failed)
{
	struct map_node *copy;

	if (n->refs == 1)
		return n;
	copy = node_new(&n->map, failed);
	if (copy) {
		*copy = *n;
		copy->refs = 1;
		if (copy->left)
			copy->left->refs++;
		if (copy->right)
			copy->right->refs++;
	}
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

static struct map_node *rotate_left(struct map_node *n, bool *failed)
{
	struct map_node *r = node_own(n->right, failed);

	if (!r)
		return node_set(n->left, n, NULL);
	node_set(n->left, n, r->left);
	return node_set(n, r, r->right);
}

static struct map_node *rotate_right(struct map_node *n, bool *failed)
{
	struct map_node *l = node_own(n->left, failed);

	if (!l)
		return node_set(NULL, n, n->right);
	node_set(l->right, n, n->right);
	return node_set(l->left, l, n);
}

static struct map_node *join(struct map_node *left, struct map_node *mid, struct map_node *right, bool *failed);

/* `left` must have one reference, and be more than one higher than `right`. */
static struct map_node *join_right(struct map_node *left, struct map_node *mid, struct map_node *right,
				   bool *failed)
{
	struct map_node *outer = left->left, *inner = join(left->right, mid, right, failed);

	if (height(inner) > height(outer) + 1 && height(inner->left) > height(inner->right))
		inner = rotate_right(inner, failed);
	node_set(outer, left, inner);
	return height(inner) > height(outer) + 1 ? rotate_left(left, failed) : left;
}

static struct map_node *join_left(struct map_node *left, struct map_node *mid, struct map_node *right,
				  bool *failed)
{
	struct map_node *outer = right->right, *inner = join(left, mid, right->left, failed);

	if (height(inner) > height(outer) + 1 && height(inner->right) > height(inner->left))
		inner = rotate_left(inner, failed);
	node_set(inner, right, outer);
	return height(inner) > height(outer) + 1 ? rotate_right(right, failed) : right;
}

/* `mid` must have one reference; NULL: memory ran out before. */
static struct map_node *join(struct map_node *left, struct map_node *mid, struct map_node *right, bool *failed)
{
	if (mid && height(left) > height(right) + 1) {
		left = node_own(left, failed);
		if (left)
			return join_right(left, mid, right, failed);
	} else if (mid && height(right) > height(left) + 1) {
		right = node_own(right, failed);
		if (right)
			return join_left(left, mid, right, failed);
	} else if (mid) {
		return node_set(left, mid, right);
	}
	node_put(left);
	node_put(right);
	free(mid);
	return NULL;
}

/* Inserts `m`, which has one reference and overlaps nothing: one descent instead of two splits and two joins. */
static struct map_node *insert(struct map_node *n, struct map_node *m, bool *failed)
{
	if (!n)
		return m;
	n = node_own(n, failed);
	if (!n) {
		free(m);
		return NULL;
	}
	if (m->map.start < n->map.start) {
		n->left = insert(n->left, m, failed);
		n->left_height = (uint8_t)height(n->left);
	} else {
		n->right = insert(n->right, m, failed);
		n->right_height = (uint8_t)height(n->right);
	}
	if (n->left_height <= n->right_height + 1 && n->right_height <= n->left_height + 1)
		return n;
	return join(n->left, n, n->right, failed);
}

/* Splits a tree into the ranges that start before `addr`, and the rest. */
static void split(struct map_node *n, uint64_t addr, struct map_node **before, struct map_node **after,
		  bool *failed)
{
	struct map_node *left, *right, *inner;

	*before = *after = NULL;
	if (n)
		n = node_own(n, failed);
	if (!n)
		return;
	left = n->left;
	right = n->right;
	if (n->map.start < addr) {
		split(right, addr, &inner, after, failed);
		*before = join(left, n, inner, failed);
	} else {
		split(left, addr, before, &inner, failed);
		*after = join(inner, n, right, failed);
	}
}

/* Removes the last node of a tree and returns it in *last with one reference. */
static struct map_node *take_last(struct map_node *n, struct map_node **last, bool *failed)
{
	struct map_node *left;

	*last = NULL;
	n = node_own(n, failed);
	if (!n)
		return NULL;
	left = n->left;
	if (!n->right) {
		*last = node_set(NULL, n, NULL);
		return left;
	}
	n->right = take_last(n->right, last, failed);
	return join(left, n, n->right, failed);
}

static struct map_node *join_two(struct map_node *left, struct map_node *right, bool *failed)
{
	struct map_node *mid;

	if (!left || !right)
		return left ? left : right;
	left = take_last(left, &mid, failed);
	return join(left, mid, right, failed);
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
static struct map_node *keep_end(const struct map *m, uint64_t end, struct map_node *after, bool *failed)
{
	struct map rest = *m;

	if (m->end <= end)
		return after;
	rest.off += end - rest.start;
	rest.start = end;
	return join(NULL, node_new(&rest, failed), after, failed);
}

bool maplist_set(struct maplist *ml, const struct map *m)
{
	/* the first range that ends after the start */
	const struct map *there = maplist_next(ml, m->start), *last;
	struct map_node *before, *inside, *after, *n;
	bool failed = false;

	if (m->start >= m->end)
		return true;
	if (!there || there->start >= m->end) {
		if (!m->dso)
			return true;
		n = node_new(m, &failed);
		if (n)
			ml->root = insert(ml->root, n, &failed);
		goto out;
	}
	if (there->start <= m->start && m->dso && there->end >= m->end && same_code(there, m))
		return true;
	split(ml->root, m->start, &before, &inside, &failed);
	split(inside, m->end, &inside, &after, &failed);
	/* keep the remaining parts of the ranges at both ends */
	last = last_of(inside);
	if (last)
		after = keep_end(last, m->end, after, &failed);
	node_put(inside);
	last = last_of(before);
	if (last && last->end > m->start) {
		after = keep_end(last, m->end, after, &failed);
		before = take_last(before, &n, &failed);
		if (n)
			n->map.end = m->start;
		before = join(before, n, NULL, &failed);
	}
	if (m->dso)
		ml->root = join(before, node_new(m, &failed), after, &failed);
	else
		ml->root = join_two(before, after, &failed);
out:
	if (failed) {
		node_put(ml->root);
		ml->root = NULL;
	}
	return !failed;
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
