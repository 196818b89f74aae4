/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sized.c - structs of callers with fewer or more members than the library knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>

#include "base/sized.h"

struct toy {
	size_t struct_size;
	uint32_t a, b;		/* the first release */
	uint32_t c, d;		/* later */
};

#define LAST_toy b

struct longer {
	struct toy toy;
	uint64_t more;
};

static void test_take(void **state)
{
	struct longer given = { { 0, 1, 2, 3, 4 }, 0 };
	struct toy own;
	const struct toy *t;

	(void)state;
	assert_null(TAKE(toy, NULL, own));
	/* 0: the first release */
	t = TAKE(toy, &given, own);
	assert_ptr_equal(t, &own);
	assert_true(t->a == 1 && t->b == 2 && !t->c && !t->d);
	given.toy.struct_size = SIZE_FIRST(toy) + 4;
	t = TAKE(toy, &given, own);
	assert_true(t->a == 1 && t->b == 2 && t->c == 3 && !t->d);
	given.toy.struct_size = sizeof(struct toy);
	assert_ptr_equal(TAKE(toy, &given, own), &given);
	/* members that are unknown here: none is in use, or one is */
	given.toy.struct_size = sizeof(given);
	t = TAKE(toy, &given, own);
	assert_true(t == &own && t->d == 4);
	given.more = (uint64_t)1 << 63;
	assert_null(TAKE(toy, &given, own));
	given.toy.struct_size = SIZE_FIRST(toy) - 1;
	assert_null(TAKE(toy, &given, own));
	given.toy.struct_size = SIZED_MAX + 1;
	assert_null(TAKE(toy, &given, own));
}

static void test_give(void **state)
{
	static const struct { size_t size, written; int rc; } rows[] = {
		{ 0, SIZE_FIRST(toy), 0 },
		{ SIZE_FIRST(toy), SIZE_FIRST(toy), 0 },
		{ SIZE_FIRST(toy) + 4, SIZE_FIRST(toy) + 4, 0 },
		{ sizeof(struct toy), sizeof(struct toy), 0 },
		{ sizeof(struct longer), sizeof(struct toy), 0 },
		{ SIZE_FIRST(toy) - 1, sizeof(size_t), -CST_ERR_INVAL },
		{ SIZED_MAX + 1, sizeof(size_t), -CST_ERR_INVAL },
	};
	const struct toy own = { 77, 1, 2, 3, 4 };
	struct longer given;
	size_t i, at;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&given, 0xa5, sizeof(given));
		given.toy.struct_size = rows[i].size;
		assert_int_equal(GIVE(toy, &given, own), rows[i].rc);
		assert_int_equal(given.toy.struct_size, rows[i].size);
		for (at = sizeof(size_t); at < sizeof(given); at++)
			assert_int_equal(((uint8_t *)&given)[at],
					 at < rows[i].written ? ((const uint8_t *)&own)[at] : 0xa5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_take),
					    cmocka_unit_test(test_give) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
