/* SPDX-License-Identifier: GPL-2.0-only */
/* text.c - a buffer before an output. */
#include "outputs/timeline/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "outputs/synth/text.h"

#define LONGEST	1024u

void text_flush(struct text *t)
{
	if (t->out)
		pd_output_write(t->out, t->buf, t->fill);
	t->written += t->fill;
	t->fill = 0;
}

/* Where up to LONGEST bytes can be written. */
static char *room(struct text *t)
{
	if (sizeof(t->buf) - t->fill < LONGEST)
		text_flush(t);
	return t->buf + t->fill;
}

void text_put_words(struct text *t, const char *words)
{
	const size_t n = strlen(words);

	memcpy(room(t), words, n);
	t->fill += n;
}

void text_put_number(struct text *t, uint64_t number)
{
	char *p = room(t);

	t->fill += (size_t)(text_udec(p, number) - p);
}

void text_put_integer(struct text *t, int64_t number)
{
	char *p = room(t);

	t->fill += (size_t)(text_dec(p, number, 0, ' ') - p);
}

void text_put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	char *p = room(t);
	int n;

	va_start(ap, fmt);
	n = vsnprintf(p, LONGEST, fmt, ap);
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
