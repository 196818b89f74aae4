/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_line.h - the lines of branches and errors. They are printed from values alone, without the stream, so that
 * another thread can print them while the stream is decoded on (pages.h).
 */
#ifndef CSTRACE_LISTING_BRANCH_LINE_H
#define CSTRACE_LISTING_BRANCH_LINE_H

#include "listing/line.h"
#include "synth/sampler.h"

/* What the line of a branch shows, but for the names of its addresses. */
struct branch_line {
	uint64_t time, from, to;
	int pid, tid, cpu;
	unsigned int flags;	/* PERF_IP_FLAG_x */
};

/* The fields before the addresses, after line_begin(); `event` is the event's name. */
static inline void branch_line_start(struct line *l, const struct branch_line *b, const char *event)
{
	line_start(l, b->cpu, b->pid, b->tid, b->time, false, 1, event);
	line_flags(l, b->flags);
}

/* The address of the source; true if its names follow, by line_symbol(). */
static inline bool branch_line_from(struct line *l, const struct branch_line *b)
{
	if (!(l->fields & LIST_IP))
		return false;
	*l->p++ = ' ';
	l->p = text_hex16(l->p, b->from);
	return l->fields & LISTING_NAMES;
}

/* The address of the target; true if its names follow. */
static inline bool branch_line_to(struct line *l, const struct branch_line *b)
{
	if (!(l->fields & LIST_ADDR))
		return false;
	l->p = text_lit(l->p, " => ");
	l->p = text_hex16(l->p, b->to);
	return l->fields & LISTING_NAMES;
}

/* The whole line of an error, after line_begin(). */
void error_line(struct line *l, int cpu, const struct error_sample *e);

#endif
