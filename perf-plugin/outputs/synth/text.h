/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - writes numbers and strings into a buffer, aligned as printf does it but many times faster. The caller
 * provides room for the text and TEXT_SPARE bytes after it, which may be overwritten.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_TEXT_H
#define CSTRACE_OUTPUTS_SYNTH_TEXT_H

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

/* The bytes of a number, highest first, as they are in memory. */
static inline uint64_t text_order(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* Stores the bytes of a number, highest first. */
static inline void text_store8(char *p, uint64_t v)
{
	v = text_order(v);
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

/* Replaces the first `n` (less than eight) of the digits in memory by blanks. */
static inline uint64_t text_blank(uint64_t digits, unsigned int n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t keep = UINT64_MAX << 8 * n;
#else
	const uint64_t keep = UINT64_MAX >> 8 * n;
#endif

	return (digits & keep) | (0x2020202020202020u & ~keep);
}

/* %16llx: the first eight characters, in the order of memory; addresses near each other have them in common. */
static inline uint64_t text_hex_upper(uint64_t v)
{
	const uint32_t upper = (uint32_t)(v >> 32);

	return upper ? text_blank(text_order(text_hex_digits(upper)), (unsigned int)__builtin_clz(upper) / 4) :
		       0x2020202020202020u;
}

/* %16llx, from text_hex_upper() and the digits of the lower half. */
static inline void text_hex16_of(char *p, uint64_t v, uint64_t upper, uint64_t digits)
{
	if (!(v >> 32))
		digits = text_blank(digits, (unsigned int)__builtin_clz((uint32_t)v | 1) / 4);
	memcpy(p, &upper, 8);
	memcpy(p + 8, &digits, 8);
}

/* %16llx */
static inline char *text_hex16(char *p, uint64_t v)
{
	text_hex16_of(p, v, text_hex_upper(v), text_order(text_hex_digits((uint32_t)v)));
	return p + 16;
}

typedef uint8_t text_vector __attribute__((vector_size(16)));
typedef uint64_t text_words __attribute__((vector_size(16)));

/* The first eight bytes of both, in turn. */
static inline text_vector text_in_turn(text_vector a, text_vector b)
{
#ifdef __clang__
	return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#else
	return __builtin_shuffle(a, b, (text_vector){ 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23 });
#endif
}

/* Two numbers as %16llx, at `p` and `q`, from their text_hex_upper(): faster than one after the other. */
static inline void text_hex16_pair(char *p, uint64_t v, uint64_t v_upper, char *q, uint64_t w, uint64_t w_upper)
{
	/* not through memory, which would wait for the two stores */
	const text_vector bytes = (text_vector)(text_words){ text_order(v << 32 | (uint32_t)w), 0 };
	text_vector digits = text_in_turn(bytes >> 4, bytes & 15);
	text_words text;

	digits += '0' + ((text_vector)(digits > 9) & ('a' - '9' - 1));
	text = (text_words)digits;
	text_hex16_of(p, v, v_upper, text[0]);
	text_hex16_of(q, w, w_upper, text[1]);
}

/* Digits of a number, at the end of a buffer before its spare bytes. Returns where they begin. */
static inline unsigned int text_digits(char tmp[20 + TEXT_SPARE], uint64_t v)
{
	unsigned int i = 20;

	do
		tmp[--i] = (char)('0' + v % 10);
	while (v /= 10);
	return i;
}

/* %llu */
static inline char *text_udec(char *p, uint64_t value)
{
	char tmp[20 + TEXT_SPARE];
	const unsigned int i = text_digits(tmp, value);

	return text_short(p, tmp + i, 20 - i);
}

/* %*lld, filled with `fill` on the left. */
static inline char *text_dec(char *p, int64_t value, unsigned int width, char fill)
{
	char tmp[20 + TEXT_SPARE];
	unsigned int i = text_digits(tmp, value < 0 ? -(uint64_t)value : (uint64_t)value), n;

	if (value < 0 && fill == ' ')
		tmp[--i] = '-';
	n = 20 - i;
	p = text_pad(p, n, width, fill);
	return text_short(p, tmp + i, n);
}

#endif
