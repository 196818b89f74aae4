/* SPDX-License-Identifier: GPL-2.0-only */
/* collect.c - puts the counts of a recording in canonical order, as records. */
#include "counting/counts/collect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/large.h"
#include "counting/calls/calls.h"
#include "counting/counts/identity.h"
#include "counting/counts/interior.h"
#include "counting/counts/model.h"
#include "machine/images/dso.h"
#include "machine/images/dso_table.h"
#include "session/parts.h"

/* A binary of the count file. */
struct entry {
	struct cst_count_binary is;
	char *cut_name;		/* what `is` has of a longer name; else NULL */
	struct binary *counts;
	struct cst_count_segment *segs;
	size_t nr_segs;
	struct cst_count_range *ranges;	/* in canonical order */
	size_t nr_ranges;
	struct interior interior;
};

struct collect {
	struct session *ss;
	enum counts_mode mode;
	struct counts *counts;
	struct entry *v;
	size_t nr;
	/* indexed by dso.number: of its binary, or of its methods */
	struct numbers {
		uint32_t whole;		/* CST_COUNT_NO_BINARY: it has no counts */
		uint32_t *methods;	/* NULL: not divided */
	} *numbers;
	size_t nr_numbers;
	struct collect_sums sums;
	enum metric metric;
	collect_fn take;
	void *data;
	int rc;			/* what take() returned last */
};

struct collect *collect_new(struct session *ss, enum counts_mode mode, uint32_t depth)
{
	struct collect *c = mem_zeroed(1, sizeof(*c));

	c->ss = ss;
	c->mode = mode;
	c->counts = counts_new(ss, mode, depth);
	return c;
}

void collect_by_thread(struct collect *c)
{
	counts_by_thread(c->counts);
}

void collect_measure(struct collect *c, enum metric metric)
{
	c->metric = metric;
	counts_measure(c->counts, metric);
}

static void entry_free(struct entry *e)
{
	free(e->cut_name);
	free(e->segs);
	free(e->ranges);
	interior_free(&e->interior);
}

void collect_free(struct collect *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->nr; i++)
		entry_free(&c->v[i]);
	for (i = 0; i < c->nr_numbers; i++)
		free(c->numbers[i].methods);
	free(c->numbers);
	free(c->v);
	counts_free(c->counts);
	free(c);
}

/* ---- binaries ---------------------------------------------------------------------------------- */

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
	return order ? order : (a->counts->method > b->counts->method) - (a->counts->method < b->counts->method);
}

