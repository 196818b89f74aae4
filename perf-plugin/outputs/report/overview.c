/* SPDX-License-Identifier: GPL-2.0-only */
/* overview.c - index.html: what was recorded and lost, the binaries, the hottest functions and lines. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/version.h>

#include "base/path.h"
#include "machine/images/dso.h"
#include "machine/images/elf_facts.h"
#include "counting/countfiles/lost.h"
#include "outputs/profile/exact.h"
#include "outputs/report/internal.h"
#include "outputs/timeline/latency.h"

#define MAX_BINARIES	200u	/* rows of their table */

/* ---- figures ---------------------------------------------------------------------------------- */

static void figure(struct page *p, uint64_t v, const char *what)
{
	page_html(p, "<li><b>");
	page_number(p, v);
	page_format(p, "</b> %s</li>\n", what);
}

static uint64_t all_calls(const struct report *r)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < r->hot.n; i++)
		n = model_sum(n, r->hot.v[i].calls);
	return n;
}

static bool is_missing(const struct model_binary *b)
{
	return !model_without_file(b) && (!b->dso || !dso_file(b->dso));
}

/* Binaries that ran, whose code and names the pages lack. */
static size_t missing_files(const struct report *r)
{
	const struct model *m = r->w->model;
	size_t i, n = 0;

	for (i = 0; i < m->nr_binaries; i++)
		n += m->binaries[i].insns && whole_has(r->w, (uint32_t)i) && is_missing(&m->binaries[i]);
	return n;
}

static void put_complete(struct report *r)
{
	const struct report_about *a = r->about;

	page_html(&r->page,
		  a->incomplete ? "<li class=\"lost\"><b>Incomplete</b> <a href=\"#lost\">"
				  "something was lost</a></li>\n" :
		  a->unknown	? "<li class=\"lost\"><b>Losses</b> <a href=\"#lost\">"
				  LOST_UNKNOWN_WORDS "</a></li>\n" :
				  "<li><b>Complete</b> nothing was lost</li>\n");
}

static void put_figures(struct report *r)
{
	struct page *p = &r->page;
	const size_t missing = missing_files(r);
	size_t hit = 0, i;

	page_html(p, "<ul class=\"figures\">\n");
	figure(p, r->hot.total,
	       r->w->model->metric ? report_words(r)->unit : "instructions, each counted");
	figure(p, r->hot.n, "functions executed");
	if (r->hot.calls)
		figure(p, all_calls(r), "calls");
	if (r->coverage.nr_lines) {
		for (i = 0; i < r->coverage.nr_lines; i++)
			hit += r->coverage.lines[i].count > 0;
		page_format(p, "<li><b>%.1f&#8239;%%</b> of ", 100.0 * (double)hit / (double)r->coverage.nr_lines);
		page_number(p, r->coverage.nr_lines);
		page_html(p, " lines executed</li>\n");
	}
	put_complete(r);
	if (missing)
		page_format(p, "<li class=\"lost\"><b>%zu</b> <a href=\"#binaries\">binaries without their files</a></li>\n", missing);
	page_html(p, "</ul>\n");
}

/* ---- the recording ---------------------------------------------------------------------------- */

static void put_totals(struct page *p, const struct model *m)
{
	size_t i;

	page_table(p, "Totals", NULL);
	page_html(p, "<tr><th>Total</th><th class=n>Value</th></tr>\n");
	for (i = 0; i < m->nr_totals; i++) {
		page_format(p, "<tr%s><td>", strncmp(m->totals[i].name, "loss.", 5) ? "" : " class=\"lost\"");
		page_text(p, m->totals[i].name);
		page_html(p, "</td>");
		page_cell(p, m->totals[i].value, true);
		page_html(p, "</tr>\n");
	}
	page_table_end(p);
}

/* The first paragraph of the text, the rest of it folded. */
static void put_recorded(struct page *p, const char *text)
{
	const char *rest = strstr(text, "\n\n");

	page_html(p, "<pre class=\"words\">");
	page_lines(p, text, rest ? (size_t)(rest - text) : strlen(text));
	page_html(p, "</pre>\n");
	if (!rest)
		return;
	page_html(p, "<details><summary>Trace units, buffers and processes</summary>\n<pre class=\"words\">");
	page_lines(p, rest + 2, strlen(rest + 2));
	page_html(p, "</pre></details>\n");
}

