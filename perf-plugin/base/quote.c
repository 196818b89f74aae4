/* SPDX-License-Identifier: GPL-2.0-only */
/* quote.c - words of command lines for people, who give them to a shell. */
#include "base/quote.h"

#include <string.h>

#include "base/alloc.h"
#include "base/name.h"

#define QUOTE_IN_QUOTES "'\\''"

char *quote_word(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
	const char *shown = name_shown(word);
	char *text, *to;

	if (*shown && !shown[strspn(shown, plain)])
		return mem_text(shown);
	text = to = mem_new(strlen(shown) * strlen(QUOTE_IN_QUOTES) + 3);
	*to++ = '\'';
	for (; *shown; shown++) {
		if (*shown == '\'')
			to = stpcpy(to, QUOTE_IN_QUOTES);
		else
			*to++ = *shown;
	}
	strcpy(to, "'");
	return text;
}
