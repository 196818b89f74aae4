/* SPDX-License-Identifier: GPL-2.0-only */
/* difference.c - finds the difference of two sets of counts, scales and sorts it. */
#include "outputs/difference/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/format.h"
#include "base/name.h"
#include "base/wide.h"
#include "outputs/difference/internal.h"
#include "outputs/difference/map.h"
#include "outputs/sources/demangle.h"

/* Fewer functions show no noise. */
#define NOISE_FUNCTIONS 8u
#define NOISE_TIMES 3.0

/* ---- amounts -------------------------------------------------------------------------------- */

uint64_t diff_scaled(const struct difference *d, uint64_t v)
{
	return d->scale.times == d->scale.parts ? v :
						  wide_mul_div(v, d->scale.times, d->scale.parts);
}

double diff_share(const struct difference *d, const uint64_t v[DIFF_SIDES])
{
	return d->changes ? 100.0 * (double)diff_size(v) / (double)d->changes : 0;
}

static double relative(const uint64_t v[DIFF_SIDES])
{
	return v[DIFF_BEFORE] ? (double)diff_size(v) / (double)v[DIFF_BEFORE] : 0;
}

double diff_percent(const uint64_t v[DIFF_SIDES])
{
	return v[DIFF_AFTER] < v[DIFF_BEFORE] ? -100 * relative(v) : 100 * relative(v);
}

bool diff_is_noise(const struct difference *d, const uint64_t v[DIFF_SIDES])
{
	return diff_size(v) && v[DIFF_BEFORE] && v[DIFF_AFTER] &&
	       relative(v) <= NOISE_TIMES * d->noise;
}

/* ---- names ---------------------------------------------------------------------------------- */

static char *shown_name(const struct whole *w, const char *name)
{
	char *plain = w->demangle ? demangled(name) : NULL;
	char *copy = mem_text(name_shown(plain ? plain : name));

	free(plain);
	return copy;
}

/* The name of a function in DIFF_AFTER, or else in DIFF_BEFORE, and what it was called there. */
static void name_function(struct diff_state *s, struct subject *sub)
{
	const struct function *f[DIFF_SIDES];
	unsigned int i;

	for (i = 0; i < DIFF_SIDES; i++) {
		const struct side *side = &s->side[i];
		const uint32_t first = sub->first[i];

		f[i] = first != DIFF_NONE && (sub->is.insns[i] || sub->is.calls[i]) ?
			       &side->fs.v[first] :
			       NULL;
	}
	/* a function that is on stacks only */
	if (!f[DIFF_BEFORE] && !f[DIFF_AFTER]) {
		i = sub->first[DIFF_AFTER] != DIFF_NONE ? DIFF_AFTER : DIFF_BEFORE;
		f[i] = &s->side[i].fs.v[sub->first[i]];
	}
	i = f[DIFF_AFTER] ? DIFF_AFTER : DIFF_BEFORE;
	sub->is.number = i == DIFF_AFTER ? f[i]->binary : CST_COUNT_NO_BINARY;
	sub->is.start = f[i]->start;
	sub->is.name = shown_name(&s->side[i].whole, sub->unnamed ? "[no symbol]" : f[i]->name);
	sub->is.binary = mem_text(functions_binary(s->side[i].whole.model, f[i]->binary));
	if (!sub->unnamed && f[DIFF_BEFORE] && f[DIFF_AFTER] &&
	    strcmp(f[DIFF_BEFORE]->name, f[DIFF_AFTER]->name))
		sub->is.old_name = shown_name(&s->side[DIFF_BEFORE].whole, f[DIFF_BEFORE]->name);
}

static bool has(const struct diff_function *f, enum diff_side side)
{
	return f->insns[side] || f->calls[side];
}

static void finish_function(struct diff_state *s, struct subject *sub)
{
	struct diff_function *f = &sub->is;

	name_function(s, sub);
	if (!has(f, DIFF_BEFORE) && has(f, DIFF_AFTER))
		f->match = DIFF_NEW;
	if (has(f, DIFF_BEFORE) && !has(f, DIFF_AFTER))
		f->match = DIFF_GONE;
}

/* ---- scale ---------------------------------------------------------------------------------- */

static const struct diff_function *function_named(const struct diff_state *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->nr_subjects; i++) {
		const struct diff_function *f = &s->subjects[i].is;

		if (s->subjects[i].renamed_to == DIFF_NONE &&
		    (!strcmp(f->name, name) || (f->old_name && !strcmp(f->old_name, name))))
			return f;
	}
	return NULL;
}

