/* SPDX-License-Identifier: GPL-2.0-only */
/* names.c - a sorted list of names for lookups. */
#include "session/import/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"

static int compare(const void *a, const void *b)
{
	const struct name_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

void names_make(struct names *n, const char *const *first, size_t nr, size_t step)
{
	size_t i;

	n->nr = 0;
	n->v = mem_zeroed(nr + 1, sizeof(*n->v));
	n->nr = nr;
	for (i = 0; i < nr; i++) {
		memcpy(&n->v[i].name, (const char *)first + i * step, sizeof(n->v[i].name));
		n->v[i].number = i;
	}
	if (nr)
		qsort(n->v, nr, sizeof(*n->v), compare);
}

void names_free(struct names *n)
{
	free(n->v);
	memset(n, 0, sizeof(*n));
}

static int order(const char *a, struct cst_str b)
{
	int rc = strncmp(a, b.p, b.n);

	return rc ? rc : a[b.n] != '\0';
}

long names_find(const struct names *n, struct cst_str name)
{
	size_t lo = 0, hi = n->nr;

	/* no entry has NUL in its name */
	if (!name.p || memchr(name.p, 0, name.n))
		return -1;
	BISECT(lo, hi, mid, order(n->v[mid].name, name) < 0);
	return lo < n->nr && !order(n->v[lo].name, name) ? (long)n->v[lo].number : -1;
}
