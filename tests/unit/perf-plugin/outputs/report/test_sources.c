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
#include "unit/perf-plugin/refused_memory.h"

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
	assert_non_null(strstr(page, "<tr id=\"L5\" class=\"run\"><td class=\"line\">5</td><td class=n>1</td><td class=n>1</td>"));
	assert_non_null(strstr(page, "<tr id=\"L3000\" class=\"miss\"><td class=\"line\">3000</td><td class=n>0</td><td class=n></td>"));
	assert_null(strstr(page, "id=\"L3001\""));
	assert_int_equal(count_of(page, "<tr id="), 2);
	page = page_of(dir, "s1-2.html");
	assert_non_null(strstr(page, "\"s1.html\">1&ndash;3000</a><small>50&#8239;%</small></span> <span class=\"here\"><a href=\"s1-2.html\">"));
	assert_non_null(strstr(page, "<tr id=\"L3001\" class=\"run\"><td class=\"line\">3001</td><td class=n>4</td><td class=n>4</td>"));
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

/* A part of a text without code has a page, but no share of lines; without the text it has none. */
static void part_without_code(void **state)
{
	static const uint32_t code[] = { NOP };
	static const struct source_row rows[] = { { 0, 4, { "/src/text.c", 2 } } };
	static char lines[3001];
	struct report_case c;
	const char *page;

	(void)state;
	memset(lines, '\n', sizeof(lines));
	temp_write(dir, "text/text.c", lines, sizeof(lines));
	case_init(&c, code, 1);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 1 };
	case_range(&c, 0, 1, 1);
	snprintf(c.source, sizeof(c.source), "%s/text", dir);
	report_made(&c, dir);
	assert_non_null(strstr(page_of(dir, "s1.html"), "<p class=\"parts\"><span class=\"here\"><a href=\"s1.html\">1&ndash;3000</a>"
			       "<small>100&#8239;%</small></span> <span><a href=\"s1-2.html\">3001&ndash;3001</a></span> </p>\n"));
	page = page_of(dir, "s1-2.html");
	assert_int_equal(count_of(page, "<tr id="), 1);
	assert_non_null(strstr(page, "<tr id=\"L3001\"><td"));
	c.source[0] = 0;
	report_made(&c, dir);
	assert_null(strstr(page_of(dir, "s1.html"), "class=\"parts\""));
	assert_false(has_page(dir, "s1-2.html"));
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
				   "<td class=n>5</td><td class=\"dir\"><span class=\"yes\" title=\"taken\">3</span>/"
				   "<span class=\"yes\" title=\"not taken\">2</span>; %s; %s; %s; %s; %s +2</td>", never, never, never, never,
				   never);
	assert_true(i < sizeof(want));
	assert_non_null(strstr(page, want));
	snprintf(want, sizeof(want), "<td class=\"dir\">%s; %s; %s; %s; %s; %s</td>", never, never, never, never, never, never);
	at = strstr(page, "<tr id=\"L21\" class=\"miss\">");
	assert_non_null(at);
	assert_non_null(strstr(at, want));
	assert_null(strstr(at, " +"));
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

/* A function leads to its line, if there is a row for it. */
static void functions(void **state)
{
	static const uint32_t code[] = { NOP, NOP, NOP, NOP, NOP };
	static const struct source_row rows[] = {
		{ 0, 8, { "/src/f.c", 4 } }, { 8, 12, { "/src/f.c", 5 } }, { 16, 20, { "/src/f.c", 9 } },
	};
	static const struct source_function functions[] = {
		{ 0, 12, { "/src/f.c", 3 }, "run,it" }, { 0x100, 0x110, { "/src/f.c", 7 },
							 "nowhere" }, { 16, 20, { "/src/f.c", 9 },
								       "never" },
	};
	struct report_case c;
	const char *page;

	(void)state;
	case_init(&c, code, 5);
	made_source[0] = (struct made_source){ .rows = rows, .functions = functions, .nr_rows = 3,
					      .nr_functions = 3 };
	case_range(&c, 0, 3, 6);
	report_made(&c, dir);
	page = page_of(dir, "s1.html");
	assert_non_null(strstr(page, "<summary>Functions (3)</summary>"));
	/* a comma would end the name in other formats */
	assert_non_null(strstr(page,
			       "<tr><td class=n>6</td><td class=n>3</td><td class=\"name\">run;it</td></tr>\n"
				     "<tr class=\"miss\"><td class=n>0</td><td class=n>7</td><td class=\"name\">nowhere</td></tr>\n"
				     "<tr class=\"miss\"><td class=n>0</td><td class=n><a href=\"s1.html#L9\">9</a></td>"
				     "<td class=\"name\">never</td></tr>\n"));
	assert_non_null(strstr(page, "<b>33.3&#8239;%</b> 1 of 3 functions"));
	/* the line of the declaration has no code of its own */
	assert_null(strstr(page, "<tr id=\"L3\""));
	assert_non_null(strstr(page,
			       "<tr id=\"L4\" class=\"run\"><td class=\"line\">4</td><td class=n>6</td><td class=n>12</td>"));
	case_free(&c);
}

