/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages of source files and their list, of lines that are made by hand. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/perf-plugin/made_report.h"

#define NOP	0xd503201fu
#define B_EQ	0x54000040u	/* b.eq of the instruction behind the next one */

TEMP_DIR("report")

/* An instruction for each line of a table; the one behind it has no line, so that each is a basic block. */
static void rows_of(struct source_row *rows, const char *file, uint64_t begin, const unsigned int *lines, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		rows[i] = (struct source_row){ begin + 8 * i, begin + 8 * i + 4, { file, lines[i] } };
}

/* Sources without their text: a page has 3000 lines; a part without code has no page, and lines behind a million are left out. */
static void parts(void **state)
{
	static const unsigned int lines[] = { 5, 3000, 3001, 6000, 9001, 1000000, 1000001 }, edge[] = { 1, 3000 };
	static const char *const want =
		"<p class=\"parts\"><span class=\"here\"><a href=\"s1.html\">1&ndash;3000</a><small>50&#8239;%</small></span> "
		"<span><a href=\"s1-2.html\">3001&ndash;6000</a><small>100&#8239;%</small></span> "
		"<span><a href=\"s1-4.html\">9001&ndash;12000</a><small>0&#8239;%</small></span> "
		"<span><a href=\"s1-334.html\">999001&ndash;1000000</a><small>100&#8239;%</small></span> </p>\n";
	static const uint32_t code[18] = { NOP };
	struct source_row rows[9];
	struct report_case c;
	const char *page, *second;

	(void)state;
	rows_of(rows, "/src/long.c", 0, lines, 7);
	rows_of(rows + 7, "/src/edge.c", 56, edge, 2);
	case_init(&c, code, 18);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 9 };
	case_range(&c, 0, 1, 1);
	case_range(&c, 16, 3, 4);
	case_range(&c, 40, 11, 1);
	report_made(&c, dir);
	page = page_of(dir, "s1.html");
	assert_non_null(strstr(page, "<p class=\"sub\">/src/long.c</p>"));
	second = strstr(page, want);
	assert_non_null(second);
	/* above the lines and below them */
	assert_non_null(strstr(second + 1, want));
	assert_non_null(strstr(page, "<p class=\"note\">Lines beyond line 1000000 are left out.</p>\n"));
	/* the instructions lead to the code, in the function that begins with its range */
	assert_non_null(strstr(page, "<tr id=\"L5\" class=\"run\"><td class=\"line\">5</td>"
				     "<td class=n>1</td>"
				     "<td class=n><a href=\"f1.html#a400000\">1</a></td>"));
	assert_non_null(strstr(page, "<tr id=\"L3000\" class=\"miss\"><td class=\"line\">3000</td><td class=n>0</td><td class=n></td>"));
	assert_null(strstr(page, "id=\"L3001\""));
	assert_int_equal(count_of(page, "<tr id="), 2);
	page = page_of(dir, "s1-2.html");
	assert_non_null(strstr(page, "\"s1.html\">1&ndash;3000</a><small>50&#8239;%</small></span> <span class=\"here\"><a href=\"s1-2.html\">"));
	assert_non_null(strstr(page, "<tr id=\"L3001\" class=\"run\"><td class=\"line\">3001</td>"
				     "<td class=n>4</td>"
				     "<td class=n><a href=\"f1.html#a400010\">4</a></td>"));
	assert_non_null(strstr(page, "<tr id=\"L6000\" class=\"run\">"));
	assert_int_equal(count_of(page, "<tr id="), 2);
	assert_false(has_page(dir, "s1-3.html"));
	assert_int_equal(count_of(page_of(dir, "s1-4.html"), "<tr id="), 1);
	assert_false(has_page(dir, "s1-5.html"));
	assert_false(has_page(dir, "s1-333.html"));
	page = page_of(dir, "s1-334.html");
	assert_non_null(strstr(page, "<tr id=\"L1000000\" class=\"run\">"));
	assert_int_equal(count_of(page, "<tr id="), 1);
	assert_false(has_page(dir, "s1-335.html"));
	/* 3000 lines are one page */
	page = page_of(dir, "s2.html");
	assert_non_null(strstr(page, "<tr id=\"L3000\" class=\"run\">"));
	assert_null(strstr(page, "class=\"parts\""));
	assert_null(strstr(page, "are left out"));
	assert_non_null(strstr(page, "Its text is not at hand: only lines with code are shown."));
	/* places lead to their parts; there is none for the last line */
	page = page_of(dir, "index.html");
	assert_non_null(strstr(page, "<a href=\"s1-2.html#L6000\">long.c:6000</a>"));
	assert_non_null(strstr(page, "<a href=\"s1.html#L5\">long.c:5</a>"));
	assert_non_null(strstr(page, "<a href=\"s1-334.html#L1000000\">long.c:1000000</a>"));
	assert_non_null(strstr(page, "<td>long.c:1000001</td>"));
	/* an earlier report with pages of parts is replaced */
	report_made(&c, dir);
	assert_true(has_page(dir, "s1-334.html"));
	c.limits.files = 1;
	report_made(&c, dir);
	assert_false(has_page(dir, "s2.html"));
	case_free(&c);
}

