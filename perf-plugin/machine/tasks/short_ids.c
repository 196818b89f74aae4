/* SPDX-License-Identifier: GPL-2.0-only */
/* short_ids.c - list of threads sorted by the low bits of their numbers. */
#include "machine/tasks/short_ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"

void short_ids_free(struct short_ids *s)
{
	free(s->tids);
	memset(s, 0, sizeof(*s));
}

/* By the traced bits, then by the number. */
static int compare(const void *a, const void *b, void *bits)
{
	const int x = *(const int *)a, y = *(const int *)b;
	const unsigned int n = *(unsigned int *)bits;
	const uint32_t p = short_id(x, n), q = short_id(y, n);

	if (p != q)
		return p < q ? -1 : 1;
	return x < y ? -1 : x > y;
}

void short_ids_make(struct short_ids *s, const struct threads *ts, const void *frag,
		    unsigned int bits)
{
	const struct thread *t;
	size_t i;

	if (s->frag == frag && s->bits == bits && s->nr == ts->known.threads.used &&
	    s->created == ts->totals.total_threads)
		return;
	free(s->tids);
	s->nr = 0;
	s->tids = mem_array(ts->known.threads.used + 1, sizeof(*s->tids));
	for (i = 0; (t = intmap_next(&ts->known.threads, &i));)
		s->tids[s->nr++] = t->tid;
	s->created = ts->totals.total_threads;
	s->bits = bits;
	s->frag = frag;
	qsort_r(s->tids, s->nr, sizeof(*s->tids), compare, &bits);
}

size_t short_ids_first(const struct short_ids *s, uint32_t value)
{
	size_t lo = 0, hi = s->nr;

	BISECT(lo, hi, mid, short_id(s->tids[mid], s->bits) < value);
	return lo;
}
