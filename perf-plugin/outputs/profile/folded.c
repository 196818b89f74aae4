/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded.c - stacks of functions as flamegraph.pl and speedscope read them: names separated by semicolons, the innermost
 * function last, a space, the instructions.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "outputs/profile/lines.h"
#include "outputs/profile/tree.h"
#include "outputs/profile/whole.h"

/* Bytes of a name before a blank with nothing but a number behind it; else all of them. */
static size_t before_number(const char *name)
{
	const char *blank = strrchr(name, ' '), *p = blank;
	size_t digits = blank ? strspn(blank + 1, "0123456789") : 0;

	if (!digits)
		return strlen(name);
	p += 1 + digits;
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	return *p ? strlen(name) : (size_t)(blank - name);
}

/*
 * The names of the callers of a stack. The next stack has most callers in common with this one, so
 * its line is a copy of them, whatever its depth.
 */
struct stack_text {
	char *text;
	size_t room;
	struct caller {
		uint32_t stack;		/* index */
		size_t end;		/* of its text, with the semicolon behind it */
	} *callers;			/* the outermost first, so that their indexes rise */
	size_t n, cap;
	uint32_t *missing;		/* callers to be added, the innermost first */
	size_t nr_missing, cap_missing;
};

static size_t text_end(const struct stack_text *t)
{
	return t->n ? t->callers[t->n - 1].end : 0;
}

/*
 * Writes a name behind the callers, with room for another byte. A semicolon in it would be read as
 * its end. Returns where it ends.
 */
static size_t add_name(struct stack_text *t, const char *name)
{
	const size_t len = strlen(name), begin = text_end(t);
	char *p;

	array_room(&t->text, begin, len + 1, &t->room, 1);
	p = memcpy(t->text + begin, name, len);
	while ((p = memchr(p, ';', (size_t)(t->text + begin + len - p))))
		*p = ':';
	return begin + len;
}

/* Makes the text that of the callers of stack `i`. */
static void find_callers(struct stack_text *t, const struct functions *fs, const struct stacks *s,
			 uint32_t i)
{
	t->nr_missing = 0;
	while ((i = s->v[i].parent) != MODEL_NO_NODE) {
		while (t->n && t->callers[t->n - 1].stack > i)
			t->n--;
		if (t->n && t->callers[t->n - 1].stack == i)
			break;
		*ARRAY_ADD(t->missing, t->nr_missing, t->cap_missing) = i;
	}
	if (i == MODEL_NO_NODE)
		t->n = 0;
	while (t->nr_missing) {
		const uint32_t caller = t->missing[--t->nr_missing];
		size_t end = add_name(t, fs->v[s->v[caller].function].name);

		t->text[end++] = ';';
		*ARRAY_ADD(t->callers, t->n, t->cap) = (struct caller){ caller, end };
	}
}

static void put_count(struct lines *l, uint64_t insns)
{
	lines_text(l, " ", 1);
	lines_unsigned(l, insns, '\n');
}

/* flamegraph.pl takes a number behind the last name for the count of a second profile. */
static void put_stack(struct lines *l, struct stack_text *t, const struct functions *fs,
		      const struct stacks *s, uint32_t i)
{
	const char *name = fs->v[s->v[i].function].name;
	size_t end, blank;

	find_callers(t, fs, s, i);
	blank = text_end(t) + before_number(name);
	end = add_name(t, name);
	if (blank < end)
		t->text[blank] = '_';
	lines_text(l, t->text, end);
	put_count(l, s->v[i].insns);
}

int folded_write(struct pd_output *out, const struct whole *w)
{
	static const char none[] = "[no stack]";
	struct stack_text text = { .n = 0 };
	struct functions fs;
	struct stacks s;
	struct lines l;
	uint64_t rest;
	size_t i;

	functions_init(&fs, w->model, w->demangle);
	stacks_init(&s, &fs);
	lines_init(&l, out);
	for (i = 0; i < s.n; i++)
		if (s.v[i].insns && whole_has(w, fs.v[s.v[i].function].binary))
			put_stack(&l, &text, &fs, &s, (uint32_t)i);
	rest = stacks_without(&s, w, &fs);
	if (rest) {
		lines_text(&l, none, strlen(none));
		put_count(&l, rest);
	}
	lines_flush(&l);
	free(text.text);
	free(text.callers);
	free(text.missing);
	stacks_free(&s);
	functions_free(&fs);
	return 0;
}
