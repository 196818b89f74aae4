/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables: every form of every kind, numbers and lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

#define HINT "\nTry 'perf-cstrace test --help'.\n"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form), cmocka_unit_test(numbers), cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
