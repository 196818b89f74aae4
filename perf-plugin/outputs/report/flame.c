/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.c - flame.html and flame-up.html: the stacks of functions, as wide as the instructions that
 * were executed in them, or as another metric, from the callers down and from what was executed up;
 * and the same of processes and threads, t1.html and t1-up.html.
 * A page shows all of it without its script, which zooms and searches.
 */
#include <stdio.h>

#include "outputs/report/flame_box.h"
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

static void put_title(struct view *v, const struct graph_frame *f)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const struct function *fn = &r->fs.v[f->function];

	page_text(p, fn->name);
	page_html(p, " (");
	page_text(p, functions_binary(r->w->model, fn->binary));
	page_html(p, "): ");
	page_number(p, f->insns);
	page_format(p, " %s, %.2f %%", report_words(r)->unit,
		    100 * ((double)f->insns / (double)v->g.total));
	if (v->up)
		return;
	page_html(p, "; ");
	page_number(p, v->stacks->v[f->stack].insns);
	page_html(p, " of its own; ");
	page_number(p, v->stacks->v[f->stack].calls);
	page_html(p, " calls");
}

static void put_frame(struct view *v, const struct graph_frame *f)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const struct function *fn = &r->fs.v[f->function];
	char class[FLAME_CLASS];

	flame_frame_begin(p, &(struct flame_frame){
				     .class = flame_colour(class, fn->binary, f->function),
				     .begin = f->begin,
				     .width = f->insns,
				     .all = v->g.total,
				     .row = f->depth,
				     .parent = f->parent,
				     .page = report_function_page(r, f->function) });
	put_title(v, f);
	flame_frame_label(p);
	page_text(p, fn->name);
	flame_frame_end(p);
	if (!v->task && f->function < r->nr_functions)
		r->paged.graphs[f->function] |= v->up ? GRAPH_UP : GRAPH_DOWN;
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
	if (p->entries >> PAGE_CHANGE_FLAME & 1)
		page_html(p, " <a href=\"change-flame.html\">What changed</a>");
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

static void put_page(struct view *v)
{
	struct report *r = v->r;
	struct page *p = &r->page;
	const struct metric_words *of = report_words(r);
	char file[PAGE_NAME], title[TASK_NAME + 64], task[TASK_NAME + 32] = "";
	size_t i;

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
	flame_box_begin(p, v->g.deepest + 1);
	for (i = 0; i < v->g.n; i++)
		put_frame(v, &v->g.v[i]);
	flame_box_end(p);
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
