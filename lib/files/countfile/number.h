/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * number.h - the numbers of a count file (cstrace-profile(5)): seven bits per byte, the low ones first, in no more bytes
 * than needed. A tagged number has a tag of some bits below its 64.
 *
 * A reader's buffer has NUMBER_SLACK bytes behind the last one of a block, so that numbers are read without looking at the
 * end for each of them: who reads a record compares once, behind it.
 */
#ifndef CST_LIB_FILES_COUNTFILE_NUMBER_H
#define CST_LIB_FILES_COUNTFILE_NUMBER_H

#include <stdint.h>

#define NUMBER_MAX	10	/* bytes of a number, tagged or not */
#define NUMBER_SLACK	128	/* more than the bytes of all numbers of a record */

static inline uint8_t *number_put(uint8_t *p, uint64_t v)
{
	while (v > 0x7f) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *number_put_tagged(uint8_t *p, uint64_t v, unsigned int bits, unsigned int tag)
{
	uint64_t high = v >> (7 - bits);
	uint8_t low = (uint8_t)((v << bits | tag) & 0x7f);

	if (!high) {
		*p++ = low;
		return p;
	}
	*p++ = low | 0x80;
	return number_put(p, high);
}

/* Small for small distances in both directions. */
static inline uint64_t number_of_signed(uint64_t distance)
{
	return distance << 1 ^ (distance >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t number_to_signed(uint64_t v)
{
	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

struct count_cursor {
	const uint8_t *p;
	int bad;	/* a number with more bytes than needed, or more bits than it can have */
};

static inline uint64_t number_get(struct count_cursor *c)
{
	uint64_t v = *c->p++, b;
	unsigned int shift;

	if (v < 0x80)
		return v;
	v &= 0x7f;
	for (shift = 7; shift < 64; shift += 7) {
		b = *c->p++;
		v |= (b & 0x7f) << shift;
		if (b < 0x80) {
			c->bad |= !b || (shift == 63 && b > 1);
			return v;
		}
	}
	c->bad = 1;
	return v;
}

static inline uint64_t number_get_tagged(struct count_cursor *c, unsigned int bits, unsigned int *tag)
{
	uint64_t v = *c->p++, high;

	*tag = (unsigned int)v & ((1u << bits) - 1);
	if (v < 0x80)
		return v >> bits;
	high = number_get(c);
	c->bad |= !high || high >> (57 + bits);
	return (v & 0x7f) >> bits | high << (7 - bits);
}

/* A number that must not be above `most`. */
static inline uint64_t number_get_most(struct count_cursor *c, uint64_t most)
{
	uint64_t v = number_get(c);

	c->bad |= v > most;
	return v;
}

#endif
