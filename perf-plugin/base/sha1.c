/* SPDX-License-Identifier: GPL-2.0-only */
/* sha1.c - SHA-1 of bytes in pieces (FIPS 180-4, 6.1). */
#include "base/sha1.h"

#include <string.h>

#define BLOCK	64u

void sha1_init(struct sha1 *s)
{
	*s = (struct sha1){ .h = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 } };
}

static inline uint32_t left(uint32_t x, unsigned int n)
{
	return x << n | x >> (32 - n);
}

/* f and K of round t (4.1.1, 4.2.1). */
static inline uint32_t mix(unsigned int t, uint32_t b, uint32_t c, uint32_t d)
{
	if (t < 20)
		return (d ^ (b & (c ^ d))) + 0x5a827999;
	if (t < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (t < 60)
		return ((b & c) | (d & (b | c))) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(struct sha1 *s, const uint8_t *p)
{
	uint32_t a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4], w[80], sum;
	unsigned int t;

	for (t = 0; t < 16; t++, p += 4)
		w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (; t < 80; t++)
		w[t] = left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (t = 0; t < 80; t++) {
		sum = left(a, 5) + mix(t, b, c, d) + e + w[t];
		e = d;
		d = c;
		c = left(b, 30);
		b = a;
		a = sum;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
}

void sha1_add(struct sha1 *s, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t have = s->len % BLOCK, part;

	s->len += len;
	if (have) {
		part = len < BLOCK - have ? len : BLOCK - have;
		memcpy(s->block + have, p, part);
		p += part;
		len -= part;
		if (have + part < BLOCK)
			return;
		add_block(s, s->block);
	}
	for (; len >= BLOCK; p += BLOCK, len -= BLOCK)
		add_block(s, p);
	if (len)
		memcpy(s->block, p, len);
}

void sha1_end(struct sha1 *s, uint8_t out[SHA1_SIZE])
{
	static const uint8_t pad[BLOCK] = { 0x80 };
	uint64_t bits = s->len * 8;
	uint8_t end[8];
	unsigned int i;

	for (i = 0; i < 8; i++)
		end[i] = (uint8_t)(bits >> (56 - 8 * i));
	/* up to 8 bytes before the end of a block */
	sha1_add(s, pad, 1 + (BLOCK + 55 - s->len % BLOCK) % BLOCK);
	sha1_add(s, end, sizeof(end));
	for (i = 0; i < SHA1_SIZE; i++)
		out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}
