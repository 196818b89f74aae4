/* SPDX-License-Identifier: BSD-3-Clause */
/* grow.h - arrays that grow: pointer, number of entries and capacity are the caller's. */
#ifndef CST_LIB_BASE_GROW_H
#define CST_LIB_BASE_GROW_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

/*
 * Makes room for n entries of `size` bytes. `array` points to the pointer, whatever its type.
 * Returns 0, or -CST_ERR_NOMEM with the array as it was.
 */
static inline int array_reserve(void *array, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? *cap : 8;
	void *p;

	if (n <= *cap)
		return 0;
	if (n > SIZE_MAX / 2 / size)
		return -CST_ERR_NOMEM;
	while (more < n)
		more *= 2;
	memcpy(&p, array, sizeof(p));
	p = realloc(p, more * size);
	if (!p)
		return -CST_ERR_NOMEM;
	memcpy(array, &p, sizeof(p));
	*cap = more;
	return 0;
}

#endif
