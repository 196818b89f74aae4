/* SPDX-License-Identifier: BSD-3-Clause */
/* The first page of a report, its functions and its flame graph, of counts that are made by hand. */
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
#define MOST	1200u	/* functions of a program */

TEMP_DIR("report")

static uint32_t nops[MOST * 16];
static char names[MOST][8];
static struct dso_symbol_entry symbols[MOST];

/* A program of `n` functions f0000, f0001, ... that have `insns` instructions each. */
static void program_init(struct report_case *c, unsigned int n, unsigned int insns)
{
	unsigned int i;

	for (i = 0; i < MOST * 16; i++)
		nops[i] = NOP;
	case_init(c, nops, (size_t)n * insns);
	for (i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "f%04u", i);
		symbols[i] = (struct dso_symbol_entry){ .offset = 4ull * i * insns, .size = 4ull * insns, .name = names[i] };
	}
	c->program.syms = symbols;
	c->program.nr_syms = n;
}

/* The list has ten functions for each one with a page, at least 100. */
static void function_list(void **state)
{
	struct report_case c;
	const char *page;
	unsigned int i;

	(void)state;
	program_init(&c, 130, 1);
	for (i = 0; i < 130; i++)
		case_range(&c, 4 * i, 1, 1000 - i);
	c.limits.functions = 2;
	report_made(&c, dir);
	page = page_of(dir, "functions.html");
	assert_non_null(strstr(page, "<p class=\"sub\">130 were executed. Self: instructions of a function's own code.</p>"));
	assert_non_null(strstr(page, "<p class=\"note\">The 2 hottest ones have pages with their code; <code>--functions N</code> makes more.</p>"));
	assert_int_equal(count_of(page, "<tr><td class=n>"), 100);
	assert_non_null(strstr(page, "<tr><td class=n>100</td>"));
	assert_non_null(strstr(page, "f0099</td>"));
	/* the sum of 900 to 871 */
	assert_non_null(strstr(page, "<p class=\"note\">30 more functions, with 26,565 instructions, are left out.</p>\n"));
	page = page_of(dir, "index.html");
	assert_int_equal(count_of(page, "<td class=\"name\">"), 25 + 1);
	assert_non_null(strstr(page, "<p class=\"note\"><a href=\"functions.html\">All 130 functions</a></p>\n"));
	c.limits.functions = 12;
	report_made(&c, dir);
	page = page_of(dir, "functions.html");
	assert_int_equal(count_of(page, "<tr><td class=n>"), 120);
	assert_non_null(strstr(page, "<p class=\"note\">10 more functions, with 8,755 instructions, are left out.</p>\n"));
	c.limits.functions = 13;
	report_made(&c, dir);
	page = page_of(dir, "functions.html");
	assert_int_equal(count_of(page, "<tr><td class=n>"), 130);
	assert_null(strstr(page, "are left out"));
	case_free(&c);
}

/* As many functions as the overview shows; an input that is a folder. */
static void all_shown(void **state)
{
	struct report_case c;
	const char *page;
	unsigned int i;

	(void)state;
	program_init(&c, REPORT_TOP, 1);
	for (i = 0; i < REPORT_TOP; i++)
		case_range(&c, 4 * i, 1, 1000 - i);
	c.about.input = "snapshots/folder/";
	report_made(&c, dir);
	page = page_of(dir, "index.html");
	assert_int_equal(count_of(page, "<td class=\"name\">"), REPORT_TOP + 1);
	assert_null(strstr(page, "functions</a></p>"));
	assert_non_null(strstr(page, "<title>snapshots/folder/</title>"));
	case_free(&c);
}

