/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * async.h - A-sync packets, which are a number of bytes 0x00 and one 0x80 in all protocols but STP.
 */
#ifndef CST_LIB_BYTES_READER_ASYNC_H
#define CST_LIB_BYTES_READER_ASYNC_H

#include <stddef.h>
#include <stdint.h>

#define ASYNC_END 0x80

/* Returns the number of zeros at the end of [p, q), at most `most`. */
static inline unsigned int zeros_before(const uint8_t *p, const uint8_t *q, unsigned int most)
{
	unsigned int n = 0;

	while (n < most && q - n > p && !q[-1 - (ptrdiff_t)n])
		n++;
	return n;
}

/* Returns 0 only if [p + 1, p + size) has no `n` zeros in a row: these would cover one of the bytes that are tested. */
static inline int may_have_zeros(const uint8_t *p, unsigned int size, unsigned int n)
{
	unsigned int i;

	for (i = n; i < size; i += n)
		if (!p[i])
			return 1;
	return 0;
}

/* Returns the number of zeros at the end of [p, end), at most `most`. If all bytes are zeros, `before` is added. */
static inline unsigned int zeros_after(const uint8_t *p, const uint8_t *end, unsigned int before, unsigned int most)
{
	unsigned int n = zeros_before(p, end, most);

	if ((size_t)(end - p) == n)
		n += before;
	return n < most ? n : most;
}

/* Number of bytes before an A-sync, and its size; size 0 if it is incomplete or there is none. */
struct async_place {
	size_t skip, size;
};

/*
 * Returns the first A-sync of at least `least` zeros in [p, end); of more than `most` zeros the last `most` belong to
 * it. `before` is the number of zeros right before p, which count, too. Zeros at the end may begin an A-sync and are
 * not in `skip`.
 */
struct async_place cst_async_find(const uint8_t *p, const uint8_t *end, unsigned int before, unsigned int least,
				  unsigned int most);

/*
 * Searches unsynchronised bytes, with *zeros right before p. Returns the number of bytes before an
 * A-sync, at most those of a packet, or its size with *synced 1 if p is in it; 0: it is incomplete.
 */
unsigned int cst_async_hunt(const uint8_t *p, const uint8_t *end, uint8_t *zeros,
			    unsigned int least, unsigned int most, uint8_t *synced);

#endif