static int scale_by(struct diff_scale *scale, const uint64_t v[DIFF_SIDES], const char *what,
		    struct error *err)
{
	if (!v[DIFF_BEFORE] || !v[DIFF_AFTER])
		return error_set(err, ERR_USAGE, "--scale: %s has no counts on one side", what);
	*scale = (struct diff_scale){ .times = v[DIFF_BEFORE], .parts = v[DIFF_AFTER] };
	scale->words = format_text("after is scaled by %.6f, so that %s is equal",
				   (double)v[DIFF_BEFORE] / (double)v[DIFF_AFTER], what);
	return 0;
}

static int set_scale(struct diff_state *s, struct error *err)
{
	const char *how = s->given->scale ? s->given->scale : "none";
	const struct diff_function *f;
	struct diff_scale *scale = &s->d->scale;

	*scale = (struct diff_scale){ .times = 1, .parts = 1 };
	if (!strcmp(how, "total"))
		return scale_by(scale, s->d->total, "the total", err);
	if (!strcmp(how, "none")) {
		scale->words = mem_text("counts are not scaled");
		return 0;
	}
	f = function_named(s, how);
	if (f)
		return scale_by(scale, f->insns, f->name, err);
	return error_set(err, ERR_USAGE,
			 "--scale: found '%s', expected none, total, or a function that ran", how);
}

/* ---- the difference ------------------------------------------------------------------------- */

static int compare_functions(const void *pa, const void *pb)
{
	const struct diff_function *a = &(*(struct subject *const *)pa)->is,
				   *b = &(*(struct subject *const *)pb)->is;
	const uint64_t x = diff_size(a->insns), y = diff_size(b->insns);
	int order;

	if (x != y)
		return x > y ? -1 : 1;
	if (a->insns[DIFF_BEFORE] != b->insns[DIFF_BEFORE])
		return a->insns[DIFF_BEFORE] > b->insns[DIFF_BEFORE] ? -1 : 1;
	order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->binary, b->binary);
	return order ? order : pa < pb ? -1 : pa > pb;
}

static void renumber(const uint32_t *number, uint32_t *function)
{
	if (*function != DIFF_NONE)
		*function = number[*function];
}

/* Puts the functions in order. */
static void take_functions(struct diff_state *s)
{
	struct subject **v = mem_array(s->nr_subjects + 1, sizeof(struct subject *));
	uint32_t *number = mem_array(s->nr_subjects + 1, sizeof(*number));
	struct difference *d = s->d;
	size_t i, n = 0;

	for (i = 0; i < s->nr_subjects; i++)
		if (s->subjects[i].renamed_to == DIFF_NONE)
			v[n++] = &s->subjects[i];
	ARRAY_SORT(v, n, compare_functions);
	d->functions = mem_array(n + 1, sizeof(*d->functions));
	for (i = 0; i < n; i++) {
		number[v[i] - s->subjects] = (uint32_t)i;
		d->functions[d->nr_functions++] = v[i]->is;
	}
	for (i = 0; i < s->nr_subjects; i++)
		if (s->subjects[i].renamed_to != DIFF_NONE)
			number[i] = number[s->subjects[i].renamed_to];
	for (i = 0; i < n; i++) {
		renumber(number, &d->functions[i].host[DIFF_BEFORE]);
		renumber(number, &d->functions[i].host[DIFF_AFTER]);
	}
	for (i = 0; i < d->nr_blocks; i++)
		renumber(number, &d->blocks[i].function);
	for (i = 0; i < d->nr_stacks; i++)
		renumber(number, &d->stacks[i].function);
	free(v);
	free(number);
}

static void scale_functions(struct diff_state *s)
{
	struct difference *d = s->d;
	size_t i;

	for (i = 0; i < s->nr_subjects; i++) {
		struct diff_function *f = &s->subjects[i].is;

		if (s->subjects[i].renamed_to != DIFF_NONE)
			continue;
		f->insns[DIFF_AFTER] = diff_scaled(d, f->insns[DIFF_AFTER]);
		f->calls[DIFF_AFTER] = diff_scaled(d, f->calls[DIFF_AFTER]);
		f->inlined[DIFF_AFTER] = diff_scaled(d, f->inlined[DIFF_AFTER]);
		d->changes = model_sum(d->changes, diff_size(f->insns));
		d->nr_changed += diff_size(f->insns) > 0;
	}
	d->total[DIFF_AFTER] = diff_scaled(d, d->total[DIFF_AFTER]);
}

static int compare_doubles(const void *pa, const void *pb)
{
	double a, b;

	memcpy(&a, pa, sizeof(a));
	memcpy(&b, pb, sizeof(b));
	return a < b ? -1 : a > b;
}