/* Binaries whose files are not here are figures, and so is code in no single file. */
static void binaries(void **state)
{
	struct report_case c;
	const char *page;

	(void)state;
	program_init(&c, 1, 4);
	case_add(&c, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { "instructions.elsewhere", 40 } });
	case_add(&c, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { "loss.gaps", 3 } });
	case_binary(&c, "/lib/away.so", CST_COUNT_FILE);
	case_binary(&c, "method", CST_COUNT_JIT);
	case_binary(&c, "/lib/unused.so", CST_COUNT_FILE);
	case_range(&c, 0, 4, 10);
	case_range_of(&c, 1, 0x10, 2, 10);
	case_range_of(&c, 2, 0, 10, 10);
	c.about.incomplete = true;
	report_made(&c, dir);
	page = page_of(dir, "index.html");
	assert_non_null(strstr(page, "<title>input.cst</title>"));
	assert_non_null(strstr(page, "<h1>dir/input.cst</h1>"));
	assert_non_null(strstr(page, "counts of every instruction that could be decoded</p>"));
	assert_non_null(strstr(page, "<li><b>200</b> instructions, each counted</li>\n"));
	assert_non_null(strstr(page, "<li class=\"lost\"><b>Incomplete</b> <a href=\"#lost\">something was lost</a></li>\n"
				     "<li class=\"lost\"><b>1</b> <a href=\"#binaries\">binaries without their files</a></li>\n"));
	assert_non_null(strstr(page, "<tr><td class=bar><i style=\"width:50.0%\"></i><span>50.00&#8239;%</span></td>"
				     "<td class=\"name\">method</td><td class=n>100</td><td class=n>0</td><td>code without a file</td>"
				     "<td class=\"id\"></td></tr>\n"
				     "<tr><td class=bar><i style=\"width:20.0%\"></i><span>20.00&#8239;%</span></td>"
				     "<td class=\"name\">/bin/prog</td><td class=n>40</td><td class=n>0</td><td>no DWARF in it</td>"
				     "<td class=\"id\"></td></tr>\n"
				     "<tr><td class=bar><i style=\"width:10.0%\"></i><span>10.00&#8239;%</span></td>"
				     "<td class=\"name\">/lib/away.so</td><td class=n>20</td><td class=n>0</td><td>missing (--symfs)</td>"
				     "<td class=\"id\"></td></tr>\n"
				     "<tr><td class=bar><i style=\"width:20.0%\"></i><span>20.00&#8239;%</span></td>"
				     "<td>[elsewhere]: code in no single file</td><td class=n>40</td><td></td><td></td><td></td></tr>\n"
				     "</table></div>\n</section>"));
	assert_non_null(strstr(page, "<tr><td>instructions.elsewhere</td><td class=n>40</td></tr>\n"
				     "<tr class=\"lost\"><td>loss.gaps</td><td class=n>3</td></tr>\n"));
	assert_non_null(strstr(page, "No DWARF was found of any binary that ran: there are no source lines."));
	/* where the code ends is not known without the file */
	page = page_of(dir, "f3.html");
	assert_non_null(strstr(page, "<h1 class=\"name\">[away.so+0x0]</h1>\n<p class=\"sub\">/lib/away.so, 0x0</p>"));
	assert_int_equal(count_of(page, "not executed"), 1);
	assert_non_null(strstr(page, ">16 bytes not executed</td></tr>\n<tr id=\"a10\""));
	/* of one binary: nothing of the others */
	c.w.only = &c.m.binaries[1];
	c.about.incomplete = false;
	report_made(&c, dir);
	page = page_of(dir, "index.html");
	assert_non_null(strstr(page, "exact counts of every executed instruction, of the binary /lib/away.so</p>"));
	assert_non_null(strstr(page, "<li><b>Complete</b> nothing was lost</li>\n<li class=\"lost\"><b>1</b>"));
	assert_null(strstr(page, "[elsewhere]"));
	assert_null(strstr(page, "method"));
	c.w.only = &c.m.binaries[0];
	report_made(&c, dir);
	assert_null(strstr(page_of(dir, "index.html"), "binaries without their files"));
	case_free(&c);
}

/* What was recorded, with details and without them. */
static void recorded(void **state)
{
	struct report_case c;
	const char *page;

	(void)state;
	program_init(&c, 1, 4);
	case_range(&c, 0, 4, 10);
	c.about.recorded = "on a board\nwith two CPUs\n\nunit <1>\nunit 2\n";
	c.about.result = "\n\nNothing was lost.\n";
	report_made(&c, dir);
	page = page_of(dir, "index.html");
	assert_non_null(strstr(page, "<h2>What was recorded</h2>\n<pre class=\"words\">on a board\nwith two CPUs\n</pre>\n"
				     "<details><summary>Trace units, buffers and processes</summary>\n"
				     "<pre class=\"words\">unit &lt;1&gt;\nunit 2\n</pre></details>\n"
				     "<h2 id=\"lost\">What was lost, and what helps</h2>\n<pre class=\"words\">Nothing was lost.\n</pre>\n"
				     "</section>\n"));
	c.about.recorded = "on a board\n";
	c.about.incomplete = true;
	report_made(&c, dir);
	page = page_of(dir, "index.html");
	assert_non_null(strstr(page, "<pre class=\"words\">on a board\n</pre>\n<h2 id=\"lost\">What was lost, and what helps</h2>\n"
				     "<pre class=\"words lost\">Nothing was lost.\n</pre>\n"));
	assert_null(strstr(page, "<details>"));
	case_free(&c);
}

