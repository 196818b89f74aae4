/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables: every form of every kind, and what must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "outputs/cmd/options.h"
#include "session/session.h"
#include "unit/perf-plugin/said.h"

struct values {
	bool flag, other;
	const char *string, *optional;
	uint64_t number;
	int calls;
};

static int call(void *data, const char *arg)
{
	struct values *v = data;

	v->calls++;
	return strcmp(arg, "bad") ? 0 : -1;
}

static int parse(struct values *v, const char *operands, int *argc, const char **argv)
{
	const struct cmd_opt opts[] = {
		{ 'f', "flag", CMD_OPT_FLAG, &v->flag, NULL, "a flag", NULL },
		{ 'o', "other", CMD_OPT_FLAG, &v->other, NULL, "another", NULL },
		{ 's', "string", CMD_OPT_STRING, &v->string, "TEXT", "a string", NULL },
		{ 'p', "optional", CMD_OPT_OPTIONAL, &v->optional, "TEXT", "maybe a string", NULL },
		{ 'n', "number", CMD_OPT_NUMBER, &v->number, "N", "a number", NULL },
		{ 0, "call", CMD_OPT_CALL, v, "X", "a function", call },
		CMD_OPT_END
	};
	const struct cmd_desc desc = { .name = "test", .summary = "testing", .operands = operands,
				       .opts = opts };

	memset(v, 0, sizeof(*v));
	return cmd_options(&desc, argc, argv);
}

#define PARSE(v, operands, ...) ({							\
	const char *args_[] = { "test", __VA_ARGS__, NULL };				\
	int n_ = sizeof(args_) / sizeof(args_[0]) - 1;					\
	parse(v, operands, &n_, args_); })

static void every_form(void **state)
{
	struct values v;

	(void)state;
	assert_int_equal(PARSE(&v, NULL, "-f", "--string", "a", "-n", "12k"), CMD_GO_ON);
	assert_true(v.flag);
	assert_false(v.other);
	assert_string_equal(v.string, "a");
	assert_int_equal(v.number, 12000);
	assert_int_equal(PARSE(&v, NULL, "-fosb", "--number=0x10"), CMD_GO_ON);
	assert_true(v.flag && v.other);
	assert_string_equal(v.string, "b");
	assert_int_equal(v.number, 16);
	assert_int_equal(PARSE(&v, NULL, "--string=", "--optional"), CMD_GO_ON);
	assert_string_equal(v.string, "");
	assert_string_equal(v.optional, "");
	assert_int_equal(PARSE(&v, NULL, "--optional=i100", "-s", "-"), CMD_GO_ON);
	assert_string_equal(v.optional, "i100");
	assert_string_equal(v.string, "-");
	assert_int_equal(PARSE(&v, NULL, "-pil64"), CMD_GO_ON);
	assert_string_equal(v.optional, "il64");
	assert_int_equal(PARSE(&v, NULL, "--call", "x"), CMD_GO_ON);
	assert_int_equal(v.calls, 1);
}

static void twice(void **state)
{
	struct values v;

	(void)state;
	/* a flag says the same again, and so does the same value, which is warned of */
	assert_int_equal(PARSE(&v, NULL, "-f", "--flag", "-ff"), CMD_GO_ON);
	assert_int_equal(PARSE(&v, NULL, "-s", "a", "--string=a", "-n1", "--number", "1"), CMD_GO_ON);
	assert_int_equal(PARSE(&v, NULL, "--optional", "-p"), CMD_GO_ON);
	assert_int_equal(PARSE(&v, NULL, "-s", "a", "--string=b"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "-n", "1", "-n", "2"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--call", "x", "--call=y"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--optional", "--optional=i"), CMD_USAGE);
	/* each command line begins anew */
	assert_int_equal(PARSE(&v, NULL, "-s", "b"), CMD_GO_ON);
	assert_string_equal(v.string, "b");
}

static void what_must_exist(void **state)
{
	const char *file = NULL, *files = NULL, *folder = NULL, *place = NULL;
	const struct cmd_opt opts[] = {
		{ 0, "file", CMD_OPT_FILE, &file, "FILE", "a file", NULL },
		{ 0, "files", CMD_OPT_FILES, &files, "FILE[,FILE]", "files", NULL },
		{ 0, "folder", CMD_OPT_FOLDER, &folder, "DIR", "a folder", NULL },
		{ 0, "place", CMD_OPT_PLACE, &place, "PATH", "a file or a folder", NULL },
		CMD_OPT_END
	};
	const struct cmd_desc desc = { .name = "test", .summary = "testing", .opts = opts };
	static const struct {
		const char *arg;
		int code;
	} cases[] = {
		{ "--file=/dev/null", CMD_GO_ON }, { "--file=/", CMD_ERROR }, { "--file=/no/such", CMD_ERROR },
		{ "--file=", CMD_GO_ON },
		{ "--files=/dev/null,/dev/zero", CMD_GO_ON }, { "--files=/dev/null,/no/such", CMD_ERROR },
		{ "--files=/no/such,/dev/null", CMD_ERROR }, { "--files=/dev/null,/", CMD_ERROR },
		{ "--folder=/", CMD_GO_ON }, { "--folder=/dev/null", CMD_ERROR }, { "--folder=/no/such", CMD_ERROR },
		{ "--folder=", CMD_GO_ON },
		{ "--place=/", CMD_GO_ON }, { "--place=/dev/null", CMD_GO_ON }, { "--place=/no/such", CMD_ERROR },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *args[] = { "test", cases[i].arg, NULL };
		int n = 2;

		if (cmd_options(&desc, &n, args) != cases[i].code)
			fail_msg("%s", cases[i].arg);
	}
}

