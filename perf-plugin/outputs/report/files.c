/* SPDX-License-Identifier: GPL-2.0-only */
/* files.c - files.html: the coverage of each source file; and the pages of the files, line by line. */
#include <limits.h>
#include <string.h>

#include "base/bisect.h"
#include "base/path.h"
#include "outputs/report/internal.h"

#define ROWS		5000u	/* of the table of files */
#define MAX_BRANCHES	6u	/* shown of a line */

/* ---- the table of files ----------------------------------------------------------------------- */

/* Cells of "HIT of ALL" with a bar. */
static void put_covered(struct page *p, size_t hit, size_t all)
{
	const double share = all ? 100.0 * (double)hit / (double)all : 0;

	if (!all) {
		page_html(p, "<td></td><td></td>");
		return;
	}
	page_format(p, "<td class=\"bar %s\"><i style=\"width:%.1f%%\"></i><span>%.1f&#8239;%%</span></td><td class=n>",
		    share >= 75 ? "good" : share >= 40 ? "fair" : "poor", share, share);
	page_number(p, hit);
	page_html(p, "&#8239;/&#8239;");
	page_number(p, all);
	page_html(p, "</td>");
}

/* Length of the folders that all files with lines are in. */
static size_t common_folder(const struct report *r)
{
	const char *first = NULL;
	size_t n = 0, i;

	for (i = 0; i < r->paged.nr_files; i++) {
		const char *name = r->coverage.files.v[r->files_hottest[i]];

		if (!first) {
			first = name;
			n = strlen(name);
		}
		while (n && (strncmp(first, name, n) || first[n - 1] != '/'))
			n--;
	}
	return n;
}

static void put_file(struct report *r, const struct coverage_file *f, size_t folder)
{
	const uint32_t file = f->next - 1, page = r->paged.file_page[file];
	struct page *p = &r->page;

	page_html(p, "<tr><td class=\"name\">");
	if (page)
		page_format(p, "<a href=\"s%u.html\">", page);
	page_text(p, f->name + folder);
	page_html(p, page ? "</a></td>" : "</td>");
	put_covered(p, f->lines_hit, f->nr_lines);
	put_covered(p, f->directions_hit, 2 * f->nr_branches);
	put_covered(p, f->functions_hit, f->nr_functions);
	page_cell(p, r->lines.of_file[file], true);
	page_html(p, "</tr>\n");
}

static void put_sums(struct report *r, struct coverage_file *sum)
{
	struct coverage_file f = { .next = 0 };

	*sum = f;
	while (coverage_next(&r->coverage, &f)) {
		sum->nr_lines += f.nr_lines;
		sum->lines_hit += f.lines_hit;
		sum->lines_reached += f.lines_reached;
		sum->nr_branches += f.nr_branches;
		sum->directions_hit += f.directions_hit;
		sum->nr_functions += f.nr_functions;
		sum->functions_hit += f.functions_hit;
	}
}

/* Of the lines that are reached only, how they count. */
static void put_reached(struct report *r, size_t lines)
{
	struct page *p = &r->page;

	if (!lines)
		return;
	page_html(p, "<p class=\"note\">");
	page_number(p, lines);
	page_format(p,
		    " of the lines are reached only: all their code that ran is under a condition which the trace does not show. "
		       "They count as %sexecuted (<code>--untraced</code>).</p>\n", r->w->traced_only ? "not " : "");
}