/* Lines that are reached only, in both ways to count them, and instructions under a condition. */
static void reached(void **state)
{
	/* CMP R0, #0; MOVNE R1, #1; ADDEQ R1, R1, #1; BX LR */
	static const uint32_t code[] = { 0xe3500000, 0x13a01001, 0x02811001, 0xe12fff1e };
	static const struct source_row rows[] = {
		{ 0, 4, { "/src/f.c", 4 } }, { 4, 8, { "/src/f.c", 5 } }, { 8, 16, { "/src/f.c", 6 } },
	};
	static struct dso_symbol_entry symbols[] = {
		{ .offset = 0, .vaddr = 0x400000, .size = 16, .name = "f" }
	};
	struct report_case c;
	const char *page;
	int uncovered;

	(void)state;
	for (uncovered = 0; uncovered < 2; uncovered++) {
		case_init(&c, code, 4);
		c.program.machine = EM_ARM;
		c.program.syms = symbols;
		c.program.nr_syms = 1;
		c.w.traced_only = uncovered;
		made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 3 };
		case_range(&c, 0, 4, 6);
		report_made(&c, dir);
		page = page_of(dir, "s1.html");
		assert_non_null(strstr(page, "<tr id=\"L5\" class=\"reached\"><td class=\"line\">5</td>"
					     "<td class=n title=\"executed at least 0 times;"));
		assert_int_equal(count_of(page, ">&le;&#8239;6</td>"), 1);
		assert_int_equal(count_of(page, "class=\"reached\""), 1);
		assert_non_null(strstr(page, uncovered ? "<b>66.7&#8239;%</b> 2 of 3 lines executed" :
							 "<b>100.0&#8239;%</b> 3 of 3 lines executed"));
		assert_non_null(strstr(page, uncovered ? "not traced: counted as not executed" :
							 "not traced: counted as executed"));
		page = page_of(dir, "files.html");
		assert_non_null(strstr(page, "1 of the lines are reached only"));
		assert_non_null(strstr(page, uncovered ? "They count as not executed" : "They count as executed"));
		page = page_of(dir, "f1.html");
		assert_int_equal(count_of(page, ">&le;&#8239;6</td>"), 2);
		case_free(&c);
	}
}

/* A branch in an IT block has two directions. */
static void branch_of_it(void **state)
{
	/* CMP R0, #0; IT EQ; BEQ 8; NOP; BX LR; NOP */
	static const uint16_t code[] = { 0x2800, 0xbf08, 0xe000, 0xbf00, 0x4770, 0xbf00 };
	static struct dso_symbol_entry symbols[] = {
		{ .offset = 0, .vaddr = 0x400000, .size = 12, .name = "f" }
	};
	static const struct cst_count_range ranges[] = {
		{ .start = 0, .last = 4, .insns = 3, .count = 7 }, { .start = 6, .last = 8, .insns = 2, .count = 4 },
		{ .start = 8, .last = 8, .insns = 1, .count = 3 },
	};
	struct report_case c;
	unsigned int i;

	(void)state;
	case_init(&c, (const uint32_t *)(const void *)code, 3);
	c.program.machine = EM_ARM;
	c.program.syms = symbols;
	c.program.nr_syms = 1;
	for (i = 0; i < 3; i++) {
		struct cst_count_record r = { .kind = CST_COUNT_RANGE, .range = ranges[i] };

		r.range.flags = CST_COUNT_T32;
		case_add(&c, r);
	}
	case_edge(&c, 4, 8, 3);
	case_not_taken(&c, 4, 4);
	report_made(&c, dir);
	assert_non_null(strstr(page_of(dir, "f1.html"), "taken 3</span>"));
	assert_non_null(strstr(page_of(dir, "f1.html"), "not&nbsp;taken 4</span>"));
	case_free(&c);
}

