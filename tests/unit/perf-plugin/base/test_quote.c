/* SPDX-License-Identifier: BSD-3-Clause */
/* test_quote.c - words of command lines, as a shell reads them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
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

/* A terminal gets no control character but newlines at the end, where the name begins no line. */
static void test_control(void **state)
{
	(void)state;
	is_quoted("a\nb\n", "'a'\"$(printf '\\012\\142')\"'\n'");
	is_quoted("\n\n", "'\n\n'");
	is_quoted("\n\n'x", "''\"$(printf '\\012\\012\\047')\"'x'");
	is_quoted("a\033\201b\n", "'a'\"$(printf '\\033\\201')\"'b\n'");
	is_quoted("\303\244", "'\303\244'");
	is_quoted("\303\244\t", "''\"$(printf '\\303\\244\\011')\"''");
}

/* What the shell makes of the text is the word. */
static void test_shell(void **state)
{
	static const char *const words[] = { "n\nl", "\n", "\n\n'", "a\033[2J\tb'", "\377\n\376",
					     "\\\n$x`y`\"" };
	char *text, command[400], got[100];
	size_t i, n;
	FILE *f;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		text = quote_word(words[i]);
		snprintf(command, sizeof(command), "printf %%s %s", text);
		free(text);
		f = popen(command, "r");
		assert_non_null(f);
		n = fread(got, 1, sizeof(got) - 1, f);
		got[n] = 0;
		assert_int_equal(pclose(f), 0);
		assert_string_equal(got, words[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_quoted),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
