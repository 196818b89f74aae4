/* SPDX-License-Identifier: GPL-2.0-only */
/* map.c - finds anchors, and the edits between them. */
#include "outputs/difference/map.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "outputs/difference/base_name.h"
#include "outputs/sources/source.h"

/* More lines with code between two anchors are not searched for an edit. */
#define MANY_LINES 1500u
/* Lines of a source that are mapped. */
#define LAST_LINE 100000000u

/* A line of a file, at which a function of this base name is declared. */
struct declared {
	uint32_t file, name;
	unsigned int line;
};

/* Lines of DIFF_BEFORE from `line` on, up to the next stretch of the file. */
struct stretch {
	uint32_t file;
	unsigned int line;
	int shift;	/* of its lines before `edit` */
	unsigned int edit;	/* the first line with the other shift ... */
	int shift_behind;	/* ... which is this one */
};

struct line_map {
	struct stretch *v;	/* by file and line */
	size_t n, cap;
};

/* ---- anchors -------------------------------------------------------------------------------- */

struct declarations {
	struct side *side;
	struct strings *names;
	struct declared *v;
	size_t n, cap;
};

static void take(void *data, const struct source_function *f)
{
	struct declarations *d = data;
	const uint32_t file = strings_find(&d->side->file_names, f->place.file);
	char *base;

	if (file == UINT32_MAX || f->place.line > LAST_LINE)
		return;
	base = mem_text(f->name);
	base[base_name_len(base)] = 0;
	*ARRAY_ADD(d->v, d->n, d->cap) = (struct declared){ .file = d->side->file_pair[file],
							    .name = strings_number(d->names, base),
							    .line = f->place.line };
	free(base);
}

