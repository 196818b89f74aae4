/* SPDX-License-Identifier: GPL-2.0-only */
/* collect.c - puts the counts of a recording in canonical order, as records. */
#include "counting/countfiles/lost.h"
#include "counting/counts/collect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/large.h"
#include "counting/calls/calls.h"
#include "counting/counts/identity.h"
#include "counting/counts/model.h"
#include "machine/images/dso.h"
#include "machine/images/dso_table.h"
#include "session/parts.h"

struct collect {
	struct session *ss;
	enum counts_mode mode;
	struct counts *counts;
	struct entries e;
	enum metric metric;
	struct record_sink to;
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

void collect_free(struct collect *c)
{
	if (!c)
		return;
	entries_free(&c->e);
	counts_free(c->counts);
	free(c);
}

/* The place of a node, from dso.number and offset in the dso to number and offset of the binary. */
static calls_place place_of(void *data, calls_place p)
{
	const struct collect *c = data;
	const uint32_t dso = (uint32_t)(p >> 32), offset = (uint32_t)p;
	struct binary at;
	uint32_t number;

	if (dso >= c->e.nr_numbers)
		return CALLS_NO_PLACE;
	number = entries_number(&c->e, session_dsos(c->ss)->all[dso], offset, &at);
	if (number == CST_COUNT_NO_BINARY)
		return CALLS_NO_PLACE;
	return calls_place_of(number, offset - (uint32_t)identity_base(&at));
}

int collect_run(struct collect *c)
{
	int rc = counts_run(c->counts);
	struct binary **v;
	struct calls *calls;
	size_t n;

	if (rc)
		return rc;
	n = counts_binaries(c->counts, &v);
	entries_make(&c->e, v, n, session_dsos(c->ss)->nr);
	entries_ranges(&c->e, c->mode >= COUNTS_ALL);
	calls = counts_calls(c->counts);
	if (calls)
		calls_finish(calls, place_of, c);
	return 0;
}

bool collect_empty(const struct collect *c)
{
	return !c->e.nr;
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

/* How much of the trace the losses are, for sums of recordings. */
static void add_share(struct total *v, size_t *n, const struct collect *c)
{
	const struct losses *ls = session_losses(c->ss);
	struct loss_share share;
	uint64_t measured = c->e.sums.undecoded;
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		measured += ls->cause[i].count;
	if (!measured)
		return;
	share = session_share(c->ss);
	loss_share_add(&share, c->e.sums.undecoded);
	add_total(v, n, LOST_MEASURED, measured);
	add_total(v, n, LOST_BYTES, share.lost);
	if (share.of > session_totals(c->ss)->aux_bytes)
		add_total(v, n, LOST_ABSENT, share.of - session_totals(c->ss)->aux_bytes);
}

static void put_totals(struct collect *c)
{
	const struct session_totals *t = session_totals(c->ss);
	const struct losses *ls = session_losses(c->ss);
	struct cst_count_record rec = { .kind = CST_COUNT_TOTAL };
	struct calls *calls = counts_calls(c->counts);
	struct total v[NR_LOSSES + 16];
	size_t i, n = 0;

	add_total(v, &n, "recordings", 1);
	add_total(v, &n, "instructions", c->e.sums.insns + counts_elsewhere(c->counts));
	add_total(v, &n, "instructions.elsewhere", counts_elsewhere(c->counts));
	add_total(v, &n, "instructions.nopath", counts_nopath(c->counts));
	add_total(v, &n, "bytes.traced", t->aux_bytes);
	add_total(v, &n, "bytes.filtered", t->filtered_bytes);
	add_total(v, &n, "filtered", session_filtered(c->ss));
	add_total(v, &n, "loss.undecoded", c->e.sums.undecoded);
	add_total(v, &n, "calls.cut", calls ? calls_totals(calls)->cut_calls : 0);
	add_total(v, &n, "calls.lost", calls ? calls_totals(calls)->lost : 0);
	add_total(v, &n, "calls.estimated", calls ? calls_totals(calls)->estimated : 0);
	add_total(v, &n, "calls.unordered", calls ? calls_totals(calls)->unordered : 0);
	add_total(v, &n, "calls.unjoined", calls ? calls_totals(calls)->unjoined : 0);
	for (i = 0; i < NR_LOSSES; i++)
		add_loss(v, &n, ls, (enum loss)i);
	add_share(v, &n, c);
	qsort(v, n, sizeof(*v), compare_totals);
	for (i = 0; i < n; i++) {
		rec.total = (struct cst_count_total){ .name = v[i].name, .value = v[i].value };
		record_put(&c->to, &rec);
	}
}

static void put_nodes(struct collect *c)
{
	struct cst_count_record rec = { .kind = CST_COUNT_NODE };
	struct calls *calls = counts_calls(c->counts);

	while (calls && calls_next(calls, &rec.node)) {
		c->e.sums.nodes++;
		record_put(&c->to, &rec);
	}
}

/* Passes totals and binaries, which come first, to `take`. */
static void begin_records(struct collect *c, collect_fn take, void *data)
{
	c->to = (struct record_sink){ .take = take, .data = data };
	put_totals(c);
	entries_put_binaries(&c->e, &c->to);
}

int collect_records(struct collect *c, collect_fn take, void *data)
{
	size_t i;

	begin_records(c, take, data);
	for (i = 0; i < c->e.nr; i++)
		entries_put_counts(&c->e, (uint32_t)i, &c->to);
	put_nodes(c);
	return c->to.rc;
}

const struct calls_totals *collect_calls(const struct collect *c)
{
	struct calls *calls = counts_calls(c->counts);

	return calls ? calls_totals(calls) : NULL;
}

const struct collect_sums *collect_sums(const struct collect *c)
{
	return &c->e.sums;
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
		to->edges[i] = entries_edge(&x[i], base, to->number);
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
		to->spent[i] = entries_range(&p[i], 0);
		to->spent[i].binary = to->number;
		to->spent[i].start -= base;
		to->spent[i].last -= base;
	}
}

int collect_model(struct collect *c, struct model *m)
{
	const bool all = c->mode >= COUNTS_ALL;
	struct dso *dso;
	uint8_t type;
	size_t i;

	begin_records(c, model_add, m);
	for (i = 0; i < c->e.nr && !c->to.rc; i++) {
		/* places in generated code are not those of its file of all methods */
		type = c->e.v[i].is.type;
		dso = c->e.v[i].counts->dso;
		if (type != CST_COUNT_JIT && (type != CST_COUNT_MEMORY || dso_is_memory(dso)))
			m->binaries[i].dso = dso;
		if (all)
			entries_put_counts(&c->e, (uint32_t)i, &c->to);
		else
			move_counts(&c->e.v[i], &m->binaries[i]);
		if (c->metric)
			add_spent(&c->e.v[i], &m->binaries[i]);
	}
	m->metric = c->metric;
	m->unmeasured = *counts_unmeasured(c->counts);
	put_nodes(c);
	return c->to.rc;
}
