/* SPDX-License-Identifier: GPL-2.0-only */
/* function_list.c - functions.html: the functions that were executed, the hottest one first. */
#include "outputs/report/internal.h"

/* Rows of the table for each page of a function; those behind them are lines of text ... */
#define ROWS		10u
#define LEAST_ROWS	100u
/* ... up to this number, and what is behind these is summed up. */
#define MOST_ROWS	200000u

/* As report_function_row() has them, with another metric. */
static void put_executed(struct report *r, const struct hot_function *h)
{
	const struct function *f = &r->fs.v[h->index];
	const uint64_t n = f->binary == CST_COUNT_NO_BINARY ? 0 : report_executed(r, f);
	struct page *p = &r->page;

	page_html(p, "\t");
	if (n)
		page_number(p, n);
	page_html(p, "\t");
	if (n)
		page_format(p, "%.2f", (double)h->insns / (double)n);
}

/* A row as a line, with the columns of report_function_row(): the page's script shows it as one. */
static void put_line(struct report *r, const struct hot_function *h, size_t rank)
{
	const uint32_t binary = r->fs.v[h->index].binary;
	const bool known = r->inclusive && binary != CST_COUNT_NO_BINARY;
	struct page *p = &r->page;

	page_format(p, "%zu\t%.2f %%\t", rank,
		    r->hot.total ? 100.0 * (double)h->insns / (double)r->hot.total : 0);
	page_text(p, r->fs.v[h->index].name);
	page_html(p, "\t");
	page_number(p, h->insns);
	if (r->w->model->metric)
		put_executed(r, h);
	if (r->hot.calls) {
		page_html(p, "\t");
		if (known)
			page_number(p, r->inclusive[h->index]);
		page_html(p, "\t");
		if (h->calls)
			page_number(p, h->calls);
	}
	page_html(p, "\t");
	page_text(p, functions_binary(r->w->model, binary));
	page_html(p, "\n");
}

/* Functions from number `i` on. Without the script they are a folded text. */
static size_t put_more(struct report *r, size_t i)
{
	struct page *p = &r->page;
	const size_t end = r->hot.n < MOST_ROWS ? r->hot.n : MOST_ROWS;

	if (i >= end)
		return i;
	page_format(p,
		    "<details class=\"more\"><summary>%zu more functions</summary>\n"
		    "<pre class=\"words\">",
		    end - i);
	for (; i < end; i++)
		put_line(r, &r->hot.v[i], i + 1);
	page_html(p, "</pre></details>\n");
	return i;
}

void function_list_write(struct report *r)
{
	const size_t pages = r->paged.nr_function_pages;
	size_t rows = ROWS * pages < LEAST_ROWS ? LEAST_ROWS : ROWS * pages;
	struct page *p = &r->page;
	uint64_t insns = 0;
	size_t i;

	page_begin(p, "functions.html", PAGE_FUNCTIONS, "Functions", &page_tables);
	page_html(p, "<h1>Functions</h1>\n<p class=\"sub\">");
	page_number(p, r->hot.n);
	page_format(p, " were executed. Self: %s of a function's own code.", report_words(r)->unit);
	if (r->hot.calls)
		page_html(p, " Inclusive: with those of all that it called. Calls: whatever called it.");
	page_html(p, "</p>\n");
	if (r->paged.nr_function_pages < r->hot.n)
		page_format(p, "<p class=\"note\">The %zu hottest ones have pages with their code; <code>--functions N</code> makes "
			       "more.</p>\n", r->paged.nr_function_pages);
	report_function_head(r, true);
	for (i = 0; i < r->hot.n && i < rows; i++)
		report_function_row(r, &r->hot.v[i], i + 1);
	page_table_end(p);
	rows = put_more(r, i);
	for (i = rows; i < r->hot.n; i++)
		insns = model_sum(insns, r->hot.v[i].insns);
	if (r->hot.n > rows) {
		page_format(p, "<p class=\"note\">%zu more functions, with ", r->hot.n - rows);
		page_number(p, insns);
		page_format(p, " %s, are left out.</p>\n", report_words(r)->unit);
	}
	page_end(p);
}
