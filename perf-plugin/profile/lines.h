/* SPDX-License-Identifier: GPL-2.0-only */
/* lines.h - lines of a profile, collected and written in blocks. */
#ifndef CSTRACE_PROFILE_LINES_H
#define CSTRACE_PROFILE_LINES_H

#include "files/output.h"
#include "synth/text.h"

#define LINE_ROOM	128u	/* no line of numbers is longer */

struct lines {
	struct pd_output *out;
	char *p;
	char buf[65536];
};

static inline void lines_init(struct lines *l, struct pd_output *out)
{
	l->out = out;
	l->p = l->buf;
}

static inline void lines_flush(struct lines *l)
{
	pd_output_write(l->out, l->buf, (size_t)(l->p - l->buf));
	l->p = l->buf;
}

/* Where the next line goes, with LINE_ROOM bytes of room. Whoever fills it sets l->p behind it. */
static inline char *lines_next(struct lines *l)
{
	if ((size_t)(l->buf + sizeof(l->buf) - l->p) < LINE_ROOM)
		lines_flush(l);
	return l->p;
}

#endif