static int compare_declared(const void *pa, const void *pb)
{
	const struct declared *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* The functions that a side declares, of a name in a file the first one. */
static struct declarations declarations_of(struct diff_state *s, enum diff_side which,
					   struct strings *names)
{
	struct declarations d = { .side = &s->side[which], .names = names };
	size_t i;

	for (i = NR_OTHER_GROUPS; i < s->nr_groups; i++)
		if (s->groups[i].lines)
			source_each_function(places_source(d.side->whole.places,
							   s->groups[i].binary[which]),
					     take, &d);
	d.n = ARRAY_JOIN(d.v, d.n, compare_declared, NULL);
	return d;
}

/* A function that both sides declare. */
struct anchor {
	uint32_t file;
	unsigned int before, after;
};

static int compare_anchors(const void *pa, const void *pb)
{
	const struct anchor *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	return a->after < b->after ? -1 : a->after > b->after;
}

/* Anchors of all files, in order; a function that was moved over another one is none. */
static struct anchor *anchors(struct diff_state *s, size_t *n)
{
	struct strings names = { .v = NULL };
	struct declarations a = declarations_of(s, DIFF_BEFORE, &names),
			    b = declarations_of(s, DIFF_AFTER, &names);
	struct anchor *v = mem_array(a.n + s->files.n + 1, sizeof(*v));
	size_t i, k = 0, used = 0;

	/* each file begins with one */
	for (i = 0; i < s->files.n; i++)
		v[used++] = (struct anchor){ .file = (uint32_t)i, .before = 1, .after = 1 };
	for (i = 0; i < a.n; i++) {
		while (k < b.n && compare_declared(&b.v[k], &a.v[i]) < 0)
			k++;
		if (k < b.n && !compare_declared(&b.v[k], &a.v[i]))
			v[used++] = (struct anchor){ a.v[i].file, a.v[i].line, b.v[k].line };
	}
	ARRAY_SORT(v, used, compare_anchors);
	for (i = k = 0; i < used; i++)
		if (!k || v[i].file != v[k - 1].file || v[i].after > v[k - 1].after)
			v[k++] = v[i];
	*n = k;
	free(a.v);
	free(b.v);
	strings_free(&names);
	return v;
}

/* ---- edits ---------------------------------------------------------------------------------- */

/* A line with code. */
struct code_line {
	unsigned int line;
	uint64_t insns;
};

struct code_lines {
	struct code_line *v;
	size_t n;
};

static size_t first_cost(const struct side *side, uint32_t file, unsigned int line)
{
	size_t lo = 0, hi = side->nr_costs;

	BISECT(lo, hi, mid,
	       side->costs[mid].file < file ||
		       (side->costs[mid].file == file && side->costs[mid].line < line));
	return lo;
}

/* The lines of a file with code in [from, to); the caller frees them. */
static struct code_lines code_of(const struct side *side, uint32_t file, unsigned int from,
				 unsigned int to)
{
	const size_t begin = first_cost(side, file, from), end = first_cost(side, file, to);
	struct code_lines c = { .v = mem_array(end - begin + 1, sizeof(*c.v)) };
	size_t i;

	for (i = begin; i < end; i++) {
		if (!c.n || c.v[c.n - 1].line != side->costs[i].line)
			c.v[c.n++] = (struct code_line){ .line = side->costs[i].line };
		c.v[c.n - 1].insns = model_sum(c.v[c.n - 1].insns, side->costs[i].insns);
	}
	return c;
}

/* How well a line fits the one that is `shift` lines below: 0: that has no code. */
static unsigned int fits(const struct code_line *l, int shift, const struct code_lines *after)
{
	const long line = (long)l->line + shift;
	size_t lo = 0, hi = after->n;

	BISECT(lo, hi, mid, (long)after->v[mid].line < line);
	if (lo == after->n || (long)after->v[lo].line != line)
		return 0;
	return after->v[lo].insns == l->insns ? 3 : 1;
}

/*
 * Sets the place of the edit: where the most lines fit, before it with one shift, and behind it
 * with the other.
 */
static void find_edit(struct stretch *st, const struct code_lines *before,
		      const struct code_lines *after)
{
	const unsigned int removed =
		st->shift_behind < st->shift ? (unsigned int)(st->shift - st->shift_behind) : 0;
	unsigned long best = 0, sum, head = 0;
	size_t i, k;

	for (i = 0; i <= before->n; i++) {
		const unsigned int edit = i ? before->v[i - 1].line + 1 : st->line;

		if (i)
			head += fits(&before->v[i - 1], st->shift, after);
		for (sum = head, k = i; k < before->n; k++)
			if (before->v[k].line >= edit + removed)
				sum += fits(&before->v[k], st->shift_behind, after);
		if (sum >= best) {
			best = sum;
			st->edit = edit;
		}
	}
}

/* The stretch from an anchor up to the next one, which is NULL at the end of the file. */
static struct stretch stretch_of(struct diff_state *s, const struct anchor *a,
				 const struct anchor *next)
{
	struct stretch st = { .file = a->file,
			      .line = a->before,
			      .shift = (int)a->after - (int)a->before,
			      .edit = UINT_MAX };
	struct code_lines before, after;

	before = code_of(&s->side[DIFF_BEFORE], a->file, a->before, next ? next->before : UINT_MAX);
	after = code_of(&s->side[DIFF_AFTER], a->file, a->after, next ? next->after : UINT_MAX);
	if (next)
		st.shift_behind = (int)next->after - (int)next->before;
	else if (before.n && after.n && after.v[after.n - 1].line <= LAST_LINE &&
		 before.v[before.n - 1].line <= LAST_LINE)
		st.shift_behind = (int)after.v[after.n - 1].line - (int)before.v[before.n - 1].line;
	else
		st.shift_behind = st.shift;
	if (st.shift_behind != st.shift && before.n <= MANY_LINES)
		find_edit(&st, &before, &after);
	free(before.v);
	free(after.v);
	return st;
}

struct line_map *map_new(struct diff_state *s)
{
	struct line_map *map = mem_zeroed(1, sizeof(*map));
	size_t n, i;
	struct anchor *v = anchors(s, &n);

	for (i = 0; i < n; i++)
		*ARRAY_ADD(map->v, map->n, map->cap) = stretch_of(
			s, &v[i], i + 1 < n && v[i + 1].file == v[i].file ? &v[i + 1] : NULL);
	free(v);
	return map;
}

void map_free(struct line_map *map)
{
	if (map)
		free(map->v);
	free(map);
}

unsigned int map_line(const struct line_map *map, uint32_t file, unsigned int line)
{
	size_t lo = 0, hi = map->n;
	const struct stretch *st;
	unsigned int removed;
	long to;

	BISECT(lo, hi, mid,
	       map->v[mid].file < file || (map->v[mid].file == file && map->v[mid].line <= line));
	if (!lo || map->v[lo - 1].file != file || line > LAST_LINE)
		return line;
	st = &map->v[lo - 1];
	removed = st->shift_behind < st->shift ? (unsigned int)(st->shift - st->shift_behind) : 0;
	if (line >= st->edit && line - st->edit < removed)
		return 0;
	to = (long)line + (line < st->edit ? st->shift : st->shift_behind);
	return to > 0 ? (unsigned int)to : 0;
}
