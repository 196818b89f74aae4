/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read.h - fields of a frame (IHI 0029 D4.2), for all code that reads frames. Even bytes 0..14 hold an
 * ID (bit 0 set) or seven bits of data, whose bit 0 is in byte 15. Half a frame is read as a 64-bit word, whose even
 * bytes are the low halves of four 16-bit lanes.
 */
#ifndef CST_LIB_BYTES_FRAME_READ_H
#define CST_LIB_BYTES_FRAME_READ_H

#include <stdint.h>
#include <string.h>

#include "bytes/frame/frame_int.h"

#define LANES 0x0001000100010001ull	/* bit 0 of each 16-bit lane, that is of each even byte */
#define BYTE_LANES 0x0101010101010101ull	/* bit 0 of each byte */

static inline uint64_t little(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return v;
#else
	return __builtin_bswap64(v);
#endif
}

/* Loads a little-endian word in one access, since compilers do not merge eight accesses to bytes. */
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

/* Moves bits 3:0 to bit 0 of the four lanes. */
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

/* Restores bit 0 of the data in even bytes from the last byte, `aux`. ID bytes have bit 0 set and do not change. */
static inline void restore_bits(uint64_t *lo, uint64_t *hi, unsigned int aux)
{
	*lo |= scatter(aux);
	*hi |= scatter(aux >> 4);
}

/* True if the frame with these halves has an ID byte. */
static inline int has_ids(uint64_t lo, uint64_t hi)
{
	return ((lo | hi) & LANES) != 0;
}

/*
 * The even bytes of a frame as one word: bytes 0, 2, 4 and 6 are those of the first half, 1, 3, 5 and 7 those of the
 * second.
 */
static inline uint64_t even_bytes(uint64_t lo, uint64_t hi)
{
	return (lo & LANES * 0xff) | (hi & LANES * 0xff) << 8;
}

/* Mask of the ID bytes: bit i is set if byte i of the frame is one. The partial products of the product do not overlap. */
static inline unsigned gather(uint64_t even)
{
	return (unsigned)((even & BYTE_LANES) * 0x0001000400100040ull >> 48);
}

/* Mask of the ID bytes of frame `f`. */
static inline unsigned frame_id_bytes(const uint8_t *f)
{
	const uint64_t lo = load64(f), hi = load64(f + 8);

	return has_ids(lo, hi) ? gather(even_bytes(lo, hi)) : 0;
}

/* An ID byte: its position, the ID, and how many bytes after it still belong to the previous ID. */
struct frame_change {
	unsigned at, id, behind;
};

/* The first of `ids` in frame `f`, whose last byte is `aux`. The last ID byte takes effect at once. */
static inline struct frame_change frame_change(const uint8_t *f, unsigned ids, size_t aux)
{
	const unsigned at = (unsigned)__builtin_ctz(ids);

	return (struct frame_change){ at, f[at] >> 1, (unsigned)((aux & 0x7f) >> at / 2 & 1) };
}

/* Not 0 if an ID byte holds 0x70 or above: a reserved ID, a trigger, a flush, or the FF of a synchronisation pattern. */
static inline uint64_t odd_ids(uint64_t even)
{
	return even & even >> 5 & even >> 6 & even >> 7 & BYTE_LANES;
}

#endif