/* The code of a function has a row for the line at its first instruction and wherever the line changes. */
static void lines_of_code(void **state)
{
	static const uint32_t code[] = { NOP, NOP, NOP, NOP, NOP, NOP };
	static const struct source_row rows[] = {
		{ 0, 8, { "/src/f.c", 4 } }, { 8, 12, { "/src/f.c", 5 } }, { 12, 16, { "/src/f.c", 4 } }, { 20, 24, { "/src/f.c", 4 } },
	};
	static struct dso_symbol_entry symbols[] = { { .offset = 0, .vaddr = 0x400000, .size = 24, .name = "all" } };
	struct report_case c;
	const char *page, *first;

	(void)state;
	case_init(&c, code, 6);
	c.program.syms = symbols;
	c.program.nr_syms = 1;
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 4 };
	case_range(&c, 0, 6, 6);
	report_made(&c, dir);
	page = page_of(dir, "f1.html");
	assert_int_equal(count_of(page, "<tr id="), 6);
	/* an instruction without a line does not change it */
	assert_int_equal(count_of(page, "<tr class=\"src\">"), 3);
	first = strstr(page, "<tr class=\"src\">");
	assert_true(first < strstr(page, "<tr id=\"a400000\""));
	assert_true(strstr(first + 1, "<tr class=\"src\">") > strstr(page, "<tr id=\"a400004\""));
	case_free(&c);
}

/* Behind code that is left out, the source line is named again. */
static void line_behind_gap(void **state)
{
	enum { INSNS = 100 };
	static const struct source_row rows[] = { { 0, 4 * INSNS, { "/src/f.c", 4 } } };
	static struct dso_symbol_entry symbols[] = { { .offset = 0, .vaddr = 0x400000, .size = 4 * INSNS, .name = "all" } };
	static uint32_t code[INSNS];
	struct report_case c;
	const char *page, *cut, *again;
	unsigned int i;

	(void)state;
	for (i = 0; i < INSNS; i++)
		code[i] = NOP;
	case_init(&c, code, INSNS);
	c.program.syms = symbols;
	c.program.nr_syms = 1;
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 1 };
	case_range(&c, 0, 1, 6);
	case_range(&c, 4 * (INSNS - 2), 2, 6);
	report_made(&c, dir);
	page = page_of(dir, "f1.html");
	assert_int_equal(count_of(page, "<tr class=\"src\">"), 2);
	cut = strstr(page, "<tr class=\"cut\">");
	assert_non_null(cut);
	again = strstr(cut, "<tr class=\"src\">");
	assert_non_null(again);
	assert_true(again < strstr(page, "<tr id=\"a400188\" class=\"h4\">"));
	case_free(&c);
}

