/* SPDX-License-Identifier: GPL-2.0-only */
/* tree.h - nodes of a calling-context tree, found by parent, kind, call site and callee. */
#ifndef CSTRACE_COUNTING_CALLS_TREE_H
#define CSTRACE_COUNTING_CALLS_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "counting/calls/calls.h"

#define NO_NODE	UINT32_MAX

struct cct_node {
	calls_place from, entry;
	uint64_t calls, insns;
	uint32_t parent;	/* NO_NODE: none */
	uint32_t last;		/* the child that was found last, NO_NODE: none */
	uint32_t mark;		/* for the owner's use: a stamp, or the node of another tree */
	/* of the function that begins at or around `entry`: bytes before `entry`, and size; 0: unknown */
	uint32_t back, size;
	uint16_t depth;		/* below the root */
	uint8_t kind;		/* enum cst_count_node_kind */
	bool sets_jump;
};

struct cct {
	struct cct_node *v;
	uint32_t nr, cap;
	uint32_t *slot;		/* node + 1; 0: free */
	uint32_t mask;		/* slots - 1; 0: none */
};

/*
 * Returns the child, or the root if parent is NO_NODE; a new one if there is none. *fresh: it is
 * new.
 */
uint32_t cct_child(struct cct *t, uint32_t parent, uint8_t kind, calls_place from, calls_place entry, bool *fresh);
/* Makes room for `more` nodes. */
void cct_reserve(struct cct *t, uint32_t more);
/*
 * Makes a root the child of another node, which has no such child yet; with NO_NODE for a parent it
 * remains a root, with another `from`.
 */
void cct_hang(struct cct *t, uint32_t root, uint32_t parent, uint8_t kind, calls_place from);
/* Removes all nodes. */
void cct_clear(struct cct *t);
void cct_free(struct cct *t);

/*
 * Adds all nodes of `from`, whose depths are not used. Nodes at `depth` and below become CUT nodes.
 * Clobbers from->v[].mark.
 */
void cct_merge(struct cct *to, struct cct *from, uint32_t depth);

#endif
