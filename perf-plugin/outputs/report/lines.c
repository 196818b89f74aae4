/* SPDX-License-Identifier: GPL-2.0-only */
/* lines.c - adds up the instructions of source lines, or their amounts of another metric. */
#include "outputs/report/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "machine/images/dso.h"
#include "outputs/report/internal.h"

uint32_t report_file_number(const struct coverage *c, const char *name)
{
	size_t lo = 0, hi = c->files.n;

	BISECT(lo, hi, mid, strcmp(c->files.v[mid], name) < 0);
	return lo < c->files.n && !strcmp(c->files.v[lo], name) ? (uint32_t)lo : UINT32_MAX;
}

/* The file of the last place: most places follow one of the same file. */
struct last_file {
	const char *name;
	uint32_t number;
};

/* Notes the instruction that was executed more often; of equals the first one. */
static void set_hottest(struct report_line *to, struct report_place at)
{
	const struct report_place *is = &to->hottest;

	if (at.count > is->count ||
	    (at.count == is->count && (at.binary < is->binary || (at.binary == is->binary &&
								   at.offset < is->offset))))
		to->hottest = at;
}

static void add(struct report_lines *l, struct at_line at, struct report_place place)
{
	struct report_line *to = l->n ? &l->v[l->n - 1] : NULL;

	if (!to || coverage_compare(&to->at, &at)) {
		to = ARRAY_ADD(l->v, l->n, l->cap);
		*to = (struct report_line){ .at = at, .hottest = place };
	}
	to->insns = model_sum(to->insns, place.count);
	set_hottest(to, place);
}

static void add_binary(struct report_lines *l, struct report *r, const struct model_binary *b)
{
	struct last_file last = { .name = NULL };
	const struct costs *c;
	uint64_t at, end;
	size_t i;

	if (!b->insns || !places_source(r->w->places, b->number))
		return;
	c = report_measured(r, b->number);
	for (i = 0; i < c->n; i++) {
		/* a damaged count file has ranges of any length; only code in the file has lines */
		end = c->v[i].end < b->dso->image.size ? c->v[i].end : b->dso->image.size;
		for (at = c->v[i].begin; at < end; at += costs_size(b, &c->v[i], at)) {
			struct source_place place = places_at(r->w->places, b->number, at);

			if (place.file != last.name)
				last = (struct last_file){ place.file, report_file_number(&r->coverage, place.file) };
			if (last.number != UINT32_MAX && place.line)
				add(l, (struct at_line){ last.number, place.line },
				    (struct report_place){ c->v[i].count, at, b->number });
		}
	}
}

static int compare_at(const void *pa, const void *pb)
{
	const struct report_line *a = pa, *b = pb;

	return coverage_compare(&a->at, &b->at);
}

static void join(void *to, void *more)
{
	const struct report_line *with = more;
	struct report_line *l = to;

	l->insns = model_sum(l->insns, with->insns);
	set_hottest(l, with->hottest);
}

void report_lines_init(struct report_lines *l, struct report *r)
{
	const struct model *m = r->w->model;
	size_t i;

	*l = (struct report_lines){ .of_file =
				    mem_zeroed(r->coverage.files.n + 1, sizeof(*l->of_file)) };
	for (i = 0; i < m->nr_binaries; i++)
		if (whole_has(r->w, (uint32_t)i))
			add_binary(l, r, &m->binaries[i]);
	l->n = ARRAY_JOIN(l->v, l->n, compare_at, join);
	for (i = 0; i < l->n; i++)
		l->of_file[l->v[i].at.file] = model_sum(l->of_file[l->v[i].at.file], l->v[i].insns);
}

void report_lines_free(struct report_lines *l)
{
	free(l->v);
	free(l->of_file);
	*l = (struct report_lines){ .v = NULL };
}

/* Index of the first line that is not below `at`. */
static size_t lower_bound(const struct report_lines *l, struct at_line at)
{
	size_t lo = 0, hi = l->n;

	BISECT(lo, hi, mid, coverage_compare(&l->v[mid].at, &at) < 0);
	return lo;
}

unsigned int report_lines_last(const struct report_lines *l, uint32_t file)
{
	const size_t end = lower_bound(l, (struct at_line){ file + 1, 0 });

	return end && l->v[end - 1].at.file == file ? l->v[end - 1].at.line : 0;
}

const struct report_line *report_lines_from(const struct report_lines *l, struct at_line at)
{
	const size_t lo = lower_bound(l, at);

	return lo < l->n && l->v[lo].at.file == at.file ? &l->v[lo] : NULL;
}

const struct report_line *report_lines_at(const struct report_lines *l, struct at_line at)
{
	const struct report_line *from = report_lines_from(l, at);

	return from && from->at.line == at.line ? from : NULL;
}

static int compare_insns(const void *pa, const void *pb)
{
	const struct report_line *a = pa, *b = pb;

	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	return coverage_compare(&a->at, &b->at);
}

struct report_line *report_lines_hottest(const struct report_lines *l, size_t max, size_t *n)
{
	struct report_line *v = mem_array(l->n + 1, sizeof(*v));

	*n = l->n < max ? l->n : max;
	if (l->n)
		memcpy(v, l->v, l->n * sizeof(*v));
	ARRAY_SORT(v, l->n, compare_insns);
	return v;
}
