/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_error.c - every error has a text of its own, and any number is safe to ask for.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/version.h>

static const int codes[] = {
#define CST_ERROR(name, value, text) value,
#include <cstrace/errors.def>
#undef CST_ERROR
};

static void test_texts(void **state)
{
	unsigned i, j, n = sizeof(codes) / sizeof(codes[0]);

	(void)state;
	for (i = 0; i < n; i++) {
		const char *text = cst_strerror(-codes[i]);

		assert_ptr_equal(text, cst_strerror(codes[i]));
		assert_true(strlen(text) > 4);
		assert_string_not_equal(text, "unknown error");
		for (j = 0; j < i; j++)
			assert_string_not_equal(text, cst_strerror(codes[j]));
	}
	assert_string_equal(cst_strerror(-CST_ERR_FRAME_ID), "trace ID 0x7F in a formatter frame");
}

static void test_any_number(void **state)
{
	static const int odd[] = { INT_MIN, INT_MIN + 1, INT_MAX, -1000, 1000 };
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_string_equal(cst_strerror(odd[i]), "unknown error");
}

/* The library that runs, and the one whose headers were compiled in. */
static void test_version(void **state)
{
	(void)state;
	assert_int_equal(cst_version(), CST_VERSION_NUMBER);
	assert_int_equal(cst_version() >> 16, CST_VERSION_MAJOR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_any_number),
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
