/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All pages of a small report, tag by tag, against those in tests/data/report: two source files, one of them without its text,
 * branches, calls, a binary without a file. With REBASE=1 they are written anew.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cstrace/version.h>

#include "unit/golden_text.h"
#include "unit/perf-plugin/made_report.h"

TEMP_DIR("report-whole")

#define NOP	0xd503201fu
#define RET	0xd65f03c0u

static const uint32_t code[] = {
	/* main: nop; b.eq 0xc; bl twice<int>; blr x8; b.ne 0x18; nop; ret; b main */
	NOP, 0x54000040u, 0x94000006u, 0xd63f0100u, 0x54000041u, NOP, RET, 0x17fffff9u,
	/* twice<int>, which begins with blr x9, idle, and five that only main calls */
	0xd63f0120u, RET, NOP, RET, RET, RET, RET, RET, RET,
};

static struct dso_symbol_entry symbols[] = {
	{ .offset = 0x00, .size = 0x20, .name = "main" }, { .offset = 0x20, .size = 8, .name = "twice<int>" },
	{ .offset = 0x28, .size = 8, .name = "idle" }, { .offset = 0x30, .size = 4, .name = "c1" }, { .offset = 0x34, .size = 4, .name = "c2" },
	{ .offset = 0x38, .size = 4, .name = "c3" }, { .offset = 0x3c, .size = 4, .name = "c4" }, { .offset = 0x40, .size = 4, .name = "c5" },
};

static const struct source_row rows[] = {
	{ 0x00, 0x08, { "/src/a/main.c", 3 } }, { 0x08, 0x0c, { "/src/a/main.c", 4 } }, { 0x0c, 0x10, { "/src/a/main.c", 5 } },
	{ 0x10, 0x18, { "/src/a/main.c", 7 } }, { 0x18, 0x1c, { "/src/a/main.c", 8 } }, { 0x1c, 0x20, { "/src/a/main.c", 9 } },
	{ 0x20, 0x28, { "/src/b/twice.c", 12 } },
	{ 0x28, 0x2c, { "/src/b/twice.c", 21 } },
};

static const struct source_function functions[] = {
	{ 0x00, 0x20, { "/src/a/main.c", 2 }, "main" }, { 0x20, 0x28, { "/src/b/twice.c", 11 }, "twice<int>" },
	{ 0x28, 0x30, { "/src/b/twice.c", 20 }, "idle" },
	/* of a file without lines */
	{ 0x30, 0x34, { "/src/none.h", 1 }, "c1" },
};

static const char text[] = "/* main */\nint main(void)\n{\tif (a < b && \"c\")\n\t\ttwice<int>();\n  \tf();\n\tg();\r\n\tif (a > b)\n\t\treturn 'd';\n}\n";

static void make(struct report_case *c)
{
	unsigned int i;

	temp_write(dir, "source/a/main.c", text, sizeof(text) - 1);
	case_init(c, code, sizeof(code) / sizeof(code[0]));
	c->program.symbols.syms = symbols;
	c->program.symbols.nr_syms = sizeof(symbols) / sizeof(symbols[0]);
	made_source[0] = (struct made_source){ .rows = rows, .functions = functions,
					      .nr_rows = sizeof(rows) / sizeof(rows[0]),
					  .nr_functions = sizeof(functions) / sizeof(functions[0]) };
	snprintf(c->source, sizeof(c->source), "%s/source", dir);
	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { "instructions.elsewhere", 1234 } });
	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { "loss.gaps", 3 } });
	case_binary(c, "method", CST_COUNT_JIT);
	case_binary(c, "/lib/away.so", CST_COUNT_FILE);
	case_range(c, 0x00, 2, 1000);
	case_range(c, 0x08, 1, 600);
	case_range(c, 0x0c, 1, 1000);
	case_range(c, 0x18, 1, 990);
	case_range(c, 0x1c, 1, 1);
	case_range(c, 0x20, 2, 900);
	for (i = 0; i < 5; i++)
		case_range(c, 0x30 + 4 * i, 1, 50);
	case_range_of(c, 1, 0, 10, 20);
	case_range_of(c, 2, 0x10, 2, 10);
	case_not_taken(c, 0x04, 600);
	case_edge(c, 0x04, 0x0c, 400);
	case_edge(c, 0x08, 0x20, 600);
	case_edge(c, 0x0c, 0x20, 300);
	for (i = 0; i < 5; i++)
		case_edge(c, 0x0c, 0x30 + 4 * i, 50);
	case_edge(c, 0x18, CST_COUNT_OUTSIDE, 990);
	case_edge(c, 0x1c, 0x00, 1);
	case_edge(c, 0x20, 0x28, 900);
	case_node(c, 0, CST_COUNT_ROOT, 0, 0, 0, 4591);
	case_node(c, 1, CST_COUNT_CALL, 0x08, 0x20, 600, 1200);
	case_node(c, 1, CST_COUNT_CALL, 0x0c, 0x20, 300, 600);
	for (i = 0; i < 5; i++)
		case_node(c, 1, CST_COUNT_CALL, 0x0c, 0x30 + 4 * i, 50, i == 2 ? 60 : 50);
	/* one whose code was not counted */
	case_node(c, 1, CST_COUNT_CALL, 0x0c, 0x28, 7, 0);
}

