/* SPDX-License-Identifier: GPL-2.0-only */
/* top.c - a table of functions as perf report --stdio has it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outputs/profile/exact.h"
#include "outputs/profile/hot.h"
#include "outputs/profile/lines.h"

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

static struct widths measure(const struct hot *t, const struct model *m)
{
	struct widths w = { (int)strlen(metric_words[m->metric].title), 5, 13 };
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

static void put_head(struct lines *l, const struct hot *t, const struct widths *w, const struct model *m)
{
	const struct metric_words *of = &metric_words[m->metric];
	char text[128 + EXACT_WORDS], words[EXACT_WORDS];

	snprintf(text, sizeof(text), "# %s: %" PRIu64 "%s\n#\n# Overhead  %*s  ", of->title,
		 t->total, exact_words(m, words), w->insns, of->title);
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

static void put_row(struct lines *l, const struct hot *t, const struct hot_function *r, const struct widths *w, const struct model *m)
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
	struct hot t;
	struct functions fs;
	struct widths widths;
	struct lines l;
	size_t i;

	functions_init(&fs, w->model, w->demangle);
	hot_init(&t, &fs, w);
	widths = measure(&t, w->model);
	lines_init(&l, out);
	put_head(&l, &t, &widths, w->model);
	for (i = 0; i < t.n; i++)
		put_row(&l, &t, &t.v[i], &widths, w->model);
	lines_flush(&l);
	hot_free(&t);
	functions_free(&fs);
	return 0;
}
