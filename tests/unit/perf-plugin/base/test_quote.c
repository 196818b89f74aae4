/* SPDX-License-Identifier: BSD-3-Clause */
/* test_quote.c - words of command lines, as a shell reads them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/quote.h"

static void is_quoted(const char *word, const char *want)
{
	char *text = quote_word(word);

	assert_string_equal(text, want);
	free(text);
}

static void test_plain(void **state)
{
	(void)state;
	is_quoted("perf-cstrace", "perf-cstrace");
	is_quoted("cs_etm/timestamp,@tmc_etr0/u", "cs_etm/timestamp,@tmc_etr0/u");
	is_quoted("a=b:c%d+e.1", "a=b:c%d+e.1");
}

static void test_quoted(void **state)
{
	(void)state;
	is_quoted("", "''");
	is_quoted("a b", "'a b'");
	is_quoted("$(x)", "'$(x)'");
	is_quoted("'", "''\\'''");
	is_quoted("it's", "'it'\\''s'");
	is_quoted("~", "'~'");
}

/* A control character is shown, so that the line can be printed. */
static void test_control(void **state)
{
	(void)state;
	is_quoted("a\033b\n", "'a\\x1bb\\x0a'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_quoted),
		cmocka_unit_test(test_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
