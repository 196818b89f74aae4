/* SPDX-License-Identifier: GPL-2.0-only */
/* stacks.c - the stacks of both sides as one tree, of paired functions. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/slots.h"
#include "outputs/difference/internal.h"

/* The tree while it is made. */
struct joining {
	struct difference *d;
	size_t cap;
	struct slots slots;
};

static uint64_t stack_hash(const void *array, uint32_t i)
{
	const struct diff_stack *s = (const struct diff_stack *)array + i;

	return ((uint64_t)s->parent << 32 ^ s->function) * 0x9e3779b97f4a7c15u >> 16;
}

/* Returns the index of a stack, of a new one if needed. */
static uint32_t stack_of(struct joining *j, uint32_t parent, uint32_t function)
{
	const struct diff_stack key = { .parent = parent, .function = function };
	struct difference *d = j->d;
	size_t at;

	slots_reserve(&j->slots, d->nr_stacks, d->stacks, stack_hash);
	SLOTS_FIND(&j->slots, at, stack_hash(&key, 0),
		   d->stacks[j->slots.v[at] - 1].parent == parent &&
			   d->stacks[j->slots.v[at] - 1].function == function);
	if (!j->slots.v[at]) {
		*ARRAY_ADD(d->stacks, d->nr_stacks, j->cap) = key;
		j->slots.v[at] = (uint32_t)d->nr_stacks;
	}
	return j->slots.v[at] - 1;
}

/* The function of a stack of one side, among those of both. */
static uint32_t function_of(const struct diff_state *s, enum diff_side side, uint32_t function)
{
	const uint32_t sub = s->side[side].subject[function];

	return s->subjects[sub].renamed_to == DIFF_NONE ? sub : s->subjects[sub].renamed_to;
}

static void add_side(struct diff_state *s, enum diff_side which, struct joining *j)
{
	const struct side *side = &s->side[which];
	uint32_t *made = mem_array(side->stacks.n + 1, sizeof(*made));
	struct diff_stack *to;
	size_t i;

	for (i = 0; i < side->stacks.n; i++) {
		const struct stack_node *n = &side->stacks.v[i];

		made[i] = stack_of(j, n->parent == MODEL_NO_NODE ? DIFF_NONE : made[n->parent],
				   function_of(s, which, n->function));
		to = &s->d->stacks[made[i]];
		if (whole_has(&side->whole, side->fs.v[n->function].binary))
			to->insns[which] = model_sum(to->insns[which], n->insns);
	}
	free(made);
	s->d->no_stack[which] = stacks_without(&side->stacks, &side->whole, &side->fs);
}

void diff_make_stacks(struct diff_state *s)
{
	struct joining j = { .d = s->d };
	size_t i;

	add_side(s, DIFF_BEFORE, &j);
	add_side(s, DIFF_AFTER, &j);
	slots_free(&j.slots);
	s->d->no_stack[DIFF_AFTER] = diff_scaled(s->d, s->d->no_stack[DIFF_AFTER]);
	for (i = 0; i < s->d->nr_stacks; i++)
		s->d->stacks[i].insns[DIFF_AFTER] =
			diff_scaled(s->d, s->d->stacks[i].insns[DIFF_AFTER]);
}
