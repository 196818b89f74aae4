/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded.c - stacks of functions as flamegraph.pl and speedscope read them: names separated by semicolons, the innermost
 * function last, a space, the instructions.
 */
#include "outputs/profile/folded.h"

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

void folded_name(struct lines *l, const char *name, bool last)
{
	const size_t head = last ? before_number(name) : strlen(name);
	const char *end = name + head, *semicolon;

	while ((semicolon = memchr(name, ';', (size_t)(end - name)))) {
		lines_text(l, name, (size_t)(semicolon - name));
		lines_text(l, ":", 1);
		name = semicolon + 1;
	}
	lines_text(l, name, (size_t)(end - name));
	if (*end) {
		lines_text(l, "_", 1);
		lines_text(l, end + 1, strlen(end + 1));
	}
}

static void put_count(struct lines *l, uint64_t insns)
{
	lines_text(l, " ", 1);
	lines_unsigned(l, insns, '\n');
}

struct path {
	uint32_t *v;
	size_t n, cap;
};

static void put_stack(struct lines *l, const struct functions *fs, const struct stacks *s,
		      uint32_t i, struct path *path)
{
	const uint64_t insns = s->v[i].insns;

	for (path->n = 0; i != MODEL_NO_NODE; i = s->v[i].parent)
		*ARRAY_ADD(path->v, path->n, path->cap) = s->v[i].function;
	while (path->n--) {
		folded_name(l, fs->v[path->v[path->n]].name, !path->n);
		if (path->n)
			lines_text(l, ";", 1);
	}
	put_count(l, insns);
}

int folded_write(struct pd_output *out, const struct whole *w)
{
	static const char none[] = "[no stack]";
	struct path path = { .v = NULL };
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
			put_stack(&l, &fs, &s, (uint32_t)i, &path);
	rest = stacks_without(&s, w, &fs);
	if (rest) {
		lines_text(&l, none, strlen(none));
		put_count(&l, rest);
	}
	lines_flush(&l);
	free(path.v);
	stacks_free(&s);
	functions_free(&fs);
	return 0;
}
