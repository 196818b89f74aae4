/* SPDX-License-Identifier: BSD-3-Clause */
/* test_base_error.c - the codes of perf-plugin and of the library are one channel: no code means two things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/name.h"

static const int own[] = {
#define ERROR(name, value, text) ERR_##name,
#include "base/errors.def"
#undef ERROR
};

static const int library[] = {
#define CST_ERROR(name, value, text) -(value),
#include <cstrace/errors.def>
#undef CST_ERROR
};

#define NR(v) (sizeof(v) / sizeof((v)[0]))

static void one_text_for_each_code(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < NR(own); i++) {
		assert_true(own[i] < 0);
		assert_string_not_equal(error_text(own[i]), "unknown error");
		for (k = 0; k < i; k++)
			assert_string_not_equal(error_text(own[i]), error_text(own[k]));
		for (k = 0; k < NR(library); k++)
			assert_true(own[i] != library[k] || own[i] == ERR_NOMEM);
	}
	for (k = 0; k < NR(library); k++)
		assert_ptr_equal(error_text(library[k]), own[0] == library[k] ? error_text(ERR_NOMEM) : cst_strerror(library[k]));
	assert_string_equal(error_text(ERR_NOMEM), cst_strerror(-CST_ERR_NOMEM));
	assert_string_equal(error_text(-CST_ERR_NO_ATOM), "mispredict without an atom to correct");
	assert_string_equal(error_text(-12345), "unknown error");
}

/* A name of any length leaves room for what is wrong. */
static void long_names(void **state)
{
	struct error err = { .code = 0 };
	char name[5000];
	size_t n, k;

	(void)state;
	for (n = 450; n < 560; n++) {
		memset(name, 'n', n);
		name[n] = 0;
		error_set(&err, ERR_IO, "%s: cannot be read: the reason", name);
		assert_int_equal(strlen(err.msg), n + 28 < sizeof(err.msg) ? n + 28 : strlen(err.msg));
		assert_true(strlen(err.msg) >= 450);
		assert_string_equal(err.msg + strlen(err.msg) - 28, ": cannot be read: the reason");
	}
	/* not within a character, at either end of what is left out */
	for (k = 0; k < 3; k++) {
		memset(name, 'n', k);
		for (n = k; n + 3 < sizeof(name); n += 3)
			memcpy(name + n, "\xe2\x82\xac", 3);
		name[n] = 0;
		error_set(&err, ERR_IO, "%s: the reason", name);
		assert_null(strstr(err.msg, "\\x"));
		assert_string_equal(name_shown(err.msg), err.msg);
		assert_string_equal(err.msg + strlen(err.msg) - 12, ": the reason");
	}
	/* escaped */
	memset(name, '\n', 400);
	name[400] = 0;
	error_set(&err, ERR_IO, "%s: the reason", name);
	assert_null(strchr(err.msg, '\n'));
	assert_string_equal(err.msg + strlen(err.msg) - 12, ": the reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_text_for_each_code), cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