static void find_noise(struct difference *d)
{
	double *v = mem_array(d->nr_functions + 1, sizeof(*v));
	size_t i, n = 0;

	for (i = 0; i < d->nr_functions; i++)
		if (d->functions[i].insns[DIFF_BEFORE] && d->functions[i].insns[DIFF_AFTER])
			v[n++] = relative(d->functions[i].insns);
	ARRAY_SORT(v, n, compare_doubles);
	d->noise = n >= NOISE_FUNCTIONS ? v[n / 2] : 0;
	free(v);
}

static void begin_side(struct diff_state *s, enum diff_side which)
{
	struct side *side = &s->side[which];

	/* pairs are found by linkage names */
	functions_init(&side->fs, side->whole.model, false);
	if (side->whole.model->nr_nodes)
		stacks_init(&side->stacks, &side->fs);
	hot_init(&side->hot, &side->fs, &side->whole);
	s->d->total[which] = side->hot.total;
}

/* The binary that is paired with the selected one, and those that have lines on both sides. */
static int select_binaries(struct diff_state *s, struct error *err)
{
	const struct model_binary *only = s->side[DIFF_AFTER].whole.only;
	struct whole *before = &s->side[DIFF_BEFORE].whole;
	uint32_t number;
	size_t i;

	if (only) {
		number = s->groups[s->side[DIFF_AFTER].group[only->number]].binary[DIFF_BEFORE];
		if (number == CST_COUNT_NO_BINARY)
			return error_set(err, ERR_USAGE,
					 "--binary: %s: the base has no binary with its id or name",
					 only->is.name);
		before->only = &before->model->binaries[number];
	}
	for (i = NR_OTHER_GROUPS; i < s->nr_groups; i++) {
		struct group *g = &s->groups[i];

		g->lines = g->binary[DIFF_BEFORE] != CST_COUNT_NO_BINARY &&
			   g->binary[DIFF_AFTER] != CST_COUNT_NO_BINARY &&
			   (!only || g->binary[DIFF_AFTER] == only->number) &&
			   places_source(before->places, g->binary[DIFF_BEFORE]) &&
			   places_source(s->side[DIFF_AFTER].whole.places, g->binary[DIFF_AFTER]);
	}
	return 0;
}

static void free_side(struct side *side)
{
	free(side->group);
	free(side->subject);
	free(side->costs);
	strings_free(&side->file_names);
	free(side->file_pair);
	hot_free(&side->hot);
	stacks_free(&side->stacks);
	if (side->fs.model)
		functions_free(&side->fs);
}

static void free_state(struct diff_state *s)
{
	free_side(&s->side[DIFF_BEFORE]);
	free_side(&s->side[DIFF_AFTER]);
	strings_free(&s->names);
	strings_free(&s->files);
	map_free(s->map);
	free(s->bases);
	free(s->groups);
	free(s->subjects);
}

static int find(struct diff_state *s, struct error *err)
{
	size_t i;
	int rc;

	diff_pair_binaries(s);
	rc = select_binaries(s, err);
	if (rc)
		return rc;
	begin_side(s, DIFF_BEFORE);
	begin_side(s, DIFF_AFTER);
	diff_make_subjects(s);
	diff_move_inlined(s);
	if (s->given->lines || !s->d->same_build)
		diff_find_lines(s);
	diff_pair_rest(s);
	for (i = 0; i < s->nr_subjects; i++)
		if (s->subjects[i].renamed_to == DIFF_NONE)
			finish_function(s, &s->subjects[i]);
	rc = set_scale(s, err);
	if (rc)
		return rc;
	scale_functions(s);
	if (s->given->lines) {
		diff_make_lines(s);
		diff_make_blocks(s);
	}
	if (s->given->stacks)
		diff_make_stacks(s);
	return 0;
}

int difference_init(struct difference *d, const struct diff_given *given, struct error *err)
{
	struct diff_state s = { .d = d, .given = given };
	unsigned int i;
	int rc;

	*d = (struct difference){ .same_build = true };
	d->calls = given->whole[DIFF_BEFORE].model->nr_nodes &&
		   given->whole[DIFF_AFTER].model->nr_nodes;
	for (i = 0; i < DIFF_SIDES; i++)
		s.side[i].whole = given->whole[i];
	rc = find(&s, err);
	if (s.nr_subjects)
		take_functions(&s);
	if (given->inexact)
		find_noise(d);
	free_state(&s);
	return rc;
}

void difference_free(struct difference *d)
{
	size_t i;

	for (i = 0; i < d->nr_functions; i++) {
		free(d->functions[i].name);
		free(d->functions[i].old_name);
		free(d->functions[i].binary);
	}
	for (i = 0; i < d->nr_lines; i++)
		free(d->lines[i].file);
	free(d->functions);
	free(d->lines);
	for (i = 0; i < d->nr_blocks; i++)
		free(d->blocks[i].file);
	free(d->blocks);
	free(d->stacks);
	free(d->scale.words);
	*d = (struct difference){ .functions = NULL };
}
