/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * renamed.c - pairs functions that only one side has: those of one name in two binaries, and those
 * that have half of their source lines in common.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "outputs/difference/base_name.h"
#include "outputs/difference/internal.h"
#include "outputs/difference/map.h"

static bool has(const struct subject *s, enum diff_side side)
{
	return s->is.insns[side] || s->is.calls[side];
}

/* True for a function with a name that only this side has. */
static bool is_left(const struct diff_state *s, const struct subject *sub, enum diff_side side)
{
	const enum diff_side other = side == DIFF_BEFORE ? DIFF_AFTER : DIFF_BEFORE;

	return sub->group >= NR_OTHER_GROUPS && !s->groups[sub->group].same && has(sub, side) &&
	       !has(sub, other) &&
	       /* all of it may be inlined */
	       sub->first[side] != DIFF_NONE && sub->renamed_to == DIFF_NONE &&
	       s->side[side].fs.v[sub->first[side]].name[0] != '[';
}

/* Gives the counts of a function that DIFF_BEFORE alone has to one that DIFF_AFTER alone has. */
static void pair(struct diff_state *s, uint32_t before, uint32_t after, enum diff_match match)
{
	struct subject *a = &s->subjects[before], *b = &s->subjects[after];

	b->is.insns[DIFF_BEFORE] = a->is.insns[DIFF_BEFORE];
	b->is.calls[DIFF_BEFORE] = a->is.calls[DIFF_BEFORE];
	b->is.inlined[DIFF_BEFORE] = a->is.inlined[DIFF_BEFORE];
	b->is.host[DIFF_BEFORE] = a->is.host[DIFF_BEFORE];
	b->is.parts[DIFF_BEFORE] = a->is.parts[DIFF_BEFORE];
	b->first[DIFF_BEFORE] = a->first[DIFF_BEFORE];
	b->is.match = match;
	a->renamed_to = after;
	a->is.insns[DIFF_BEFORE] = a->is.calls[DIFF_BEFORE] = 0;
}

/* ---- by name -------------------------------------------------------------------------------- */

struct named {
	const char *name;
	size_t len;
	uint32_t subject;
};

