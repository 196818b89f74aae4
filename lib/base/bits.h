/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.h - fields of registers; numbers in Gray code and in little-endian bytes. */
#ifndef CST_LIB_BASE_BITS_H
#define CST_LIB_BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

#define BITS(reg, hi, lo) (((reg) >> (lo)) & ((1u << ((hi) - (lo) + 1)) - 1))
#define BIT(reg, n) (((reg) >> (n)) & 1)

/* Bytes of a context ID: what ETMCR of an ETMv3 and a PTM says. */
static inline unsigned int etmcr_cid_bytes(uint32_t cr)
{
	return 1u << BITS(cr, 15, 14) >> 1;
}

static inline uint64_t gray_to_binary(uint64_t g)
{
	g ^= g >> 1;
	g ^= g >> 2;
	g ^= g >> 4;
	g ^= g >> 8;
	g ^= g >> 16;
	return g ^ g >> 32;
}

static inline uint64_t binary_to_gray(uint64_t b)
{
	return b ^ b >> 1;
}

/* Reads a little-endian number of up to eight bytes. */
static inline uint64_t le_get(const uint8_t *p, size_t bytes)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* Writes one. Returns its end. */
static inline uint8_t *le_put(uint8_t *p, uint64_t v, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

#endif
