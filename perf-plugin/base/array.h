/* SPDX-License-Identifier: GPL-2.0-only */
/* array.h - arrays that grow: pointer, number of entries and capacity are the caller's. */
#ifndef CSTRACE_BASE_ARRAY_H
#define CSTRACE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more entry. `pv` points to the array pointer, whatever its type. */
static inline bool array_reserve(void *pv, size_t nr, size_t *cap, size_t size)
{
	size_t bigger = *cap ? *cap * 2 : 8;
	void *v;

	if (nr < *cap)
		return true;
	memcpy(&v, pv, sizeof(v));
	if (bigger > SIZE_MAX / size)
		return false;
	v = realloc(v, bigger * size);
	if (!v)
		return false;
	memcpy(pv, &v, sizeof(v));
	*cap = bigger;
	return true;
}

/* The address of a new last entry, not initialised; NULL: no memory. */
#define ARRAY_ADD(v, nr, cap) \
	(array_reserve(&(v), (nr), &(cap), sizeof(*(v))) ? &(v)[(nr)++] : NULL)

#endif
