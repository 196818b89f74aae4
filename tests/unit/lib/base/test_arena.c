/* SPDX-License-Identifier: BSD-3-Clause */
/* test_arena.c - memory in large pages: what its users may do with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

/* on both sides of where large pages begin */
static const size_t sizes[] = {
	1, 4096, 65536, 65537, (1 << 20) - 1, 1 << 20, (2 << 20) + 1, 5 << 20,
};

static int zeros(const unsigned char *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

static void test_sizes(void **state)
{
	unsigned char *p;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		n = sizes[i];
		p = cst_large_zeroed(1, n);
		assert_true(p && zeros(p, n));
		memset(p, 0xa5, n);
		p = cst_large_more(p, n, n + (1 << 20));
		assert_true(p && p[0] == 0xa5 && !memcmp(p, p + 1, n - 1));
		p[n + (1 << 20) - 1] = 1;
		free(p);
	}
	assert_null(cst_large_new(SIZE_MAX));
	assert_null(cst_large_zeroed(SIZE_MAX / 2, 4));
	p = cst_large_more(NULL, 0, 3 << 20);
	assert_non_null(p);
	free(p);
}

static void test_reserve(void **state)
{
	unsigned char *p;
	void *memory;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		n = sizes[i];
		p = cst_large_reserve(&memory, n);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 64, 0);
		p[0] = p[n - 1] = 1;
		free(memory);
	}
	assert_null(cst_large_reserve(&memory, SIZE_MAX - 4096));
}

static void test_arena(void **state)
{
	static unsigned char *piece[500];
	struct arena a = { .chunk = NULL };
	size_t i, n, round;

	(void)state;
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 500; i++) {
			n = i * 37 % 9000 + 1;
			piece[i] = cst_arena_zeroed(&a, n);
			assert_true(piece[i] && zeros(piece[i], n));
			assert_int_equal((uintptr_t)piece[i] % sizeof(uint64_t), 0);
			memset(piece[i], (int)i & 0xff, n);
		}
		for (i = 0; i < 500; i++) {
			n = i * 37 % 9000 + 1;
			assert_int_equal(piece[i][0], i & 0xff);
			assert_memory_equal(piece[i], piece[i] + 1, n - 1);
		}
		assert_true(zeros(cst_arena_zeroed(&a, 5 << 20), 5 << 20));
		cst_arena_drop(&a);
		assert_null(a.chunk);
	}
	assert_null(cst_arena_zeroed(&a, SIZE_MAX - 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
