/* SPDX-License-Identifier: GPL-2.0-only */
/* lines.h - buffers lines of a profile and writes them in blocks. */
#ifndef CSTRACE_OUTPUTS_PROFILE_LINES_H
#define CSTRACE_OUTPUTS_PROFILE_LINES_H

#include <string.h>

#include "base/files/output.h"
#include "outputs/synth/text.h"

#define LINE_ROOM	128u	/* maximum length of a line of numbers */

struct lines {
	struct pd_output *out;
	char *p;
	char buf[8192];		/* with a limit on the stack of 128 KB, it is a part */
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

/* Writes a number of 64 bits. */
static inline char *text_unsigned(char *p, uint64_t v)
{
	/* text_dec() has 63 bits */
	if (v >> 63) {
		p = text_dec(p, (int64_t)(v / 10), 0, ' ');
		v %= 10;
	}
	return text_dec(p, (int64_t)v, 0, ' ');
}

/* Writes text of any length. */
static inline void lines_text(struct lines *l, const char *text, size_t n)
{
	if ((size_t)(l->buf + sizeof(l->buf) - l->p) < n + TEXT_SPARE)
		lines_flush(l);
	if (n > sizeof(l->buf) - TEXT_SPARE) {
		pd_output_write(l->out, text, n);
		return;
	}
	l->p = text_bytes(l->p, text, n);
}

static inline void lines_string(struct lines *l, const char *text)
{
	lines_text(l, text, strlen(text));
}

/* Returns room of LINE_ROOM bytes for the next line. The caller sets l->p to its end. */
static inline char *lines_next(struct lines *l)
{
	if ((size_t)(l->buf + sizeof(l->buf) - l->p) < LINE_ROOM)
		lines_flush(l);
	return l->p;
}

/* Writes a number and the character behind it. */
static inline void lines_unsigned(struct lines *l, uint64_t v, char behind)
{
	l->p = text_unsigned(lines_next(l), v);
	*l->p++ = behind;
}

#endif
