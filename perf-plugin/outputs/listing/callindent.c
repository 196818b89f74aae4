/* SPDX-License-Identifier: GPL-2.0-only */
/* callindent.c - prints a call tree in lines. */
#include "outputs/listing/callindent.h"

#define PER_CALL	4u
/* Columns of the file's name in front. */
#define DSO_WIDTH	50u

static void put_dso(struct line *l, const struct symbol_at *at)
{
	const char *name = at->names.dso ? name_shown(at->names.dso) : "[unknown]";

	*l->p++ = '(';
	line_string(l, name);
	l->p = text_pad(l->p, strlen(name), DSO_WIDTH, ' ');
	l->p = text_lit(l->p, ")\t");
}

/* The address whose function the line names; 0: none. */
static uint64_t named(const struct branch *b)
{
	if (branch_is_call(b->kind) || b->kind == BRANCH_BEGIN)
		return b->to;
	return branch_is_return(b->kind) || b->kind == BRANCH_END ? b->from : 0;
}

/*
 * Pads what was printed so that the columns after it change seldom: to a multiple of 32 that holds the longest text, until
 * texts are much shorter.
 */
static void pad(struct line *l, unsigned int len, unsigned int *spacing)
{
	if (len > *spacing || (len && len + 52 < *spacing))
		*spacing = (len + 4 + 31) / 32 * 32;
	line_room(l, *spacing + LINE_ROOM);
	l->p = text_pad(l->p, len, *spacing, ' ');
}

void callindent_put(struct line *l, const struct stream *s, const struct branch *b, unsigned int depth,
		    unsigned int *spacing)
{
	const uint64_t addr = named(b);
	const struct symbol_at *at;
	unsigned int len = 0;
	const char *name;

	/* the line of a return is at the depth of its call */
	depth += branch_is_return(b->kind);
	line_room(l, DSO_WIDTH + LINE_ROOM);
	if (l->fields & LIST_DSO && !(l->fields & (LIST_IP | LIST_ADDR)))
		put_dso(l, symbols_find(l->symbols, s, b->from));
	if (addr) {
		at = symbols_find(l->symbols, s, addr);
		len = depth * PER_CALL;
		line_room(l, len + LINE_ROOM);
		l->p = text_pad(l->p, 0, len, ' ');
		if (at->names.name) {
			name = name_shown(at->names.name);
			line_string(l, name);
			len += (unsigned int)strlen(name);
		} else {
			l->p = text_hex16(l->p, addr);
			len += 16;
		}
	}
	pad(l, len, spacing);
}