/* Where texts are searched: below the folder of sources, below that of the target, and without that at the same path. */
static void texts(void **state)
{
	static const uint32_t code[] = { NOP, NOP, NOP, NOP, NOP };
	static char here[96], binary[96], want[300], line[5000];
	struct source_row rows[5];
	struct report_case c;
	const char *page, *at;

	(void)state;
	memset(line, 'a', sizeof(line));
	/* the character at 2046 does not fit into the first piece of 2047 bytes */
	memcpy(line + 2046, "\xc3\xa9", 2);
	memcpy(line + 4996, "\tz\r\n", 4);
	temp_write(dir, "here/here.c", line, sizeof(line));
	temp_write(dir, "here/binary.c", "one\0\ntwo\n", 9);
	temp_write(dir, "symfs/src/target.c", "one\ntwo of the target\n", 22);
	temp_write(dir, "symfs/src/both.c", "of the target\n", 14);
	temp_write(dir, "source/both.c", "of the sources\n", 15);
	snprintf(here, sizeof(here), "%s/here/here.c", dir);
	snprintf(binary, sizeof(binary), "%s/here/binary.c", dir);
	rows[0] = (struct source_row){ 0, 4, { here, 1 } };
	rows[1] = (struct source_row){ 4, 8, { binary, 1 } };
	rows[2] = (struct source_row){ 8, 12, { "/src/target.c", 2 } };
	rows[3] = (struct source_row){ 12, 16, { "/src/both.c", 1 } };
	rows[4] = (struct source_row){ 16, 20, { "relative.c", 1 } };
	case_init(&c, code, 5);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 5 };
	case_range(&c, 0, 1, 50);
	case_range(&c, 4, 1, 40);
	case_range(&c, 8, 1, 30);
	case_range(&c, 12, 1, 20);
	case_range(&c, 16, 1, 10);
	snprintf(c.source, sizeof(c.source), "%s/source", dir);
	snprintf(c.symfs, sizeof(c.symfs), "%s/symfs", dir);
	report_made(&c, dir);
	/* a program may name any file: with a root it is not one of this machine */
	assert_non_null(strstr(page_of(dir, "s1.html"), "Its text is not at hand"));
	page = page_of(dir, "s2.html");
	assert_non_null(strstr(page, "binary.c</p>"));
	assert_non_null(strstr(page, "<p class=\"note\">Its text is not at hand: only lines with code are shown."));
	assert_non_null(strstr(page, "<td class=\"code\"></td>"));
	page = page_of(dir, "s3.html");
	snprintf(want, sizeof(want), "<p class=\"note\">Text from %s/symfs/src/target.c</p>\n", dir);
	assert_non_null(strstr(page, want));
	assert_non_null(strstr(page, "<tr id=\"L1\"><td class=\"line\">1</td><td class=n></td><td class=n></td><td class=\"dir\"></td>"
				     "<td class=\"code\">one</td></tr>\n<tr id=\"L2\" class=\"run\">"));
	assert_non_null(strstr(page, "<td class=\"code\">two of the target</td>"));
	page = page_of(dir, "s4.html");
	snprintf(want, sizeof(want), "<p class=\"note\">Text from %s/source/both.c</p>\n", dir);
	assert_non_null(strstr(page, want));
	assert_non_null(strstr(page, "<td class=\"code\">of the sources</td>"));
	page = page_of(dir, "s5.html");
	assert_non_null(strstr(page, "<title>relative.c</title>"));
	assert_non_null(strstr(page, "Its text is not at hand"));
	c.symfs[0] = '\0';
	report_made(&c, dir);
	page = page_of(dir, "s1.html");
	assert_non_null(strstr(page, "<p class=\"note\">Text from this machine, at the same path.</p>\n"));
	at = strstr(page, "<td class=\"code\">");
	assert_non_null(at);
	at += 17;
	assert_int_equal(strspn(at, "a"), 2046);
	assert_memory_equal(at + 2046, "\xc3\xa9", 2);
	assert_int_equal(strspn(at + 2048, "a"), 4996 - 2048);
	assert_memory_equal(at + 4996, "\tz</td>", 7);
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

/* The first file by name was not executed: its page has its lines, as missed. */
static void not_executed(void **state)
{
	static const uint32_t code[] = { NOP, NOP, NOP };
	static const struct source_row rows[] = { { 0, 4, { "/s/a.c", 5 } }, { 8, 12, { "/s/b.c", 3 } } };
	struct report_case c;
	const char *page;

	(void)state;
	case_init(&c, code, 3);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 2 };
	case_range(&c, 8, 1, 1);
	report_made(&c, dir);
	page = page_of(dir, "s2.html");
	assert_non_null(strstr(page, "<p class=\"sub\">/s/a.c</p>"));
	assert_int_equal(count_of(page, "<tr id="), 1);
	assert_non_null(strstr(page, "<tr id=\"L5\" class=\"miss\"><td class=\"line\">5</td><td class=n>0</td><td class=n></td>"));
	assert_non_null(strstr(page_of(dir, "s1.html"), "<tr id=\"L3\" class=\"run\"><td class=\"line\">3</td><td class=n>1</td><td class=n>1</td>"));
	case_free(&c);
}

/* A share from 75 % on is good, from 40 % on fair. */
static void shares(void **state)
{
	static const struct {
		const char *file;
		unsigned int hit, lines;
		const char *bar;
	} row[] = {
		{ "/s/a.c", 3, 4, "good\"><i style=\"width:75.0%" }, { "/s/b.c", 2, 3, "fair\"><i style=\"width:66.7%" },
		{ "/s/c.c", 2, 5, "fair\"><i style=\"width:40.0%" }, { "/s/d.c", 1, 3, "poor\"><i style=\"width:33.3%" },
	};
	static uint32_t code[30];
	struct source_row rows[15];
	struct report_case c;
	char want[128];
	const char *page;
	unsigned int i, k, n = 0;

	(void)state;
	for (i = 0; i < 30; i++)
		code[i] = NOP;
	case_init(&c, code, 30);
	for (i = 0; i < 4; i++)
		for (k = 0; k < row[i].lines; k++, n++) {
			rows[n] = (struct source_row){ 8ull * n, 8ull * n + 4, { row[i].file, k + 1 } };
			if (k < row[i].hit)
				case_range(&c, 8 * n, 1, 7);
		}
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = n };
	report_made(&c, dir);
	page = page_of(dir, "files.html");
	for (i = 0; i < 4; i++) {
		snprintf(want, sizeof(want), ">%s</a></td><td class=\"bar %s\">", row[i].file + 3, row[i].bar);
		if (!strstr(page, want))
			fail_msg("not there: %s", want);
	}
	case_free(&c);
}

