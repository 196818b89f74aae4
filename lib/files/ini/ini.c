/* SPDX-License-Identifier: BSD-3-Clause */
/* ini.c - sections and items of an INI text, line by line; numbers, lists and quotes in values. */
#include "files/ini/ini.h"

#include <string.h>

#include <cstrace/error.h>

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct cst_str cst_ini_trim(struct cst_str s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

int cst_ini_is(struct cst_str s, const char *word)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!word[i] || cst_ini_lower(s.p[i]) != cst_ini_lower(word[i]))
			return 0;
	return !word[i];
}

int cst_ini_begins(const char *s, const char *word)
{
	const struct cst_str part = { s, strlen(word) };

	return strlen(s) >= part.n && cst_ini_is(part, word);
}

int cst_ini_rest(const char *s, const char *word, struct cst_str *rest)
{
	if (!cst_ini_begins(s, word))
		return 0;
	*rest = cst_ini_str(s + strlen(word));
	return 1;
}

int cst_ini_item(struct cst_str *rest, struct cst_str *item)
{
	const char *comma;

	if (!rest->p)
		return 0;
	comma = rest->n ? memchr(rest->p, ',', rest->n) : NULL;
	item->p = rest->p;
	if (comma) {
		item->n = (size_t)(comma - rest->p);
		rest->n -= item->n + 1;
		rest->p = comma + 1;
	} else {
		item->n = rest->n;
		rest->p = NULL;
		rest->n = 0;
	}
	*item = cst_ini_trim(*item);
	return 1;
}

int cst_ini_digit(char c, unsigned int base)
{
	int d = -1;

	c = cst_ini_lower(c);
	if (c >= '0' && c <= '9')
		d = c - '0';
	else if (c >= 'a' && c <= 'f')
		d = c - 'a' + 10;
	return d >= 0 && (unsigned int)d < base ? d : -1;
}

int cst_ini_number(struct cst_str s, uint64_t *value)
{
	unsigned int base = 10;
	uint64_t v = 0;
	size_t i = 0;
	int d;

	if (s.n > 2 && s.p[0] == '0' && cst_ini_lower(s.p[1]) == 'x') {
		base = 16;
		i = 2;
	}
	if (i == s.n)
		return -CST_ERR_SYNTAX;
	for (; i < s.n; i++) {
		d = cst_ini_digit(s.p[i], base);
		if (d < 0 || v > (UINT64_MAX - (unsigned int)d) / base)
			return -CST_ERR_SYNTAX;
		v = v * base + (unsigned int)d;
	}
	*value = v;
	return 0;
}

/* The character after a backslash; -1: not an escape. */
static int escape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case '"':
	case '\\':
		return c;
	default:
		return -1;
	}
}

int64_t cst_ini_unquote(struct cst_str s, char *out, size_t *len)
{
	int hi, lo, c;
	size_t i;

	*len = 0;
	for (i = 1; i < s.n && s.p[i] != '"'; i++) {
		c = (unsigned char)s.p[i];
		if (c == '\\') {
			if (++i == s.n)
				break;
			c = escape(s.p[i]);
			if (s.p[i] == 'x' && s.n - i > 2) {
				hi = cst_ini_digit(s.p[i + 1], 16);
				lo = cst_ini_digit(s.p[i + 2], 16);
				c = hi < 0 || lo < 0 ? -1 : hi << 4 | lo;
				i += 2;
			}
			if (c < 0)
				return -CST_ERR_SYNTAX;
		}
		out[(*len)++] = (char)c;
	}
	return i < s.n ? (int64_t)i + 1 : -CST_ERR_SYNTAX;
}

void cst_ini_start(struct ini_reader *r, const uint8_t *text, size_t len)
{
	static const uint8_t bom[] = { 0xef, 0xbb, 0xbf };

	memset(r, 0, sizeof(*r));
	if (len >= sizeof(bom) && !memcmp(text, bom, sizeof(bom))) {
		text += sizeof(bom);
		len -= sizeof(bom);
	}
	r->p = (const char *)text;
	r->end = len ? r->p + len : r->p;
	r->section.p = "";
}

/* Not one in parentheses, "R0(id=7)=1", unless there is no other. */
static const char *separator(const struct ini_reader *r, struct cst_str s)
{
	const char *first = NULL;
	size_t i, depth = 0;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] == '(') {
			depth++;
		} else if (s.p[i] == ')') {
			depth -= depth != 0;
		} else if (s.p[i] == '=' || (r->package && s.p[i] == ':')) {
			if (!depth)
				return s.p + i;
			first = first ? first : s.p + i;
		}
	}
	return first;
}

/* Where a comment may start: behind a quoted value. */
static size_t after_quotes(const struct ini_reader *r, struct cst_str s)
{
	const char *sep = r->package && s.n && *s.p != '[' ? separator(r, s) : NULL;
	size_t i;

	if (!sep)
		return 0;
	for (i = (size_t)(sep - s.p) + 1; i < s.n && is_blank(s.p[i]); i++)
		;
	if (i == s.n || s.p[i] != '"' || memchr(s.p, ';', i) || memchr(s.p, '#', i))
		return 0;
	for (i++; i < s.n && s.p[i] != '"'; i++)
		if (s.p[i] == '\\' && i + 1 < s.n)
			i++;
	return i;
}

/* The next line without its end, comment and outer blanks. */
static struct cst_str next_line(struct ini_reader *r)
{
	struct cst_str s = { r->p, 0 };
	const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));
	size_t i;

	s.n = (size_t)((nl ? nl : r->end) - r->p);
	r->p = nl ? nl + 1 : r->end;
	r->line++;
	if (s.n && s.p[s.n - 1] == '\r')
		s.n--;
	for (i = after_quotes(r, s); i < s.n; i++)
		if (s.p[i] == ';' || s.p[i] == '#')
			break;
	s.n = i < s.n ? i : s.n;
	return cst_ini_trim(s);
}

static int has_control(struct cst_str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t')
			return 1;
	return 0;
}

void cst_ini_next(struct ini_reader *r, struct ini_line *out)
{
	struct cst_str s;
	const char *eq;

	out->kind = INI_END;
	while (r->p < r->end) {
		s = next_line(r);
		if (!s.n)
			continue;
		out->line = r->line;
		out->kind = INI_BAD;
		if (has_control(s))
			return;
		if (s.p[0] == '[') {
			if (s.p[s.n - 1] != ']')
				return;
			s.p++;
			s.n -= 2;
			r->section = out->section = cst_ini_trim(s);
			out->kind = INI_SECTION;
			return;
		}
		eq = separator(r, s);
		if (!eq)
			return;
		out->section = r->section;
		out->key.p = s.p;
		out->key.n = (size_t)(eq - s.p);
		out->key = cst_ini_trim(out->key);
		out->value.p = eq + 1;
		out->value.n = s.n - (size_t)(eq + 1 - s.p);
		out->value = cst_ini_trim(out->value);
		if (out->key.n)
			out->kind = INI_KEY;
		return;
	}
}
