/* SPDX-License-Identifier: GPL-2.0-only */
/* task_list.c - threads.html: processes and threads, with their flame graphs. */
#include "outputs/report/internal.h"

#define ROWS	5000u

static void put_number(struct page *p, int number)
{
	if (number < 0)
		page_html(p, "<td class=n></td>");
	else
		page_format(p, "<td class=n>%d</td>", number);
}

static void put_task(struct report *r, const struct task *t)
{
	struct page *p = &r->page;

	page_html(p, "<tr>");
	page_share(p, t->insns, r->hot.total);
	page_html(p, "<td class=\"name\">");
	page_text(p, t->name);
	page_html(p, "</td>");
	put_number(p, t->pid);
	if (t->nr_threads > 1)
		page_format(p, "<td class=n>all %zu</td>", t->nr_threads);
	else
		put_number(p, t->tid);
	page_cell(p, t->insns, true);
	page_html(p, "<td>");
	if (t->page)
		page_format(p,
			    "<a href=\"t%u.html\">callers on top</a>, "
			    "<a href=\"t%u-up.html\">callees on top</a>",
			    t->page, t->page);
	page_html(p, "</td></tr>\n");
}

void task_list_write(struct report *r)
{
	struct page *p = &r->page;
	size_t i;

	page_begin(p, "threads.html", PAGE_THREADS, "Threads", &page_tables);
	page_format(p,
		    "<h1>Threads</h1>\n<p class=\"sub\">Processes with several threads, and "
		    "threads, by %s. When they ran: <code>perf-cstrace timeline</code>.</p>\n",
		    report_words(r)->unit);
	page_table(p, "Threads", NULL);
	page_format(p,
		    "<tr><th class=bar>Share</th><th class=name>Name</th><th class=n>Process</th>"
		    "<th class=n>Thread</th><th class=n>%s</th><th>Flame graph</th></tr>\n",
		    report_words(r)->title);
	for (i = 0; i < r->tasks.n && i < ROWS; i++)
		put_task(r, &r->tasks.v[i]);
	page_table_end(p);
	if (i < r->tasks.n)
		page_format(p, "<p class=\"note\">%zu more are left out.</p>\n", r->tasks.n - i);
	if (r->tasks.n > TASK_PAGES)
		page_format(p,
			    "<p class=\"note\">The first %u have flame graphs; <code>--tid</code> "
			    "and <code>--pid</code> make a report of another one.</p>\n",
			    TASK_PAGES);
	page_end(p);
}
