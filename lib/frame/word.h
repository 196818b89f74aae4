/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * word.h - half a frame as a word: its even bytes 0..6 are the low halves of four 16-bit lanes.
 */
#ifndef LIB_FRAME_WORD_H
#define LIB_FRAME_WORD_H

#include <stdint.h>

#define LANES 0x0001000100010001ull	/* bit 0 of each 16-bit lane: of each even byte */

static inline uint64_t load64(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static inline void store64(uint8_t *p, uint64_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
	p[4] = (uint8_t)(v >> 32);
	p[5] = (uint8_t)(v >> 40);
	p[6] = (uint8_t)(v >> 48);
	p[7] = (uint8_t)(v >> 56);
}

/* Bit 0 of the four lanes to bits 3:0; no two partial products meet in a bit. */
static inline unsigned gather(uint64_t v)
{
	return ((v & LANES) * 0x0001000200040008ull >> 48) & 0xf;
}

/* The reverse: bits 3:0 to bit 0 of the lanes. */
static inline uint64_t scatter(unsigned bits)
{
	return (bits & 0xf) * 0x0000200040008001ull & LANES;
}

/* Bit 0 of each lane whose even byte is an ID from 0x70 up: reserved, a trigger, or the FF of a pattern. */
static inline uint64_t odd_ids(uint64_t v)
{
	return v & v >> 5 & v >> 6 & v >> 7 & LANES;
}

#endif