/* The table of binaries has 200 rows, of those that the report has. */
static void many_binaries(void **state)
{
	struct report_case c;
	const char *page;
	char name[32];
	uint32_t i;

	(void)state;
	program_init(&c, 1, 4);
	for (i = 1; i < 205; i++) {
		snprintf(name, sizeof(name), "/lib/%03u.so", (unsigned int)i);
		case_binary(&c, name, CST_COUNT_FILE);
	}
	case_range(&c, 0, 1, 1000);
	for (i = 1; i < 203; i++)
		case_range_of(&c, i, 0, 1, 1000 - i);
	c.limits.functions = 0;
	report_made(&c, dir);
	page = page_of(dir, "index.html");
	assert_int_equal(count_of(page, "<td>missing (--symfs)</td>"), 199);
	assert_non_null(strstr(page, "<td class=\"name\">/lib/199.so</td>"));
	assert_null(strstr(page, "/lib/200.so"));
	assert_non_null(strstr(page, "</table></div>\n<p class=\"note\">3 more binaries are left out.</p>\n"));
	assert_non_null(strstr(page, "<b>202</b> <a href=\"#binaries\">binaries without their files</a>"));
	/* one that 200 others have more instructions than */
	c.w.only = &c.m.binaries[202];
	report_made(&c, dir);
	page = page_of(dir, "index.html");
	assert_non_null(strstr(page, "<td class=\"name\">/lib/202.so</td><td class=n>798</td>"));
	assert_null(strstr(page, "left out"));
	case_free(&c);
}

/* The page of a function: code that begins in the one before it, code that is not in the file, and none in texts. */
static void function(void **state)
{
	struct report_case c;
	const char *page;

	(void)state;
	program_init(&c, 3, 4);
	case_range(&c, 8, 10, 3);
	c.program.size = 44;
	report_made(&c, dir);
	/* both functions have 12 instructions: they are in the order of their names */
	page = page_of(dir, "f1.html");
	assert_non_null(strstr(page, "<p class=\"note\">No text of instructions: the library is away.</p>\n"));
	assert_non_null(strstr(page, "<p class=\"sub\">/bin/prog, 0x400010, 16 bytes</p>"));
	assert_int_equal(count_of(page, "<tr id="), 4);
	assert_non_null(strstr(page, "<tr id=\"a400010\" class=\"h4\"><td class=n>3</td><td class=\"addr\">400010</td><td class=\"off\">+0</td>"
				     "<td class=\"insn\"></td><td class=\"dir\"></td></tr>\n<tr id=\"a400014\""));
	page = page_of(dir, "f2.html");
	assert_int_equal(count_of(page, "<tr id="), 4);
	assert_non_null(strstr(page, "<tr id=\"a400028\" class=\"h4\"><td class=n>3</td><td class=\"addr\">400028</td><td class=\"off\">+8</td>"
				     "<td class=\"insn\"></td><td class=\"dir\"></td></tr>\n"
				     "<tr id=\"a40002c\" class=\"h4\"><td class=n>3</td><td class=\"addr\">40002c</td><td class=\"off\">+c</td>"
				     "<td class=\"insn\"></td><td></td></tr>\n</table></div>\n"));
	page = page_of(dir, "f3.html");
	assert_non_null(strstr(page, "<tr id=\"a400000\" class=\"z\"><td class=n></td>"));
	assert_int_equal(count_of(page, "<tr id="), 4);
	case_free(&c);
}

