/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * changes.c - changes.html: functions, lines and blocks by the size of their change since a base.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/path.h"
#include "outputs/difference/difference.h"
#include "outputs/report/internal.h"

/* Rows of each table. */
#define ROWS 500u

/* ---- cells ---------------------------------------------------------------------------------- */

static void put_change(struct page *p, const struct difference *d, const uint64_t v[DIFF_SIDES])
{
	const bool more = v[DIFF_AFTER] > v[DIFF_BEFORE];
	const double share = diff_share(d, v);

	page_format(p, "<td class=\"n %s\">%s",
		    !diff_size(v) ? "never" :
		    more	  ? "more" :
				    "fewer",
		    !diff_size(v) ? "" :
		    more	  ? "+" :
				    "&minus;");
	page_number(p, diff_size(v));
	page_html(p, diff_is_noise(d, v) ? "&#8239;~</td>" : "</td>");
	page_format(p,
		    "<td class=bar><i style=\"width:%.1f%%\"></i><span>%.2f&#8239;%%</span></td>",
		    share < 100 ? share : 100, share);
}

/* Writes a ratio without an exponent: the page sorts by it. */
static void put_ratio(struct page *p, const uint64_t v[DIFF_SIDES])
{
	const double ratio = v[DIFF_BEFORE] ? (double)v[DIFF_AFTER] / (double)v[DIFF_BEFORE] : 0;

	if (ratio > 0)
		page_format(p, "<td class=n>&times;%.*f</td>", ratio < 100 ? 3 : 0, ratio);
	else
		page_format(p, "<td class=n>%s</td>",
			    v[DIFF_AFTER]  ? "new" :
			    v[DIFF_BEFORE] ? "gone" :
					     "");
}

/* The cells that all tables begin with. */
static void put_amounts(struct page *p, const struct difference *d, const uint64_t v[DIFF_SIDES])
{
	put_change(p, d, v);
	page_cell(p, v[DIFF_BEFORE], v[DIFF_BEFORE]);
	page_cell(p, v[DIFF_AFTER], v[DIFF_AFTER]);
	put_ratio(p, v);
}

/* Begins a table; `others`: the heads of its other columns. */
static void put_head(struct page *p, const char *title, const char *others)
{
	page_format(p, "<h2>%s</h2>\n", title);
	page_table(p, title, NULL);
	page_format(p,
		    "<tr><th class=n>Change</th><th class=bar>Of all</th><th class=n>Before</th>"
		    "<th class=n>After</th><th class=n>Ratio</th>%s</tr>\n",
		    others);
}

static void put_end(struct page *p, size_t rows, size_t all)
{
	page_table_end(p);
	if (rows < all)
		page_format(p,
			    "<p class=\"note\">%zu more are left out: <code>profile --format=top "
			    "--base</code> has all.</p>\n",
			    all - rows);
}

/* ---- functions ------------------------------------------------------------------------------ */

/* A function's name, with a link to its code. */
static void put_name(struct report *r, const struct diff_function *f)
{
	if (f->number == CST_COUNT_NO_BINARY)
		page_text(&r->page, f->name);
	else
		report_function(r, functions_at(&r->fs, f->number, f->start), UINT64_MAX);
}

static void put_host(struct report *r, const struct diff_function *f, enum diff_side side)
{
	struct page *p = &r->page;

	if (!f->inlined[side])
		return;
	page_format(p, " <small class=\"never\">%s inlined",
		    side == DIFF_BEFORE ? "before" : "after");
	if (f->host[side] != DIFF_NONE) {
		page_html(p, " in ");
		page_text(p, r->about->difference->functions[f->host[side]].name);
	}
	page_html(p, "</small>");
}