static bool same_segments(const struct entry *a, const struct entry *b)
{
	const struct cst_count_segment *x = a->segs, *y = b->segs, *end = x + a->nr_segs;

	if (a->nr_segs != b->nr_segs)
		return false;
	for (; x < end; x++, y++)
		if (x->offset != y->offset || x->size != y->size || x->vaddr != y->vaddr || x->exec != y->exec)
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
	/* a method that was moved, or that several processes have, is elsewhere in the file of its process */
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

static void make_numbers(struct collect *c)
{
	size_t i, n = session_dsos(c->ss)->nr;

	c->numbers = mem_zeroed(n + 1, sizeof(*c->numbers));
	for (i = 0; i < n; i++)
		c->numbers[i].whole = CST_COUNT_NO_BINARY;
	c->nr_numbers = n;
}

/* Notes the number of a file's, or of a method's, binary. */
static void note_number(struct collect *c, const struct binary *b, uint32_t number)
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
static void merge_entries(struct collect *c)
{
	struct entry *v = c->v, e;
	size_t i, n = 0;

	make_numbers(c);
	for (i = 0; i < c->nr; i++) {
		/* collect_free() frees all entries, also if this ends early: each one is in the array once */
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
static void note_unread(struct collect *c, const struct entry *e, int why)
{
	if (!why || c->sums.unread.modules++)
		return;
	c->sums.unread.file = dso_file(e->counts->dso);
	c->sums.unread.why = why;
}

/* Files with one build-id whose headers differ are not one binary: all but the first are identified by their code. */
static bool split_conflicts(struct collect *c)
{
	bool any = false;
	size_t i, first = 0;

	for (i = 1; i < c->nr; i++) {
		if (identity_compare(&c->v[first].is, &c->v[i].is)) {
			first = i;
		} else if (c->v[i].is.id_kind == CST_COUNT_ID_BUILD && conflict(&c->v[first], &c->v[i])) {
			note_unread(c, &c->v[i], identity_by_code(c->v[i].counts, &c->v[i].is));
			any = true;
		}
	}
	return any;
}

/* Methods, whose names are a jitdump's, may have no name, or one that is longer than that of a record. */
static void fit_name(struct entry *e)
{
	const size_t len = strlen(e->is.name);

	if (!len)
		e->is.name = "[unknown]";
	if (len > CST_COUNT_NAME_MAX)
		e->is.name = e->cut_name = mem_text_part(e->is.name, CST_COUNT_NAME_MAX);
}

static void make_entries(struct collect *c)
{
	struct binary **v;
	size_t i, n = counts_binaries(c->counts, &v);
	struct entry *e;

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
	merge_entries(c);
}

/* ---- ranges ------------------------------------------------------------------------------------ */

static struct cst_count_range range_of(const struct cst_pair *p, uint8_t flags)
{
	return (struct cst_count_range){ .flags = flags | (p->a & COUNTS_T32 ? CST_COUNT_T32 : 0),
					 .start = p->a & ~COUNTS_T32, .last = p->b, .count = p->count };
}

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
			x = range_of(&r[i], 0);
			y = range_of(&a[k], CST_COUNT_ARRIVED);
			arrived = model_compare_ranges(&x, &y) >= 0;
		}
		v[e->nr_ranges++] = arrived ? range_of(&a[k++], CST_COUNT_ARRIVED) : range_of(&r[i++], 0);
	}
	/* A32 and T32 ranges at one offset are the exception */
	for (i = 1; i < n && sorted; i++)
		sorted = model_compare_ranges(&v[i - 1], &v[i]) < 0;
	if (!sorted)
		qsort(v, n, sizeof(*v), model_compare_ranges);
}

/* Finds what the code says of the ranges. A range whose instructions cannot be counted is left out. */
static void decode_ranges(struct collect *c, struct entry *e)
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

/* The place of a node, from dso.number and offset in the dso to number and offset of the binary. */
static calls_place place_of(void *data, calls_place p)
{
	const struct collect *c = data;
	const uint32_t dso = (uint32_t)(p >> 32), offset = (uint32_t)p;
	const struct numbers *of = dso < c->nr_numbers ? &c->numbers[dso] : NULL;
	struct binary at = { .method = COUNTS_WHOLE };
	uint32_t number;

	if (!of)
		return CALLS_NO_PLACE;
	at.dso = session_dsos(c->ss)->all[dso];
	if (of->methods)
		at.method = counts_method(at.dso, offset);
	number = of->methods ? of->methods[at.method] : of->whole;
	if (number == CST_COUNT_NO_BINARY)
		return CALLS_NO_PLACE;
	return calls_place_of(number, offset - (uint32_t)identity_base(&at));
}

int collect_run(struct collect *c)
{
	int rc = counts_run(c->counts);
	struct calls *calls;
	size_t i;

	if (rc)
		return rc;
	make_entries(c);
	for (i = 0; i < c->nr; i++) {
		make_ranges(&c->v[i]);
		if (c->mode >= COUNTS_ALL)
			decode_ranges(c, &c->v[i]);
		c->sums.insns += c->v[i].counts->insns;
	}
	calls = counts_calls(c->counts);
	if (calls)
		calls_finish(calls, place_of, c);
	return 0;
}

bool collect_empty(const struct collect *c)
{
	return !c->nr;
}

/* ---- records ----------------------------------------------------------------------------------- */

struct total {
	char name[64];
	uint64_t value;
};

static int compare_totals(const void *a, const void *b)
{
	return strcmp(((const struct total *)a)->name, ((const struct total *)b)->name);
}

/* Adds a total unless it is 0. */
static void add_total(struct total *v, size_t *n, const char *name, uint64_t value)
{
	if (!value)
		return;
	snprintf(v[*n].name, sizeof(v[*n].name), "%s", name);
	v[(*n)++].value = value;
}