void files_write(struct report *r)
{
	const size_t folder = common_folder(r);
	struct coverage_file f = { .next = 0 }, sum;
	struct page *p = &r->page;
	size_t n = 0;

	put_sums(r, &sum);
	page_begin(p, "files.html", PAGE_FILES, "Coverage", &page_tables);
	page_html(p, "<h1>Coverage</h1>\n<p class=\"sub\">Source lines, branch directions and functions that were executed, of "
		     "all code in the binaries that ran.</p>\n");
	put_reached(r, sum.lines_reached);
	if (folder) {
		page_format(p, "<p class=\"note\">Files below <code>");
		page_lines(p, r->coverage.files.v[r->files_hottest[0]], folder);
		page_html(p, "</code></p>\n");
	}
	if (r->paged.nr_file_pages < r->paged.nr_files)
		page_format(
			p,
			"<p class=\"note\">The %zu files with most %s have pages; <code>--files "
			"N</code> makes "
			"more.</p>\n",
			r->paged.nr_file_pages, report_words(r)->unit);
	page_table(p, "Files", NULL);
	page_format(
		p,
		"<tr><th>File</th><th class=bar>Lines</th><th class=n>Number</th>"
		"<th class=bar>Branch directions</th><th class=n>Number</th>"
		"<th class=bar>Functions</th><th class=n>Number</th>"
		"<th class=n>%s</th></tr>\n<tr class=\"sum\"><td>All files</td>",
		report_words(r)->title);
	put_covered(p, sum.lines_hit, sum.nr_lines);
	put_covered(p, sum.directions_hit, 2 * sum.nr_branches);
	put_covered(p, sum.functions_hit, sum.nr_functions);
	page_html(p, "<td></td></tr>\n");
	while (coverage_next(&r->coverage, &f))
		if (f.nr_lines && (r->paged.file_page[f.next - 1] || n < ROWS)) {
			put_file(r, &f, folder);
			n++;
		}
	page_table_end(p);
	if (n < r->paged.nr_files)
		page_format(p, "<p class=\"note\">%zu more files are left out.</p>\n",
			    r->paged.nr_files - n);
	page_end(p);
}

/* ---- a source file ---------------------------------------------------------------------------- */

/* The page while it is written. */
struct view {
	struct report *r;
	const struct coverage_file *f;
	uint32_t file, page;
	const struct text *text;
	unsigned int last;		/* line of the file */
	size_t line, branch;		/* next ones in f */
};

/* Index of the first line of the coverage from a line on. */
static size_t line_from(const struct coverage_file *f, unsigned int line)
{
	size_t lo = 0, hi = f->nr_lines;

	BISECT(lo, hi, mid, f->lines[mid].at.line < line);
	return lo;
}

/*
 * The first line with code from a line on; UINT_MAX: none. Of code that several units have, the executions and the
 * instructions may be at lines of different units.
 */
static unsigned int code_from(const struct view *v, unsigned int line)
{
	const struct report_line *insns = report_lines_from(&v->r->lines, (struct at_line){ v->file, line });
	const size_t i = line_from(v->f, line);
	unsigned int first = i < v->f->nr_lines ? v->f->lines[i].at.line : UINT_MAX;

	return insns && insns->at.line < first ? insns->at.line : first;
}

/* True if the pages have a row for the line: without the text of the file, only for lines with code. */
static bool has_line(const struct view *v, unsigned int line)
{
	return line && line <= v->last && ((v->text->path && line <= v->text->nr_lines) || code_from(v, line) == line);
}

static bool has_part(const struct view *v, unsigned int part)
{
	const unsigned int first = part * REPORT_LINES + 1;

	return !part || (v->text->path && first <= v->text->nr_lines) || code_from(v, first) < first + REPORT_LINES;
}

static void put_direction(struct page *p, const char *what, uint64_t count, bool executed)
{
	if (!executed) {
		page_format(p, "<span class=\"never\" title=\"%s: the branch was not executed\">&ndash;</span>", what);
		return;
	}
	page_format(p, "<span class=\"%s\" title=\"%s\">", count ? "yes" : "no", what);
	page_number(p, count);
	page_html(p, "</span>");
}

/* The cell with the branches of a line: for each one the times it was taken and not taken. */
static void put_branches(struct view *v, unsigned int line)
{
	struct page *p = &v->r->page;
	const struct coverage_branch *b;
	size_t n = 0;

	page_html(p, "<td class=\"dir\">");
	for (; v->branch < v->f->nr_branches && v->f->branches[v->branch].at.line <= line; v->branch++) {
		b = &v->f->branches[v->branch];
		if (b->at.line != line || n++ >= MAX_BRANCHES)
			continue;
		if (n > 1)
			page_html(p, "; ");
		put_direction(p, "taken", b->taken, b->executed);
		page_html(p, "/");
		put_direction(p, "not taken", b->not_taken, b->executed);
	}
	if (n > MAX_BRANCHES)
		page_format(p, " +%zu", n - MAX_BRANCHES);
	page_html(p, "</td>");
}

