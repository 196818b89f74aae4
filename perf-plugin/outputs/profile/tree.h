/* SPDX-License-Identifier: GPL-2.0-only */
/* tree.h - calls between functions: the calling contexts of a model, summed up. */
#ifndef CSTRACE_OUTPUTS_PROFILE_TREE_H
#define CSTRACE_OUTPUTS_PROFILE_TREE_H

#include "outputs/profile/functions.h"
#include "outputs/profile/whole.h"

/* Calls of one function from one place. */
struct call_arc {
	uint32_t caller, callee;	/* indexes of functions */
	uint32_t binary;		/* of the place; CST_COUNT_NO_BINARY: none */
	uint64_t from;			/* file offset of the call; CST_COUNT_OUTSIDE: none */
	uint64_t calls;
	/*
	 * Instructions executed between these calls and their returns, in the callee and in what it called. A call inside
	 * of a call from the same place to the same function adds none, so no instruction counts twice.
	 */
	uint64_t inclusive;
};

struct call_arcs {
	struct call_arc *v;	/* by caller, binary, from, callee */
	size_t n;
};

/* Sums up the nodes that have a caller. call_arcs_free() is to follow. */
void call_arcs_init(struct call_arcs *a, struct functions *fs);
void call_arcs_free(struct call_arcs *a);

/*
 * Instructions executed in each function and in what it called, by its index: an array of fs->nr that the caller frees. A
 * call inside of a call of the same function adds none.
 */
uint64_t *functions_inclusive(struct functions *fs);

/* A stack of functions. */
struct stack_node {
	uint32_t parent;	/* index of the caller's stack; MODEL_NO_NODE: none */
	uint32_t function;
	uint64_t calls, insns;	/* insns: of the innermost function itself */
};

struct stacks {
	struct stack_node *v;	/* a parent precedes its children */
	size_t n;
};

/* Nodes of a model: roots from `first` to before `end`, with all below them. */
struct node_span {
	size_t first, end;
};

/* Adds up nodes with the same functions on their stack. stacks_free() is to follow. */
void stacks_init(struct stacks *s, struct functions *fs);
/* The same of parts of the model. */
void stacks_of(struct stacks *s, struct functions *fs, const struct node_span *v, size_t n);
void stacks_free(struct stacks *s);
/* Instructions of `w` that no stack has: those of a model without calls, or not in any binary. */
uint64_t stacks_without(const struct stacks *s, const struct whole *w, const struct functions *fs);

#endif
