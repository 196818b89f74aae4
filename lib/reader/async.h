/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * async.h - alignment synchronisation that is a number of bytes 0x00 and one 0x80, as all protocols but STP have it.
 */
#ifndef CST_LIB_READER_ASYNC_H
#define CST_LIB_READER_ASYNC_H

#include <stddef.h>
#include <stdint.h>

#define ASYNC_END 0x80

/* Zeros right before `q`, not before `p`; at most `most`. */
static inline unsigned int zeros_before(const uint8_t *p, const uint8_t *q, unsigned int most)
{
	unsigned int n = 0;

	while (n < most && q - n > p && !q[-1 - (ptrdiff_t)n])
		n++;
	return n;
}

/* Returns 1 if [p + 1, p + size) may have `n` zeros in a row: these would cover one of the bytes that are tested. */
static inline int may_have_zeros(const uint8_t *p, unsigned int size, unsigned int n)
{
	unsigned int i;

	for (i = n; i < size; i += n)
		if (!p[i])
			return 1;
	return 0;
}

/* Number of zeros at the end of [p, end); if all of it is zeros, with the `before` ones right before p; at most `most`. */
static inline unsigned int zeros_after(const uint8_t *p, const uint8_t *end, unsigned int before, unsigned int most)
{
	unsigned int n = zeros_before(p, end, most);

	if ((size_t)(end - p) == n)
		n += before;
	return n < most ? n : most;
}

/* Bytes that are none, then `size` of the A-sync itself: 0 when it is not complete, or not there at all. */
struct async_place {
	size_t skip, size;
};

/*
 * The first A-sync of `least` zeros and more in [p, end); of many, the last `most` belong to it. `before` zeros
 * stand right before p and count, too. Zeros at the end may begin one and are not skipped.
 */
struct async_place cst_async_find(const uint8_t *p, const uint8_t *end, unsigned int before, unsigned int least,
				  unsigned int most);

#endif
