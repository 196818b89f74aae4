/* SPDX-License-Identifier: GPL-2.0-only */
/* report.c - finds what the pages show, numbers them, and writes them. */
#include "outputs/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "outputs/difference/difference.h"
#include "outputs/report/internal.h"
#include "outputs/timeline/longest.h"

/* ---- names of files --------------------------------------------------------------------------- */

/* True for LETTER NUMBER [- NUMBER] .html, and for t NUMBER -up.html. */
static bool is_numbered(const char *name)
{
	const char letter = *name;
	size_t digits;

	if (letter != 'f' && letter != 's' && letter != 't')
		return false;
	digits = strspn(++name, "0123456789");
	name += digits;
	if (letter == 't')
		return digits && (!strcmp(name, ".html") || !strcmp(name, "-up.html"));
	if (digits && *name == '-') {
		digits = strspn(++name, "0123456789");
		name += digits;
	}
	return digits && !strcmp(name, ".html");
}

static bool is_ours(const char *name)
{
	static const char *const names[] = {
		"index.html",    "functions.html", "flame.html",        "flame-up.html", "threads.html",
		"timeline.html", "changes.html",   "change-flame.html", "files.html",    "style.css",
		"changes.css",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return is_numbered(name);
}

const struct outdir_kind report_kind = { "report", "index.html", REPORT_BEGINS, is_ours };

const char *report_source_page(char name[PAGE_NAME], uint32_t page, unsigned int line)
{
	const unsigned int part = line ? (line - 1) / REPORT_LINES : 0;

	if (part)
		snprintf(name, PAGE_NAME, "s%u-%u.html", page, part + 1);
	else
		snprintf(name, PAGE_NAME, "s%u.html", page);
	return name;
}

/* ---- pieces that several pages have ----------------------------------------------------------- */

const struct costs *report_costs(struct report *r, uint32_t binary)
{
	if (!r->has_costs[binary])
		costs_init(&r->costs[binary], &r->w->model->binaries[binary]);
	r->has_costs[binary] = true;
	return &r->costs[binary];
}

const struct costs *report_measured(struct report *r, uint32_t binary)
{
	const struct model *m = r->w->model;
	size_t i;

	if (!m->metric)
		return report_costs(r, binary);
	if (!r->measured) {
		r->measured = mem_zeroed(m->nr_binaries, sizeof(*r->measured));
		for (i = 0; i < m->nr_binaries; i++)
			costs_measured(&r->measured[i], m, &m->binaries[i]);
	}
	return &r->measured[binary];
}

uint32_t report_function_page(const struct report *r, uint32_t function)
{
	return function < r->nr_functions ? r->paged.function_page[function] : 0;
}

void report_function(struct report *r, uint32_t function, uint64_t fragment)
{
	const uint32_t page = report_function_page(r, function);

	if (page && fragment != UINT64_MAX)
		page_format(&r->page, "<a href=\"f%u.html#a%llx\">", page, (unsigned long long)fragment);
	else if (page)
		page_format(&r->page, "<a href=\"f%u.html\">", page);
	page_text(&r->page, r->fs.v[function].name);
	if (page)
		page_html(&r->page, "</a>");
}

uint32_t report_code_begin(struct report *r, uint32_t binary, uint64_t offset)
{
	const uint32_t function = functions_at(&r->fs, binary, offset),
		       page = report_function_page(r, function);
	uint64_t vaddr;

	if (!page)
		return 0;
	page_format(&r->page, "<a href=\"f%u.html", page);
	/* what is behind more rows than the page has may not be on it */
	if ((offset - r->fs.v[function].start) / 2 < REPORT_CODE_ROWS &&
	    model_vaddr(&r->w->model->binaries[binary], offset, &vaddr))
		page_format(&r->page, "#a%llx", (unsigned long long)vaddr);
	page_html(&r->page, "\">");
	return page;
}

void report_place(struct report *r, uint32_t file, unsigned int line)
{
	const char *path = r->coverage.files.v[file];
	const uint32_t page = line && line <= REPORT_LAST_LINE ? r->paged.file_page[file] : 0;
	char name[PAGE_NAME];

	if (page)
		page_format(&r->page, "<a href=\"%s#L%u\">", report_source_page(name, page, line), line);
	page_text(&r->page, path_label(path));
	page_format(&r->page, ":%u", line);
	if (page)
		page_html(&r->page, "</a>");
}

void report_function_head(struct report *r, bool ranks)
{
	page_table(&r->page, ranks ? "Functions" : "Hottest functions", NULL);
	page_format(
		&r->page,
		"<tr>%s<th class=bar>Self</th><th class=name>Function</th><th class=n>%s</th>%s"
		"%s<th>Binary</th></tr>\n",
		ranks ? "<th class=n>#</th>" : "", report_words(r)->title,
		r->w->model->metric ?
			"<th class=n>Instructions</th><th class=n>Per instruction</th>" :
			"",
		r->hot.calls ? "<th class=n>Inclusive</th><th class=n>Calls</th>" : "");
}

/* Cells with the instructions that were executed, and how much of the metric each has. */
static void put_executed(struct report *r, const struct hot_function *h)
{
	const struct function *f = &r->fs.v[h->index];
	const uint64_t n = f->binary == CST_COUNT_NO_BINARY ? 0 : report_executed(r, f);
	struct page *p = &r->page;

	page_cell(p, n, n);
	page_html(p, "<td class=n>");
	if (n)
		page_format(p, "%.2f", (double)h->insns / (double)n);
	page_html(p, "</td>");
}

void report_function_row(struct report *r, const struct hot_function *h, size_t rank)
{
	const uint32_t binary = r->fs.v[h->index].binary;
	const bool known = r->inclusive && binary != CST_COUNT_NO_BINARY;
	struct page *p = &r->page;

	page_html(p, "<tr>");
	if (rank)
		page_cell(p, rank, true);
	page_share(p, h->insns, r->hot.total);
	page_html(p, "<td class=\"name\">");
	report_function(r, h->index, UINT64_MAX);
	page_html(p, "</td>");
	page_cell(p, h->insns, true);
	if (r->w->model->metric)
		put_executed(r, h);
	if (r->hot.calls) {
		page_cell(p, known ? r->inclusive[h->index] : 0, known);
		page_cell(p, h->calls, h->calls);
	}
	page_html(p, "<td>");
	page_text(p, functions_binary(r->w->model, binary));
	page_html(p, "</td></tr>\n");
}

bool report_source_line(struct report *r, uint32_t file, unsigned int line, const char **text, size_t *n)
{
	return text_line(texts_of(&r->texts, file, r->coverage.files.v[file]), line, text, n);
}

/* ---- what the pages show ---------------------------------------------------------------------- */

/* Numbers the pages of the hottest functions. */
static void number_functions(struct report *r)
{
	const size_t max = r->limits->functions;
	size_t i;

	r->nr_functions = r->fs.nr;
	r->paged.function_page = mem_zeroed(r->fs.nr, sizeof(*r->paged.function_page));
	r->paged.graphs = mem_zeroed(r->fs.nr + 1, sizeof(*r->paged.graphs));
	for (i = 0; i < r->hot.n && r->paged.nr_function_pages < max; i++)
		if (r->hot.v[i].insns && r->fs.v[r->hot.v[i].index].binary != CST_COUNT_NO_BINARY)
			r->paged.function_page[r->hot.v[i].index] =
				(uint32_t)++r->paged.nr_function_pages;
}

static int compare_callees(const void *pa, const void *pb, void *arcs)
{
	const struct call_arc *v = arcs, *a = &v[*(const uint32_t *)pa], *b = &v[*(const uint32_t *)pb];

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	if (a->inclusive != b->inclusive)
		return a->inclusive > b->inclusive ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void sort_arcs(struct report *r)
{
	size_t i;

	r->by_callee = mem_array(r->arcs.n + 1, sizeof(*r->by_callee));
	for (i = 0; i < r->arcs.n; i++)
		r->by_callee[i] = (uint32_t)i;
	if (r->arcs.n)
		qsort_r(r->by_callee, r->arcs.n, sizeof(*r->by_callee), compare_callees, r->arcs.v);
}

static int compare_files(const void *pa, const void *pb, void *report)
{
	const struct report *r = report;
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	if (r->lines.of_file[a] != r->lines.of_file[b])
		return r->lines.of_file[a] > r->lines.of_file[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Numbers the pages of the source files with most instructions. */
static void number_files(struct report *r)
{
	struct coverage_file f = { .next = 0 };
	size_t i;

	r->files_hottest = mem_array(r->coverage.files.n + 1, sizeof(*r->files_hottest));
	r->paged.file_page = mem_zeroed(r->coverage.files.n + 1, sizeof(*r->paged.file_page));
	while (coverage_next(&r->coverage, &f))
		if (f.nr_lines)
			r->files_hottest[r->paged.nr_files++] = f.next - 1;
	if (r->paged.nr_files)
		qsort_r(r->files_hottest, r->paged.nr_files, sizeof(*r->files_hottest),
			compare_files, r);
	for (i = 0; i < r->paged.nr_files && i < r->limits->files; i++)
		r->paged.file_page[r->files_hottest[i]] = (uint32_t)++r->paged.nr_file_pages;
}

static void find(struct report *r)
{
	const size_t n = r->w->model->nr_binaries + 1;

	r->costs = mem_zeroed(n, sizeof(*r->costs));
	r->has_costs = mem_zeroed(n, sizeof(*r->has_costs));
	functions_init(&r->fs, r->w->model, r->w->demangle);
	if (!r->w->model->nr_nodes)
		return;
	stacks_init(&r->stacks, &r->fs);
	tasks_init(&r->tasks, r->w, r->about->ss);
	call_arcs_init(&r->arcs, &r->fs);
}

static void find_pages(struct report *r)
{
	hot_init(&r->hot, &r->fs, r->w);
	number_functions(r);
	sort_arcs(r);
	if (r->w->model->nr_nodes)
		r->inclusive = functions_inclusive(&r->fs);
	coverage_init(&r->coverage, r->w);
	report_lines_init(&r->lines, r);
	number_files(r);
}

static void write_functions(struct report *r)
{
	const size_t n = r->nr_functions;
	size_t i;

	for (i = 0; i < r->hot.n && !r->page.err->code; i++)
		if (r->hot.v[i].index < n && r->paged.function_page[r->hot.v[i].index])
			function_write(r, &r->hot.v[i]);
}

static void write_sources(struct report *r)
{
	struct coverage_file f = { .next = 0 };

	while (!r->page.err->code && coverage_next(&r->coverage, &f))
		if (r->paged.file_page[f.next - 1])
			source_write(r, &f, f.next - 1);
}

static void write_pages(struct report *r)
{
	overview_write(r);
	function_list_write(r);
	if (r->page.entries >> PAGE_FILES & 1) {
		files_write(r);
		write_sources(r);
	}
	page_file(&r->page, "style.css", report_style);
	if (r->page.entries >> PAGE_CHANGES & 1) {
		page_file(&r->page, "changes.css", report_change_style);
		changes_write(r);
	}
	/* pages of functions lead to the graphs that show them */
	if (r->page.entries >> PAGE_FLAME & 1)
		flame_write(r);
	if (r->page.entries >> PAGE_TIMELINE & 1)
		timeline_page_write(r);
	if (r->page.entries >> PAGE_CHANGE_FLAME & 1)
		change_flame_write(r);
	write_functions(r);
	if (r->page.entries >> PAGE_THREADS & 1)
		task_list_write(r);
}

static void release(struct report *r)
{
	size_t i;

	for (i = 0; r->measured && i < r->w->model->nr_binaries; i++)
		costs_free(&r->measured[i]);
	free(r->measured);
	for (i = 0; r->has_costs && i < r->w->model->nr_binaries; i++)
		if (r->has_costs[i])
			costs_free(&r->costs[i]);
	free(r->costs);
	free(r->has_costs);
	free(r->inclusive);
	free(r->paged.function_page);
	free(r->paged.graphs);
	free(r->by_callee);
	free(r->paged.file_page);
	free(r->files_hottest);
	report_lines_free(&r->lines);
	coverage_free(&r->coverage);
	hot_free(&r->hot);
	stacks_free(&r->stacks);
	tasks_free(&r->tasks);
	call_arcs_free(&r->arcs);
	if (r->fs.model)
		functions_free(&r->fs);
	texts_free(&r->texts);
	disasm_free(r->insns.disasm);
	free(r);
}

int report_write(struct outdir *out, const struct whole *w, const struct report_about *about,
		 const struct report_limits *limits, struct error *err)
{
	struct report *r = mem_zeroed(1, sizeof(*r));
	uint32_t entries = 1u << PAGE_OVERVIEW | 1u << PAGE_FUNCTIONS;

	r->w = w;
	r->about = about;
	r->limits = limits;
	texts_init(&r->texts, limits->source, limits->symfs);
	r->insns.disasm = disasm_new(&r->insns.no_disasm);
	find(r);
	find_pages(r);
	entries |= w->model->nr_nodes ? 1u << PAGE_FLAME : 0;
	entries |= r->tasks.n ? 1u << PAGE_THREADS : 0;
	entries |= about->calls && about->calls->n ? 1u << PAGE_TIMELINE : 0;
	entries |= r->paged.nr_files ? 1u << PAGE_FILES : 0;
	if (about->difference)
		entries |= 1u << PAGE_CHANGES;
	if (about->difference && about->difference->nr_stacks)
		entries |= 1u << PAGE_CHANGE_FLAME;
	page_init(&r->page, out, entries, err);
	write_pages(r);
	release(r);
	return err->code;
}
