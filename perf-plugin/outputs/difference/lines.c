/* SPDX-License-Identifier: GPL-2.0-only */
/* lines.c - source lines of both sides, side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "outputs/difference/internal.h"
#include "outputs/difference/map.h"

/*
 * A line by its place in DIFF_AFTER; one that is not there has its place in DIFF_BEFORE, and is
 * `gone`.
 */
struct placed {
	uint32_t file;
	unsigned int line;
	bool gone;
	unsigned int was;	/* its line in DIFF_BEFORE; 0: not executed there */
	unsigned int now;	/* the same in DIFF_AFTER */
	uint64_t insns[DIFF_SIDES];
};

static int compare_placed(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (int)a->gone - (int)b->gone;
}

static void join(void *to, void *more)
{
	struct placed *a = to, *b = more;
	unsigned int i;

	a->was = b->was ? b->was : a->was;
	a->now = b->now ? b->now : a->now;
	for (i = 0; i < DIFF_SIDES; i++)
		a->insns[i] = model_sum(a->insns[i], b->insns[i]);
}

unsigned int diff_line_after(const struct diff_state *s, enum diff_side side, uint32_t file,
			     unsigned int line, bool *gone)
{
	const unsigned int after =
		side == DIFF_BEFORE && s->map ? map_line(s->map, file, line) : line;

	*gone = !after;
	return after ? after : line;
}

static struct placed placed_of(const struct diff_state *s, enum diff_side side,
			       const struct line_cost *c)
{
	struct placed p = { .file = c->file };

	p.line = diff_line_after(s, side, c->file, c->line, &p.gone);
	if (side == DIFF_AFTER)
		p.now = c->line;
	else
		p.was = c->line;
	p.insns[side] = c->insns;
	return p;
}

/* All lines of both sides. */
static struct placed *place_all(const struct diff_state *s, size_t *n)
{
	struct placed *v = mem_array(
		s->side[DIFF_BEFORE].nr_costs + s->side[DIFF_AFTER].nr_costs + 1, sizeof(*v));
	unsigned int i;
	size_t k;

	*n = 0;
	for (i = 0; i < DIFF_SIDES; i++)
		for (k = 0; k < s->side[i].nr_costs; k++)
			v[(*n)++] = placed_of(s, (enum diff_side)i, &s->side[i].costs[k]);
	*n = ARRAY_JOIN(v, *n, compare_placed, join);
	return v;
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct diff_line *a = pa, *b = pb;
	const uint64_t x = diff_size(a->insns), y = diff_size(b->insns);
	int order;

	if (x != y)
		return x > y ? -1 : 1;
	order = strcmp(a->file, b->file);
	if (order)
		return order;
	if (a->line[DIFF_AFTER] != b->line[DIFF_AFTER])
		return a->line[DIFF_AFTER] < b->line[DIFF_AFTER] ? -1 : 1;
	return a->line[DIFF_BEFORE] < b->line[DIFF_BEFORE] ?
		       -1 :
		       a->line[DIFF_BEFORE] > b->line[DIFF_BEFORE];
}

void diff_make_lines(struct diff_state *s)
{
	struct difference *d = s->d;
	size_t n, i;
	struct placed *v = place_all(s, &n);

	d->lines = mem_array(n + 1, sizeof(*d->lines));
	for (i = 0; i < n; i++) {
		struct diff_line l = { .line = { v[i].was, v[i].now },
				       .insns = { v[i].insns[DIFF_BEFORE],
						  diff_scaled(d, v[i].insns[DIFF_AFTER]) } };

		if (!diff_size(l.insns)) {
			d->unchanged_lines++;
			continue;
		}
		l.file = mem_text(s->files.v[v[i].file]);
		d->lines[d->nr_lines++] = l;
	}
	ARRAY_SORT(d->lines, d->nr_lines, compare_lines);
	free(v);
}
