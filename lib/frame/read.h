/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read.h - what the bytes of a frame mean (IHI 0029, "Formatter frames"), for all that read frames. Even bytes 0..14 hold an
 * ID (bit 0 set) or seven bits of data, whose bit 0 is in byte 15. Half a frame is read as a word, whose even bytes are the
 * low halves of four 16-bit lanes.
 */
#ifndef CST_LIB_FRAME_READ_H
#define CST_LIB_FRAME_READ_H

#include <stdint.h>
#include <string.h>

#include "frame/frame.h"

#define LANES 0x0001000100010001ull	/* bit 0 of each 16-bit lane: of each even byte */
#define BYTE_LANES 0x0101010101010101ull	/* bit 0 of each byte */

static inline uint64_t little(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return v;
#else
	return __builtin_bswap64(v);
#endif
}

/* As a copy: compilers do not make one store of eight. */
static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return little(v);
}

static inline void store64(uint8_t *p, uint64_t v)
{
	v = little(v);
	memcpy(p, &v, sizeof(v));
}

/* Bits 3:0 to bit 0 of the lanes. */
static inline uint64_t scatter(unsigned bits)
{
	static const uint64_t lanes[16] = {
		0x0000000000000000, 0x0000000000000001, 0x0000000000010000, 0x0000000000010001,
		0x0000000100000000, 0x0000000100000001, 0x0000000100010000, 0x0000000100010001,
		0x0001000000000000, 0x0001000000000001, 0x0001000000010000, 0x0001000000010001,
		0x0001000100000000, 0x0001000100000001, 0x0001000100010000, 0x0001000100010001,
	};

	return lanes[bits & 0xf];
}

/* Is there an ID byte in the frame with these halves? */
static inline int has_ids(uint64_t lo, uint64_t hi)
{
	return ((lo | hi) & LANES) != 0;
}

/* The even bytes of a frame as one word: those of its first half are bytes 0, 2, 4 and 6, of its second 1, 3, 5, 7. */
static inline uint64_t even_bytes(uint64_t lo, uint64_t hi)
{
	return (lo & LANES * 0xff) | (hi & LANES * 0xff) << 8;
}

/* Those that are IDs: bit i is set when byte i of the frame is one. No two partial products meet in a bit. */
static inline unsigned gather(uint64_t even)
{
	return (unsigned)((even & BYTE_LANES) * 0x0001000400100040ull >> 48);
}

/* The same of the frame `f`. */
static inline unsigned frame_id_bytes(const uint8_t *f)
{
	const uint64_t lo = load64(f), hi = load64(f + 8);

	return has_ids(lo, hi) ? gather(even_bytes(lo, hi)) : 0;
}

/* An ID byte: where it is, the ID, and how many bytes behind it still belong to the ID before. */
struct frame_change {
	unsigned at, id, behind;
};

/* The first of `ids` in frame `f`, whose last byte is `aux`. The last ID byte has none behind it. */
static inline struct frame_change frame_change(const uint8_t *f, unsigned ids, size_t aux)
{
	const unsigned at = (unsigned)__builtin_ctz(ids);

	return (struct frame_change){ at, f[at] >> 1, (unsigned)((aux & 0x7f) >> at / 2 & 1) };
}

/* Not 0 when one of them is an ID from 0x70 up: reserved, a trigger, or the FF of a pattern. */
static inline uint64_t odd_ids(uint64_t even)
{
	return even & even >> 5 & even >> 6 & even >> 7 & BYTE_LANES;
}

#endif
