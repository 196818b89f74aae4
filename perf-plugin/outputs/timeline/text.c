/* SPDX-License-Identifier: GPL-2.0-only */
/* text.c - a buffer before an output. */
#include "outputs/timeline/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"

#define LONGEST	1024u

void text_flush(struct text *t)
{
	if (t->out)
		pd_output_write(t->out, t->buf, t->fill);
	t->written += t->fill;
	t->fill = 0;
}

void text_put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (sizeof(t->buf) - t->fill < LONGEST)
		text_flush(t);
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->fill, LONGEST, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->fill += (size_t)n < LONGEST ? (size_t)n : LONGEST - 1;
}

void text_name(struct text *t, const char *name)
{
	const char *text = name_shown(name);
	size_t n = strlen(text), i;

	/* not within a character of several bytes */
	for (i = LONGEST; n > LONGEST; i--)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			n = i;
	if (sizeof(t->buf) - t->fill < 2 * LONGEST + 2)
		text_flush(t);
	t->buf[t->fill++] = '"';
	for (i = 0; i < n; i++) {
		if (text[i] == '"' || text[i] == '\\')
			t->buf[t->fill++] = '\\';
		t->buf[t->fill++] = text[i];
	}
	t->buf[t->fill++] = '"';
}
