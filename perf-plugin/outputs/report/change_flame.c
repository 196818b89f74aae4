/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change_flame.c - change-flame.html: the stacks of functions, as wide as what was executed in them
 * after, and coloured by how that changed. Each frame also says its change in its text, and frames
 * with less than before are hatched, for those who do not see the colours.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "outputs/difference/difference.h"
#include "outputs/report/internal.h"

/* A frame with less than this part of all is left out, and so are narrow ones if there are more. */
#define NARROW 2000u
#define MAX_FRAMES 8000u
#define MAX_DEPTH 1000u
#define ROW 18u /* height of a frame, in pixels */
#define NR_SHADES 4u /* classes u1 to u4 and d1 to d4 */

struct frame {
	uint32_t stack;
	uint32_t parent;	/* stack + 1; 0: none */
	uint64_t after;
};

struct change_flame {
	struct report *r;
	const struct difference *d;
	uint64_t (*sum)[DIFF_SIDES];	/* by stack, with all below it */
	uint64_t *begin;	/* by stack: where the next one of its callees begins */
	uint16_t *depth;	/* by stack; MAX_DEPTH: deeper */
	struct frame *v;
	size_t n;
	uint64_t total, least;
	uint64_t gone;	/* what was executed in stacks that are not there any more */
	unsigned int deepest;
};

static void add_up(struct change_flame *f)
{
	const struct difference *d = f->d;
	size_t i;
	unsigned int side;

	for (i = 0; i < d->nr_stacks; i++) {
		const uint32_t parent = d->stacks[i].parent;
		const unsigned int depth = parent == DIFF_NONE ? 0 : f->depth[parent] + 1u;

		f->depth[i] = (uint16_t)(depth < MAX_DEPTH ? depth : MAX_DEPTH);
		for (side = 0; side < DIFF_SIDES; side++)
			f->sum[i][side] = d->stacks[i].insns[side];
	}
	for (i = d->nr_stacks; i-- > 0;) {
		const uint32_t parent = d->stacks[i].parent;

		if (parent == DIFF_NONE)
			f->total = model_sum(f->total, f->sum[i][DIFF_AFTER]);
		for (side = 0; side < DIFF_SIDES && parent != DIFF_NONE; side++)
			f->sum[parent][side] = model_sum(f->sum[parent][side], f->sum[i][side]);
	}
	for (i = 0; i < d->nr_stacks; i++)
		if (!f->sum[i][DIFF_AFTER])
			f->gone = model_sum(f->gone, d->stacks[i].insns[DIFF_BEFORE]);
}

static bool is_shown(const struct change_flame *f, size_t stack)
{
	return f->sum[stack][DIFF_AFTER] >= f->least && f->depth[stack] < MAX_DEPTH;
}

static size_t count_shown(const struct change_flame *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->d->nr_stacks; i++)
		n += is_shown(f, i);
	return n;
}

static int compare_frames(const void *pa, const void *pb)
{
	const struct frame *a = pa, *b = pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->after != b->after)
		return a->after > b->after ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* Finds the frames that are shown, callers first, the widest at the left. */
static void choose(struct change_flame *f)
{
	size_t i;

	f->least = f->total / NARROW ? f->total / NARROW : 1;
	while (count_shown(f) > MAX_FRAMES && f->least <= f->total / 2)
		f->least *= 2;
	f->v = mem_array(count_shown(f) + 1, sizeof(*f->v));
	for (i = 0; i < f->d->nr_stacks && f->n < MAX_FRAMES; i++)
		if (is_shown(f, i)) {
			f->v[f->n++] = (struct frame){ .stack = (uint32_t)i,
						       .parent = f->d->stacks[i].parent + 1,
						       .after = f->sum[i][DIFF_AFTER] };
			f->deepest = f->depth[i] > f->deepest ? f->depth[i] : f->deepest;
		}
	ARRAY_SORT(f->v, f->n, compare_frames);
}

/* The class of a change: "u1" to "u4" for more, "d1" to "d4" for less; a new stack is "u4". */
static const char *shade(const struct change_flame *f, const uint64_t v[DIFF_SIDES], char text[8])
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
	snprintf(text, 8, "%c%u", percent < 0 ? 'd' : 'u', n);
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

