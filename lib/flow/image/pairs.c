/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pairs.c - tables of pairs of offsets with a count: open addressing, at most half full; lists; sorted arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "flow/image/counts_int.h"

#define FIRST_BITS	10

static int grow(struct cst_pairs *p, unsigned int shift)
{
	size_t slots = (size_t)1 << (64 - shift), i, k;
	struct cst_pair *v = cst_large_zeroed(slots, sizeof(*v));

	if (!v)
		return 0;
	for (i = 0; p->mask && i <= p->mask; i++) {
		if (!p->slot[i].count)
			continue;
		k = cst_pairs_hash(p->slot[i].a, p->slot[i].b, shift);
		while (v[k].count)
			k = (k + 1) & (slots - 1);
		v[k] = p->slot[i];
	}
	free(p->slot);
	p->slot = v;
	p->mask = slots - 1;
	p->shift = shift;
	return 1;
}

/* Moves the pairs of a hash table to the front. */
static void compact(struct cst_pairs *p)
{
	size_t i, n = 0;

	for (i = 0; p->mask && i <= p->mask; i++)
		if (p->slot[i].count)
			p->slot[n++] = p->slot[i];
	p->mask = 0;
}

int cst_pairs_list(struct cst_pairs *p)
{
	if (!p->slot) {
		p->slot = malloc(((size_t)1 << FIRST_BITS) * sizeof(*p->slot));
		p->shift = 64 - FIRST_BITS;
	}
	compact(p);
	return p->slot != NULL;
}

/* Adds a pair to the end of a list. */
static int append(struct cst_pairs *p, uint32_t a, uint32_t b, uint64_t count)
{
	const size_t size = (size_t)1 << (64 - p->shift);
	struct cst_pair *v;

	if (p->used == size) {
		v = cst_large_more(p->slot, size * sizeof(*v), 2 * size * sizeof(*v));
		if (!v)
			return 0;
		p->slot = v;
		p->shift--;
	}
	p->slot[p->used++] = (struct cst_pair){ .a = a, .b = b, .count = count };
	return 1;
}

int cst_pairs_insert(struct cst_pairs *p, uint32_t a, uint32_t b, uint64_t count)
{
	struct cst_pair *s;
	size_t i;

	if (p->slot && !p->mask)
		return !p->sorted && append(p, a, b, count);
	/* at most half full, so that probes stay short */
	if (2 * p->used >= p->mask && !grow(p, p->mask ? p->shift - 1 : 64 - FIRST_BITS))
		return 0;
	for (i = cst_pairs_hash(a, b, p->shift);; i = (i + 1) & p->mask) {
		s = &p->slot[i];
		if (!s->count)
			break;
		if (s->a == a && s->b == b) {
			s->count += count;
			return 1;
		}
	}
	*s = (struct cst_pair){ .a = a, .b = b, .count = count };
	p->used++;
	return 1;
}

/* The order of pairs, as a number. */
static inline uint64_t key(const struct cst_pair *x)
{
	return (uint64_t)x->a << 32 | x->b;
}

static int compare(const void *pa, const void *pb)
{
	const uint64_t x = key(pa), y = key(pb);

	return x < y ? -1 : x > y;
}

/* Number of pairs in one sorted array that are not in another one. */
static size_t count_new(const struct cst_pairs *of, const struct cst_pairs *in)
{
	const struct cst_pair *x = of->slot, *y = in->slot, *const x_end = x + of->used, *const y_end = y + in->used;
	uint64_t a, b;
	size_t n = 0;

	/* without jumps, which could not be predicted */
	while (x < x_end && y < y_end) {
		a = key(x);
		b = key(y);
		n += a < b;
		x += a <= b;
		y += b <= a;
	}
	return n + (size_t)(x_end - x);
}

/* Merges a sorted array into another one, from the end, so that no other memory is needed than that of new pairs. */
static int merge_sorted(struct cst_pairs *to, const struct cst_pairs *from)
{
	size_t x = to->used, y = from->used, n = x + count_new(from, to);
	struct cst_pair *v = realloc(to->slot, n * sizeof(*v));
	const struct cst_pair *add = from->slot;
	uint64_t a, b;

	if (!v)
		return 0;
	to->slot = v;
	to->used = n;
	while (x && y) {
		a = key(&v[x - 1]);
		b = key(&add[y - 1]);
		v[--n] = a < b ? add[y - 1] : v[x - 1];
		v[n].count += a == b ? add[y - 1].count : 0;
		x -= a >= b;
		y -= b >= a;
	}
	while (y)
		v[--n] = add[--y];
	return 1;
}

