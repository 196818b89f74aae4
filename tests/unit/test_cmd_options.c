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

#include "cmd/options.h"

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
	assert_false(cmd_number("18446744073709551616", &v));
	assert_false(cmd_number("18446744073709551615g", &v));
	assert_false(cmd_number("18446744073709552k", &v));
	assert_false(cmd_number("", &v));
	assert_false(cmd_number(" 1", &v));
	assert_false(cmd_number("1kk", &v));
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
		cmocka_unit_test(listing_names_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