static void put_title(struct change_flame *f, uint32_t stack, const struct diff_function *fn)
{
	const uint64_t *v = f->sum[stack], *own = f->d->stacks[stack].insns;
	struct page *p = &f->r->page;

	page_html(p, " title=\"");
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
	page_html(p, "\">");
}

static void put_frame(struct change_flame *f, const struct frame *fr, uint64_t begin)
{
	struct report *r = f->r;
	struct page *p = &r->page;
	const struct diff_function *fn = &f->d->functions[f->d->stacks[fr->stack].function];
	const double x = (double)begin / (double)f->total, w = (double)fr->after / (double)f->total;
	const unsigned int depth = f->depth[fr->stack];
	const uint32_t number = fn->number == CST_COUNT_NO_BINARY ?
					UINT32_MAX :
					functions_at(&r->fs, fn->number, fn->start);
	char text[8];

	page_format(p,
		    "<b class=\"%s\" style=\"left:%.4f%%;width:%.4f%%;top:%upx\" data-x=\"%.6f\" "
		    "data-w=\"%.6f\" data-d=\"%u\"",
		    shade(f, f->sum[fr->stack], text), 100 * x, 100 * w, ROW * depth, x, w, depth);
	if (number < r->nr_functions && r->paged.function_page[number])
		page_format(p, " data-f=\"%u\"", r->paged.function_page[number]);
	put_title(f, fr->stack, fn);
	put_percent(p, f->sum[fr->stack]);
	page_html(p, " ");
	page_text(p, fn->name);
	page_html(p, "</b>\n");
}

static void put_frames(struct change_flame *f)
{
	uint64_t begin, roots = 0;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct frame *fr = &f->v[i];
		uint64_t *next = fr->parent ? &f->begin[fr->parent - 1] : &roots;

		begin = *next;
		*next += fr->after;
		f->begin[fr->stack] = begin;	/* its callees are left-aligned with it */
		put_frame(f, fr, begin);
	}
}

static void put_page(struct change_flame *f)
{
	struct page *p = &f->r->page;

	page_begin(p, "change-flame.html", PAGE_CHANGE_FLAME, "Changed flame graph",
		   flame_script_source);
	page_html(p, REPORT_CHANGE_STYLE
		  "<h1>Changed flame graph</h1>\n<p class=\"sub\">Who called whom, from the top "
		  "down; as wide as after, and coloured by the change since ");
	page_text(p, f->r->about->base);
	page_html(p, ": <b class=\"u1\">&nbsp;more&nbsp;</b> <b class=\"u4\">&nbsp;twice or "
		     "new&nbsp;</b> <b class=\"u0\">&nbsp;as before&nbsp;</b> <b class=\"d1\">"
		     "&nbsp;less&nbsp;</b> <b class=\"d4\">&nbsp;half&nbsp;</b></p>\n");
	flame_put_tools(p);
	page_format(p, "<div id=\"flame\" style=\"height:%upx\">\n", ROW * (f->deepest + 1));
	put_frames(f);
	page_html(p, "</div>\n<p class=\"note\">");
	page_number(p, f->d->nr_stacks - f->n);
	page_html(p, " frames with fewer than ");
	page_number(p, f->least);
	page_format(p, " %s each after are left out", report_words(f->r)->unit);
	if (f->gone) {
		page_html(p, ", among them stacks that are gone, with ");
		page_number(p, f->gone);
		page_html(p, " before");
	}
	page_html(p, ": <code>profile --format=folded --base</code> has all.</p>\n");
	flame_put_script(p);
	page_end(p);
}

void change_flame_write(struct report *r)
{
	const size_t n = r->about->difference->nr_stacks + 1;
	struct change_flame f = { .r = r,
				  .d = r->about->difference,
				  .sum = mem_zeroed(n, sizeof(*f.sum)),
				  .begin = mem_zeroed(n, sizeof(*f.begin)),
				  .depth = mem_zeroed(n, sizeof(*f.depth)) };

	add_up(&f);
	choose(&f);
	put_page(&f);
	free(f.sum);
	free(f.begin);
	free(f.depth);
	free(f.v);
}
