/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wide.h - products of 64-bit numbers that need 128 bits on the way: times, rates and shares. A result that does not fit
 * 64 bits is UINT64_MAX.
 */
#ifndef CSTRACE_BASE_WIDE_H
#define CSTRACE_BASE_WIDE_H

#include <stdint.h>

struct wide {
	uint64_t hi, lo;
};

/* From four products of 32 bits. */
static inline struct wide wide_mul_by_halves(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, mid = ah * bl + (low >> 32), mid2 = al * bh + (uint32_t)mid;

	return (struct wide){ .hi = ah * bh + (mid >> 32) + (mid2 >> 32), .lo = mid2 << 32 | (uint32_t)low };
}

/* Long division, a bit at a time; `c` is not 0. */
static inline uint64_t wide_div_by_bits(struct wide n, uint64_t c)
{
	uint64_t rest = n.hi, quotient = 0;
	unsigned int i, over;

	if (n.hi >= c)
		return UINT64_MAX;
	for (i = 0; i < 64; i++) {
		over = (unsigned int)(rest >> 63);
		rest = rest << 1 | n.lo >> 63;
		n.lo <<= 1;
		quotient <<= 1;
		if (over || rest >= c) {
			rest -= c;
			quotient |= 1;
		}
	}
	return quotient;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide_uint;
#endif

static inline struct wide wide_mul(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	wide_uint p = (wide_uint)a * b;

	return (struct wide){ .hi = (uint64_t)(p >> 64), .lo = (uint64_t)p };
#else
	return wide_mul_by_halves(a, b);
#endif
}

/* a * b / c; `c` is not 0. */
static inline uint64_t wide_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
#ifdef __SIZEOF_INT128__
	wide_uint q = (wide_uint)a * b / c;

	return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
#else
	return wide_div_by_bits(wide_mul_by_halves(a, b), c);
#endif
}

/* a * b / 2^shift; `shift` is 1 to 63. */
static inline uint64_t wide_mul_shift(uint64_t a, uint64_t b, unsigned int shift)
{
	struct wide p = wide_mul(a, b);

	return p.hi >> shift ? UINT64_MAX : p.hi << (64 - shift) | p.lo >> shift;
}

#endif
