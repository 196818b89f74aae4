/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.c - flame.html: the stacks of functions, as wide as the instructions that were executed in
 * them, or as another metric, callers above. The page shows all of it without its script, which
 * zooms and searches.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "outputs/report/internal.h"

#define NARROW		2000u	/* a frame with less than this part of all instructions is left out ... */
#define MAX_DEPTH	1000u	/* ... and those that are deeper; and more of both, ... */
#define MAX_FRAMES	8000u	/* ... if there are more than these */
#define WIDE		64u	/* frames with this part of all instructions are left out by their depth only */
#define ROW		18u	/* height of a frame, in pixels */
#define NR_COLOURS	8u	/* classes c0 to c7, by binary */

/* A stack that is shown. */
struct frame {
	uint32_t stack;		/* its index */
	uint32_t parent;	/* index of the parent's stack + 1; 0: none */
	uint64_t insns;		/* with those of all that it called */
};

struct flame {
	struct report *r;
	uint64_t *insns;	/* by stack, inclusive */
	uint64_t *begin;	/* by stack: instructions left of it, where the next one of its callees begins */
	uint16_t *depth;	/* by stack */
	struct frame *v;
	size_t n;
	uint64_t total, least;
	unsigned int deepest, limit;	/* depths that are shown: the greatest one, and what they are below */
};

static const char script[] =
#include "outputs/report/flame.js.inc"
	;

/* The script's SHA-256, in base64: the page's policy allows this script alone (tests/cli/report.sh compares them). */
const char flame_script_source[] = "'sha256-WfctCsGEpdyxboRAHbPNR01LbaM5GAvsOhFzO2JKSm0='";

/* Adds up the instructions of each stack and those below it. */
static void add_up(struct flame *f)
{
	const struct stacks *s = &f->r->stacks;
	uint32_t parent;
	size_t i;

	for (i = 0; i < s->n; i++) {
		parent = s->v[i].parent;
		f->insns[i] = whole_has(f->r->w, f->r->fs.v[s->v[i].function].binary) ? s->v[i].insns : 0;
		f->depth[i] = parent == MODEL_NO_NODE ? 0 : (uint16_t)(f->depth[parent] + 1);
	}
	for (i = s->n; i-- > 0;) {
		parent = s->v[i].parent;
		if (parent != MODEL_NO_NODE)
			f->insns[parent] = model_sum(f->insns[parent], f->insns[i]);
		else
			f->total = model_sum(f->total, f->insns[i]);
	}
}

static bool is_shown(const struct flame *f, size_t stack)
{
	return f->insns[stack] >= f->least && f->depth[stack] < f->limit;
}

static size_t count_shown(const struct flame *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->r->stacks.n; i++)
		n += is_shown(f, i);
	return n;
}

