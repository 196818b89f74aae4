/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sized.h - for functions that take a struct which may grow, from callers that were compiled with a smaller one: what
 * such a caller does not have is 0 for the library, and is not written (cstrace.h, "Sizes of structs").
 */
#ifndef CST_LIB_BASE_SIZED_H
#define CST_LIB_BASE_SIZED_H

#include <stddef.h>
#include <string.h>

static inline size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The library's struct, which is 0, from the caller's. What a function does not write the caller gets back. */
static inline const void *take(void *own, size_t own_size, const void *given, size_t size)
{
	if (!given)
		return NULL;
	memcpy(own, given, smaller(size, own_size));
	return own;
}

/* The caller's struct from the library's. A caller that has more than the library knows gets 0 there. */
static inline void give(void *given, size_t size, const void *own, size_t own_size)
{
	memcpy(given, own, smaller(size, own_size));
	if (size > own_size)
		memset((char *)given + own_size, 0, size - own_size);
}

#define TAKE(own, given, size) take(&(own), sizeof(own), given, size)
#define GIVE(given, size, own) give(given, size, &(own), sizeof(own))

#endif
