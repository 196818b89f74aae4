/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded.c - stacks of both sides as flamegraph.pl reads them: names separated by semicolons, the
 * innermost function last, and two numbers, before and after. A stack that only one side has is 0
 * on the other one.
 */
#include <stdlib.h>

#include "base/array.h"
#include "outputs/difference/difference.h"
#include "outputs/profile/folded.h"
#include "outputs/profile/lines.h"

struct path {
	uint32_t *v;
	size_t n, cap;
};

static void put_counts(struct lines *l, const uint64_t v[DIFF_SIDES])
{
	lines_unsigned(l, v[DIFF_BEFORE], ' ');
	lines_unsigned(l, v[DIFF_AFTER], '\n');
}

static void put_stack(struct lines *l, const struct difference *d, uint32_t i, struct path *path)
{
	const struct diff_stack *s = &d->stacks[i];

	for (path->n = 0; i != DIFF_NONE; i = d->stacks[i].parent)
		*ARRAY_ADD(path->v, path->n, path->cap) = d->stacks[i].function;
	while (path->n--) {
		folded_name(l, d->functions[path->v[path->n]].name, !path->n);
		lines_text(l, path->n ? ";" : " ", 1);
	}
	put_counts(l, s->insns);
}

void diff_folded_write(struct pd_output *out, const struct difference *d)
{
	struct path path = { .v = NULL };
	struct lines l;
	size_t i;

	lines_init(&l, out);
	for (i = 0; i < d->nr_stacks; i++)
		if (d->stacks[i].insns[DIFF_BEFORE] || d->stacks[i].insns[DIFF_AFTER])
			put_stack(&l, d, (uint32_t)i, &path);
	if (d->no_stack[DIFF_BEFORE] || d->no_stack[DIFF_AFTER]) {
		lines_string(&l, "[no stack] ");
		put_counts(&l, d->no_stack);
	}
	lines_flush(&l);
	free(path.v);
}