static int compare_frames(const void *pa, const void *pb)
{
	const struct frame *a = pa, *b = pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* Finds the stacks that are shown, callers first, the one with most instructions at the left. */
static void choose(struct flame *f)
{
	const struct stacks *s = &f->r->stacks;
	size_t i;

	f->least = f->total / NARROW ? f->total / NARROW : 1;
	f->limit = MAX_DEPTH;
	while (count_shown(f) > MAX_FRAMES && f->limit > 1) {
		if (f->least < f->total / WIDE)
			f->least *= 2;
		else
			f->limit /= 2;
	}
	f->v = mem_array(count_shown(f) + 1, sizeof(*f->v));
	for (i = 0; i < s->n; i++)
		if (is_shown(f, i)) {
			f->v[f->n++] = (struct frame){ .stack = (uint32_t)i, .parent = s->v[i].parent + 1, .insns = f->insns[i] };
			f->deepest = f->depth[i] > f->deepest ? f->depth[i] : f->deepest;
		}
	ARRAY_SORT(f->v, f->n, compare_frames);
}

static void put_frame(struct flame *f, const struct frame *fr, uint64_t begin)
{
	struct report *r = f->r;
	struct page *p = &r->page;
	const struct stack_node *s = &r->stacks.v[fr->stack];
	const struct function *fn = &r->fs.v[s->function];
	const uint32_t page =
		s->function < r->nr_functions ? r->paged.function_page[s->function] : 0;
	const double x = (double)begin / (double)f->total, w = (double)fr->insns / (double)f->total;
	const unsigned int colour = fn->binary == CST_COUNT_NO_BINARY ? 0 : 1 + fn->binary % (NR_COLOURS - 1);

	page_format(p, "<b class=\"c%u s%u\" style=\"left:%.4f%%;width:%.4f%%;top:%upx\" data-x=\"%.6f\" data-w=\"%.6f\" data-d=\"%u\"",
		    colour, s->function % 3, 100 * x, 100 * w, ROW * f->depth[fr->stack], x, w, f->depth[fr->stack]);
	if (page)
		page_format(p, " data-f=\"%u\"", page);
	page_html(p, " title=\"");
	page_text(p, fn->name);
	page_html(p, " (");
	page_text(p, functions_binary(r->w->model, fn->binary));
	page_html(p, "): ");
	page_number(p, fr->insns);
	page_format(p, " %s, %.2f %%; ", report_words(r)->unit, 100 * w);
	page_number(p, s->insns);
	page_html(p, " of its own; ");
	page_number(p, s->calls);
	page_html(p, " calls\">");
	page_text(p, fn->name);
	page_html(p, "</b>\n");
}

static void put_frames(struct flame *f)
{
	uint64_t begin, roots = 0;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct frame *fr = &f->v[i];
		uint64_t *next = fr->parent ? &f->begin[fr->parent - 1] : &roots;

		begin = *next;
		*next += fr->insns;
		f->begin[fr->stack] = begin;	/* its callees are left-aligned with it */
		put_frame(f, fr, begin);
	}
}

void flame_put_tools(struct page *p)
{
	page_html(
		p,
		"<div id=\"tools\" hidden><input id=\"find\" type=\"search\" "
		"placeholder=\"Search\" aria-label=\"Search\"> "
		"<span id=\"hits\"></span> <button id=\"out\" type=\"button\">Zoom out</button> "
		"<a id=\"page\" href=\"index.html\" hidden>Its code</a></div>\n<p "
		"id=\"said\"></p>\n");
}

void flame_put_script(struct page *p)
{
	page_html(p, "<script>");
	page_html(p, script);
	page_html(p, "</script>\n");
}

static void put_page(struct flame *f)
{
	struct report *r = f->r;
	struct page *p = &r->page;
	const uint64_t without = stacks_without(&r->stacks, r->w, &r->fs);
	const struct metric_words *of = report_words(r);

	page_begin(p, "flame.html", PAGE_FLAME, "Flame graph", flame_script_source);
	page_format(
		p,
		"<h1>Flame graph</h1>\n<p class=\"sub\">Who called whom, from the top down; as "
		"wide as the %s "
		"%s it and in what it called%s. A colour is a binary.</p>\n",
		r->w->model->metric ? of->name : of->unit,
		r->w->model->metric ? "spent in" : "executed in", of->estimate);
	flame_put_tools(p);
	page_format(p, "<div id=\"flame\" style=\"height:%upx\">\n", ROW * (f->deepest + 1));
	put_frames(f);
	page_html(p, "</div>\n<p class=\"note\">");
	page_number(p, r->stacks.n - f->n);
	page_html(p, " frames with fewer than ");
	page_number(p, f->least);
	page_format(
		p,
		" %s each, or below %u others, are left out: <code>profile "
		"--format=folded</code> has all.",
		of->unit, f->limit);
	if (without) {
		page_html(p, " ");
		page_number(p, without);
		page_format(p, " %s have no known stack.", of->unit);
	}
	page_html(p, "</p>\n");
	flame_put_script(p);
	page_end(p);
}

void flame_write(struct report *r)
{
	const size_t n = r->stacks.n + 1;
	struct flame f = { .r = r, .insns = mem_zeroed(n, sizeof(*f.insns)),
			   .begin = mem_zeroed(n, sizeof(*f.begin)),
			   .depth = mem_zeroed(n, sizeof(*f.depth)) };

	add_up(&f);
	choose(&f);
	put_page(&f);
	free(f.insns);
	free(f.begin);
	free(f.depth);
	free(f.v);
}