static int compare_named(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	const size_t n = a->len < b->len ? a->len : b->len;
	const int order = memcmp(a->name, b->name, n);

	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

static struct named *left_by_name(const struct diff_state *s, enum diff_side side, size_t *n)
{
	struct named *v = mem_array(s->nr_subjects + 1, sizeof(*v));
	size_t i;

	*n = 0;
	for (i = 0; i < s->nr_subjects; i++) {
		const struct subject *sub = &s->subjects[i];
		const char *name;

		if (!is_left(s, sub, side))
			continue;
		name = s->side[side].fs.v[sub->first[side]].name;
		v[(*n)++] = (struct named){ .name = name,
					    .len = base_name_len(name),
					    .subject = (uint32_t)i };
	}
	ARRAY_SORT(v, *n, compare_named);
	return v;
}

/* True if entry `i` has a name that no other one has. */
static bool is_unique(const struct named *v, size_t n, size_t i)
{
	return (!i || compare_named(&v[i - 1], &v[i])) &&
	       (i + 1 == n || compare_named(&v[i], &v[i + 1]));
}

static void pair_by_name(struct diff_state *s)
{
	size_t n, m, i, k = 0;
	struct named *a = left_by_name(s, DIFF_BEFORE, &n), *b = left_by_name(s, DIFF_AFTER, &m);

	for (i = 0; i < n; i++) {
		while (k < m && compare_named(&b[k], &a[i]) < 0)
			k++;
		if (k < m && !compare_named(&b[k], &a[i]) && is_unique(a, n, i) &&
		    is_unique(b, m, k))
			pair(s, a[i].subject, b[k].subject, DIFF_MOVED);
	}
	free(a);
	free(b);
}

/* ---- by lines ------------------------------------------------------------------------------- */

/* Lines that two functions have in common. */
struct shared {
	uint32_t before, after;	/* subjects */
	unsigned int lines;
};

struct sharing {
	struct diff_state *s;
	struct shared *v;
	size_t n, cap;
	unsigned int *lines[DIFF_SIDES];	/* by subject */
};

static const struct line_cost *cost_from(const struct side *side, uint32_t file, unsigned int line)
{
	size_t lo = 0, hi = side->nr_costs;

	BISECT(lo, hi, mid,
	       side->costs[mid].file < file ||
		       (side->costs[mid].file == file && side->costs[mid].line < line));
	return &side->costs[lo];
}

/* The subject of a line's cost; DIFF_NONE: it is not one that is left. */
static uint32_t left_of(const struct diff_state *s, enum diff_side side, const struct line_cost *c)
{
	const struct side *of = &s->side[side];
	const uint32_t sub = c->function < of->nr_functions ? of->subject[c->function] : DIFF_NONE;

	return sub != DIFF_NONE && is_left(s, &s->subjects[sub], side) ? sub : DIFF_NONE;
}

/* A line that more functions have, copies of a template, shows nothing. */
#define MANY_FUNCTIONS 16

/* Adds a line of a function of DIFF_BEFORE to what it shares with functions of DIFF_AFTER. */
static void share(struct sharing *sh, uint32_t before, const struct line_cost *c)
{
	const struct side *after = &sh->s->side[DIFF_AFTER];
	const unsigned int line = sh->s->map ? map_line(sh->s->map, c->file, c->line) : c->line;
	const struct line_cost *to = cost_from(after, c->file, line),
			       *end = cost_from(after, c->file, line + 1);

	if (!line || end - to > MANY_FUNCTIONS)
		return;
	for (; to < end; to++) {
		const uint32_t sub = left_of(sh->s, DIFF_AFTER, to);

		if (sub != DIFF_NONE && sh->s->subjects[sub].group == sh->s->subjects[before].group)
			*ARRAY_ADD(sh->v, sh->n, sh->cap) = (struct shared){ before, sub, 1 };
	}
}

static void count_lines(struct sharing *sh, enum diff_side side)
{
	const struct side *of = &sh->s->side[side];
	size_t i;

	sh->lines[side] = mem_zeroed(sh->s->nr_subjects + 1, sizeof(*sh->lines[side]));
	for (i = 0; i < of->nr_costs; i++) {
		const uint32_t sub = left_of(sh->s, side, &of->costs[i]);

		if (sub == DIFF_NONE)
			continue;
		sh->lines[side][sub]++;
		if (side == DIFF_BEFORE)
			share(sh, sub, &of->costs[i]);
	}
}

static int compare_pair(const void *pa, const void *pb)
{
	const struct shared *a = pa, *b = pb;

	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	return a->after < b->after ? -1 : a->after > b->after;
}

static void join(void *to, void *more)
{
	((struct shared *)to)->lines += ((struct shared *)more)->lines;
}

static int compare_shared(const void *pa, const void *pb)
{
	const struct shared *a = pa, *b = pb;

	if (a->lines != b->lines)
		return a->lines > b->lines ? -1 : 1;
	return compare_pair(a, b);
}

/* Pairs the functions that share most lines first, if that is half of the lines of either. */
static void pair_by_lines(struct diff_state *s)
{
	struct sharing sh = { .s = s };
	size_t i;

	count_lines(&sh, DIFF_BEFORE);
	count_lines(&sh, DIFF_AFTER);
	sh.n = ARRAY_JOIN(sh.v, sh.n, compare_pair, join);
	ARRAY_SORT(sh.v, sh.n, compare_shared);
	for (i = 0; i < sh.n; i++) {
		const struct shared *x = &sh.v[i];

		if (2 * x->lines >= sh.lines[DIFF_BEFORE][x->before] &&
		    2 * x->lines >= sh.lines[DIFF_AFTER][x->after] &&
		    is_left(s, &s->subjects[x->before], DIFF_BEFORE) &&
		    is_left(s, &s->subjects[x->after], DIFF_AFTER))
			pair(s, x->before, x->after, DIFF_RENAMED);
	}
	free(sh.v);
	free(sh.lines[DIFF_BEFORE]);
	free(sh.lines[DIFF_AFTER]);
}

void diff_pair_rest(struct diff_state *s)
{
	pair_by_name(s);
	pair_by_lines(s);
}