static bool report_tried(void *data)
{
	struct report_case *c = data;
	struct error err = { .code = 0 };
	const size_t at = failing;
	struct outdir out;
	char path[128];
	size_t left;
	int rc;

	snprintf(path, sizeof(path), "%s/refused", dir);
	failing = 0;
	assert_int_equal(outdir_open_kind(&out, path, &report_kind, &err), 0);
	failing = at;
	rc = report_write(&out, &c->w, &c->about, &c->limits, &err);
	left = failing;
	failing = 0;
	outdir_abort(&out);
	failing = left;
	return !rc;
}

/*
 * A report that lacks a part, because there was no memory for it, is not taken for a whole one. It has no texts of sources here:
 * those that are not found are left out, for whatever reason.
 */
static void without_memory(void **state)
{
	enum { MORE = 16 };
	static const uint32_t code[6 + MORE] = { NOP, B_EQ, NOP, NOP, NOP, NOP };
	static const struct source_row rows[] = { { 0, 8, { "a.c", 2 } }, { 8, 16, { "a.c", 3 } }, { 16, 24, { "b.c", 1 } } };
	static const struct source_function functions[] = { { 0, 16, { "a.c", 1 }, "main" } };
	struct dso_symbol_entry symbols[2 + MORE] = { { .offset = 0, .size = 16, .name = "main" },
						      { .offset = 16, .size = 8, .name = "other" } };
	struct report_case c;
	size_t i;

	(void)state;
	case_init(&c, code, 6 + MORE);
	for (i = 0; i < MORE; i++)
		symbols[2 + i] = (struct dso_symbol_entry){ .offset = 24 + 4 * i, .size = 4, .name = "more" };
	c.program.syms = symbols;
	c.program.nr_syms = 2 + MORE;
	c.m.binaries[0].dso = &c.program;
	made_source[0] = (struct made_source){ .rows = rows, .functions = functions, .nr_rows = 3,
					      .nr_functions = 1 };
	case_range(&c, 0, 2, 3);
	case_range(&c, 8, 4, 2);
	case_edge(&c, 4, 12, 1);
	/* functions that only targets of branches name come last */
	case_range(&c, 24, MORE - 2, 1);
	case_edge(&c, 4, 24 + 4 * (MORE - 2), 1);
	case_edge(&c, 4, 24 + 4 * (MORE - 1), 1);
	case_not_taken(&c, 4, 2);
	case_node(&c, 0, CST_COUNT_ROOT, 0, 0, 0, 6);
	case_node(&c, 1, CST_COUNT_CALL, 12, 16, 2, 4);
	c.w.model = &c.m;
	assert_in_range(refused_each(report_tried, &c), 30, 2000);
	case_free(&c);
}

/* The lines that executed most are first; of those that executed as many, the one with the lower number. */
static void hottest(void **state)
{
	static const unsigned int lines[] = { 11, 12, 13, 14 }, order[] = { 12, 11, 14, 13 };
	static const uint64_t counts[] = { 3, 9, 1, 3 };
	static const uint32_t code[9] = { NOP };
	struct source_row rows[4];
	struct report_case c;
	const char *at;
	char link[32];
	unsigned int i;

	(void)state;
	rows_of(rows, "/src/hot.c", 0, lines, 4);
	case_init(&c, code, 9);
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 4 };
	for (i = 0; i < 4; i++)
		case_range(&c, 8 * i, 1, counts[i]);
	report_made(&c, dir);
	at = strstr(page_of(dir, "index.html"), "<h2>Hottest lines</h2>");
	for (i = 0; i < 4; i++) {
		snprintf(link, sizeof(link), "s1.html#L%u", order[i]);
		assert_non_null(at);
		at = strstr(at + 1, link);
		if (!at)
			fail_msg("line %u is not at place %u", order[i], i);
	}
	case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts), cmocka_unit_test(without_memory), cmocka_unit_test(part_without_code), cmocka_unit_test(branches),
		cmocka_unit_test(functions), cmocka_unit_test(reached), cmocka_unit_test(branch_of_it),
		cmocka_unit_test(lines_of_code), cmocka_unit_test(line_behind_gap), cmocka_unit_test(texts), cmocka_unit_test(many_files), cmocka_unit_test(shares), cmocka_unit_test(not_executed),
		cmocka_unit_test(hottest),
	};

	return cmocka_run_group_tests_name("report sources", tests, make_dir, remove_dir);
}
