/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * address.h - the fields of PTM packets that both the parser and the fast path read: addresses and cycle counts
 * (IHI 0035B 4.5.4, 4.4).
 */
#ifndef CST_LIB_PROTOCOLS_PTM_ADDRESS_H
#define CST_LIB_PROTOCOLS_PTM_ADDRESS_H

#include <cstrace/isa.h>

#include "protocols/ptm/ptm.h"

#define CONTINUE 0x80		/* another byte follows */

/* last address byte */
#define ADDR_EXCEPTION 0x40	/* exception bytes follow; waypoint update: an information byte follows */
/* fifth address byte: the instruction set */
#define ISA_JAZELLE 0x20
#define ISA_MASK 0x30
#define ISA_THUMB 0x10
#define ISA_ARM_MASK 0x38
#define ISA_ARM 0x08
/* first byte of a cycle count */
#define CC_CONTINUE 0x40
#define CC_RESERVED 0x83
#define CC_ISYNC_RESERVED 0x03	/* in an I-sync; a Cortex-A15 sets bit 7 there, as in the header of an atom */
#define CC_MAX_MORE 4		/* further bytes */

/* The address bytes of a packet, before they are combined with the last address. */
struct ptm_address {
	uint32_t v;		/* address bits sent, the lowest in bit 0 */
	uint8_t bits;		/* number of bits sent, at most 32 */
	uint8_t n;		/* number of bytes */
	uint8_t last;		/* the last byte */
	uint8_t more;		/* exception or information bytes follow */
	uint8_t isa;		/* enum cst_isa of the fifth byte, or CST_ISA_UNKNOWN */
};

/* Reads the address bytes at `p`. Returns their end, or NULL if the input ends in them. */
static inline const uint8_t *ptm_read_address(const uint8_t *p, const uint8_t *end, struct ptm_address *a)
{
	unsigned int n = 1, shift = 6;
	uint32_t v;
	uint8_t b;

	if (p == end)
		return NULL;
	b = *p++;
	v = b >> 1 & 0x3f;
	a->isa = CST_ISA_UNKNOWN;
	a->more = 0;
	while (b & CONTINUE && n < PTM_MAX_ADDRESS) {
		if (p == end)
			return NULL;
		b = *p++;
		v |= (uint32_t)(b & 0x7f) << shift;
		shift += 7;
		n++;
	}
	/* bit 6 is an address bit in a single byte, and the exception bit in the last of several */
	if (n > 1)
		a->more = !!(b & ADDR_EXCEPTION);
	if (n == PTM_MAX_ADDRESS)
		a->isa = b & ISA_JAZELLE ? CST_ISA_JAZELLE : (b & ISA_MASK) == ISA_THUMB ? CST_ISA_T32 : CST_ISA_A32;
	else if (n > 1)
		v &= (1u << --shift) - 1;
	a->v = v;
	a->bits = (uint8_t)(shift < 32 ? shift : 32);
	a->n = (uint8_t)n;
	a->last = b;
	return p;
}

/* True if reserved bits of the fifth byte are set, or it selects no instruction set. */
static inline int ptm_address_reserved(const struct ptm_address *a)
{
	return a->n == PTM_MAX_ADDRESS && (a->last & CONTINUE || (a->isa == CST_ISA_A32 && (a->last & ISA_ARM_MASK) != ISA_ARM));
}

/*
 * Returns the address in instruction set `isa`: the bits that were sent, with the upper bits of `before`. *bits: number of
 * low address bits that the packet determines.
 */
static inline uint32_t ptm_address(const struct ptm_address *a, uint32_t before, unsigned int isa, unsigned int *bits)
{
	/* A32 addresses start at bit 2, T32 ones at bit 1 */
	const unsigned int low = isa == CST_ISA_A32 ? 2 : isa == CST_ISA_JAZELLE ? 0 : 1;

	*bits = a->bits + low < 32 ? a->bits + low : 32;
	return *bits < 32 ? (before & ~((1u << *bits) - 1)) | a->v << low : a->v << low;
}

/*
 * Reads a cycle count whose first byte is `b`: 4 bits, then 7 bits in each byte at `p`. Returns its end, or NULL if the
 * input ends in it.
 */
static inline const uint8_t *ptm_read_cycles(const uint8_t *p, const uint8_t *end, uint8_t b, uint32_t *cc, int *reserved)
{
	unsigned int shift = 4;

	*cc = b >> 2 & 15;
	*reserved = 0;
	if (!(b & CC_CONTINUE))
		return p;
	do {
		if (p == end)
			return NULL;
		b = *p++;
		*cc |= (uint32_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & CONTINUE && shift < 4 + 7 * CC_MAX_MORE);
	*reserved = !!(b & CONTINUE);
	return p;
}

#endif
