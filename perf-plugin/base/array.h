/* SPDX-License-Identifier: GPL-2.0-only */
/* array.h - arrays that grow: pointer, number of entries and capacity are the caller's. */
#ifndef CSTRACE_BASE_ARRAY_H
#define CSTRACE_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * Room for `more` entries behind the first `nr`. `pv` points to the array pointer, whatever its
 * type.
 */
static inline void array_room(void *pv, size_t nr, size_t more, size_t *cap, size_t size)
{
	void *v;

	if (nr + more <= *cap)
		return;
	do
		*cap = *cap ? *cap * 2 : 8;
	while (*cap < nr + more);
	memcpy(&v, pv, sizeof(v));
	v = mem_more(v, *cap, size);
	memcpy(pv, &v, sizeof(v));
}

/* Room for one more entry. */
static inline void array_reserve(void *pv, size_t nr, size_t *cap, size_t size)
{
	array_room(pv, nr, 1, cap, size);
}

/* The address of a new last entry, not initialised. */
#define ARRAY_ADD(v, nr, cap) \
	(array_reserve(&(v), (nr), &(cap), sizeof(*(v))), &(v)[(nr)++])

/* Sorts as qsort(), also an array without entries, whose pointer may be NULL. */
#define ARRAY_SORT(v, n, compare) \
	((n) ? qsort((v), (n), sizeof(*(v)), (compare)) : (void)0)

/* For sorting by the 64-bit number that each entry begins with. */
static inline int array_compare_u64(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* For qsort_r(), of entries with a number at an offset. */
static inline int array_compare_at(const void *a, const void *b, void *offset)
{
	return array_compare_u64((const char *)a + (size_t)offset,
				 (const char *)b + (size_t)offset);
}

/* As ARRAY_SORT(), by a member that is a uint64_t. */
#define ARRAY_SORT_BY(v, n, member) \
	((n) ? qsort_r((v), (n), sizeof(*(v)), array_compare_at, \
		       (void *)offsetof(__typeof__(*(v)), member)) : (void)0)

/*
 * Sorts, and of equal entries keeps the first one, to which `join` adds each other one; NULL: that
 * is dropped. Returns the number of entries that are left.
 */
static inline size_t array_join(void *v, size_t nr, size_t size,
				int (*compare)(const void *, const void *),
				void (*join)(void *to, void *more))
{
	char *last = v, *p = last;

	if (!nr)
		return 0;
	qsort(v, nr, size, compare);
	while (--nr) {
		p += size;
		if (compare(last, p)) {
			last += size;
			if (last != p)
				memcpy(last, p, size);
		} else if (join) {
			join(last, p);
		}
	}
	return (size_t)(last - (char *)v) / size + 1;
}
#define ARRAY_JOIN(v, nr, compare, join) \
	array_join((v), (nr), sizeof(*(v)), (compare), (join))

#endif
