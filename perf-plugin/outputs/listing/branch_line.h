/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_line.h - parts of the lines of branches and errors, from values alone: another thread can print them while the
 * stream is decoded on (pages.h).
 */
#ifndef CSTRACE_OUTPUTS_LISTING_BRANCH_LINE_H
#define CSTRACE_OUTPUTS_LISTING_BRANCH_LINE_H

#include "outputs/listing/line.h"
#include "outputs/synth/sampler.h"

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

/* A branch in a line of both addresses alone, with text_hex_upper() of them. */
struct branch_text {
	uint64_t from, from_upper, to, to_upper;
};

/* True if a line has the text of the line before it but for the addresses, both of which are printed, and nothing else. */
static inline bool branch_line_is_short(const struct line *l)
{
	return (l->fields & (LIST_IP | LIST_ADDR | LIST_FLAGS | LISTING_NAMES)) == (LIST_IP | LIST_ADDR) && l->start.known;
}

/* As line_begin() up to line_end(), for a line that branch_line_is_short(). */
static inline void branch_line_short(struct line *l, struct merge_lane *ln, uint64_t time, const struct branch_text *b)
{
	char *begin = merge_reserve(ln, time), *p = text_short(begin, l->start.text, l->start.len);

	*p++ = ' ';
	text_hex16_pair(p, b->from, b->from_upper, p + 16 + 4, b->to, b->to_upper);
	text_lit(p + 16, " => ");
	p[16 + 4 + 16] = '\n';
	merge_commit(ln, (size_t)(p - begin) + 16 + 4 + 16 + 1);
}

/* The whole line of an error, after line_begin(). */
void error_line(struct line *l, int cpu, const struct error_sample *e);

#endif
