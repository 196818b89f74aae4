/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entries.c - makes one entry of the counts of each identity, finds what its code adds, and passes
 * its records on.
 */
#include "counting/counts/entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/large.h"
#include "counting/counts/identity.h"
#include "counting/counts/model.h"
#include "machine/images/dso.h"

static void entry_free(struct entry *e)
{
	free(e->cut_name);
	free(e->segs);
	free(e->ranges);
	interior_free(&e->interior);
}

void entries_free(struct entries *c)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		entry_free(&c->v[i]);
	for (i = 0; i < c->nr_numbers; i++)
		free(c->numbers[i].methods);
	free(c->numbers);
	free(c->v);
}

/* ---- binaries -------------------------------------------------------------------------------- */

static bool any_counts(const struct binary *b)
{
	return b->ranges.used || b->arrivals.used || b->edges.used || b->entries.used;
}

static int compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int order = identity_compare(&a->is, &b->is);

	if (!order)
		order = strcmp(a->is.name, b->is.name);
	if (!order)
		order = dso_compare(a->counts->dso, b->counts->dso);
	return order ? order :
		       (a->counts->method > b->counts->method) -
			       (a->counts->method < b->counts->method);
}

static bool same_segments(const struct entry *a, const struct entry *b)
{
	const struct cst_count_segment *x = a->segs, *y = b->segs, *end = x + a->nr_segs;

	if (a->nr_segs != b->nr_segs)
		return false;
	for (; x < end; x++, y++)
		if (x->offset != y->offset || x->size != y->size || x->vaddr != y->vaddr ||
		    x->exec != y->exec)
			return false;
	return true;
}

static bool conflict(const struct entry *a, const struct entry *b)
{
	return a->is.type != b->is.type || a->is.machine != b->is.machine || !same_segments(a, b);
}

/* Moves the places of pairs by `by` bytes. `second`: b is a place as well, unless it is outside. */
static void move_places(struct cst_pairs *p, uint32_t by, bool second)
{
	size_t i;

	cst_pairs_sort(p);
	for (i = 0; i < p->used; i++) {
		p->slot[i].a += by;
		if (second && p->slot[i].b != COUNTS_OUTSIDE)
			p->slot[i].b += by;
	}
}

static void merge_counts(struct binary *to, struct binary *from)
{
	/*
	 * a method that was moved, or that several processes have, is elsewhere in the file of its
	 * process
	 */
	const uint32_t by = (uint32_t)(identity_base(to) - identity_base(from));

	if (by) {
		move_places(&from->ranges, by, true);
		move_places(&from->edges, by, true);
		move_places(&from->arrivals, by, true);
		move_places(&from->entries, by, false);
		move_places(&from->untaken, by, false);
		move_places(&from->spent, by, true);
	}
	counts_move(to, from);
}

static void make_numbers(struct entries *c, size_t n)
{
	size_t i;

	c->numbers = mem_zeroed(n + 1, sizeof(*c->numbers));
	for (i = 0; i < n; i++)
		c->numbers[i].whole = CST_COUNT_NO_BINARY;
	c->nr_numbers = n;
}

/* Notes the number of a file's, or of a method's, binary. */
static void note_number(struct entries *c, const struct binary *b, uint32_t number)
{
	struct numbers *of = &c->numbers[b->dso->number];
	size_t i;

	if (b->method == COUNTS_WHOLE) {
		of->whole = number;
		return;
	}
	if (!of->methods) {
		of->methods = mem_array(b->dso->symbols.nr_syms, sizeof(*of->methods));
		for (i = 0; i < b->dso->symbols.nr_syms; i++)
			of->methods[i] = CST_COUNT_NO_BINARY;
	}
	of->methods[b->method] = number;
}

