/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a mistyped word may mean, and words that mean none of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/near.h"

static const char *meant(const char *word, const char *names)
{
	static struct near near;

	return near_hint_among(&near, word, names);
}

static void letters(void **state)
{
	(void)state;
	assert_string_equal(meant("symfs", "symbols, symfs"), "; did you mean 'symfs'?");
	assert_string_equal(meant("smyfs", "symbols, symfs"), "; did you mean 'symfs'?");
	assert_string_equal(meant("symffs", "symbols symfs"), "; did you mean 'symfs'?");
	assert_string_equal(meant("syms", "symbols|symfs"), "; did you mean 'symfs'?");
	assert_string_equal(meant("xymfs", "symfs"), "; did you mean 'symfs'?");
	assert_string_equal(meant("xxmfs", "symfs"), "; did you mean 'symfs'?");
	assert_string_equal(meant("xxxfs", "symfs"), "");
	assert_string_equal(meant("ip", "pi"), "");
	assert_string_equal(meant("", "a ab abc"), "");
	assert_string_equal(meant("abc", ""), "");
}

/* The first of several that are as near; the beginning of a name counts as one error. */
static void choice(void **state)
{
	(void)state;
	assert_string_equal(meant("tine", "time, tile"), "; did you mean 'time'?");
	assert_string_equal(meant("comp", "compare, camp"), "; did you mean 'compare'?");
	assert_string_equal(meant("brstackin", "brstack brstackinsn"),
			    "; did you mean 'brstackinsn'?");
}

/* Words and names longer than the table are left out; what is as long as it is fits. */
static void long_words(void **state)
{
	const char *most = "abcdefghijklmnopqrstuvwxyz01234";
	const char *more = "abcdefghijklmnopqrstuvwxyz012345";

	(void)state;
	assert_int_equal(strlen(most), NEAR_MAX);
	assert_string_equal(meant("bacdefghijklmnopqrstuvwxyz01243", most),
			    "; did you mean 'abcdefghijklmnopqrstuvwxyz01234'?");
	assert_string_equal(meant(most, more), "");
	assert_string_equal(meant(more, most), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters), cmocka_unit_test(choice), cmocka_unit_test(long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