/* The cell with the executions of a line. Of those that are not traced it is not known whether they were. */
static void put_executions(struct view *v, const struct coverage_line *l)
{
	struct page *p = &v->r->page;
	uint64_t known;

	if (!l || !l->untraced) {
		page_cell(p, l ? l->count : 0, l);
		return;
	}
	known = v->r->w->traced_only ? l->count : l->count - l->untraced;
	page_html(p, "<td class=n title=\"executed at least ");
	page_number(p, known);
	page_html(p, " times; the trace does not show it of code under a condition\">&le;&#8239;");
	page_number(p, model_sum(known, l->untraced));
	page_html(p, "</td>");
}

static const char *line_class(const struct coverage_line *l, uint64_t insns)
{
	if (l && l->reached)
		return " class=\"reached\"";
	if (insns || (l && l->count))
		return " class=\"run\"";
	return l ? " class=\"miss\"" : "";
}

/* The cell with the instructions of a line, which leads to the hottest one. */
static void put_insns(struct view *v, const struct report_line *l)
{
	struct page *p = &v->r->page;

	page_html(p, "<td class=n>");
	if (l && l->insns) {
		const uint32_t page =
			report_code_begin(v->r, l->hottest.binary, l->hottest.offset);

		page_number(p, l->insns);
		page_html(p, page ? "</a>" : "");
	}
	page_html(p, "</td>");
}

static void put_line(struct view *v, unsigned int line)
{
	const struct coverage_line *l = v->line < v->f->nr_lines && v->f->lines[v->line].at.line == line ?
					&v->f->lines[v->line++] : NULL;
	const struct report_line *at =
		report_lines_at(&v->r->lines, (struct at_line){ v->file, line });
	struct page *p = &v->r->page;
	const char *text;
	size_t n;

	page_format(p, "<tr id=\"L%u\"%s><td class=\"line\">%u</td>", line,
		    line_class(l, at ? at->insns : 0), line);
	put_executions(v, l);
	put_insns(v, at);
	put_branches(v, line);
	page_html(p, "<td class=\"code\">");
	if (text_line(v->text, line, &text, &n))
		page_source(p, text, n);
	page_html(p, "</td></tr>\n");
}

/* Writes the share of the lines of a part that were executed. */
static void put_part_share(struct view *v, unsigned int first, unsigned int last)
{
	const size_t begin = line_from(v->f, first), end = line_from(v->f, last + 1);
	size_t hit = 0, i;

	for (i = begin; i < end; i++)
		hit += v->f->lines[i].count > 0;
	if (end > begin)
		page_format(&v->r->page, "<small>%.0f&#8239;%%</small>", 100.0 * (double)hit / (double)(end - begin));
}

static void put_parts(struct view *v, unsigned int part)
{
	const unsigned int parts = (v->last + REPORT_LINES - 1) / REPORT_LINES;
	struct page *p = &v->r->page;
	char name[PAGE_NAME];
	unsigned int i;

	if (parts < 2)
		return;
	page_html(p, "<p class=\"parts\">");
	for (i = 0; i < parts; i++) {
		const unsigned int first = i * REPORT_LINES + 1, last = i + 1 < parts ? first + REPORT_LINES - 1 : v->last;

		if (!has_part(v, i))
			continue;
		page_html(p, i == part ? "<span class=\"here\">" : "<span>");
		page_format(p, "<a href=\"%s\">%u&ndash;%u</a>", report_source_page(name, v->page, first), first, last);
		put_part_share(v, first, last);
		page_html(p, "</span> ");
	}
	page_html(p, "</p>\n");
}

static void put_origin(struct view *v)
{
	struct page *p = &v->r->page;

	if (!v->text->path) {
		page_html(p, "<p class=\"note\">Its text is not at hand: only lines with code are shown. It is searched at this path "
			     "below the folders of <code>--source</code> and <code>--symfs</code>, and without <code>--symfs</code> on this machine.</p>\n");
	} else if (strcmp(v->text->path, v->f->name)) {
		page_html(p, "<p class=\"note\">Text from ");
		page_text(p, v->text->path);
		page_html(p, "</p>\n");
	} else {
		/* it may be another version than the one that was compiled */
		page_html(p, "<p class=\"note\">Text from this machine, at the same path.</p>\n");
	}
	if (code_from(v, REPORT_LAST_LINE + 1) != UINT_MAX)
		page_format(p, "<p class=\"note\">Lines beyond line %u are left out.</p>\n", REPORT_LAST_LINE);
}

