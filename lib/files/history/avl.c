/* SPDX-License-Identifier: BSD-3-Clause */
/* avl.c - the set is an AVL tree: insertion, removal, and the nearest node to a key. */
#include "files/history/avl.h"

#include <string.h>

static int compare(const struct avl_key *a, const struct avl_key *b)
{
	size_t n = a->text.n < b->text.n ? a->text.n : b->text.n;
	int c;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	c = n ? memcmp(a->text.p, b->text.p, n) : 0;
	if (c)
		return c;
	return a->text.n == b->text.n ? 0 : a->text.n < b->text.n ? -1 : 1;
}

static int height(const struct avl_node *n)
{
	return n ? n->height : 0;
}

static void update(struct avl_node *n)
{
	int l = height(n->child[0]), r = height(n->child[1]);

	n->height = (l > r ? l : r) + 1;
}

/* The child on the other side of `dir` becomes the root. */
static struct avl_node *rotate(struct avl_node *n, int dir)
{
	struct avl_node *up = n->child[!dir];

	n->child[!dir] = up->child[dir];
	up->child[dir] = n;
	update(n);
	update(up);
	return up;
}

static struct avl_node *balance(struct avl_node *n)
{
	int lean = height(n->child[1]) - height(n->child[0]), dir = lean > 0;
	struct avl_node *c = n->child[dir];

	update(n);
	if (lean >= -1 && lean <= 1)
		return n;
	if (height(c->child[!dir]) > height(c->child[dir]))
		n->child[dir] = rotate(c, dir);
	return rotate(n, !dir);
}

static struct avl_node *insert(struct avl_node *at, struct avl_node *node)
{
	int dir;

	if (!at)
		return node;
	dir = compare(&node->key, &at->key) > 0;
	at->child[dir] = insert(at->child[dir], node);
	return balance(at);
}

void cst_avl_insert(struct avl_node **root, struct avl_node *node)
{
	node->child[0] = node->child[1] = NULL;
	node->height = 1;
	*root = insert(*root, node);
}

static struct avl_node *take_first(struct avl_node *at, struct avl_node **first)
{
	if (!at->child[0]) {
		*first = at;
		return at->child[1];
	}
	at->child[0] = take_first(at->child[0], first);
	return balance(at);
}

static struct avl_node *take(struct avl_node *at, struct avl_node *node)
{
	struct avl_node *next, *rest;
	int dir;

	if (at != node) {
		dir = compare(&node->key, &at->key) > 0;
		at->child[dir] = take(at->child[dir], node);
		return balance(at);
	}
	if (!at->child[1])
		return at->child[0];
	rest = take_first(at->child[1], &next);
	next->child[0] = at->child[0];
	next->child[1] = rest;
	return balance(next);
}

void cst_avl_remove(struct avl_node **root, struct avl_node *node)
{
	*root = take(*root, node);
}

struct avl_node *cst_avl_near(struct avl_node *root, const struct avl_key *key, int dir, int or_equal)
{
	struct avl_node *best = NULL;
	int c;

	while (root) {
		c = compare(&root->key, key);
		if (!c && or_equal)
			return root;
		if (dir ? c > 0 : c < 0) {
			best = root;
			root = root->child[!dir];
		} else {
			root = root->child[dir];
		}
	}
	return best;
}

struct avl_node *cst_avl_find(struct avl_node *root, const struct avl_key *key)
{
	struct avl_node *n = cst_avl_near(root, key, 1, 1);

	return n && !compare(&n->key, key) ? n : NULL;
}
