/* SPDX-License-Identifier: GPL-2.0-only */
/* top.c - a table of functions as perf report --stdio has it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/costs.h"
#include "profile/lines.h"
#include "profile/tree.h"
#include "profile/whole.h"

struct row {
	const struct function *f;
	uint64_t insns, calls;
};

struct table {
	struct row *v;		/* by function */
	size_t n;
	bool calls;		/* the model has calls */
	uint64_t total;
};

/* Room for all functions so far. Returns the row of `function`; NULL: no memory. */
static struct row *row_of(struct table *t, uint32_t function)
{
	size_t n = 2 * (size_t)function + 64;
	struct row *v;

	if (function >= t->n) {
		v = realloc(t->v, n * sizeof(*v));
		if (!v)
			return NULL;
		memset(v + t->n, 0, (n - t->n) * sizeof(*v));
		t->v = v;
		t->n = n;
	}
	return &t->v[function];
}

static bool add(struct table *t, uint32_t function, uint64_t insns, uint64_t calls)
{
	struct row *r = function == FUNCTION_NONE ? NULL : row_of(t, function);

	if (!r)
		return false;
	r->insns = model_sum(r->insns, insns);
	r->calls = model_sum(r->calls, calls);
	t->total = model_sum(t->total, insns);
	return true;
}

/* Adds instructions that were executed equally often, function by function. */
static bool add_cost(struct table *t, struct functions *fs, const struct model_binary *b, const struct cost *c)
{
	uint64_t at = c->begin, end, insns;
	uint32_t function;

	while (at < c->end) {
		function = functions_at(fs, b->number, at);
		if (function == FUNCTION_NONE)
			return false;
		/* a symbol may have another one inside of it, and code behind that */
		end = at >= fs->v[function].start && at < fs->v[function].end ? fs->v[function].end : at + 1;
		insns = costs_pass(b, c, &at, end);
		if (!add(t, function, model_product(insns, c->count), 0))
			return false;
	}
	return true;
}

static bool add_binary(struct table *t, struct functions *fs, const struct model_binary *b)
{
	struct costs costs;
	bool ok = costs_init(&costs, b);
	size_t i;

	for (i = 0; ok && i < costs.n; i++)
		ok = add_cost(t, fs, b, &costs.v[i]);
	costs_free(&costs);
	return ok;
}

/* Instructions of each function, and its calls, whatever called it. */
static bool count(struct table *t, struct functions *fs, const struct whole *w)
{
	const struct model *m = w->model;
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < m->nr_binaries; i++)
		if (whole_has(w, (uint32_t)i))
			ok = add_binary(t, fs, &m->binaries[i]);
	if (ok && !w->only)
		ok = add(t, FUNCTION_ELSEWHERE, model_total(m, "instructions.elsewhere"), 0);
	for (i = 0; ok && i < m->nr_nodes; i++) {
		const struct cst_count_node *n = &m->nodes[i].is;

		if (n->kind != CST_COUNT_ROOT && n->kind != CST_COUNT_CUT && whole_has(w, n->binary))
			ok = add(t, functions_of_node(fs, n), 0, n->calls);
	}
	t->calls = m->nr_nodes;
	return ok;
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int order;

	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	order = strcmp(a->f->name, b->f->name);
	if (order)
		return order;
	if (a->f->binary != b->f->binary)
		return a->f->binary < b->f->binary ? -1 : 1;
	return a->f->start < b->f->start ? -1 : 1;
}

/* Moves the functions that have counts to the front, sorted. */
static void sort(struct table *t, const struct functions *fs)
{
	size_t i, n = 0;

	for (i = 0; i < t->n && i < fs->nr; i++)
		if (t->v[i].insns | t->v[i].calls) {
			t->v[n] = t->v[i];
			t->v[n++].f = &fs->v[i];
		}
	t->n = n;
	if (n)
		qsort(t->v, n, sizeof(*t->v), compare_rows);
}

/* Columns of a terminal: characters, not bytes, of UTF-8. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static void pad(struct lines *l, int have, int want, char c)
{
	for (; have < want; have++)
		lines_text(l, &c, 1);
}

static int digits(uint64_t v)
{
	int n = 1;

	while (v /= 10)
		n++;
	return n;
}

struct widths {
	int insns, calls, binary;
};

static struct widths measure(const struct table *t, const struct model *m)
{
	struct widths w = { 12, 5, 13 };
	size_t i;
	int n;

	for (i = 0; i < t->n; i++) {
		n = digits(t->v[i].insns);
		w.insns = n > w.insns ? n : w.insns;
		n = digits(t->v[i].calls);
		w.calls = n > w.calls ? n : w.calls;
		n = width(functions_binary(m, t->v[i].f->binary));
		w.binary = n > w.binary ? n : w.binary;
	}
	return w;
}

static void put_head(struct lines *l, const struct table *t, const struct widths *w)
{
	char text[128];

	snprintf(text, sizeof(text), "# Instructions: %" PRIu64 ", exact\n#\n# Overhead  %*s  ", t->total, w->insns, "Instructions");
	lines_string(l, text);
	if (t->calls) {
		snprintf(text, sizeof(text), "%*s  ", w->calls, "Calls");
		lines_string(l, text);
	}
	lines_string(l, "Shared Object");
	pad(l, 13, w->binary, ' ');
	lines_string(l, "  Symbol\n# ........  ");
	pad(l, 0, w->insns, '.');
	if (t->calls) {
		lines_string(l, "  ");
		pad(l, 0, w->calls, '.');
	}
	lines_string(l, "  ");
	pad(l, 0, w->binary, '.');
	lines_string(l, "  ......\n#\n");
}

static void put_row(struct lines *l, const struct table *t, const struct row *r, const struct widths *w, const struct model *m)
{
	const char *binary = functions_binary(m, r->f->binary);
	const double share = t->total ? 100.0 * (double)r->insns / (double)t->total : 0;
	char text[128];

	snprintf(text, sizeof(text), "  %7.2f%%  %*" PRIu64 "  ", share, w->insns, r->insns);
	lines_string(l, text);
	if (t->calls) {
		snprintf(text, sizeof(text), "%*" PRIu64 "  ", w->calls, r->calls);
		lines_string(l, text);
	}
	lines_string(l, binary);
	pad(l, width(binary), w->binary, ' ');
	lines_string(l, "  ");
	lines_string(l, r->f->name);
	lines_string(l, "\n");
}

int top_write(struct pd_output *out, const struct whole *w)
{
	struct table t = { .v = NULL };
	struct functions fs;
	struct widths widths;
	struct lines l;
	bool ok;
	size_t i;

	if (!functions_init(&fs, w->model, w->demangle))
		return ERR_NOMEM;
	ok = count(&t, &fs, w);
	if (ok) {
		sort(&t, &fs);
		widths = measure(&t, w->model);
		lines_init(&l, out);
		put_head(&l, &t, &widths);
		for (i = 0; i < t.n; i++)
			put_row(&l, &t, &t.v[i], &widths, w->model);
		lines_flush(&l);
	}
	free(t.v);
	functions_free(&fs);
	return ok ? 0 : ERR_NOMEM;
}
