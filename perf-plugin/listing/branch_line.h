/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_line.h - parts of the lines of branches and errors, from values alone: another thread can print them while the
 * stream is decoded on (pages.h).
 */
#ifndef CSTRACE_LISTING_BRANCH_LINE_H
#define CSTRACE_LISTING_BRANCH_LINE_H

#include "listing/line.h"
#include "synth/sampler.h"

/* The address of the source; true if the field is printed, and its names follow. */
static inline bool branch_line_from(struct line *l, uint64_t from)
{
	if (!(l->fields & LIST_IP))
		return false;
	*l->p++ = ' ';
	l->p = text_hex16(l->p, from);
	return true;
}

/* The address of the target; true if the field is printed, and its names follow. */
static inline bool branch_line_to(struct line *l, uint64_t to)
{
	if (!(l->fields & LIST_ADDR))
		return false;
	l->p = text_lit(l->p, " => ");
	l->p = text_hex16(l->p, to);
	return true;
}

/* The whole line of an error, after line_begin(). */
void error_line(struct line *l, int cpu, const struct error_sample *e);

#endif
