/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - numbers and strings into a buffer, aligned as printf does it but many times faster. The
 * caller sees to it that there is room.
 */
#ifndef CSTRACE_SYNTH_TEXT_H
#define CSTRACE_SYNTH_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline char *text_bytes(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

/* A literal. */
#define text_lit(p, s)	text_bytes(p, s, sizeof(s) - 1)

static inline char *text_pad(char *p, size_t have, size_t width, char c)
{
	if (have >= width)
		return p;
	memset(p, c, width - have);
	return p + (width - have);
}

/* %*llx, at least `width` wide. */
static inline char *text_hex(char *p, uint64_t v, unsigned int width)
{
	unsigned int n = v ? (67 - (unsigned int)__builtin_clzll(v)) / 4 : 1, i;
	char *end;

	p = text_pad(p, n, width, ' ');
	end = p + n;
	for (i = 0; i < n; i++, v >>= 4)
		p[n - 1 - i] = "0123456789abcdef"[v & 15];
	return end;
}

/* %*lld, filled with `fill` on the left. */
static inline char *text_dec(char *p, int64_t value, unsigned int width, char fill)
{
	uint64_t v = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char tmp[24];
	unsigned int n = 0;

	do
		tmp[n++] = (char)('0' + v % 10);
	while (v /= 10);
	if (value < 0 && fill == ' ')
		tmp[n++] = '-';
	p = text_pad(p, n, width, fill);
	while (n)
		*p++ = tmp[--n];
	return p;
}

#endif