static void put_recording(struct report *r)
{
	struct page *p = &r->page;

	page_html(p, "<section>\n<h2>What was recorded</h2>\n");
	if (r->about->recorded) {
		put_recorded(p, r->about->recorded);
		page_format(p, "<h2 id=\"lost\">What was lost, and what helps</h2>\n<pre class=\"words%s\">",
			    r->about->incomplete ? " lost" : "");
		page_lines(p, r->about->result + strspn(r->about->result, "\n"), strlen(r->about->result + strspn(r->about->result, "\n")));
		page_html(p, "</pre>\n");
	} else {
		page_html(p, "<p id=\"lost\">A count file. Its totals, those of losses with the prefix <code>loss.</code>:</p>\n");
		if (r->about->unknown)
			page_html(p, "<p class=\"note\">What was lost of the trace is "
				     LOST_UNKNOWN_WORDS ", which <code>" LOST_UNKNOWN
				     "</code> counts.</p>\n");
		put_totals(p, r->w->model);
	}
	page_html(p, "</section>\n");
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void put_id(struct page *p, const struct cst_count_binary *b)
{
	size_t i;

	for (i = 0; i < b->id_len; i++)
		page_format(p, "%02x", b->id[i]);
	if (b->id_kind != CST_COUNT_ID_BUILD && b->id_len)
		page_html(p, " (of its code)");
}

static const char *state_of(const struct report *r, const struct model_binary *b)
{
	struct elf_facts facts;

	if (model_without_file(b))
		return "code without a file";
	if (is_missing(b))
		return "missing (--symfs)";
	if (dso_facts(b->dso, &facts) && facts.dwarf_high)
		return "with DWARF";
	if (places_source(r->w->places, b->number))
		return "with DWARF of its debug file";
	return "no DWARF in it";
}

static void put_binary(struct report *r, const struct model_binary *b)
{
	struct page *p = &r->page;

	page_html(p, "<tr>");
	page_share(p, b->insns, r->hot.total);
	page_html(p, "<td class=\"name\">");
	page_text(p, b->is.name);
	page_html(p, "</td>");
	page_cell(p, b->insns, true);
	page_cell(p, b->branches, true);
	page_format(p, "<td>%s</td><td class=\"id\">", state_of(r, b));
	put_id(p, &b->is);
	page_html(p, "</td></tr>\n");
}

static void put_binaries(struct report *r)
{
	struct model_binary **v = model_busiest(r->w->model);
	const uint64_t elsewhere = r->w->only ? 0 : model_total(r->w->model, "instructions.elsewhere");
	struct page *p = &r->page;
	size_t i, rows = 0, left = 0;

	page_html(p, "<section>\n<h2 id=\"binaries\">Binaries</h2>\n");
	page_table(p, "Binaries", NULL);
	page_format(
		p,
		"<tr><th class=bar>Share</th>"
		"<th>Path as recorded</th><th class=n>%s</th><th class=n>Branches "
		"taken</th><th>Its file</th>"
		"<th>Build-id</th></tr>\n",
		report_words(r)->title);
	for (i = 0; i < r->w->model->nr_binaries; i++) {
		if (!v[i]->insns || !whole_has(r->w, v[i]->number))
			continue;
		if (rows++ < MAX_BINARIES)
			put_binary(r, v[i]);
		else
			left++;
	}
	if (elsewhere) {
		page_html(p, "<tr>");
		page_share(p, elsewhere, r->hot.total);
		page_html(p, "<td>[elsewhere]: code in no single file</td>");
		page_cell(p, elsewhere, true);
		page_html(p, "<td></td><td></td><td></td></tr>\n");
	}
	page_table_end(p);
	if (left)
		page_format(p, "<p class=\"note\">%zu more binaries are left out.</p>\n", left);
	page_html(p, "</section>\n");
	free(v);
}

static void put_duration(struct page *p, uint64_t ns)
{
	page_format(p, "<td class=n>%llu.%03llu</td>", (unsigned long long)(ns / 1000),
		    (unsigned long long)(ns % 1000));
}

static void put_latency(struct page *p, const struct latency *l)
{
	page_format(p, "<tr><td>%s</td><td class=\"name\">", l->what);
	page_text(p, l->function);
	page_html(p, "</td>");
	page_cell(p, l->count, true);
	put_duration(p, l->sum / l->count);
	put_duration(p, l->p99);
	put_duration(p, l->max);
	page_html(p, "</tr>\n");
}

/* Only of a recording with trace of the kernel, or records of switches, and times. */
static void put_latencies(struct report *r)
{
	const struct latencies *v = r->about->latencies;
	struct page *p = &r->page;
	size_t i;

	if (!v || !v->n)
		return;
	page_html(p, "<section>\n<h2 id=\"latencies\">Interrupts, system calls and waits</h2>\n");
	page_table(p, "Interrupts, system calls and waits", NULL);
	page_html(p, "<tr><th>What</th><th>Function entered</th>"
		     "<th class=n>Number</th><th class=n>Mean (us)</th><th class=n>99 % within</th>"
		     "<th class=n>Longest</th></tr>\n");
	for (i = 0; i < v->n && i < REPORT_TOP; i++)
		put_latency(p, &v->v[i]);
	page_table_end(p);
	if (v->n > REPORT_TOP)
		page_format(p, "<p class=\"note\">%zu more rows are left out.</p>\n",
			    v->n - REPORT_TOP);
	if (v->left_out)
		page_format(p, "<p class=\"note\">The %llu shortest are left out.</p>\n",
			    (unsigned long long)v->left_out);
	page_html(p, "</section>\n");
}

static void put_functions(struct report *r)
{
	struct page *p = &r->page;
	size_t i;

	page_html(p, "<section>\n<h2>Hottest functions</h2>\n");
	report_function_head(r, false);
	for (i = 0; i < r->hot.n && i < REPORT_TOP; i++)
		report_function_row(r, &r->hot.v[i], 0);
	page_table_end(p);
	if (r->hot.n > REPORT_TOP)
		page_format(p, "<p class=\"note\"><a href=\"functions.html\">All %zu functions</a></p>\n", r->hot.n);
	page_html(p, "</section>\n");
}

static void put_line(struct report *r, const struct report_line *l)
{
	struct page *p = &r->page;
	const char *text;
	size_t n;

	page_html(p, "<tr>");
	page_share(p, l->insns, r->hot.total);
	page_html(p, "<td>");
	report_place(r, l->at.file, l->at.line);
	page_html(p, "</td>");
	page_cell(p, l->insns, true);
	page_html(p, "<td class=\"code\">");
	if (report_source_line(r, l->at.file, l->at.line, &text, &n))
		page_source(p, text + strspn(text, " \t"), n - (strspn(text, " \t") < n ? strspn(text, " \t") : n));
	page_html(p, "</td></tr>\n");
}

static void put_hottest_lines(struct report *r)
{
	struct page *p = &r->page;
	struct report_line *v;
	size_t i, n;

	page_html(p, "<section>\n<h2>Hottest lines</h2>\n");
	v = report_lines_hottest(&r->lines, REPORT_TOP, &n);
	if (n) {
		page_table(p, "Hottest lines", NULL);
		page_format(
			p,
			"<tr><th class=bar>Share</th><th>Line</th><th class=n>%s</th>"
			"<th>Source</th></tr>\n",
			report_words(r)->title);
		for (i = 0; i < n; i++)
			put_line(r, &v[i]);
		page_table_end(p);
	} else {
		page_html(p, "<p class=\"note\">No DWARF was found of any binary that ran: there are no source lines. A program built with "
			     "<code>-g</code>, or its debug file below --symfs, has them.</p>\n");
	}
	page_html(p, "</section>\n");
	free(v);
}

/* What the counts are of. */
static void put_exactness(struct report *r)
{
	const uint64_t conflicts = exact_conflicts(r->w->model);
	struct page *p = &r->page;

	if (r->w->model->metric)
		page_format(p, "%s of every function%s; ", report_words(r)->name,
			    report_words(r)->estimate);
	if (!r->about->incomplete) {
		page_html(p, r->about->unknown ? "counts of every instruction in the input, losses "
						 LOST_UNKNOWN_WORDS :
						 "exact counts of every executed instruction");
		return;
	}
	page_html(p, "counts of every instruction that could be decoded");
	if (conflicts) {
		page_html(p, ", and not of those that ran: the trace contradicts the code ");
		page_number(p, conflicts);
		page_html(p, " times");
	}
}

void overview_write(struct report *r)
{
	struct page *p = &r->page;

	page_begin(p, "index.html", PAGE_OVERVIEW, path_label(r->about->input), &page_tables);
	page_html(p, "<h1>");
	page_text(p, r->about->input);
	page_html(p, "</h1>\n<p class=\"sub\">Report of perf-cstrace " CST_VERSION_TEXT ": ");
	put_exactness(r);
	if (r->w->only) {
		page_html(p, ", of the binary ");
		page_text(p, r->w->only->is.name);
	}
	page_html(p, "</p>\n");
	if (r->about->has_cycles && !r->w->model->metric)
		page_html(p, "<p class=\"note\">The trace counts cycles: "
			     "<code>--metric=cycles</code> makes these pages of them, with the "
			     "cycles of an instruction.</p>\n");
	put_figures(r);
	put_functions(r);
	put_hottest_lines(r);
	put_latencies(r);
	put_binaries(r);
	put_recording(r);
	page_end(p);
}
