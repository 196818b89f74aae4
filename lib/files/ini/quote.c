/* SPDX-License-Identifier: BSD-3-Clause */
/* quote.c - which texts need quotes, and writing them with escapes. */
#include "files/ini/quote.h"

#include <string.h>

int cst_quote_word(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.:/+-@", c));
}

int cst_quote_bare(struct cst_str s, enum cst_quote_where where)
{
	size_t i;

	if (where == CST_QUOTE_EVENT) {
		for (i = 0; i < s.n && cst_quote_word(s.p[i]); i++)
			;
		return s.n && i == s.n && !(s.n == 4 && !memcmp(s.p, "None", 4));
	}
	if (s.n && (s.p[0] == ' ' || s.p[s.n - 1] == ' ' || s.p[0] == '"'))
		return 0;
	for (i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == ';' || s.p[i] == '#')
			return 0;
	return 1;
}

void cst_quote(struct cst_text *t, struct cst_str s)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < s.n; i++) {
		c = (unsigned char)s.p[i];
		if (c == '"' || c == '\\') {
			cst_text_char(t, '\\');
			cst_text_char(t, (char)c);
		} else if (c < 0x20 || c == 0x7f) {
			cst_text_hex_in(t, "\\x", c, 2, "");
		} else {
			cst_text_char(t, (char)c);
		}
	}
}