/* The background of an instruction says which share of the executions of the hottest one it has. */
static void heat(void **state)
{
	static const struct {
		uint64_t count;
		unsigned int heat;
	} row[] = { { 10000, 4 }, { 7500, 4 }, { 7499, 3 }, { 2500, 3 }, { 2499, 2 }, { 500, 2 }, { 499, 1 }, { 10, 1 }, { 9, 0 }, { 1, 0 } };
	struct report_case c;
	const char *page;
	char want[64];
	unsigned int i;

	(void)state;
	program_init(&c, 1, 10);
	for (i = 0; i < 10; i++)
		case_range(&c, 4 * i, 1, row[i].count);
	report_made(&c, dir);
	page = page_of(dir, "f1.html");
	for (i = 0; i < 10; i++) {
		snprintf(want, sizeof(want), "<tr id=\"a%x\" class=\"h%u\">", 0x400000 + 4 * i, row[i].heat);
		if (!strstr(page, want))
			fail_msg("%u executions are not %s", (unsigned int)row[i].count, want);
	}
	case_free(&c);
}

/* Of code that was not executed 64 instructions are listed, of more than that the first 16. */
static void gaps(void **state)
{
	struct report_case c;
	const char *page;

	(void)state;
	program_init(&c, 1, 200);
	case_range(&c, 0, 1, 5);
	case_range(&c, 4 * 65, 1, 5);
	case_range(&c, 4 * 131, 1, 5);
	report_made(&c, dir);
	page = page_of(dir, "f1.html");
	assert_int_equal(count_of(page, " class=\"z\">"), 64 + 16 + 16);
	assert_non_null(strstr(page, "<tr id=\"a400100\" class=\"z\">"));
	assert_non_null(strstr(page, "<tr id=\"a400144\" class=\"z\">"));
	assert_null(strstr(page, "<tr id=\"a400148\""));
	/* 131 - 66 - 16 and 200 - 132 - 16 */
	assert_non_null(strstr(page, "<td colspan=\"3\">49 more instructions not executed</td></tr>\n<tr id=\"a40020c\" class=\"h4\">"));
	assert_non_null(strstr(page, "<td colspan=\"3\">52 more instructions not executed</td></tr>\n</table>"));
	case_free(&c);
}

/* The page of a function has 10000 instructions; of those behind them the executed ones are counted. */
static void long_function(void **state)
{
	struct report_case c;
	const char *page;

	(void)state;
	program_init(&c, 1, 12000);
	case_range(&c, 0, 9000, 1);
	case_range(&c, 4 * 9010, 1100, 1);
	case_range(&c, 4 * 11500, 20, 1);
	report_made(&c, dir);
	page = page_of(dir, "f1.html");
	assert_int_equal(count_of(page, "<tr id="), 10000);
	/* 9000 executed ones, 10 that were not, and 990 executed ones */
	assert_non_null(strstr(page, "<tr id=\"a409c3c\""));
	assert_null(strstr(page, "<tr id=\"a409c40\""));
	assert_null(strstr(page, "not executed</td>"));
	assert_non_null(strstr(page, "</table></div>\n<p class=\"note\">130 more executed instructions are left out.</p>\n"));
	case_free(&c);
	program_init(&c, 1, 10000);
	case_range(&c, 0, 10000, 1);
	report_made(&c, dir);
	page = page_of(dir, "f1.html");
	assert_int_equal(count_of(page, "<tr id="), 10000);
	assert_null(strstr(page, "left out"));
	case_free(&c);
}

/* Callers with as many instructions: the one with more calls first, then by place. */
static void callers(void **state)
{
	struct report_case c;
	const char *page;

	(void)state;
	program_init(&c, 4, 4);
	case_range(&c, 0, 16, 100);
	case_node(&c, 0, CST_COUNT_ROOT, 0, 0, 0, 10);
	case_node(&c, 1, CST_COUNT_CALL, 0, 48, 1, 8);
	case_node(&c, 1, CST_COUNT_CALL, 4, 16, 1, 0);
	case_node(&c, 2, CST_COUNT_CALL, 16, 48, 3, 8);
	case_node(&c, 2, CST_COUNT_CALL, 20, 48, 3, 8);
	case_node(&c, 1, CST_COUNT_CALL, 8, 32, 1, 0);
	case_node(&c, 2, CST_COUNT_CALL, 32, 48, 2, 9);
	report_made(&c, dir);
	/* all have as many instructions: they are by calls, then by name */
	page = page_of(dir, "f1.html");
	assert_non_null(strstr(page, "<h1 class=\"name\">f0003</h1>"));
	assert_non_null(strstr(page, "<summary>Called from (4)</summary>"));
	assert_non_null(strstr(page,
		"<tr><td class=\"name\"><a href=\"f3.html#a400020\">f0002</a><span class=\"off\"> +0x0</span></td><td class=n>2</td><td class=n>9</td></tr>\n"
		"<tr><td class=\"name\"><a href=\"f2.html#a400010\">f0001</a><span class=\"off\"> +0x0</span></td><td class=n>3</td><td class=n>8</td></tr>\n"
		"<tr><td class=\"name\"><a href=\"f2.html#a400014\">f0001</a><span class=\"off\"> +0x4</span></td><td class=n>3</td><td class=n>8</td></tr>\n"
		"<tr><td class=\"name\"><a href=\"f4.html#a400000\">f0000</a><span class=\"off\"> +0x0</span></td><td class=n>1</td><td class=n>8</td></tr>\n"));
	page = page_of(dir, "flame.html");
	/* 1600 executed ones, 43 of them in stacks */
	assert_non_null(strstr(page, " others, are left out: <code>profile --format=folded</code> has all. 1,557 instructions have no known stack.</p>"));
	case_free(&c);
}