/* Makes entries of one identity one. Sorted by identity, then by name. */
static void merge_entries(struct entries *c, size_t nr_dsos)
{
	struct entry *v = c->v, e;
	size_t i, n = 0;

	make_numbers(c, nr_dsos);
	for (i = 0; i < c->nr; i++) {
		/*
		 * entries_free() frees all entries, also if this ends early: each one is in the
		 * array once
		 */
		e = v[i];
		v[i] = (struct entry){ .counts = NULL };
		if (n && !identity_compare(&v[n - 1].is, &e.is)) {
			merge_counts(v[n - 1].counts, e.counts);
			entry_free(&e);
		} else {
			v[n++] = e;
		}
		note_number(c, e.counts, (uint32_t)(n - 1));
	}
	c->nr = n;
}

/* `why`: result of identity_of(). */
static void note_unread(struct entries *c, const struct entry *e, int why)
{
	if (!why || c->sums.unread.modules++)
		return;
	c->sums.unread.file = dso_file(e->counts->dso);
	c->sums.unread.why = why;
}

/*
 * Files with one build-id whose headers differ are not one binary: all but the first are identified
 * by their code.
 */
static bool split_conflicts(struct entries *c)
{
	bool any = false;
	size_t i, first = 0;

	for (i = 1; i < c->nr; i++) {
		if (identity_compare(&c->v[first].is, &c->v[i].is)) {
			first = i;
		} else if (c->v[i].is.id_kind == CST_COUNT_ID_BUILD &&
			   conflict(&c->v[first], &c->v[i])) {
			note_unread(c, &c->v[i], identity_by_code(c->v[i].counts, &c->v[i].is));
			any = true;
		}
	}
	return any;
}

/*
 * Methods, whose names are a jitdump's, may have no name, or one that is longer than that of a
 * record.
 */
static void fit_name(struct entry *e)
{
	const size_t len = strlen(e->is.name);

	if (!len)
		e->is.name = "[unknown]";
	if (len > CST_COUNT_NAME_MAX)
		e->is.name = e->cut_name = mem_text_part(e->is.name, CST_COUNT_NAME_MAX);
}

void entries_make(struct entries *c, struct binary **v, size_t n, size_t nr_dsos)
{
	struct entry *e;
	size_t i;

	c->v = mem_zeroed(n + 1, sizeof(*c->v));
	for (i = 0; i < n; i++) {
		if (!any_counts(v[i]))
			continue;
		e = &c->v[c->nr++];
		e->counts = v[i];
		note_unread(c, e, identity_of(v[i], &e->is));
		e->segs = identity_segments(v[i]->dso, &e->nr_segs);
		fit_name(e);
	}
	ARRAY_SORT(c->v, c->nr, compare_entries);
	if (split_conflicts(c))
		qsort(c->v, c->nr, sizeof(*c->v), compare_entries);
	merge_entries(c, nr_dsos);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Merges ranges and arrivals, which are sorted, into canonical order. */
static void make_ranges(struct entry *e)
{
	struct binary *b = e->counts;
	size_t i = 0, k = 0, n = b->ranges.used + b->arrivals.used;
	const struct cst_pair *r = cst_pairs_sort(&b->ranges), *a = cst_pairs_sort(&b->arrivals);
	struct cst_count_range *v = large_new((n + 1) * sizeof(*v)), x, y;
	bool sorted = true, arrived;

	e->ranges = v;
	while (e->nr_ranges < n) {
		arrived = k < b->arrivals.used;
		if (arrived && i < b->ranges.used) {
			x = entries_range(&r[i], 0);
			y = entries_range(&a[k], CST_COUNT_ARRIVED);
			arrived = model_compare_ranges(&x, &y) >= 0;
		}
		v[e->nr_ranges++] = arrived ? entries_range(&a[k++], CST_COUNT_ARRIVED) :
					      entries_range(&r[i++], 0);
	}
	/* A32 and T32 ranges at one offset are the exception */
	for (i = 1; i < n && sorted; i++)
		sorted = model_compare_ranges(&v[i - 1], &v[i]) < 0;
	if (!sorted)
		qsort(v, n, sizeof(*v), model_compare_ranges);
}

/*
 * Finds what the code says of the ranges. A range whose instructions cannot be counted is left out.
 */
static void decode_ranges(struct entries *c, struct entry *e)
{
	struct binary *b = e->counts;
	const struct dso *d = b->dso;
	const struct interior_code code = {
		.bytes = d->state == DSO_LOADED ? d->image.data : NULL,
		.size = d->image.size,
		.isa = b->isa == CST_ISA_A64 ? CST_ISA_A64 : CST_ISA_A32,
		.isa_flags = b->isa_flags,
	};
	const struct cst_pair *untaken = cst_pairs_sort(&b->untaken);
	size_t i, n = 0;

	interior_find(&e->interior, &code, e->ranges, e->nr_ranges, untaken, b->untaken.used);
	c->sums.undecoded += e->interior.undecoded;
	for (i = 0; i < e->nr_ranges; i++)
		if (e->ranges[i].insns)
			e->ranges[n++] = e->ranges[i];
	e->nr_ranges = n;
}

void entries_ranges(struct entries *c, bool all)
{
	size_t i;

	for (i = 0; i < c->nr; i++) {
		make_ranges(&c->v[i]);
		if (all)
			decode_ranges(c, &c->v[i]);
		c->sums.insns += c->v[i].counts->insns;
	}
}

uint32_t entries_number(const struct entries *c, const struct dso *d, uint64_t offset,
			struct binary *at)
{
	const struct numbers *of = &c->numbers[d->number];

	*at = (struct binary){ .dso = (struct dso *)d, .method = COUNTS_WHOLE };
	if (of->methods)
		at->method = counts_method(d, offset);
	return of->methods ? of->methods[at->method] : of->whole;
}

/* ---- records --------------------------------------------------------------------------------- */

static void put_binary(struct entries *c, struct record_sink *to, const struct entry *e)
{
	struct cst_count_record rec = { .kind = CST_COUNT_BINARY, .binary = e->is };
	size_t i;

	record_put(to, &rec);
	c->sums.binaries++;
	rec.kind = CST_COUNT_SEGMENT;
	for (i = 0; i < e->nr_segs; i++) {
		rec.segment = e->segs[i];
		record_put(to, &rec);
	}
}

void entries_put_binaries(struct entries *c, struct record_sink *to)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		put_binary(c, to, &c->v[i]);
}