static void put_function(struct report *r, const struct diff_function *f)
{
	const struct difference *d = r->about->difference;
	struct page *p = &r->page;

	page_html(p, "<tr>");
	put_amounts(p, d, f->insns);
	if (d->calls) {
		page_cell(p, f->calls[DIFF_BEFORE], f->calls[DIFF_BEFORE]);
		page_cell(p, f->calls[DIFF_AFTER], f->calls[DIFF_AFTER]);
	}
	page_html(p, "<td class=\"name\">");
	put_name(r, f);
	if (f->old_name) {
		page_html(p, " <small class=\"never\">was ");
		page_text(p, f->old_name);
		page_html(p, "</small>");
	}
	put_host(r, f, DIFF_BEFORE);
	put_host(r, f, DIFF_AFTER);
	page_html(p, "</td><td>");
	page_text(p, f->binary);
	page_html(p, "</td></tr>\n");
}

static bool is_any(const struct diff_function *f)
{
	return diff_size(f->insns) || diff_size(f->calls);
}

static bool is_new(const struct diff_function *f)
{
	return f->match == DIFF_NEW;
}

static bool is_gone(const struct diff_function *f)
{
	return f->match == DIFF_GONE;
}

static void put_functions(struct report *r, const char *title,
			  bool (*has)(const struct diff_function *f))
{
	const struct difference *d = r->about->difference;
	size_t i, n = 0, rows = 0;

	for (i = 0; i < d->nr_functions; i++)
		n += has(&d->functions[i]);
	if (!n)
		return;
	put_head(&r->page, title,
		 d->calls ? "<th class=n>Calls before</th><th class=n>Calls after</th>"
			    "<th>Function</th><th>Binary</th>" :
			    "<th>Function</th><th>Binary</th>");
	for (i = 0; i < d->nr_functions && rows < ROWS; i++)
		if (has(&d->functions[i])) {
			put_function(r, &d->functions[i]);
			rows++;
		}
	put_end(&r->page, rows, n);
}

/* ---- lines and blocks ----------------------------------------------------------------------- */

static void put_line(struct report *r, const struct diff_line *l)
{
	const uint32_t file = report_file_number(&r->coverage, l->file);
	const unsigned int line = l->line[DIFF_AFTER];
	struct page *p = &r->page;
	const char *text;
	size_t n;

	page_html(p, "<tr>");
	put_amounts(p, r->about->difference, l->insns);
	page_html(p, "<td>");
	if (line && file != UINT32_MAX) {
		report_place(r, file, line);
	} else {
		page_text(p, path_label(l->file));
		page_format(p, ":%u", line ? line : l->line[DIFF_BEFORE]);
	}
	if (!line)
		page_html(p, " <small class=\"never\">line before</small>");
	else if (l->line[DIFF_BEFORE] && l->line[DIFF_BEFORE] != line)
		page_format(p, " <small class=\"never\">was line %u</small>", l->line[DIFF_BEFORE]);
	page_html(p, "</td><td class=\"code\">");
	if (line && file != UINT32_MAX && report_source_line(r, file, line, &text, &n))
		page_source(p, text, n);
	page_html(p, "</td></tr>\n");
}

static void put_lines(struct report *r)
{
	const struct difference *d = r->about->difference;
	size_t i;

	if (!d->nr_lines)
		return;
	put_head(&r->page, "Lines", "<th>Line</th><th>Source</th>");
	for (i = 0; i < d->nr_lines && i < ROWS; i++)
		put_line(r, &d->lines[i]);
	put_end(&r->page, i, d->nr_lines);
}

/* Instructions, address and function of a block of one build. */
static void put_address(struct report *r, const struct diff_block *b)
{
	struct page *p = &r->page;
	uint64_t vaddr;

	model_vaddr(&r->w->model->binaries[b->binary], b->begin, &vaddr);
	page_cell(p, b->size, true);
	page_format(p, "<td class=\"addr\">0x%" PRIx64 "</td><td class=\"name\">", vaddr);
	/* pages of functions may leave out code that was not executed */
	report_function(r, functions_at(&r->fs, b->binary, b->begin),
			b->executions[DIFF_AFTER] ? vaddr : UINT64_MAX);
}

