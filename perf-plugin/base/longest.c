/* SPDX-License-Identifier: GPL-2.0-only */
/* longest.c - sorts lengths. */
#include "base/longest.h"

#include "base/array.h"

static int by_length(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? 1 : *a > *b ? -1 : 0;
}

void longest_first(uint64_t *length, size_t n)
{
	ARRAY_SORT(length, n, by_length);
}

uint64_t longest_limit(uint64_t *length, size_t n, size_t max)
{
	longest_first(length, n);
	return length[max] + (length[max + max / 2] == length[max]);
}
