/* SPDX-License-Identifier: BSD-3-Clause */
/* util.h - random numbers and growing byte buffers for the generators. */
#ifndef CSTRACE_TESTS_GEN_UTIL_H
#define CSTRACE_TESTS_GEN_UTIL_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s;
};

void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
/* 0 .. n-1; n = 0 gives 0 */
uint32_t rng_below(struct rng *r, uint32_t n);
uint32_t rng_range(struct rng *r, uint32_t lo, uint32_t hi);
/* true in p of 1000 cases */
int rng_pm(struct rng *r, unsigned int p);

struct gbuf {
	uint8_t *p;
	size_t len, cap;
};

void *gen_realloc(void *p, size_t size);	/* never fails: ends the program */
void gbuf_put(struct gbuf *b, const void *p, size_t n);
void gbuf_u8(struct gbuf *b, unsigned int v);
void gbuf_u16(struct gbuf *b, uint16_t v);
void gbuf_u32(struct gbuf *b, uint32_t v);
void gbuf_u64(struct gbuf *b, uint64_t v);
void gbuf_zero(struct gbuf *b, size_t n);
void gbuf_free(struct gbuf *b);
/* an impossible state of the generator itself: says where and aborts */
_Noreturn void gen_bug(const char *what, const char *file, int line);
#define GEN_BUG_ON(c) do { if (c) gen_bug(#c, __FILE__, __LINE__); } while (0)

#endif
