/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of a report that are cut: many binaries, long functions, deep stacks. */
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
	c->program.symbols.syms = symbols;
	c->program.symbols.nr_syms = n;
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
	assert_int_equal(count_of(page, "<b class=\"c"), 4991);
	assert_non_null(strstr(page, "<p class=\"note\">4,010 frames with fewer than 16,000 instructions each, or below 500 others, "));
	assert_non_null(strstr(page, "<div id=\"flame\" style=\"height:9000px\">"));
	case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded), cmocka_unit_test(many_binaries),
		cmocka_unit_test(long_function), cmocka_unit_test(deep_frames),
	};

	return cmocka_run_group_tests_name("report pages", tests, make_dir, remove_dir);
}
