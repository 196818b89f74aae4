/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairs.h - counts of pairs of file offsets: ranges by start and end, edges by source and target.
 * Their number is bounded by the code that ran.
 */
#ifndef CSTRACE_PROFILE_PAIRS_H
#define CSTRACE_PROFILE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
	uint32_t a, b;
	uint64_t count;		/* 0: free slot */
};

struct pairs {
	struct pair *slot;
	size_t mask;		/* slots - 1; 0: nothing allocated */
	unsigned int shift;	/* 64 minus the bits of a slot's number */
	size_t used;
	bool sorted;
};

/* Out of line part of pairs_add(): false when memory is short. */
bool pairs_insert(struct pairs *p, uint32_t a, uint32_t b, uint64_t count);
void pairs_free(struct pairs *p);
/* Move all pairs to the front, sorted by a, then b; returns `used` pairs. The end of adding. */
const struct pair *pairs_sort(struct pairs *p);

/* Where to look first: the upper bits of a product depend on all bits of both. */
static inline size_t pairs_hash(uint32_t a, uint32_t b, unsigned int shift)
{
	return (size_t)(((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u >> shift);
}

static inline bool pairs_add(struct pairs *p, uint32_t a, uint32_t b)
{
	struct pair *s;
	size_t i;

	if (__builtin_expect(p->mask != 0, 1)) {
		for (i = pairs_hash(a, b, p->shift);; i = (i + 1) & p->mask) {
			s = &p->slot[i];
			if (__builtin_expect(!s->count, 0))
				break;
			if (__builtin_expect(s->a == a && s->b == b, 1)) {
				s->count++;
				return true;
			}
		}
	}
	return pairs_insert(p, a, b, 1);
}

#endif
