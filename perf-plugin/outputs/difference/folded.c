/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded.c - stacks of both sides as flamegraph.pl reads them, with two numbers, before and after. A
 * stack that only one side has is 0 on the other one.
 */
#include "outputs/difference/difference.h"
#include "outputs/profile/lines.h"
#include "outputs/profile/stack_text.h"

static const char *name_of(const void *data, uint32_t stack)
{
	const struct difference *d = data;

	return d->functions[d->stacks[stack].function].name;
}

static uint32_t parent_of(const void *data, uint32_t stack)
{
	const struct difference *d = data;

	_Static_assert(DIFF_NONE == STACK_TEXT_NONE, "no parent");
	return d->stacks[stack].parent;
}

static void put_counts(struct lines *l, const uint64_t v[DIFF_SIDES])
{
	lines_unsigned(l, v[DIFF_BEFORE], ' ');
	lines_unsigned(l, v[DIFF_AFTER], '\n');
}

void diff_folded_write(struct pd_output *out, const struct difference *d)
{
	struct stack_text text = { .name = name_of, .parent = parent_of, .data = d };
	struct lines l;
	size_t i;

	lines_init(&l, out);
	for (i = 0; i < d->nr_stacks; i++)
		if (d->stacks[i].insns[DIFF_BEFORE] || d->stacks[i].insns[DIFF_AFTER]) {
			stack_text_put(&text, &l, (uint32_t)i);
			put_counts(&l, d->stacks[i].insns);
		}
	if (d->no_stack[DIFF_BEFORE] || d->no_stack[DIFF_AFTER]) {
		lines_string(&l, "[no stack] ");
		put_counts(&l, d->no_stack);
	}
	lines_flush(&l);
	stack_text_free(&text);
}