/* Narrow frames: twice as many instructions are asked of each while there are more than 8000. */
static void narrow_frames(void **state)
{
	struct report_case c;
	const char *page;
	unsigned int i, k;

	(void)state;
	program_init(&c, 1001, 4);
	case_range(&c, 0, 4, 250000);
	case_node(&c, 0, CST_COUNT_ROOT, 0, 0, 0, 0);
	for (i = 1; i <= 1000; i++)
		for (k = 1; k <= 9; k++)
			case_node(&c, k, CST_COUNT_CALL, k == 1 ? 0 : 16 * i, 16 * i, 1, k == 9 ? 1000 : 0);
	report_made(&c, dir);
	page = page_of(dir, "flame.html");
	assert_int_equal(count_of(page, " data-x="), 1);
	assert_non_null(strstr(page, "<p class=\"note\">9,000 frames with fewer than 2,000 instructions each, or below 1000 others, "
				     "are left out: <code>profile --format=folded</code> has all.</p>"));
	assert_non_null(strstr(page, "<div id=\"flame\" style=\"height:18px\">"));
	case_free(&c);
	/* as many as there may be */
	program_init(&c, 1001, 4);
	case_range(&c, 0, 4, 250000);
	case_node(&c, 0, CST_COUNT_ROOT, 0, 0, 0, 0);
	for (i = 1; i <= 1000; i++)
		for (k = 1; k <= (i == 1 ? 7 : 8); k++)
			case_node(&c, k, CST_COUNT_CALL, k == 1 ? 0 : 16 * i, 16 * i, 1, k == (i == 1 ? 7 : 8) ? 1000 : 0);
	report_made(&c, dir);
	page = page_of(dir, "flame.html");
	assert_int_equal(count_of(page, " data-x="), 8000);
	assert_non_null(strstr(page, "<p class=\"note\">0 frames with fewer than 500 instructions each, or below 1000 others, "));
	case_free(&c);
}

/* Wide frames that are deep: half as many remain, from the top, while there are more than 8000. */
static void deep_frames(void **state)
{
	struct report_case c;
	const char *page;
	unsigned int i, k;

	(void)state;
	program_init(&c, 11, 4);
	case_range(&c, 0, 4, 250000);
	case_node(&c, 0, CST_COUNT_ROOT, 0, 0, 0, 0);
	for (i = 1; i <= 10; i++)
		for (k = 1; k <= 900; k++)
			case_node(&c, k, CST_COUNT_CALL, k == 1 ? 0 : 16 * i, 16 * i, 1, k == 900 ? 100000 : 0);
	report_made(&c, dir);
	page = page_of(dir, "flame.html");
	/* the root, and 499 below it ten times */
	assert_int_equal(count_of(page, " data-x="), 4991);
	assert_non_null(strstr(page, "<p class=\"note\">4,010 frames with fewer than 16,000 instructions each, or below 500 others, "));
	assert_non_null(strstr(page, "<div id=\"flame\" style=\"height:9000px\">"));
	case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_list), cmocka_unit_test(all_shown), cmocka_unit_test(binaries), cmocka_unit_test(recorded), cmocka_unit_test(many_binaries),
		cmocka_unit_test(function), cmocka_unit_test(heat), cmocka_unit_test(gaps), cmocka_unit_test(long_function), cmocka_unit_test(callers), cmocka_unit_test(narrow_frames),
		cmocka_unit_test(deep_frames),
	};

	return cmocka_run_group_tests_name("report pages", tests, make_dir, remove_dir);
}