int cst_pairs_merge(struct cst_pairs *to, const struct cst_pairs *from)
{
	size_t i;

	if (!from->used)
		return 1;
	if (to->sorted)
		return from->sorted && merge_sorted(to, from);
	if (!from->mask) {
		for (i = 0; i < from->used; i++)
			if (!cst_pairs_insert(to, from->slot[i].a, from->slot[i].b, from->slot[i].count))
				return 0;
		return 1;
	}
	/* pairs in the order of their hashes would fill a smaller table from the front, which makes probes long */
	if ((!to->slot || (to->mask && to->shift > from->shift)) && !grow(to, from->shift))
		return 0;
	for (i = 0; i <= from->mask; i++)
		if (from->slot[i].count &&
		    !cst_pairs_insert(to, from->slot[i].a, from->slot[i].b, from->slot[i].count))
			return 0;
	return 1;
}

void cst_pairs_free(struct cst_pairs *p)
{
	free(p->slot);
	*p = (struct cst_pairs){ .slot = NULL };
}

/* Sorts a few pairs in place. */
static void insertion_sort(struct cst_pair *v, size_t n)
{
	struct cst_pair x;
	size_t i, k;

	for (i = 1; i < n; i++) {
		x = v[i];
		for (k = i; k && key(&x) < key(&v[k - 1]); k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* shift may be 32, which a 32-bit shift does not allow */
static inline size_t bucket_of(const struct cst_pair *x, unsigned int shift)
{
	return (size_t)((uint64_t)x->a >> shift);
}

/* limit for insertion_sort() */
#define FEW 16u

/*
 * Distributes n pairs over n buckets by the upper bits of `a`, then sorts each bucket. Returns a new array, NULL if there
 * was no memory.
 */
static struct cst_pair *bucket_sort(const struct cst_pair *v, size_t n)
{
	unsigned int shift = 0;
	struct cst_pair *to;
	uint64_t most = 0;
	size_t i, first, buckets;
	uint32_t *end;

	for (i = 0; i < n; i++)
		most = v[i].a > most ? v[i].a : most;
	while (most >> shift >= n)
		shift++;
	buckets = (size_t)(most >> shift) + 1;
	end = n <= UINT32_MAX ? cst_large_zeroed(buckets + 1, sizeof(*end)) : NULL;
	to = cst_large_new(n * sizeof(*to));
	if (!end || !to) {
		free(end);
		free(to);
		return NULL;
	}
	for (i = 0; i < n; i++)
		end[bucket_of(&v[i], shift) + 1]++;
	for (i = 1; i <= buckets; i++)
		end[i] += end[i - 1];
	/* turns the begin of each bucket into its end */
	for (i = 0; i < n; i++)
		to[end[bucket_of(&v[i], shift)]++] = v[i];
	for (i = first = 0; i < buckets; first = end[i++]) {
		if (end[i] - first > FEW)
			qsort(to + first, end[i] - first, sizeof(*to), compare);
		else
			insertion_sort(to + first, end[i] - first);
	}
	free(end);
	return to;
}

/* Adds up equal pairs, which are neighbours. Returns the number of different ones. */
static size_t add_equal(struct cst_pair *v, size_t n)
{
	size_t i, k = 0;

	for (i = 1; i < n; i++) {
		if (key(&v[k]) != key(&v[i]))
			v[++k] = v[i];
		else
			v[k].count += v[i].count;
	}
	return k + 1;
}

const struct cst_pair *cst_pairs_sort(struct cst_pairs *p)
{
	struct cst_pair *v;
	size_t i;

	if (!p->used || p->sorted)
		return p->slot;
	compact(p);
	for (i = 1; i < p->used && compare(&p->slot[i - 1], &p->slot[i]) < 0; i++)
		;
	if (i < p->used) {
		v = bucket_sort(p->slot, p->used);
		if (v) {
			free(p->slot);
			p->slot = v;
		} else {
			qsort(p->slot, p->used, sizeof(*p->slot), compare);
		}
		p->used = add_equal(p->slot, p->used);
	}
	p->sorted = 1;
	return p->slot;
}
