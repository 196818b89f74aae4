/* SPDX-License-Identifier: BSD-3-Clause */
/* sized.c - structs of callers that have another size than the library's. */
#include <stdint.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/sized.h"

const void *cst_take_other(const void *given, size_t first, void *own, size_t own_size)
{
	const size_t size = sized_size(given, first);
	const uint8_t *p = given;
	size_t i;

	if (size < first || size > SIZED_MAX)
		return NULL;
	for (i = own_size; i < size; i++)
		if (p[i])
			return NULL;
	memset(own, 0, own_size);
	memcpy(own, given, size < own_size ? size : own_size);
	/* the copy is taken again by functions that it is passed to: it ends where it does */
	if (size > own_size)
		memcpy(own, &own_size, sizeof(own_size));
	return own;
}

int cst_give_sized(void *given, size_t first, const void *own, size_t own_size)
{
	const size_t size = sized_size(given, first), common = size < own_size ? size : own_size;

	if (size < first || size > SIZED_MAX)
		return -CST_ERR_INVAL;
	memcpy((char *)given + sizeof(size_t), (const char *)own + sizeof(size_t),
	       common - sizeof(size_t));
	return 0;
}