/* Lines and function of a block of two builds. */
static void put_place(struct report *r, const struct diff_block *b)
{
	const uint32_t file = report_file_number(&r->coverage, b->file);
	struct page *p = &r->page;

	page_html(p, "<td></td><td>");
	if (file != UINT32_MAX && b->executions[DIFF_AFTER]) {
		report_place(r, file, b->first);
	} else {
		page_text(p, path_label(b->file));
		page_format(p, ":%u", b->first);
	}
	if (b->last > b->first)
		page_format(p, "&ndash;%u", b->last);
	page_html(p, "</td><td class=\"name\">");
	put_name(r, &r->about->difference->functions[b->function]);
}

static void put_block(struct report *r, const struct diff_block *b)
{
	struct page *p = &r->page;

	page_html(p, "<tr>");
	put_amounts(p, r->about->difference, b->insns);
	page_cell(p, b->executions[DIFF_BEFORE], true);
	page_cell(p, b->executions[DIFF_AFTER], true);
	if (b->file)
		put_place(r, b);
	else
		put_address(r, b);
	page_html(p, "</td></tr>\n");
}

static void put_blocks(struct report *r)
{
	const struct difference *d = r->about->difference;
	size_t i;

	if (!d->nr_blocks)
		return;
	put_head(&r->page, "Blocks",
		 r->w->model->metric ?
			 "<th class=n>Each before</th><th class=n>Each after</th>"
			 "<th class=n>Instructions</th><th>Place</th><th>Function</th>" :
			 "<th class=n>Runs before</th><th class=n>Runs after</th>"
			 "<th class=n>Instructions</th><th>Place</th><th>Function</th>");
	for (i = 0; i < d->nr_blocks && i < ROWS; i++)
		put_block(r, &d->blocks[i]);
	put_end(&r->page, i, d->nr_blocks);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_figure(struct page *p, uint64_t v, const char *sign, const char *what)
{
	page_format(p, "<li><b>%s", sign);
	page_number(p, v);
	page_format(p, "</b> %s</li>\n", what);
}

static void put_figures(struct report *r)
{
	const struct difference *d = r->about->difference;
	const bool more = d->total[DIFF_AFTER] > d->total[DIFF_BEFORE];
	struct page *p = &r->page;
	char what[64];

	page_html(p, "<ul class=\"figures\">\n");
	snprintf(what, sizeof(what), "%s (%+.2f&#8239;%%)", report_words(r)->unit,
		 diff_percent(d->total));
	put_figure(p, diff_size(d->total),
		   !diff_size(d->total) ? "" :
		   more			? "+" :
					  "&minus;",
		   what);
	put_figure(p, d->total[DIFF_BEFORE], "", "before");
	put_figure(p, d->total[DIFF_AFTER], "", "after");
	put_figure(p, d->nr_changed, "", "functions changed");
	page_html(p, "</ul>\n<p class=\"note\">Scale: ");
	page_text(p, d->scale.words);
	page_html(p, ".");
	if (d->noise > 0)
		page_format(
			p,
			" Counts are not exact: half of the functions changed by %.3g&#8239;%% or "
			"less, and changes of up to three times that have a ~.",
			100 * d->noise);
	page_html(p, "</p>\n");
}

void changes_write(struct report *r)
{
	struct page *p = &r->page;

	page_begin(p, "changes.html", PAGE_CHANGES, "Changes", &page_tables);
	page_html(p, REPORT_CHANGE_STYLE "<h1>Changes</h1>\n<p class=\"sub\">Since ");
	page_text(p, r->about->base);
	page_format(p, ", in %s, those that changed most first.</p>\n", report_words(r)->unit);
	put_figures(r);
	put_functions(r, "Functions", is_any);
	put_functions(r, "New functions", is_new);
	put_functions(r, "Functions that are gone", is_gone);
	put_lines(r);
	put_blocks(r);
	page_end(p);
}
