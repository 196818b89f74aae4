/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.h - fields of registers; numbers in Gray code. */
#ifndef CST_LIB_BASE_BITS_H
#define CST_LIB_BASE_BITS_H

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

#endif
