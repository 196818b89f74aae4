/* SPDX-License-Identifier: BSD-3-Clause */
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rng_seed(struct rng *r, uint64_t seed)
{
	r->s = seed * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull;
}

/* splitmix64: small, and every seed gives a full-period sequence */
uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->s += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
	return n ? (uint32_t)((rng_next(r) >> 32) * n >> 32) : 0;
}

uint32_t rng_range(struct rng *r, uint32_t lo, uint32_t hi)
{
	return lo + rng_below(r, hi - lo + 1);
}

int rng_pm(struct rng *r, unsigned int p)
{
	return p && rng_below(r, 1000) < p;
}

void *gen_realloc(void *p, size_t size)
{
	void *q = realloc(p, size ? size : 1);

	if (!q) {
		fprintf(stderr, "cst-gen: out of memory (%zu bytes)\n", size);
		exit(1);
	}
	return q;
}

static void gbuf_room(struct gbuf *b, size_t n)
{
	if (b->len + n <= b->cap)
		return;
	while (b->len + n > b->cap)
		b->cap = b->cap ? b->cap * 2 : 256;
	b->p = gen_realloc(b->p, b->cap);
}

void gbuf_put(struct gbuf *b, const void *p, size_t n)
{
	if (!n)
		return;
	gbuf_room(b, n);
	memcpy(b->p + b->len, p, n);
	b->len += n;
}

void gbuf_u8(struct gbuf *b, unsigned int v)
{
	gbuf_room(b, 1);
	b->p[b->len++] = (uint8_t)v;
}

static void gbuf_le(struct gbuf *b, uint64_t v, int n)
{
	while (n--) {
		gbuf_u8(b, v & 0xff);
		v >>= 8;
	}
}

void gbuf_u16(struct gbuf *b, uint16_t v)
{
	gbuf_le(b, v, 2);
}

void gbuf_u32(struct gbuf *b, uint32_t v)
{
	gbuf_le(b, v, 4);
}

void gbuf_u64(struct gbuf *b, uint64_t v)
{
	gbuf_le(b, v, 8);
}

void gbuf_zero(struct gbuf *b, size_t n)
{
	if (!n)
		return;
	gbuf_room(b, n);
	memset(b->p + b->len, 0, n);
	b->len += n;
}

void gbuf_free(struct gbuf *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

_Noreturn void gen_bug(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: generator in an impossible state: %s\n", file, line, what);
	abort();
}
