/* SPDX-License-Identifier: GPL-2.0-only */
/* quote.c - words of command lines for people, who give them to a shell. */
#include "base/quote.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name.h"

#define QUOTE_IN_QUOTES "'\\''"
/* The longest text of a byte: an end of quotes, the byte, quotes again. */
#define BYTE_TEXT sizeof("'\"$(printf '\\000')\"'")

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/*
 * Bytes that a terminal may take for commands, and newlines, as printf of the shell writes them,
 * outside of the quotes. The shell removes newlines from the end of a command's output, so the byte
 * behind them is written with them.
 */
static const char *put_bytes(char **to, const char *p, const char *end)
{
	*to = stpcpy(*to, "'\"$(printf '");
	do
		*to += sprintf(*to, "\\%03o", (unsigned int)(unsigned char)*p++);
	while (p < end && (!is_printable(*p) || p[-1] == '\n'));
	*to = stpcpy(*to, "')\"'");
	return p;
}

char *quote_word(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
	const bool shown = name_plain_len(word);
	const char *p = word, *end = word + strlen(word);
	char *text, *to;

	if (shown && !word[strspn(word, plain)])
		return mem_text(word);
	text = to = mem_new(strlen(word) * BYTE_TEXT + 3);
	*to++ = '\'';
	/* newlines at the end stay in the quotes: the name begins no line there */
	while (end > word && end[-1] == '\n')
		end--;
	while (p < end) {
		if (*p == '\'') {
			to = stpcpy(to, QUOTE_IN_QUOTES);
			p++;
		} else if (shown || is_printable(*p)) {
			*to++ = *p++;
		} else {
			p = put_bytes(&to, p, end);
		}
	}
	to = stpcpy(to, end);
	strcpy(to, "'");
	return text;
}
