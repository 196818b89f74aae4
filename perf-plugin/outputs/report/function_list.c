/* SPDX-License-Identifier: GPL-2.0-only */
/* function_list.c - functions.html: the functions that were executed, the hottest one first. */
#include "outputs/report/internal.h"

/* Rows for each page of a function: what is behind them is summed up. */
#define ROWS		10u
#define LEAST_ROWS	100u

void function_list_write(struct report *r)
{
	const size_t pages = r->paged.nr_function_pages,
		     rows = ROWS * pages < LEAST_ROWS ? LEAST_ROWS : ROWS * pages;
	struct page *p = &r->page;
	uint64_t insns = 0;
	size_t i;

	page_begin(p, "functions.html", PAGE_FUNCTIONS, "Functions", "'none'");
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
	page_html(p, "</table></div>\n");
	for (; i < r->hot.n; i++)
		insns = model_sum(insns, r->hot.v[i].insns);
	if (r->hot.n > rows) {
		page_format(p, "<p class=\"note\">%zu more functions, with ", r->hot.n - rows);
		page_number(p, insns);
		page_format(p, " %s, are left out.</p>\n", report_words(r)->unit);
	}
	page_end(p);
}