static void put_ranges(struct entries *c, struct record_sink *to, const struct entry *e,
		       uint32_t number)
{
	const uint64_t base = identity_base(e->counts);
	struct cst_count_record rec = { .kind = CST_COUNT_RANGE };
	size_t i;

	c->sums.ranges += e->nr_ranges;
	for (i = 0; i < e->nr_ranges; i++) {
		rec.range = e->ranges[i];
		rec.range.binary = number;
		rec.range.start -= base;
		rec.range.last -= base;
		record_put(to, &rec);
	}
	rec.kind = CST_COUNT_NOT_TAKEN;
	for (i = 0; i < e->interior.nr; i++) {
		rec.not_taken = e->interior.not_taken[i];
		rec.not_taken.binary = number;
		rec.not_taken.offset -= base;
		record_put(to, &rec);
	}
}

static void put_edges(struct entries *c, struct record_sink *to, const struct entry *e,
		      uint32_t number)
{
	const uint64_t base = identity_base(e->counts);
	struct binary *b = e->counts;
	const struct cst_pair *x = cst_pairs_sort(&b->edges);
	struct cst_count_record rec = { .kind = CST_COUNT_EDGE };
	size_t i;

	c->sums.edges += b->edges.used;
	for (i = 0; i < b->edges.used; i++) {
		rec.edge = entries_edge(&x[i], base, number);
		record_put(to, &rec);
	}
	x = cst_pairs_sort(&b->entries);
	rec.kind = CST_COUNT_ENTRY;
	for (i = 0; i < b->entries.used; i++) {
		rec.entry = (struct cst_count_entry){ .binary = number,
						      .offset = x[i].a - base,
						      .count = x[i].count };
		record_put(to, &rec);
	}
}

void entries_put_counts(struct entries *c, uint32_t number, struct record_sink *to)
{
	put_ranges(c, to, &c->v[number], number);
	put_edges(c, to, &c->v[number], number);
}
