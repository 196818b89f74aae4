/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph.h - the frames of a flame graph: stacks of functions with the instructions executed in
 * them, from the callers down, or from the functions that executed them up to their callers. All
 * flame graphs of a report are laid out so.
 */
#ifndef CSTRACE_OUTPUTS_REPORT_GRAPH_H
#define CSTRACE_OUTPUTS_REPORT_GRAPH_H

#include "outputs/profile/tree.h"

/* A stack of functions. */
struct graph_stack {
	uint32_t parent;	/* index of its caller's, which precedes it; MODEL_NO_NODE: none */
	uint32_t function;
	uint32_t depth;		/* stacks above it: graph_sum() sets it */
	uint64_t insns;
};

struct graph_frame {
	uint32_t parent;	/* index of the frame above it, + 1; 0: none */
	uint32_t stack;		/* its index, of a graph from the callers down */
	uint32_t function;
	uint32_t depth;		/* frames above it */
	uint64_t begin;		/* instructions of the frames left of it */
	uint64_t insns;		/* its width: those of all below it, too */
};

/* What is drawn: narrow and deep frames are left out, so that a page is bounded. */
struct graph {
	/* those above precede those below; of one parent the widest is first */
	struct graph_frame *v;
	size_t n;
	uint64_t total;		/* instructions of all stacks */
	uint64_t least;		/* of a frame that is drawn */
	uint32_t limit;		/* frames have less than these above them */
	uint32_t deepest;
};

/* Both draw the stacks `s` of functions; graph_free() follows. */
void graph_down(struct graph *g, const struct stacks *s, const struct whole *w,
		const struct functions *fs);
void graph_up(struct graph *g, const struct stacks *s, const struct whole *w,
	      const struct functions *fs);
/*
 * The same as graph_down() of stacks that are not those of a model: graph_sum() adds to each the
 * instructions of all below it, and returns those of all; graph_of() draws what it has made.
 */
uint64_t graph_sum(struct graph_stack *v, size_t n);
void graph_of(struct graph *g, const struct graph_stack *v, size_t n, uint64_t total);
void graph_free(struct graph *g);

/* Sets what is left out at first; graph_narrow() leaves out more. */
void graph_limits(struct graph *g);
/* True if a graph may have one more frame. */
bool graph_fits(const struct graph *g);
/* Leaves out more frames. False: no more can be left out. */
bool graph_narrow(struct graph *g);
/* Sets where each frame begins. */
void graph_place(struct graph *g);

#endif