/* The total of a loss is named as the cause in losses.def, in lower case and with a hyphen. */
static void add_loss(struct total *v, size_t *n, const struct losses *ls, enum loss cause)
{
	char name[64], *p;

	snprintf(name, sizeof(name), "loss.%s", loss_name(cause));
	for (p = name; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	add_total(v, n, name, ls->cause[cause].count);
}

/* Passes a record on, unless one before it was refused. */
static void put(struct collect *c, const struct cst_count_record *rec)
{
	if (!c->rc)
		c->rc = c->take(c->data, rec);
}

static void put_totals(struct collect *c)
{
	const struct session_totals *t = session_totals(c->ss);
	const struct losses *ls = session_losses(c->ss);
	struct cst_count_record rec = { .kind = CST_COUNT_TOTAL };
	struct calls *calls = counts_calls(c->counts);
	struct total v[NR_LOSSES + 13];
	size_t i, n = 0;

	add_total(v, &n, "recordings", 1);
	add_total(v, &n, "instructions", c->sums.insns + counts_elsewhere(c->counts));
	add_total(v, &n, "instructions.elsewhere", counts_elsewhere(c->counts));
	add_total(v, &n, "instructions.nopath", counts_nopath(c->counts));
	add_total(v, &n, "bytes.traced", t->aux_bytes);
	add_total(v, &n, "bytes.filtered", t->filtered_bytes);
	add_total(v, &n, "filtered", session_filtered(c->ss));
	add_total(v, &n, "loss.undecoded", c->sums.undecoded);
	add_total(v, &n, "calls.cut", calls ? calls_totals(calls)->cut_calls : 0);
	add_total(v, &n, "calls.lost", calls ? calls_totals(calls)->lost : 0);
	add_total(v, &n, "calls.estimated", calls ? calls_totals(calls)->estimated : 0);
	add_total(v, &n, "calls.unordered", calls ? calls_totals(calls)->unordered : 0);
	add_total(v, &n, "calls.unjoined", calls ? calls_totals(calls)->unjoined : 0);
	for (i = 0; i < NR_LOSSES; i++)
		add_loss(v, &n, ls, (enum loss)i);
	qsort(v, n, sizeof(*v), compare_totals);
	for (i = 0; i < n; i++) {
		rec.total = (struct cst_count_total){ .name = v[i].name, .value = v[i].value };
		put(c, &rec);
	}
}

static void put_binary(struct collect *c, const struct entry *e)
{
	struct cst_count_record rec = { .kind = CST_COUNT_BINARY, .binary = e->is };
	size_t i;

	put(c, &rec);
	c->sums.binaries++;
	rec.kind = CST_COUNT_SEGMENT;
	for (i = 0; i < e->nr_segs; i++) {
		rec.segment = e->segs[i];
		put(c, &rec);
	}
}

static void put_ranges(struct collect *c, const struct entry *e, uint32_t number)
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
		put(c, &rec);
	}
	rec.kind = CST_COUNT_NOT_TAKEN;
	for (i = 0; i < e->interior.nr; i++) {
		rec.not_taken = e->interior.not_taken[i];
		rec.not_taken.binary = number;
		rec.not_taken.offset -= base;
		put(c, &rec);
	}
}

static struct cst_count_edge edge_of(const struct cst_pair *p, uint64_t base, uint32_t number)
{
	return (struct cst_count_edge){ .binary = number, .from = p->a - base, .count = p->count,
					.to = p->b == COUNTS_OUTSIDE ? CST_COUNT_OUTSIDE : p->b - base };
}

static void put_edges(struct collect *c, const struct entry *e, uint32_t number)
{
	const uint64_t base = identity_base(e->counts);
	struct binary *b = e->counts;
	const struct cst_pair *x = cst_pairs_sort(&b->edges);
	struct cst_count_record rec = { .kind = CST_COUNT_EDGE };
	size_t i;

	c->sums.edges += b->edges.used;
	for (i = 0; i < b->edges.used; i++) {
		rec.edge = edge_of(&x[i], base, number);
		put(c, &rec);
	}
	x = cst_pairs_sort(&b->entries);
	rec.kind = CST_COUNT_ENTRY;
	for (i = 0; i < b->entries.used; i++) {
		rec.entry = (struct cst_count_entry){ .binary = number, .offset = x[i].a - base, .count = x[i].count };
		put(c, &rec);
	}
}