static void put_figure(struct page *p, size_t hit, size_t all, const char *what)
{
	if (!all)
		return;
	page_format(p, "<li><b>%.1f&#8239;%%</b> ", 100.0 * (double)hit / (double)all);
	page_number(p, hit);
	page_html(p, " of ");
	page_number(p, all);
	page_format(p, " %s</li>\n", what);
}

static void put_figures(struct view *v)
{
	struct page *p = &v->r->page;

	page_html(p, "<ul class=\"figures\">\n");
	put_figure(p, v->f->lines_hit, v->f->nr_lines, "lines executed");
	if (v->f->lines_reached)
		put_figure(p, v->f->lines_reached, v->f->nr_lines,
			   v->r->w->traced_only ? "lines reached, execution not traced: counted as not executed" :
						  "lines reached, execution not traced: counted as executed");
	put_figure(p, v->f->directions_hit, 2 * v->f->nr_branches, "branch directions");
	put_figure(p, v->f->functions_hit, v->f->nr_functions, "functions");
	page_html(p, "</ul>\n");
}

static void put_functions(struct view *v)
{
	struct page *p = &v->r->page;
	char name[PAGE_NAME];
	size_t i;

	if (!v->f->nr_functions)
		return;
	page_format(p, "<details><summary>Functions (%zu)</summary>\n", v->f->nr_functions);
	page_table(p, "Functions", NULL);
	page_html(p, "<tr><th class=n>Executions</th><th class=n>Line</th>"
		     "<th>Function</th></tr>\n");
	for (i = 0; i < v->f->nr_functions; i++) {
		const struct coverage_function *f = &v->f->functions[i];

		page_html(p, f->count ? "<tr>" : "<tr class=\"miss\">");
		page_cell(p, f->count, true);
		if (has_line(v, f->at.line))
			page_format(p, "<td class=n><a href=\"%s#L%u\">%u</a></td><td class=\"name\">",
				    report_source_page(name, v->page, f->at.line), f->at.line, f->at.line);
		else
			page_format(p, "<td class=n>%u</td><td class=\"name\">", f->at.line);
		page_text(p, f->name);
		page_html(p, "</td></tr>\n");
	}
	page_table_end(p);
	page_html(p, "</details>\n");
}

static void put_part(struct view *v, unsigned int part)
{
	const unsigned int first = part * REPORT_LINES + 1;
	struct page *p = &v->r->page;
	char name[PAGE_NAME];
	unsigned int line;

	page_begin(p, report_source_page(name, v->page, first), PAGE_NO_ENTRY,
		   path_label(v->f->name), &page_tables);
	page_html(p, "<h1 class=\"name\">");
	page_text(p, path_label(v->f->name));
	page_html(p, "</h1>\n<p class=\"sub\">");
	page_text(p, v->f->name);
	page_html(p, "</p>\n");
	put_figures(v);
	put_origin(v);
	put_parts(v, part);
	if (!part)
		put_functions(v);
	page_table(p, "Source", "source");
	page_format(
		p,
		"<tr><th class=n>Line</th><th class=n>Executions</th><th class=n>%s</th>"
		"<th>Taken/not</th><th>Source</th></tr>\n",
		report_words(v->r)->title);
	for (line = first; line <= v->last && line < first + REPORT_LINES; line++)
		if (has_line(v, line))
			put_line(v, line);
	page_table_end(p);
	put_parts(v, part);
	page_end(p);
}

void source_write(struct report *r, const struct coverage_file *f, uint32_t file)
{
	struct view v = { .r = r,
			  .f = f,
			  .file = file,
			  .page = r->paged.file_page[file],
			  .text = texts_of(&r->texts, file, f->name) };
	unsigned int part;

	v.last = report_lines_last(&r->lines, file);
	if (f->nr_lines && f->lines[f->nr_lines - 1].at.line > v.last)
		v.last = f->lines[f->nr_lines - 1].at.line;
	if (v.text->nr_lines > v.last)
		v.last = v.text->nr_lines < UINT_MAX ? (unsigned int)v.text->nr_lines : UINT_MAX;
	if (v.last > REPORT_LAST_LINE)
		v.last = REPORT_LAST_LINE;
	/* line 0 has no place in the source */
	v.line = line_from(f, 1);
	for (part = 0; part == 0 || part * REPORT_LINES < v.last; part++)
		if (has_part(&v, part))
			put_part(&v, part);
}
