/* SPDX-License-Identifier: BSD-3-Clause */
/* test_longest.c - a length by its rank, against sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/longest.h"
#include "util.h"

#define MOST	300u

static int longer_first(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? 1 : a > b ? -1 : 0;
}

static void test_ranks(void **state)
{
	uint64_t v[MOST], sorted[MOST];
	struct rng rng;
	size_t n, i, round;
	unsigned int bits;

	(void)state;
	rng_seed(&rng, 1);
	for (round = 0; round < 2000; round++) {
		n = 1 + rng_below(&rng, MOST);
		bits = (unsigned int)rng_below(&rng, 65);
		for (i = 0; i < n; i++)
			sorted[i] = v[i] = bits ? rng_next(&rng) >> (64 - bits) : 0;
		qsort(sorted, n, sizeof(*sorted), longer_first);
		for (i = 0; i < n; i++)
			assert_int_equal(longest_nth(v, n, i), sorted[i]);
	}
}

static void test_limit(void **state)
{
	const uint64_t equal[] = { 5, 5, 5, 5, 5, 5 }, some[] = { 1, 2, 9, 3, 8, 4, 7, 7 };

	(void)state;
	assert_int_equal(longest_limit(equal, 6, 2), 6);
	assert_int_equal(longest_limit(some, 8, 2), 8);
	assert_int_equal(longest_limit(some, 8, 3), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ranks), cmocka_unit_test(test_limit) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