static void operands_are_kept(void **state)
{
	const char *args[] = { "test", "a", "-f", "b", "--", "-o", NULL };
	struct values v;
	int n = 6;

	(void)state;
	assert_int_equal(parse(&v, "FILE...", &n, args), CMD_GO_ON);
	assert_int_equal(n, 3);
	assert_string_equal(args[0], "a");
	assert_string_equal(args[1], "b");
	assert_string_equal(args[2], "-o");
	assert_true(v.flag);
	assert_false(v.other);
}

static void wrong_usage(void **state)
{
	struct values v;

	(void)state;
	assert_int_equal(PARSE(&v, NULL, "--nonsense"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "-x"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "operand"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--flag=1"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--string"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "-s"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--number", "12x"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--number", "-1"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--call", "bad"), CMD_USAGE);
	assert_int_equal(PARSE(&v, NULL, "--fla"), CMD_USAGE);
}

static void numbers(void **state)
{
	uint64_t v;

	(void)state;
	assert_true(cmd_number("0", &v) && v == 0);
	assert_true(cmd_number("18446744073709551615", &v) && v == UINT64_MAX);
	assert_true(cmd_number("2G", &v) && v == 2000000000u);
	assert_true(cmd_number("1k", &v) && v == 1000);
	assert_true(cmd_number("2K", &v) && v == 2000);
	assert_true(cmd_number("3m", &v) && v == 3000000);
	assert_true(cmd_number("4M", &v) && v == 4000000);
	assert_true(cmd_number("5g", &v) && v == 5000000000u);
	assert_true(cmd_number("0x1fk", &v) && v == 31000);
	assert_true(cmd_number("010", &v) && v == 10);
	assert_true(cmd_number("0080k", &v) && v == 80000);
	assert_true(cmd_number("0X0010", &v) && v == 16);
	assert_false(cmd_number("0x", &v));
	assert_false(cmd_number("0xk", &v));
	assert_false(cmd_number("0x-1", &v));
	assert_true(cmd_number("18446744073709551k", &v) && v == 18446744073709551000u);
	assert_false(cmd_number("/", &v));
	assert_false(cmd_number(":", &v));
	assert_false(cmd_number("k", &v));
	assert_false(cmd_number("1t", &v));
	assert_false(cmd_number("18446744073709551616", &v));
	assert_false(cmd_number("18446744073709551615g", &v));
	assert_false(cmd_number("18446744073709552k", &v));
	assert_false(cmd_number("", &v));
	assert_false(cmd_number(" 1", &v));
	assert_false(cmd_number("1kk", &v));
}

/* Command lines, their exit codes, and the whole message. */
static void messages(void **state)
{
#define HINT "\nTry 'perf-cstrace test --help'.\n"
	static const struct {
		const char *args[4];
		int code;
		const char *message;
	} cases[] = {
		{ { "-x" }, CMD_USAGE, "cstrace test: unknown option '-x'" HINT },
		{ { "-fx" }, CMD_USAGE, "cstrace test: unknown option '-x'" HINT },
		{ { "--nonsense=1" }, CMD_USAGE, "cstrace test: unknown option '--nonsense=1'" HINT },
		{ { "--a\nb" }, CMD_USAGE, "cstrace test: unknown option '--a\\x0ab'" HINT },
		{ { "operand" }, CMD_USAGE, "cstrace test: unexpected argument 'operand'" HINT },
		{ { "-" }, CMD_USAGE, "cstrace test: unexpected argument '-'" HINT },
		{ { "--", "-f" }, CMD_USAGE, "cstrace test: unexpected argument '-f'" HINT },
		{ { "--flag=1" }, CMD_USAGE, "cstrace test: option --flag takes no value" HINT },
		{ { "--string" }, CMD_USAGE, "cstrace test: option --string needs a value: TEXT" HINT },
		{ { "-f", "-s" }, CMD_USAGE, "cstrace test: option -s needs a value: TEXT" HINT },
		{ { "--number", "12x" }, CMD_USAGE, "cstrace test: --number: '12x' is not a number" HINT },
		{ { "--call=bad" }, CMD_USAGE, "cstrace test: --call: 'bad' was not understood" HINT },
		{ { "-sa", "-sb" }, CMD_USAGE,
		  "cstrace test: --string is given twice, as 'a' and as 'b', and only one can hold" HINT },
		{ { "-p", "-pi" }, CMD_USAGE,
		  "cstrace test: --optional is given twice, as '' and as 'i', and only one can hold" HINT },
		{ { "-pi", "-p" }, CMD_USAGE,
		  "cstrace test: --optional is given twice, as 'i' and as '', and only one can hold" HINT },
		{ { "-sa", "--string=a" }, CMD_GO_ON, "cstrace test: warning: --string a is given twice\n" },
		{ { "-f", "-f" }, CMD_GO_ON, "" },
	};
	struct values v;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *args[6] = { "test" }, *text;
		struct said said;
		int n = 1, code;

		for (k = 0; cases[i].args[k]; k++)
			args[n++] = cases[i].args[k];
		said_begin(&said);
		code = parse(&v, NULL, &n, args);
		text = said_end(&said);
		if (code != cases[i].code || strcmp(text, cases[i].message))
			fail_msg("%s: %d, '%s', expected %d, '%s'", cases[i].args[0], code, text, cases[i].code, cases[i].message);
	}
}

/* Options that may be given several times, and those that hold lists. */
static void lists(void **state)
{
	struct values v = { false };
	const char *list = NULL, *ranges = NULL;
	const struct cmd_opt opts[] = {
		{ 0, "each", CMD_OPT_EACH, &v, "X", "several", call },
		{ 0, "list", CMD_OPT_STRING, &list, "LIST", "a list", NULL },
		{ 0, "ranges", CMD_OPT_STRING, &ranges, "RANGES", "ranges", NULL },
		CMD_OPT_END
	};
	const struct cmd_desc desc = { .name = "test", .summary = "testing", .opts = opts };
	static const char *const twice_text[] = {
		"cstrace test: --list is given twice, as '1' and as '2', and only one can hold: give all of them in one list" HINT,
		"cstrace test: --ranges is given twice, as '1' and as '2', and only one can hold: give all of them in one list" HINT,
	};
	const char *each[] = { "test", "--each=a", "--each", "b", "--each=a", NULL };
	const char *twice[2][4] = { { "test", "--list=1", "--list=2", NULL }, { "test", "--ranges=1", "--ranges=2", NULL } };
	struct said said;
	int n = 5, i;

	(void)state;
	said_begin(&said);
	assert_int_equal(cmd_options(&desc, &n, each), CMD_GO_ON);
	assert_string_equal(said_end(&said), "");
	assert_int_equal(v.calls, 3);
	for (i = 0; i < 2; i++) {
		n = 3;
		said_begin(&said);
		assert_int_equal(cmd_options(&desc, &n, twice[i]), CMD_USAGE);
		assert_string_equal(said_end(&said), twice_text[i]);
	}
}

/* Options without an effect are named in the order in which they were given. */
static void no_effect(void **state)
{
	struct {
		const char *first, *second;
	} v = { NULL, NULL };
	bool sym = false;
	const struct cmd_opt opts[] = {
		{ 0, "first", CMD_OPT_STRING, &v.first, "TEXT", "a string", NULL },
		{ 0, "second", CMD_OPT_STRING, &v.second, "TEXT", "a string", NULL },
		{ 0, "sym", CMD_OPT_FLAG, &sym, NULL, "a flag", NULL },
		CMD_OPT_END
	};
	const struct cmd_desc desc = { .name = "test", .summary = "testing", .opts = opts };
	const char *all[] = { "test", "--sym", "--second=a", "--first=b", NULL }, *one[] = { "test", "--sym", NULL };
#define NONE(name) "cstrace test: warning: --" name " has no effect: why\n"
	struct said said;
	int n = 4;

	(void)state;
	assert_int_equal(cmd_options(&desc, &n, all), CMD_GO_ON);
	said_begin(&said);
	cmd_no_effect(&desc, "first sym", "why");
	assert_string_equal(said_end(&said), NONE("sym") NONE("first"));
	said_begin(&said);
	cmd_no_effect(&desc, "symfs sy first2 firs", "why");
	assert_string_equal(said_end(&said), "");
	said_begin(&said);
	cmd_no_effect_in(&desc, &v, sizeof(v), "", "why");
	assert_string_equal(said_end(&said), NONE("second") NONE("first"));
	said_begin(&said);
	cmd_no_effect_in(&desc, &v, sizeof(v.first), "", "why");
	cmd_no_effect_in(&desc, &v.second, sizeof(v.second), "", "why");
	assert_string_equal(said_end(&said), NONE("first") NONE("second"));
	said_begin(&said);
	cmd_no_effect_in(&desc, &v, sizeof(v), "sym second", "why");
	assert_string_equal(said_end(&said), NONE("first"));
	n = 2;
	assert_int_equal(cmd_options(&desc, &n, one), CMD_GO_ON);
	said_begin(&said);
	cmd_no_effect_in(&desc, &v, sizeof(v), "", "why");
	cmd_no_effect(&desc, "first second", "why");
	assert_string_equal(said_end(&said), "");
}

/* What `cmd` prints to stdout for one word. */
static const char *printed(const struct cmd_desc *cmd, const char *word)
{
	static char text[4096];
	const char *args[] = { cmd->name, word, NULL };
	int saved = dup(STDOUT_FILENO), n = 2, rc;
	FILE *f = tmpfile();
	size_t len;

	assert_non_null(f);
	fflush(stdout);
	dup2(fileno(f), STDOUT_FILENO);
	rc = cmd_options(cmd, &n, args);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = 0;
	fclose(f);
	assert_int_equal(rc, CMD_OK);
	return text;
}

/* The help of a command: columns, and lines of at most 100 characters. */
static void help(void **state)
{
	const struct cmd_opt opts[] = {
		{ 'f', "flag", CMD_OPT_FLAG, NULL, NULL, "a flag", NULL },
		{ 0, "no-letter", CMD_OPT_STRING, NULL, "TEXT", "a string whose description is so long that it goes on in the next "
		  "line, behind the column", NULL },
		{ 'p', "optional", CMD_OPT_OPTIONAL, NULL, "TEXT", "maybe a string\nand another line", NULL },
		{ 0, "a-name-that-still-x", CMD_OPT_NUMBER, NULL, "N", "a number", NULL },
		{ 0, "a-name-that-is-longer", CMD_OPT_NUMBER, NULL, "N", "a number", NULL },
		/* 70 and 71 characters: to the end of the line, and beyond it */
		{ 0, "fits", CMD_OPT_FLAG, NULL, NULL, "1234567 101234567 201234567 301234567 401234567 501234567 601234567890", NULL },
		{ 0, "wraps", CMD_OPT_FLAG, NULL, NULL, "1234567 101234567 201234567 301234567 401234567 501234567 6012345678901", NULL },
		CMD_OPT_END
	};
	struct cmd_desc desc = { .name = "test", .summary = "testing", .opts = opts, .operands = "FILE...",
				 .more = "The first line.\nThe second line.\n" };
	static const char lines[] =
		"  -f, --flag                  a flag\n"
		"      --no-letter TEXT        a string whose description is so long that it goes on in the next\n"
		"                              line, behind the column\n"
		"  -p, --optional[=TEXT]       maybe a string\n"
		"                              and another line\n"
		"      --a-name-that-still-x N a number\n"
		"      --a-name-that-is-longer N\n"
		"                              a number\n"
		"      --fits                  1234567 101234567 201234567 301234567 401234567 501234567 601234567890\n"
		"      --wraps                 1234567 101234567 201234567 301234567 401234567 501234567\n"
		"                              6012345678901\n"
		"  -h, --help                  show this text\n"
		"      --list-opts             list the long options\n";
	char want[4096];

	(void)state;
	snprintf(want, sizeof(want), "perf-cstrace test - testing\n\nUsage: perf-cstrace test [OPTIONS] FILE...\n\n%s\n"
		 "The first line.\nThe second line.\n\n", lines);
	assert_string_equal(printed(&desc, "--help"), want);
	desc.operands = desc.more = NULL;
	snprintf(want, sizeof(want), "perf-cstrace test - testing\n\nUsage: perf-cstrace test [OPTIONS]\n\n%s", lines);
	assert_string_equal(printed(&desc, "-h"), want);
}

/* What --list-opts prints is what the man pages are checked against. */
static void listing_names_every_option(void **state)
{
	char text[256] = "";
	struct values v;
	int saved = dup(STDOUT_FILENO), rc;
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	fflush(stdout);
	dup2(fileno(f), STDOUT_FILENO);
	rc = PARSE(&v, NULL, "--list-opts");
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_int_equal(rc, CMD_OK);
	assert_string_equal(text, "--flag --other --string --optional --number --call \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form),
		cmocka_unit_test(twice), cmocka_unit_test(what_must_exist), cmocka_unit_test(operands_are_kept),
		cmocka_unit_test(wrong_usage),
		cmocka_unit_test(numbers),
		cmocka_unit_test(messages),
		cmocka_unit_test(lists),
		cmocka_unit_test(no_effect),
		cmocka_unit_test(help),
		cmocka_unit_test(listing_names_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
