/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change_flame.c - change-flame.html: the stacks of functions, as wide as what was executed in them
 * after, and coloured by how that changed. Each frame also says its change in its text, and frames
 * with less than before are hatched, for those who do not see the colours.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "outputs/difference/difference.h"
#include "outputs/report/flame_box.h"
#include "outputs/report/graph.h"
#include "outputs/report/internal.h"

#define NR_SHADES 4u /* classes u1 to u4 and d1 to d4 */

struct change_flame {
	struct report *r;
	const struct difference *d;
	struct graph_stack *side[DIFF_SIDES];	/* by stack, with all below it */
	struct graph g;				/* of DIFF_AFTER */
	uint64_t gone;	/* what was executed in stacks that are not there any more */
};

/* Adds up a side. Returns its sum. */
static uint64_t add_up(struct change_flame *f, enum diff_side side)
{
	const struct difference *d = f->d;
	struct graph_stack *v = mem_array(d->nr_stacks + 1, sizeof(*v));
	size_t i;

	for (i = 0; i < d->nr_stacks; i++) {
		const struct diff_stack *s = &d->stacks[i];

		v[i] = (struct graph_stack){
			.parent = s->parent == DIFF_NONE ? MODEL_NO_NODE : s->parent,
			.function = s->function,
			.insns = s->insns[side],
		};
	}
	f->side[side] = v;
	return graph_sum(v, d->nr_stacks);
}

static void draw(struct change_flame *f)
{
	const size_t n = f->d->nr_stacks;
	uint64_t total;
	size_t i;

	add_up(f, DIFF_BEFORE);
	total = add_up(f, DIFF_AFTER);
	graph_of(&f->g, f->side[DIFF_AFTER], n, total);
	for (i = 0; i < n; i++)
		if (!f->side[DIFF_AFTER][i].insns)
			f->gone = model_sum(f->gone, f->d->stacks[i].insns[DIFF_BEFORE]);
}

/* The class of a change: "u1" to "u4" for more, "d1" to "d4" for less; a new stack is "u4". */
static const char *shade(const struct change_flame *f, const uint64_t v[DIFF_SIDES],
			 char text[FLAME_CLASS])
{
	static const double least[NR_SHADES] = { 0.1, 5, 25, 100 };
	const double percent = v[DIFF_BEFORE] ? diff_percent(v) : 100;
	/* half of it is twice, back */
	const double size = percent < 0 ? -2 * percent : percent;
	unsigned int n = 0;

	while (n < NR_SHADES && size >= least[n])
		n++;
	if (!n || diff_is_noise(f->d, v))
		return "u0";
	snprintf(text, FLAME_CLASS, "%c%u", percent < 0 ? 'd' : 'u', n);
	return text;
}

/* "+25 %", "new". */
static void put_percent(struct page *p, const uint64_t v[DIFF_SIDES])
{
	if (!v[DIFF_BEFORE])
		page_html(p, v[DIFF_AFTER] ? "new" : "=");
	else if (!diff_size(v))
		page_html(p, "=");
	else
		page_format(p, "%+.3g&#8239;%%", diff_percent(v));
}

static void put_title(struct change_flame *f, uint32_t stack, const uint64_t v[DIFF_SIDES])
{
	const struct diff_function *fn = &f->d->functions[f->d->stacks[stack].function];
	const uint64_t *own = f->d->stacks[stack].insns;
	struct page *p = &f->r->page;

	page_text(p, fn->name);
	page_html(p, " (");
	page_text(p, fn->binary);
	page_html(p, "): before ");
	page_number(p, v[DIFF_BEFORE]);
	page_html(p, ", after ");
	page_number(p, v[DIFF_AFTER]);
	page_format(p, " %s, ", report_words(f->r)->unit);
	put_percent(p, v);
	page_html(p, "; of its own ");
	page_number(p, own[DIFF_BEFORE]);
	page_html(p, " and ");
	page_number(p, own[DIFF_AFTER]);
}

/* Returns the page of the function of a frame, which leads to the frame; 0: there is none. */
static uint32_t page_of(struct report *r, const struct diff_function *fn)
{
	const uint32_t function = fn->number == CST_COUNT_NO_BINARY ?
					  UINT32_MAX :
					  functions_at(&r->fs, fn->number, fn->start);
	const uint32_t page = report_function_page(r, function);

	if (page)
		r->paged.graphs[function] |= GRAPH_CHANGE;
	return page;
}

static void put_frame(struct change_flame *f, const struct graph_frame *frame)
{
	const struct diff_function *fn = &f->d->functions[frame->function];
	const uint64_t v[DIFF_SIDES] = { f->side[DIFF_BEFORE][frame->stack].insns, frame->insns };
	struct page *p = &f->r->page;
	char class[FLAME_CLASS];

	flame_frame_begin(p, &(struct flame_frame){ .class = shade(f, v, class),
						    .begin = frame->begin,
						    .width = frame->insns,
						    .all = f->g.total,
						    .row = frame->depth,
						    .parent = frame->parent,
						    .page = page_of(f->r, fn) });
	put_title(f, frame->stack, v);
	flame_frame_label(p);
	page_html(p, "<small>");
	put_percent(p, v);
	page_html(p, "</small> ");
	page_text(p, fn->name);
	flame_frame_end(p);
}

static void put_note(struct change_flame *f)
{
	struct page *p = &f->r->page;

	page_html(p, "<p class=\"note\">");
	page_number(p, f->d->nr_stacks - f->g.n);
	page_html(p, " frames with fewer than ");
	page_number(p, f->g.least);
	page_format(p, " %s each after, or below %u others, are left out", report_words(f->r)->unit,
		    f->g.limit);
	if (f->gone) {
		page_html(p, ", among them stacks that are gone, with ");
		page_number(p, f->gone);
		page_html(p, " before");
	}
	page_html(p, ": <code>profile --format=folded --base</code> has all.</p>\n");
}

static void put_page(struct change_flame *f)
{
	struct page *p = &f->r->page;
	size_t i;

	page_begin(p, "change-flame.html", PAGE_CHANGE_FLAME, "Changed flame graph", &page_flame);
	page_html(p, REPORT_CHANGE_STYLE);
	page_html(p, "<h1>Changed flame graph</h1>\n<p class=\"sub\">Who called whom, from the top "
		     "down; as wide as after, and coloured by the change since ");
	page_text(p, f->r->about->base);
	page_html(p, ": <b class=\"u1\">&nbsp;more&nbsp;</b> <b class=\"u4\">&nbsp;twice or "
		     "new&nbsp;</b> <b class=\"u0\">&nbsp;as before&nbsp;</b> <b class=\"d1\">"
		     "&nbsp;less&nbsp;</b> <b class=\"d4\">&nbsp;half&nbsp;</b></p>\n");
	if (p->entries >> PAGE_FLAME & 1)
		page_html(p, "<p class=\"views\"><a href=\"flame.html\">Without the changes</a>"
			     "</p>\n");
	flame_box_begin(p, f->g.deepest + 1);
	for (i = 0; i < f->g.n; i++)
		put_frame(f, &f->g.v[i]);
	flame_box_end(p);
	put_note(f);
	page_end(p);
}

void change_flame_write(struct report *r)
{
	struct change_flame f = { .r = r, .d = r->about->difference };

	draw(&f);
	put_page(&f);
	graph_free(&f.g);
	free(f.side[DIFF_BEFORE]);
	free(f.side[DIFF_AFTER]);
}
