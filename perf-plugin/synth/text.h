/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - writes numbers and strings into a buffer, aligned as printf does it but many times faster. The caller
 * provides room for the text and TEXT_SPARE bytes after it, which may be overwritten.
 */
#ifndef CSTRACE_SYNTH_TEXT_H
#define CSTRACE_SYNTH_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEXT_SPARE 32u

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

/* Copies `n` bytes of a text in a buffer with TEXT_SPARE bytes after it, without a call of memcpy. */
static inline char *text_short(char *p, const char *s, size_t n)
{
	size_t i = 0;

	do {
		memcpy(p + i, s + i, TEXT_SPARE);
		i += TEXT_SPARE;
	} while (__builtin_expect(i < n, 0));
	return p + n;
}

/* Returns the eight hex digits of `v` as the bytes of a number, the first digit in the highest byte. */
static inline uint64_t text_hex_digits(uint32_t v)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t x = v, letters;

	x = (x << 16 | x) & 0x0000ffff0000ffffu;
	x = (x << 8 | x) & 0x00ff00ff00ff00ffu;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0fu;
	letters = ((x + 6 * ones) >> 4) & ones;	/* 1 in the bytes of digits above 9 */
	return x + '0' * ones + letters * ('a' - '9' - 1);
}

/* Stores the bytes of a number, highest first. */
static inline void text_store8(char *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, 8);
}

/* %x */
static inline char *text_hex32(char *p, uint32_t v)
{
	const unsigned int n = (35 - (unsigned int)__builtin_clz(v | 1)) / 4;

	text_store8(p, text_hex_digits(v) << (64 - 8 * n));
	return p + n;
}

/* %*llx, at least `width` wide. */
static inline char *text_hex(char *p, uint64_t v, unsigned int width)
{
	const uint32_t high = (uint32_t)(v >> 32);

	p = text_pad(p, v ? (67 - (unsigned int)__builtin_clzll(v)) / 4 : 1, width, ' ');
	if (!high)
		return text_hex32(p, (uint32_t)v);
	p = text_hex32(p, high);
	text_store8(p, text_hex_digits((uint32_t)v));
	return p + 8;
}

/* Replaces the first `n` (less than eight) digits by blanks. */
static inline uint64_t text_blank(uint64_t digits, unsigned int n)
{
	const uint64_t keep = UINT64_MAX >> 8 * n;

	return (digits & keep) | (0x2020202020202020u & ~keep);
}

/* %16llx */
static inline char *text_hex16(char *p, uint64_t v)
{
	const uint32_t high = (uint32_t)(v >> 32), low = (uint32_t)v;
	uint64_t first = 0x2020202020202020u, second = text_hex_digits(low);

	if (high)
		first = text_blank(text_hex_digits(high), (unsigned int)__builtin_clz(high) / 4);
	else
		second = text_blank(second, (unsigned int)__builtin_clz(low | 1) / 4);
	text_store8(p, first);
	text_store8(p + 8, second);
	return p + 16;
}

/* %*lld, filled with `fill` on the left. */
static inline char *text_dec(char *p, int64_t value, unsigned int width, char fill)
{
	uint64_t v = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char tmp[20 + TEXT_SPARE];
	unsigned int i = 20, n;

	do
		tmp[--i] = (char)('0' + v % 10);
	while (v /= 10);
	if (value < 0 && fill == ' ')
		tmp[--i] = '-';
	n = 20 - i;
	p = text_pad(p, n, width, fill);
	return text_short(p, tmp + i, n);
}

#endif
