/* SPDX-License-Identifier: BSD-3-Clause */
/* avl.h - sorted sets of nodes that live in their owners; every step is logarithmic. */
#ifndef CST_LIB_FILES_HISTORY_AVL_H
#define CST_LIB_FILES_HISTORY_AVL_H

#include <cstrace/files/doc.h>

/* Compared field by field in this order. */
struct avl_key {
	int64_t pid;
	uint8_t kind;
	uint64_t number;
	struct cst_str text;
};

struct avl_node {
	struct avl_node *child[2];
	struct avl_key key;
	int height;
};

/* The key must not be there yet. */
void cst_avl_insert(struct avl_node **root, struct avl_node *node);
/* The node must be there. */
void cst_avl_remove(struct avl_node **root, struct avl_node *node);
struct avl_node *cst_avl_find(struct avl_node *root, const struct avl_key *key);
/* The nearest node whose key is below (dir 0) or above (dir 1) `key`, or with `or_equal` the one at it. */
struct avl_node *cst_avl_near(struct avl_node *root, const struct avl_key *key, int dir, int or_equal);

#endif
