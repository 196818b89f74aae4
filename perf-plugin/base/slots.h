/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slots.h - finds the entries of an array by their keys: a hash table of indexes, with open addressing. The caller owns the
 * array, compares keys and computes their hashes.
 */
#ifndef CSTRACE_BASE_SLOTS_H
#define CSTRACE_BASE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct slots {
	uint32_t *v;		/* index + 1; 0: free */
	size_t size;		/* a power of two, at least twice the number of entries */
};

/* The hash of entry `i` of an array. */
typedef uint64_t (*slots_hash)(const void *array, uint32_t i);

/* Makes room for one more than `n` entries, which are `array`. */
void slots_reserve(struct slots *s, size_t n, const void *array, slots_hash hash);
/* Enters the `n` entries of `array` again, which have changed their places; there is room for them. */
void slots_rebuild(struct slots *s, size_t n, const void *array, slots_hash hash);
void slots_free(struct slots *s);

/*
 * Sets `at` to the slot of the key with hash `h`, a free one if it has no entry. `same` is an expression: whether the entry of
 * slot `at` has the key.
 */
#define SLOTS_FIND(s, at, h, same)						\
	for ((at) = (size_t)(h) & ((s)->size - 1); (s)->v[at] && !(same);)	\
		(at) = ((at) + 1) & ((s)->size - 1)

#endif
