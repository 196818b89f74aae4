/* SPDX-License-Identifier: GPL-2.0-only */
/* folded.c - stacks of functions with their instructions, for flamegraph.pl and speedscope. */
#include <string.h>

#include "outputs/profile/lines.h"
#include "outputs/profile/stack_text.h"
#include "outputs/profile/tree.h"
#include "outputs/profile/whole.h"

struct stack_list {
	const struct functions *fs;
	const struct stacks *s;
};

static const char *name_of(const void *data, uint32_t stack)
{
	const struct stack_list *of = data;

	return of->fs->v[of->s->v[stack].function].name;
}

static uint32_t parent_of(const void *data, uint32_t stack)
{
	const struct stack_list *of = data;

	_Static_assert(MODEL_NO_NODE == STACK_TEXT_NONE, "no parent");
	return of->s->v[stack].parent;
}

int folded_write(struct pd_output *out, const struct whole *w)
{
	static const char none[] = "[no stack] ";
	struct functions fs;
	struct stacks s;
	const struct stack_list of = { &fs, &s };
	struct stack_text text = { .name = name_of, .parent = parent_of, .data = &of };
	struct lines l;
	uint64_t rest;
	size_t i;

	functions_init(&fs, w->model, w->demangle);
	stacks_init(&s, &fs);
	lines_init(&l, out);
	for (i = 0; i < s.n; i++)
		if (s.v[i].insns && whole_has(w, fs.v[s.v[i].function].binary)) {
			stack_text_put(&text, &l, (uint32_t)i);
			lines_unsigned(&l, s.v[i].insns, '\n');
		}
	rest = stacks_without(&s, w, &fs);
	if (rest) {
		lines_text(&l, none, strlen(none));
		lines_unsigned(&l, rest, '\n');
	}
	lines_flush(&l);
	stack_text_free(&text);
	stacks_free(&s);
	functions_free(&fs);
	return 0;
}
