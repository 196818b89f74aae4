/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline_page.c - timeline.html: when functions were entered and left, thread by thread. Its
 * frames are those of a flame graph for the script, but for their place, which is a time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/images/dso.h"
#include "outputs/report/flame_box.h"
#include "outputs/report/internal.h"
#include "outputs/timeline/longest.h"

#define MAX_DEPTH	60u	/* calls below it are left out */

/* A call, or the thread that made the calls which follow it. */
struct bar {
	const struct long_call *call;	/* NULL: the thread */
	uint64_t begin, end, thread;
	uint32_t parent;		/* index + 1; 0: a thread */
	uint32_t depth, row;
};

struct timeline_page {
	struct report *r;
	struct bar *v;
	size_t n;
	uint64_t begin, end;
	uint32_t rows;
	uint64_t deeper;
};

static void add_thread(struct timeline_page *t, const struct long_call *c, size_t n)
{
	struct bar *b = &t->v[t->n++];
	size_t i;

	*b = (struct bar){ .begin = c->is.begin.time, .thread = c->is.thread, .row = t->rows };
	for (i = 0; i < n && c[i].is.thread == c->is.thread; i++)
		b->end = c[i].is.end.time > b->end ? c[i].is.end.time : b->end;
	t->begin = !t->end || b->begin < t->begin ? b->begin : t->begin;
	t->end = b->end > t->end ? b->end : t->end;
}

/* Adds a call below the innermost one that contains it, `last` or a caller of it. */
static void add_call(struct timeline_page *t, const struct long_call *c, uint32_t *last,
		     uint32_t row)
{
	uint32_t parent = *last;
	struct bar *b;

	while (t->v[parent].parent &&
	       (c->is.begin.time >= t->v[parent].end || c->is.end.time > t->v[parent].end))
		parent = t->v[parent].parent - 1;
	if (t->v[parent].depth + 1 >= MAX_DEPTH) {
		t->deeper++;
		return;
	}
	b = &t->v[t->n];
	*b = (struct bar){ .call = c,
			   .begin = c->is.begin.time,
			   .end = c->is.end.time,
			   .parent = parent + 1,
			   .depth = t->v[parent].depth + 1 };
	b->row = row + b->depth;
	t->rows = b->row + 1 > t->rows ? b->row + 1 : t->rows;
	*last = (uint32_t)t->n++;
}

static void arrange(struct timeline_page *t, const struct long_calls *calls)
{
	uint32_t last = 0, row = 0;
	size_t i;

	t->v = mem_array(2 * calls->n + 1, sizeof(*t->v));
	for (i = 0; i < calls->n; i++) {
		const struct long_call *c = &calls->v[i];

		if (!i || c->is.thread != c[-1].is.thread) {
			row = t->rows;
			last = (uint32_t)t->n;
			add_thread(t, c, calls->n - i);
			t->rows++;
		}
		add_call(t, c, &last, row);
	}
}

/* ---- frames -------------------------------------------------------------------------------- */

/* Returns the function of a call, or UINT32_MAX: it is in no file of the model. */
static uint32_t function_of(struct report *r, const struct long_call *c)
{
	const struct model *m = r->w->model;
	size_t i;

	for (i = 0; c->dso && i < m->nr_binaries; i++)
		if (m->binaries[i].dso == c->dso && !model_without_file(&m->binaries[i]))
			return functions_at(&r->fs, (uint32_t)i, (uint32_t)c->is.entry);
	return UINT32_MAX;
}

static void put_us(struct page *p, uint64_t ns)
{
	page_format(p, "%" PRIu64 ".%03u us", ns / 1000, (unsigned int)(ns % 1000));
}

static void put_call(struct timeline_page *t, const struct bar *b)
{
	const struct calls_slice *s = &b->call->is;
	struct page *p = &t->r->page;

	page_text(p, b->call->function);
	page_html(p, ": after ");
	put_us(p, b->begin - t->begin);
	page_html(p, ", ");
	put_us(p, b->end - b->begin);
	page_html(p, ", ");
	page_number(p, s->end.insns > s->begin.insns ? s->end.insns - s->begin.insns : 0);
	page_html(p, " instructions");
	if (s->flags & CALLS_BEGAN_BEFORE)
		page_html(p, "; it was entered before");
	if (s->flags & CALLS_END_LOST)
		page_html(p, "; its end was lost");
	if (s->flags & CALLS_STILL_OPEN)
		page_html(p, "; it did not return");
}

static void put_bar(struct timeline_page *t, const struct bar *b)
{
	const uint32_t function = b->call ? function_of(t->r, b->call) : UINT32_MAX,
		       page = report_function_page(t->r, function);
	const uint32_t binary = function == UINT32_MAX ? CST_COUNT_NO_BINARY :
							 t->r->fs.v[function].binary;
	struct page *p = &t->r->page;
	char name[TASK_NAME + 32], class[FLAME_CLASS];

	flame_frame_begin(p, &(struct flame_frame){
				     .class = flame_colour(class, binary, function),
				     .begin = b->begin - t->begin,
				     .width = b->end - b->begin,
				     .all = t->end - t->begin,
				     .row = b->row,
				     .parent = b->parent,
				     .page = page });
	if (page)
		t->r->paged.graphs[function] |= GRAPH_TIME;
	if (b->call) {
		put_call(t, b);
		flame_frame_label(p);
		page_text(p, b->call->function);
	} else {
		tasks_name(name, sizeof(name), t->r->about->ss, b->thread);
		page_text(p, name);
		page_html(p, ": ");
		put_us(p, b->end - b->begin);
		flame_frame_label(p);
		page_text(p, name);
	}
	flame_frame_end(p);
}

void timeline_page_write(struct report *r)
{
	const struct long_calls *calls = r->about->calls;
	struct timeline_page t = { .r = r };
	struct page *p = &r->page;
	size_t i;

	arrange(&t, calls);
	page_begin(p, "timeline.html", PAGE_TIMELINE, "Timeline", &page_flame);
	page_html(p, "<h1>Timeline</h1>\n<p class=\"sub\">When functions were entered and left, "
		     "thread by thread, from the left to the right. A colour is a binary.</p>\n");
	page_html(p, "<p class=\"views\"><a href=\"flame.html\">Flame graph</a> "
		     "<a href=\"flame-up.html\">Callees on top</a></p>\n");
	flame_box_begin(p, t.rows);
	for (i = 0; i < t.n; i++)
		put_bar(&t, &t.v[i]);
	flame_box_end(p);
	page_html(p, "<p class=\"note\">");
	page_number(p, calls->left_out + t.deeper);
	page_html(p, " shorter or deeper calls are left out; <code>perf-cstrace timeline</code> "
		     "has them. Times are estimated between the timestamps of the trace.");
	if (calls->untimed) {
		page_html(p, " ");
		page_number(p, calls->untimed);
		page_html(p, " calls have no time.");
	}
	page_html(p, "</p>\n");
	page_end(p);
	free(t.v);
}
