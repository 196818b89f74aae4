/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.c - flame.html and flame-up.html: the stacks of functions, as wide as the instructions that
 * were executed in them, or as another metric, from the callers down and from what was executed up.
 * A page shows all of it without its script, which zooms and searches.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "outputs/report/graph.h"
#include "outputs/report/internal.h"

#define ROW		18u	/* height of a frame, in pixels */
#define NR_COLOURS	8u	/* classes c0 to c7, by binary */

/* A page of a graph. */
struct view {
	struct report *r;
	struct graph g;
	const char *file, *title, *about;
	bool up;
};

static void put_title(struct view *v, const struct graph_frame *f, double share)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const struct function *fn = &r->fs.v[f->function];

	page_text(p, fn->name);
	page_html(p, " (");
	page_text(p, functions_binary(r->w->model, fn->binary));
	page_html(p, "): ");
	page_number(p, f->insns);
	page_format(p, " %s, %.2f %%", report_words(r)->unit, 100 * share);
	if (v->up)
		return;
	page_html(p, "; ");
	page_number(p, f->own);
	page_html(p, " of its own; ");
	page_number(p, f->calls);
	page_html(p, " calls");
}

static void put_frame(struct view *v, const struct graph_frame *f, uint64_t begin)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const struct function *fn = &r->fs.v[f->function];
	const uint32_t page = report_function_page(r, f->function);
	const double x = (double)begin / (double)v->g.total,
		     w = (double)f->insns / (double)v->g.total;
	const unsigned int colour =
		fn->binary == CST_COUNT_NO_BINARY ? 0 : 1 + fn->binary % (NR_COLOURS - 1);

	page_format(p, "<b class=\"c%u s%u\" style=\"left:%.4f%%;width:%.4f%%;top:%upx\"", colour,
		    f->function % 3, 100 * x, 100 * w, ROW * f->depth);
	if (f->parent)
		page_format(p, " data-p=\"%u\"", f->parent - 1);
	if (page)
		page_format(p, " data-f=\"%u\"", page);
	page_html(p, " title=\"");
	put_title(v, f, w);
	page_html(p, "\">");
	page_text(p, fn->name);
	page_html(p, "</b>\n");
}

static void put_frames(struct view *v)
{
	/* by frame: instructions left of it, where the next one below it begins */
	uint64_t *next = mem_zeroed(v->g.n + 1, sizeof(*next)), begin;
	size_t i;

	for (i = 0; i < v->g.n; i++) {
		const struct graph_frame *f = &v->g.v[i];
		/* number 0: the row on top */
		uint64_t *at = &next[f->parent];

		begin = *at;
		*at += f->insns;
		next[i + 1] = begin;
		put_frame(v, f, begin);
	}
	free(next);
}

/* Links to the other views of the same stacks. */
static void put_views(struct view *v)
{
	struct page *p = &v->r->page;

	page_html(p, "<p class=\"views\">");
	page_html(p, v->up ? "<a href=\"flame.html\">Callers on top</a> <b>Callees on top</b>" :
			     "<b>Callers on top</b> <a href=\"flame-up.html\">Callees on top</a>");
	page_html(p, "</p>\n");
}

static void put_note(struct view *v)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const uint64_t without = stacks_without(&r->stacks, r->w, &r->fs);
	const char *unit = report_words(r)->unit;

	page_html(p, "<p class=\"note\">");
	if (!v->up)
		page_number(p, r->stacks.n - v->g.n);
	page_html(p, v->up ? "Frames with fewer than " : " frames with fewer than ");
	page_number(p, v->g.least);
	page_format(p,
		    " %s each, or below %u others, are left out: <code>profile "
		    "--format=folded</code> has all.",
		    unit, v->g.limit);
	if (without) {
		page_html(p, " ");
		page_number(p, without);
		page_format(p, " %s have no known stack.", unit);
	}
	page_html(p, "</p>\n");
}

static void put_tools(struct page *p)
{
	page_html(p, "<div id=\"tools\" class=\"tools\" hidden><input id=\"find\" type=\"search\" "
		     "placeholder=\"Search\" aria-label=\"Search\"> "
		     "<button id=\"next\" type=\"button\">Next match</button> "
		     "<button id=\"out\" type=\"button\">Zoom out</button> "
		     "<a id=\"page\" href=\"index.html\" hidden>Its code</a> "
		     "<span id=\"hits\" role=\"status\"></span></div>\n<p id=\"said\"></p>\n");
}

static void put_page(struct view *v)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const struct metric_words *of = report_words(r);

	page_begin(p, v->file, PAGE_FLAME, v->title, &page_flame);
	page_format(p, "<h1>%s</h1>\n<p class=\"sub\">%s; as wide as the %s %s %s%s. ", v->title,
		    v->about, r->w->model->metric ? of->name : of->unit,
		    r->w->model->metric ? "spent in" : "executed in",
		    v->up ? "the function on top that way" : "it and in what it called",
		    of->estimate);
	page_html(p, "A colour is a binary.</p>\n");
	put_views(v);
	put_tools(p);
	page_format(p, "<div id=\"flame\" style=\"height:%upx\">\n", ROW * (v->g.deepest + 1));
	put_frames(v);
	page_html(p, "</div>\n");
	put_note(v);
	page_end(p);
}

void flame_write(struct report *r)
{
	struct view down = { .r = r,
			     .file = "flame.html",
			     .title = "Flame graph",
			     .about = "Who called whom, from the top down" },
		    up = { .r = r,
			   .file = "flame-up.html",
			   .title = "Flame graph, callees on top",
			   .about = "What executed, and below it who called it",
			   .up = true };

	graph_down(&down.g, &r->stacks, r->w, &r->fs);
	put_page(&down);
	graph_free(&down.g);
	graph_up(&up.g, &r->stacks, r->w, &r->fs);
	put_page(&up);
	graph_free(&up.g);
}
