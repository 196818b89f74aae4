/* SPDX-License-Identifier: GPL-2.0-only */
/* near.c - the distance of two words: letters missing, added, changed, or swapped. */
#include "base/near.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Mistyped letters that a word may have: none in two letters, one in five, three in many. */
static size_t most_errors(size_t len)
{
	return least(len / 3 + (len % 3 != 0 && len > 3), 3);
}

/* The distance of optimal string alignment, by its table of prefixes: three rows of it. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NEAR_MAX + 1], i, j, *row, *last, *before;

	for (j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (i = 1; i <= na; i++) {
		row = rows[i % 3];
		last = rows[(i + 2) % 3];
		before = rows[(i + 1) % 3];
		row[0] = i;
		for (j = 1; j <= nb; j++) {
			row[j] = least(last[j], row[j - 1]) + 1;
			row[j] = least(row[j], last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

void near_begin(struct near *n, const char *word, size_t len)
{
	*n = (struct near){ .word = word, .len = len, .distance = most_errors(len) + 1 };
}

void near_try(struct near *n, const char *name, size_t len)
{
	size_t d;

	if (!len || len > NEAR_MAX || n->len > NEAR_MAX)
		return;
	/* a word that was not finished */
	if (n->len >= 3 && len > n->len && !memcmp(n->word, name, n->len))
		d = 1;
	else
		d = distance(n->word, n->len, name, len);
	if (d >= n->distance)
		return;
	n->distance = d;
	n->best = name;
	n->best_len = len;
}

static size_t name_len(const char *p)
{
	return strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
}

const char *near_hint(struct near *n, const char *before)
{
	n->hint[0] = 0;
	if (n->best)
		snprintf(n->hint, sizeof(n->hint), "; did you mean '%s%.*s'?", before,
			 (int)n->best_len, n->best);
	return n->hint;
}

const char *near_hint_among(struct near *n, const char *word, const char *names)
{
	size_t len;

	near_begin(n, word, strlen(word));
	for (; *names; names += len + !len) {
		len = name_len(names);
		near_try(n, names, len);
	}
	return near_hint(n, "");
}