/* Of a line with many branches six are shown; of those that were not executed there are no numbers. */
static void branches(void **state)
{
	static const char *const never = "<span class=\"never\" title=\"taken: the branch was not executed\">&ndash;</span>/"
					 "<span class=\"never\" title=\"not taken: the branch was not executed\">&ndash;</span>";
	static uint32_t code[40];
	static const struct source_row rows[] = {
		{ 0x00, 0x20, { "/src/branch.c", 20 } },
		{ 0x20, 0x38, { "/src/branch.c", 21 } },
		{ 0x38, 0x3c, { "/src/branch.c", 22 } },
		{ 0x3c, 0x40, { "/src/branch.c", 23 } },
		{ 0x44, 0x48, { "/src/branch.c", 25 } },
	};
	struct report_case c;
	const char *page, *at;
	char want[2000];
	unsigned int i;

	(void)state;
	for (i = 0; i < 40; i++)
		code[i] = i < 16 ? B_EQ : NOP;
	/* a branch of no line */
	code[16] = B_EQ;
	case_init(&c, code, 40);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 5 };
	case_range(&c, 0, 1, 5);
	case_range(&c, 0x3c, 2, 7);
	case_not_taken(&c, 0, 2);
	case_not_taken(&c, 0x3c, 7);
	case_edge(&c, 0, 8, 3);
	report_made(&c, dir);
	page = page_of(dir, "s1.html");
	i = (unsigned int)snprintf(want, sizeof(want), "<tr id=\"L20\" class=\"run\"><td class=\"line\">20</td><td class=n>5</td>"
				   "<td class=n><a href=\"f1.html#a400000\">5</a></td>"
				   "<td class=\"dir\"><span class=\"yes\" title=\"taken\">3</span>/"
				   "<span class=\"yes\" title=\"not taken\">2</span>; %s; %s; %s; %s; %s +2</td>", never, never, never, never,
				   never);
	assert_true(i < sizeof(want));
	assert_non_null(strstr(page, want));
	snprintf(want, sizeof(want), "<td class=\"dir\">%s; %s; %s; %s; %s; %s</td>", never, never, never, never, never, never);
	at = strstr(page, "<tr id=\"L21\" class=\"miss\">");
	assert_non_null(at);
	assert_non_null(strstr(at, want));
	/* in this row: the page's script has any text */
	assert_true(strstr(at, " +") > strstr(at, "</tr>"));
	at = strstr(page, "<tr id=\"L22\" class=\"miss\">");
	assert_non_null(at);
	snprintf(want, sizeof(want), "<td class=n></td><td class=\"dir\">%s</td>", never);
	assert_int_equal(strncmp(strstr(at, "<td class=n></td><td class=\"dir\">"), want, strlen(want)), 0);
	at = strstr(page, "<tr id=\"L23\" class=\"run\">");
	assert_non_null(at);
	assert_non_null(strstr(at, "<td class=\"dir\"><span class=\"no\" title=\"taken\">0</span>/"
				   "<span class=\"yes\" title=\"not taken\">7</span></td>"));
	/* the branch between the rows belongs to none of them: 16 branches, 3 directions */
	assert_non_null(strstr(page, "<li><b>9.4&#8239;%</b> 3 of 32 branch directions</li>"));
	at = strstr(page, "<tr id=\"L25\" class=\"miss\">");
	assert_non_null(at);
	assert_non_null(strstr(at, "<td class=n></td><td class=\"dir\"></td>"));
	case_free(&c);
}

/* The list has 5000 files, and those that have pages. */
static void many_files(void **state)
{
	enum { FILES = 5003 };
	static char names[FILES][16];
	static struct source_row rows[FILES];
	static uint32_t code[FILES];
	struct report_case c;
	const char *page;
	unsigned int i;

	(void)state;
	for (i = 0; i < FILES; i++) {
		snprintf(names[i], sizeof(names[i]), "/s/f%04u.c", i);
		rows[i] = (struct source_row){ 4ull * i, 4ull * i + 4, { names[i], 1 } };
		code[i] = NOP;
	}
	case_init(&c, code, FILES);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = FILES };
	case_range(&c, 0, 1, 1);
	case_range(&c, 4ull * (FILES - 1), 1, 9);
	c.limits.files = 1;
	report_made(&c, dir);
	page = page_of(dir, "files.html");
	assert_int_equal(count_of(page, "<tr><td class=\"name\">"), 5001);
	assert_non_null(strstr(page, "<tr><td class=\"name\">f4999.c</td>"));
	assert_null(strstr(page, "f5000.c"));
	assert_non_null(strstr(page, "<tr><td class=\"name\"><a href=\"s1.html\">f5002.c</a></td>"));
	assert_non_null(strstr(page, "<p class=\"note\">2 more files are left out.</p>\n"));
	assert_non_null(strstr(page, "<p class=\"note\">The 1 files with most instructions have pages; <code>--files N</code> makes more.</p>"));
	assert_non_null(strstr(page, "<p class=\"note\">Files below <code>/s/\n</code></p>"));
	/* of files with as many instructions, the first one by name */
	c.limits.files = 3;
	report_made(&c, dir);
	page = page_of(dir, "files.html");
	assert_non_null(strstr(page, "<a href=\"s2.html\">f0000.c</a>"));
	assert_non_null(strstr(page, "<a href=\"s3.html\">f0001.c</a>"));
	assert_non_null(strstr(page, "<p class=\"note\">2 more files are left out.</p>\n"));
	case_free(&c);
	/* none is left out */
	case_init(&c, code, 5000);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 5000 };
	case_range(&c, 0, 1, 1);
	c.limits.files = 0;
	report_made(&c, dir);
	page = page_of(dir, "files.html");
	assert_int_equal(count_of(page, "<tr><td class=\"name\">"), 5000);
	assert_null(strstr(page, "left out"));
	case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(branches), cmocka_unit_test(many_files),
	};

	return cmocka_run_group_tests_name("report sources", tests, make_dir, remove_dir);
}
