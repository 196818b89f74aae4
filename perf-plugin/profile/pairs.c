/* SPDX-License-Identifier: GPL-2.0-only */
#include "profile/pairs.h"

#include <stdlib.h>

#define FIRST_BITS	10

static bool grow(struct pairs *p)
{
	unsigned int shift = p->mask ? p->shift - 1 : 64 - FIRST_BITS;
	size_t slots = (size_t)1 << (64 - shift), i, k;
	struct pair *v = calloc(slots, sizeof(*v));

	if (!v)
		return false;
	for (i = 0; p->mask && i <= p->mask; i++) {
		if (!p->slot[i].count)
			continue;
		k = pairs_hash(p->slot[i].a, p->slot[i].b, shift);
		while (v[k].count)
			k = (k + 1) & (slots - 1);
		v[k] = p->slot[i];
	}
	free(p->slot);
	p->slot = v;
	p->mask = slots - 1;
	p->shift = shift;
	return true;
}

bool pairs_insert(struct pairs *p, uint32_t a, uint32_t b, uint64_t count)
{
	struct pair *s;
	size_t i;

	/* Half full: probes stay short. */
	if (2 * p->used >= p->mask && !grow(p))
		return false;
	for (i = pairs_hash(a, b, p->shift);; i = (i + 1) & p->mask) {
		s = &p->slot[i];
		if (!s->count)
			break;
		if (s->a == a && s->b == b) {
			s->count += count;
			return true;
		}
	}
	*s = (struct pair){ .a = a, .b = b, .count = count };
	p->used++;
	return true;
}

void pairs_free(struct pairs *p)
{
	free(p->slot);
	*p = (struct pairs){ .slot = NULL };
}

static int cmp(const void *pa, const void *pb)
{
	const struct pair *x = pa, *y = pb;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

const struct pair *pairs_sort(struct pairs *p)
{
	size_t i, n = 0;

	if (!p->used || p->sorted)
		return p->slot;
	for (i = 0; i <= p->mask; i++)
		if (p->slot[i].count)
			p->slot[n++] = p->slot[i];
	qsort(p->slot, n, sizeof(*p->slot), cmp);
	p->sorted = true;
	return p->slot;
}
