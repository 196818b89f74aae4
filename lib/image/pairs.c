/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pairs.c - tables of pairs of offsets with a count: open addressing, at most half full.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/counts.h>

#define FIRST_BITS	10

static int grow(struct cst_pairs *p, unsigned int shift)
{
	size_t slots = (size_t)1 << (64 - shift), i, k;
	struct cst_pair *v = calloc(slots, sizeof(*v));

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

int cst_pairs_insert(struct cst_pairs *p, uint32_t a, uint32_t b, uint64_t count)
{
	struct cst_pair *s;
	size_t i;

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

int cst_pairs_merge(struct cst_pairs *to, const struct cst_pairs *from)
{
	size_t i;

	/* pairs in the order of their hashes would fill a smaller table from the front, which makes probes long */
	if (from->mask && (!to->mask || to->shift > from->shift) && !grow(to, from->shift))
		return 0;
	for (i = 0; from->mask && i <= from->mask; i++)
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

static int compare(const void *pa, const void *pb)
{
	const struct cst_pair *x = pa, *y = pb;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* Sorts a few pairs in place. */
static void insertion_sort(struct cst_pair *v, size_t n)
{
	struct cst_pair x;
	size_t i, k;

	for (i = 1; i < n; i++) {
		x = v[i];
		for (k = i; k && compare(&x, &v[k - 1]) < 0; k--)
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
 * Distributes n pairs over n buckets by the upper bits of `a`, then sorts each bucket. Returns 0 if there was no
 * memory; nothing was changed then.
 */
static int bucket_sort(struct cst_pair *v, size_t n)
{
	unsigned int shift = 0;
	struct cst_pair *to;
	uint64_t most = 0;
	size_t *end, i, first, buckets;

	for (i = 0; i < n; i++)
		most = v[i].a > most ? v[i].a : most;
	while (most >> shift >= n)
		shift++;
	buckets = (size_t)(most >> shift) + 1;
	end = calloc(buckets + 1, sizeof(*end));
	to = malloc(n * sizeof(*to));
	if (!end || !to) {
		free(end);
		free(to);
		return 0;
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
	memcpy(v, to, n * sizeof(*v));
	free(end);
	free(to);
	return 1;
}

const struct cst_pair *cst_pairs_sort(struct cst_pairs *p)
{
	size_t i, n = 0;

	if (!p->used || p->sorted)
		return p->slot;
	for (i = 0; i <= p->mask; i++)
		if (p->slot[i].count)
			p->slot[n++] = p->slot[i];
	if (!bucket_sort(p->slot, n))
		qsort(p->slot, n, sizeof(*p->slot), compare);
	p->sorted = 1;
	return p->slot;
}
