/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane.h - a stream's thread as it is followed: its frames above the begin of the open segment, the tree of their contexts, and
 * where execution is.
 */
#ifndef CSTRACE_COUNTING_CALLS_LANE_H
#define CSTRACE_COUNTING_CALLS_LANE_H

#include "base/array.h"
#include "counting/calls/internal.h"

#define UNKNOWN_BINARY	(CST_COUNT_NO_BINARY - 1)

enum lane_open {
	LANE_SEQ,		/* execution continues behind the last range */
	LANE_TAKEN,		/* the last range ends with a taken branch */
	LANE_EXCEPTION,		/* an exception was taken */
	LANE_GAP,		/* as struct gap has it */
};

struct calls_lane {
	struct cct tree;	/* relative contexts: their roots are the functions in which segments began */
	struct {
		struct frame *f;
		size_t nr, cap;
		/*
		 * frame in which the segment began. Those below it, if any, are of the trace before
		 * a cut (calls_lane_move()), and have no nodes
		 */
		size_t base;
	} stack;
	struct {
		/* nodes with counts of the segment; their `mark` is the index here */
		uint32_t *touched;
		size_t nr_touched, cap_touched;
	} touch;
	uint64_t insns;		/* executed in the top frame, not yet in the tree */
	uint64_t lo, span;	/* addresses of the part of the function that is executed; span 0: unknown */
	struct {
		uint64_t end;		/* address behind the last range */
		uint64_t key;		/* thread */
		uint64_t program;	/* of the last range */
		uint32_t section, last_off; /* place of the last instruction */
		uint8_t kind;		/* enum branch_kind of the taken branch */
		uint8_t size, isa, el;	/* of the last instruction */
	} last;
	uint8_t open;		/* enum lane_open */
	bool running;		/* a segment is open */
	struct gap gap;
	struct segment seg;	/* the begin of the open segment */
	uint64_t number;	/* of segments */
	uint64_t batch_insns;	/* instructions of the batch so far */
	struct {
		uint64_t after;		/* time of the last timestamp, 0: none */
		uint64_t before;	/* time of the next timestamp, UINT64_MAX: none */
	} times;
	struct {
		struct counted *counted; /* room */
		size_t cap_counted;
	} room;
	struct lane_slices *slices; /* NULL: not asked for */
};

/* Target of a branch: of the next range, or an address alone (section 0). */
struct target {
	uint64_t addr;
	uint32_t section, off;
	uint8_t isa, el;
};

/* ---- frames and counts --------------------------------------------------------------------------- */

static inline struct frame *lane_top(struct calls_lane *ln)
{
	return &ln->stack.f[ln->stack.nr - 1];
}

/* Adds the instructions of the top frame to its node, which has been touched. */
static inline void lane_flush(struct calls_lane *ln)
{
	ln->tree.v[lane_top(ln)->node].insns += ln->insns;
	ln->insns = 0;
}

static inline void lane_touch(struct calls_lane *ln, uint32_t node)
{
	if (ln->tree.v[node].mark != NO_NODE)
		return;
	array_reserve(&ln->touch.touched, ln->touch.nr_touched, &ln->touch.cap_touched,
		      sizeof(*ln->touch.touched));
	ln->tree.v[node].mark = (uint32_t)ln->touch.nr_touched;
	ln->touch.touched[ln->touch.nr_touched++] = node;
}

/* ---- places -------------------------------------------------------------------------------------- */

/* Finds the binary of a section that has none in c->binary_of yet. */
uint32_t lane_binary(struct calls *c, uint32_t section);

static inline calls_place lane_place(struct calls *c, uint32_t section, uint32_t off)
{
	uint32_t binary = section < c->nr_sections ? c->binary_of[section] : UNKNOWN_BINARY;

	if (!section)
		return CALLS_NO_PLACE;
	if (binary == UNKNOWN_BINARY)
		binary = lane_binary(c, section);
	return binary == CST_COUNT_NO_BINARY ? CALLS_NO_PLACE : calls_place_of(binary, off);
}

static inline calls_place lane_last_place(struct calls *c, const struct calls_lane *ln)
{
	return lane_place(c, ln->last.section, ln->last.last_off);
}

static inline uint64_t lane_program(const struct calls *c, const struct stream *s)
{
	return c->code.program ? c->code.program(c->code.data, s) : 0;
}

static inline bool where_known(const struct calls_where *w)
{
	return w->place != CALLS_NO_PLACE && w->start != w->end;
}

static inline struct target target_of(const struct cst_generic *g)
{
	return (struct target){ .addr = g->addr, .section = g->section, .off = g->sect_off, .isa = g->isa,
				.el = g->flags & CST_GF_EL ? g->el : 0 };
}

/* Returns place and function of a target, from the cache if it is in a section. */
void lane_find_where(struct calls *c, const struct stream *s, const struct target *t, struct calls_where *w);

/* ---- segments (segment.c) -------------------------------------------------------------- */

/* Sets the state at the begin of a stream, and of each AUX fragment: fragments may be decoded in different shards. */
void lane_begin_fragment(struct calls_lane *ln);
/* Sets the gap from the state of the lane, when the thread does not continue here. `s` NULL: the stream has ended. */
void lane_close_gap(struct calls *c, struct calls_lane *ln, const struct stream *s);
/* Begins a segment of the lane's thread at `t`. */
void segment_begin(struct calls *c, struct calls_lane *ln, const struct stream *s, enum cause cause,
		   const struct target *t);
/* `s` NULL: the stream has ended. */
void segment_end(struct calls *c, struct calls_lane *ln, const struct stream *s);
/* Sets the time of ln->slices to now: estimated times may go back, those of a stream do not. */
void lane_tick(struct calls_lane *ln, const struct stream *s);
/* Ends the segment, whose thread continues at `t` for `cause`. */
void segment_cut(struct calls *c, struct calls_lane *ln, const struct stream *s, enum cause cause,
		 const struct target *t);
/*
 * Ends the segment: execution has left its base and continues at `t` in a frame below it, which
 * becomes the base of the next segment.
 */
void segment_descend(struct calls *c, struct calls_lane *ln, const struct stream *s,
		     enum cause cause, const struct target *t, size_t base);
/* Ends the segment, if there is one, without another one. */
void segment_suspend(struct calls *c, struct calls_lane *ln, const struct stream *s);
/* Replaces the tree of the lane, which has grown to the limit, by an empty one. The thread continues where it is. */
void segment_renew(struct calls *c, struct calls_lane *ln, const struct stream *s);

#endif
