/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line_costs.c - instructions of source lines, function by function, with numbers of source files
 * that both sides share.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "machine/images/dso.h"
#include "outputs/difference/files.h"
#include "outputs/difference/internal.h"
#include "outputs/difference/map.h"
#include "outputs/profile/costs.h"

/* A side while its lines are read. */
struct reading {
	struct side *side;
	const char
		*last;	/* the last file, by the pointer: most places follow one of the same file */
	uint32_t last_number;
};

static uint32_t file_number(struct reading *r, const char *name)
{
	if (name != r->last) {
		r->last_number = strings_number(&r->side->file_names, name);
		r->last = name;
	}
	return r->last_number;
}

static void add_insn(struct reading *r, uint32_t function, const struct source_place *place,
		     uint64_t insns)
{
	const uint32_t file = file_number(r, place->file);
	struct side *side = r->side;
	struct line_cost *last = side->nr_costs ? &side->costs[side->nr_costs - 1] : NULL;

	if (!last || last->file != file || last->line != place->line ||
	    last->function != function) {
		last = ARRAY_ADD(side->costs, side->nr_costs, side->cap_costs);
		*last = (struct line_cost){ .file = file,
					    .line = place->line,
					    .function = function };
	}
	last->insns = model_sum(last->insns, insns);
	last->runs = insns > last->runs ? insns : last->runs;
}

static void add_cost(struct reading *r, const struct model_binary *b, const struct cost *c)
{
	/* a damaged count file has ranges of any length; only code in the file has lines */
	const uint64_t end = c->end < b->dso->image.size ? c->end : b->dso->image.size;
	struct source_place place;
	uint64_t at;

	for (at = c->begin; at < end; at += costs_size(b, c, at)) {
		place = places_at(r->side->whole.places, b->number, at);
		if (place.line)
			add_insn(r, functions_at(&r->side->fs, b->number, at), &place, c->count);
	}
}

static void read_binary(struct reading *r, const struct model_binary *b)
{
	struct costs costs;
	size_t i;

	if (!b->insns || !places_source(r->side->whole.places, b->number))
		return;
	costs_measured(&costs, r->side->whole.model, b);
	for (i = 0; i < costs.n; i++)
		add_cost(r, b, &costs.v[i]);
	costs_free(&costs);
}

static int compare_costs(const void *pa, const void *pb)
{
	const struct line_cost *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void join(void *to, void *more)
{
	struct line_cost *c = to, *m = more;

	c->insns = model_sum(c->insns, m->insns);
	c->runs = m->runs > c->runs ? m->runs : c->runs;
}

/* Gives the costs of a side the numbers of pairs. */
static void renumber(struct side *side)
{
	size_t i;

	for (i = 0; i < side->nr_costs; i++)
		side->costs[i].file = side->file_pair[side->costs[i].file];
	side->nr_costs = ARRAY_JOIN(side->costs, side->nr_costs, compare_costs, join);
}

/*
 * Numbers the source files of both sides: those of DIFF_AFTER, and then the files that it does not
 * have.
 */
static void number_files(struct diff_state *s)
{
	struct side *before = &s->side[DIFF_BEFORE], *after = &s->side[DIFF_AFTER];
	uint32_t *pair;
	size_t i;

	after->file_pair = mem_array(after->file_names.n + 1, sizeof(*after->file_pair));
	for (i = 0; i < after->file_names.n; i++)
		after->file_pair[i] = strings_number(&s->files, after->file_names.v[i]);
	before->file_pair = pair = files_pair(&before->file_names, &after->file_names);
	for (i = 0; i < before->file_names.n; i++)
		pair[i] = pair[i] == UINT32_MAX ?
				  strings_number(&s->files, before->file_names.v[i]) :
				  after->file_pair[pair[i]];
}

void diff_find_lines(struct diff_state *s)
{
	struct reading r;
	unsigned int i;
	size_t k;

	for (i = 0; i < DIFF_SIDES; i++) {
		r = (struct reading){ .side = &s->side[i] };
		for (k = 0; k < s->side[i].whole.model->nr_binaries; k++)
			if (whole_has(&s->side[i].whole, (uint32_t)k))
				read_binary(&r, &s->side[i].whole.model->binaries[k]);
	}
	number_files(s);
	renumber(&s->side[DIFF_BEFORE]);
	renumber(&s->side[DIFF_AFTER]);
	if (!s->d->same_build)
		s->map = map_new(s);
}
