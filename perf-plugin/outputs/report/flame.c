/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.c - flame.html and flame-up.html: the stacks of functions, as wide as the instructions that
 * were executed in them, or as another metric, from the callers down and from what was executed up;
 * and the same of processes and threads, t1.html and t1-up.html.
 * A page shows all of it without its script, which zooms and searches.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "outputs/report/graph.h"
#include "outputs/report/internal.h"

/* A page of a graph. */
struct view {
	struct report *r;
	const struct stacks *stacks;
	const struct task *task;	/* NULL: all of them */
	struct graph g;
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
		fn->binary == CST_COUNT_NO_BINARY ? 0 : 1 + fn->binary % (FRAME_COLOURS - 1);

	page_format(p, "<b class=\"c%u s%u\" style=\"left:%.6f%%;width:%.6f%%;top:%upx\"", colour,
		    f->function % 3, 100 * x, 100 * w, FRAME_ROW * f->depth);
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
		if (!v->task && f->function < v->r->nr_functions)
			v->r->paged.graphs[f->function] |= v->up ? GRAPH_UP : GRAPH_DOWN;
	}
	free(next);
}

static const char *file_of(char name[PAGE_NAME], const struct task *t, bool up)
{
	if (t)
		snprintf(name, PAGE_NAME, up ? "t%u-up.html" : "t%u.html", t->page);
	else
		snprintf(name, PAGE_NAME, up ? "flame-up.html" : "flame.html");
	return name;
}

/* Links to the other views: of the same stacks, and of other threads. */
static void put_views(struct view *v)
{
	struct page *p = &v->r->page;
	char name[PAGE_NAME];

	file_of(name, v->task, !v->up);
	page_html(p, "<p class=\"views\">");
	page_format(p, v->up ? "<a href=\"%s\">Callers on top</a> <b>Callees on top</b>" :
			       "<b>Callers on top</b> <a href=\"%s\">Callees on top</a>", name);
	if (v->task)
		page_format(p, " <a href=\"%s\">All threads</a>", file_of(name, NULL, v->up));
	if (v->r->tasks.n)
		page_html(p, " <a href=\"threads.html\">Threads and their graphs</a>");
	if (v->r->page.entries >> PAGE_TIMELINE & 1)
		page_html(p, " <a href=\"timeline.html\">Timeline</a>");
	page_html(p, "</p>\n");
}

static void put_note(struct view *v)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const uint64_t without = v->task ? 0 : stacks_without(v->stacks, r->w, &r->fs);
	const char *unit = report_words(r)->unit;

	page_html(p, "<p class=\"note\">");
	if (!v->up)
		page_number(p, v->stacks->n - v->g.n);
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

void flame_tools(struct page *p)
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
	char file[PAGE_NAME], title[TASK_NAME + 64], task[TASK_NAME + 32] = "";

	if (v->task)
		task_name(task, sizeof(task), v->task);
	snprintf(title, sizeof(title), "Flame graph%s%s%s", v->up ? ", callees on top" : "",
		 v->task ? ": " : "", task);
	page_begin(p, file_of(file, v->task, v->up), PAGE_FLAME, title, &page_flame);
	page_html(p, "<h1>");
	page_text(p, title);
	page_format(p, "</h1>\n<p class=\"sub\">%s; as wide as the %s %s %s%s. ",
		    v->up ? "What executed, and below it who called it" :
			    "Who called whom, from the top down",
		    r->w->model->metric ? of->name : of->unit,
		    r->w->model->metric ? "spent in" : "executed in",
		    v->up ? "the function on top when it was called so" :
			    "it and in what it called",
		    of->estimate);
	page_html(p, "A colour is a binary.</p>\n");
	put_views(v);
	flame_tools(p);
	page_format(p, "<div id=\"flame\" style=\"height:%upx\">\n",
		    FRAME_ROW * (v->g.deepest + 1));
	put_frames(v);
	page_html(p, "</div>\n");
	put_note(v);
	page_end(p);
}

/* Both views of stacks. */
static void put_stacks(struct report *r, const struct stacks *s, const struct task *t)
{
	struct view v = { .r = r, .stacks = s, .task = t };

	graph_down(&v.g, s, r->w, &r->fs);
	put_page(&v);
	graph_free(&v.g);
	v.up = true;
	graph_up(&v.g, s, r->w, &r->fs);
	put_page(&v);
	graph_free(&v.g);
}

void flame_write(struct report *r)
{
	struct stacks s;
	size_t i;

	put_stacks(r, &r->stacks, NULL);
	for (i = 0; i < r->tasks.n && !r->page.err->code; i++) {
		const struct task *t = &r->tasks.v[i];

		if (!t->page)
			continue;
		stacks_of(&s, &r->fs, r->tasks.spans + t->first, t->nr_threads);
		put_stacks(r, &s, t);
		stacks_free(&s);
	}
}
