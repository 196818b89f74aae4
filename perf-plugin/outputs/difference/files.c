/* SPDX-License-Identifier: GPL-2.0-only */
/* files.c - pairs source files by the parts of their names, from the last one on. */
#include "outputs/difference/files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"

/* Names of a side in the order of their last parts. */
struct by_label {
	const char *label;
	uint32_t number;
	bool paired;
};

static int compare(const void *pa, const void *pb)
{
	const struct by_label *a = pa, *b = pb;
	const int order = strcmp(a->label, b->label);

	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

static struct by_label *sorted(const struct strings *s)
{
	struct by_label *v = mem_array(s->n + 1, sizeof(*v));
	size_t i;

	for (i = 0; i < s->n; i++)
		v[i] = (struct by_label){ .label = path_label(s->v[i]), .number = (uint32_t)i };
	if (s->n)
		qsort(v, s->n, sizeof(*v), compare);
	return v;
}

/* Length of the last parts that two names have in common, in whole folders. */
static size_t common(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), i, whole = 0;

	for (i = 0; i < n && i < m && a[n - 1 - i] == b[m - 1 - i]; i++)
		if (a[n - 1 - i] == '/')
			whole = i;
	return i == n || i == m ? i : whole;
}

/* Files of both sides with one label. */
struct alike {
	const struct strings *before, *after;
	struct by_label *a, *b;
	size_t nr_a, nr_b;
};

/* Pairs the two files of them that have most in common. False: none is left. */
static bool pair_best(const struct alike *l, uint32_t *pair)
{
	struct by_label *best_a = NULL, *best_b = NULL;
	size_t i, k, n, most = 0;

	for (i = 0; i < l->nr_a; i++)
		for (k = 0; k < l->nr_b; k++) {
			if (l->a[i].paired || l->b[k].paired)
				continue;
			n = common(l->before->v[l->a[i].number], l->after->v[l->b[k].number]);
			if (best_a && n <= most)
				continue;
			most = n;
			best_a = &l->a[i];
			best_b = &l->b[k];
		}
	if (!best_a)
		return false;
	best_a->paired = best_b->paired = true;
	pair[best_a->number] = best_b->number;
	return true;
}

#define MANY 64u /* files with one label are not compared: generated ones of a build */

static size_t same_label(const struct by_label *v, size_t n, const char *label)
{
	size_t i = 0;

	while (i < n && !strcmp(v[i].label, label))
		i++;
	return i;
}

/* Marks the files with the same whole name. */
static void mark_same(struct alike *l, const uint32_t *pair)
{
	size_t i, k;

	for (i = 0; i < l->nr_a; i++) {
		l->a[i].paired = pair[l->a[i].number] != UINT32_MAX;
		for (k = 0; l->a[i].paired && k < l->nr_b; k++)
			l->b[k].paired |= l->b[k].number == pair[l->a[i].number];
	}
}

uint32_t *files_pair(const struct strings *before, const struct strings *after)
{
	struct alike l = {
		.before = before, .after = after, .a = sorted(before), .b = sorted(after)
	};
	struct by_label *const a = l.a, *const b = l.b;
	uint32_t *pair = mem_array(before->n + 1, sizeof(*pair));
	size_t i;

	for (i = 0; i < before->n; i++)
		pair[i] = strings_find(after, before->v[i]);
	for (; l.a < a + before->n; l.a += l.nr_a) {
		while (l.b < b + after->n && strcmp(l.b->label, l.a->label) < 0)
			l.b++;
		l.nr_a = same_label(l.a, (size_t)(a + before->n - l.a), l.a->label);
		l.nr_b = same_label(l.b, (size_t)(b + after->n - l.b), l.a->label);
		if (l.nr_a > MANY || l.nr_b > MANY)
			continue;
		mark_same(&l, pair);
		while (pair_best(&l, pair))
			;
	}
	free(a);
	free(b);
	return pair;
}