static void put_counts(struct collect *c, uint32_t number)
{
	put_ranges(c, &c->v[number], number);
	put_edges(c, &c->v[number], number);
}

static void put_nodes(struct collect *c)
{
	struct cst_count_record rec = { .kind = CST_COUNT_NODE };
	struct calls *calls = counts_calls(c->counts);

	while (calls && calls_next(calls, &rec.node)) {
		c->sums.nodes++;
		put(c, &rec);
	}
}

/* Passes totals and binaries, which come first, to `take`. */
static void begin_records(struct collect *c, collect_fn take, void *data)
{
	size_t i;

	c->take = take;
	c->data = data;
	c->rc = 0;
	put_totals(c);
	for (i = 0; i < c->nr; i++)
		put_binary(c, &c->v[i]);
}

int collect_records(struct collect *c, collect_fn take, void *data)
{
	size_t i;

	begin_records(c, take, data);
	for (i = 0; i < c->nr; i++)
		put_counts(c, (uint32_t)i);
	put_nodes(c);
	return c->rc;
}

const struct calls_totals *collect_calls(const struct collect *c)
{
	struct calls *calls = counts_calls(c->counts);

	return calls ? calls_totals(calls) : NULL;
}

const struct collect_sums *collect_sums(const struct collect *c)
{
	return &c->sums;
}

/* ---- model ------------------------------------------------------------------------------------- */

/* Moves the ranges to the model, and adds edges: the only counts without COUNTS_ALL. */
static void move_counts(struct entry *e, struct model_binary *to)
{
	const uint64_t base = identity_base(e->counts);
	struct binary *b = e->counts;
	const struct cst_pair *x = cst_pairs_sort(&b->edges);
	size_t i;

	/* the edges of the model use their memory */
	cst_pairs_free(&b->ranges);
	cst_pairs_free(&b->arrivals);
	to->edges = large_new((b->edges.used + 1) * sizeof(*to->edges));
	for (i = 0; i < b->edges.used; i++)
		to->edges[i] = edge_of(&x[i], base, to->number);
	to->nr_edges = to->cap.cap_edges = b->edges.used;
	cst_pairs_free(&b->edges);
	for (i = 0; i < e->nr_ranges; i++) {
		e->ranges[i].binary = to->number;
		e->ranges[i].start -= base;
		e->ranges[i].last -= base;
	}
	to->ranges = e->ranges;
	to->nr_ranges = to->cap.cap_ranges = e->nr_ranges;
	e->ranges = NULL;
	e->nr_ranges = 0;
	to->branches = b->branches;
	to->inside = b->inside;
	/* the ranges do not have their numbers of instructions */
	to->insns = b->insns;
}

/* Adds the amounts of the metric to the model. */
static void add_spent(struct entry *e, struct model_binary *to)
{
	const uint64_t base = identity_base(e->counts);
	const struct cst_pair *p = cst_pairs_sort(&e->counts->spent);
	size_t i;

	to->insns = e->counts->insns;
	to->nr_spent = e->counts->spent.used;
	to->spent = large_new((to->nr_spent + 1) * sizeof(*to->spent));
	for (i = 0; i < to->nr_spent; i++) {
		to->spent[i] = range_of(&p[i], 0);
		to->spent[i].binary = to->number;
		to->spent[i].start -= base;
		to->spent[i].last -= base;
	}
}

int collect_model(struct collect *c, struct model *m)
{
	const bool all = c->mode >= COUNTS_ALL;
	size_t i;

	begin_records(c, model_add, m);
	for (i = 0; i < c->nr && !c->rc; i++) {
		/* places in generated code are not those of its file of all methods */
		if (c->v[i].is.type != CST_COUNT_JIT && (c->v[i].is.type != CST_COUNT_MEMORY || dso_is_memory(c->v[i].counts->dso)))
			m->binaries[i].dso = c->v[i].counts->dso;
		if (all)
			put_counts(c, (uint32_t)i);
		else
			move_counts(&c->v[i], &m->binaries[i]);
		if (c->metric)
			add_spent(&c->v[i], &m->binaries[i]);
	}
	m->metric = c->metric;
	m->unmeasured = *counts_unmeasured(c->counts);
	put_nodes(c);
	return c->rc;
}