/* Texts of a page that are not in the golden one: from `begin` to `end`, or `begin` itself. */
static const struct hidden {
	const char *begin, *end, *instead;
} hide[] = {
	{ "perf-cstrace " CST_VERSION_TEXT, "", "perf-cstrace VERSION" },
	{ "sha256-", "'", "sha256-OF-IT'" },
	{ "<script>", "</script>", "<script>...</script>" },
};

/*
 * Compares a page, with DIR for the folder of the test, VERSION for that of the program, and
 * without its script, which is used in tests/interop/browser.sh.
 */
static void same(const char *name, const char *golden)
{
	static char hidden[1 << 20], page[1 << 20];
	const char *from = hidden, *at;
	char path[128];
	size_t n = 0, i;

	temp_hide(dir, page_of(dir, name), hidden, sizeof(hidden));
	while (*from) {
		at = NULL;
		for (i = 0; i < sizeof(hide) / sizeof(hide[0]) && !at; i++)
			if (!strncmp(from, hide[i].begin, strlen(hide[i].begin)))
				at = strstr(from + strlen(hide[i].begin), hide[i].end);
		if (at) {
			n += (size_t)snprintf(page + n, sizeof(page) - n, "%s",
					      hide[i - 1].instead);
			from = at + strlen(hide[i - 1].end);
		} else {
			page[n++] = *from++;
		}
	}
	assert_true(n + strlen(from) < sizeof(page));
	memcpy(page + n, from, strlen(from) + 1);
	snprintf(path, sizeof(path), "tests/data/report/%s", golden);
	golden_text(path, page);
}

static void pages(void **state)
{
	static const char *const names[] = { "index.html",    "functions.html", "flame.html",
					     "flame-up.html", "files.html",	"f1.html",
					     "f2.html",	      "s1.html",	"s2.html" };
	struct report_case c;
	size_t i;

	(void)state;
	make(&c);
	c.limits.functions = 2;
	report_made(&c, dir);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		same(names[i], names[i]);
	assert_false(has_page(dir, "f3.html"));
	assert_false(has_page(dir, "s3.html"));
	case_free(&c);
}

/* A recording that lost something, of which one binary is shown. */
static void recorded(void **state)
{
	struct report_case c;

	(void)state;
	make(&c);
	c.about = (struct report_about){ .input = "dir/perf.data", .recorded = "on a board\nwith two CPUs\n\nunit <1>\nunit 2\n",
					 .result = "\n\nA part was lost.\nRecord less.\n", .incomplete = true };
	c.w.only = &c.m.binaries[0];
	report_made(&c, dir);
	same("index.html", "recorded.html");
	case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(recorded),
	};

	return cmocka_run_group_tests_name("whole reports", tests, make_dir, remove_dir);
}
