/* SPDX-License-Identifier: GPL-2.0-only */
/* longest.c - finds a length by its rank, byte by byte from the highest one on. */
#include "base/longest.h"

#include <string.h>

uint64_t longest_nth(const uint64_t *length, size_t n, size_t nth)
{
	uint64_t all = 0;
	uint64_t found = 0, mask = 0; /* the bytes that are known, and where they are */
	unsigned int shift = 64, digit;
	size_t count[256], i;

	for (i = 0; i < n; i++)
		all |= length[i];
	do {
		shift -= 8;
		if (!(all >> shift))
			continue;
		memset(count, 0, sizeof(count));
		for (i = 0; i < n; i++)
			if ((length[i] & mask) == found)
				count[length[i] >> shift & 0xff]++;
		for (digit = 0xff; nth >= count[digit]; digit--)
			nth -= count[digit];
		found |= (uint64_t)digit << shift;
		mask |= 0xffull << shift;
	} while (shift);
	return found;
}

uint64_t longest_limit(const uint64_t *length, size_t n, size_t max)
{
	const uint64_t least = longest_nth(length, n, max);

	return least + (longest_nth(length, n, max + max / 2) == least);
}
