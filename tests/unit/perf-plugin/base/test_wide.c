/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with 128 bits on the way, as hosts without such a type make them, against the type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/wide.h"

static uint64_t random_bits(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed ^ *seed >> 29) >> (*seed >> 58);
}

static void test_known(void **state)
{
	(void)state;
	assert_true(wide_mul_div(1000000007, 1000000000, 19200000) == 52083333697);
	assert_true(wide_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
	assert_true(wide_mul_div(UINT64_MAX, 3, 2) == UINT64_MAX);
	assert_true(wide_mul_div(UINT64_MAX, 2, 3) == 12297829382473034410u);
	assert_true(wide_mul_shift(UINT64_MAX, 2, 1) == UINT64_MAX);
	assert_true(wide_mul_shift(UINT64_MAX, 4, 1) == UINT64_MAX);
	assert_true(wide_mul_shift((uint64_t)1 << 63, 6, 3) == (uint64_t)6 << 60);
	assert_true(wide_div_by_bits(wide_mul_by_halves(UINT64_MAX, 2), 3) == 12297829382473034410u);
	assert_true(wide_div_by_bits(wide_mul_by_halves(UINT64_MAX, 3), 2) == UINT64_MAX);
}

static void test_random(void **state)
{
	uint64_t seed = 1, a, b, c;
	int i;

	(void)state;
	for (i = 0; i < 200000; i++) {
		a = random_bits(&seed);
		b = random_bits(&seed);
		c = random_bits(&seed) | 1;
		assert_true(wide_mul_div(a, b, c) == wide_div_by_bits(wide_mul_by_halves(a, b), c));
#ifdef __SIZEOF_INT128__
		assert_true(wide_mul_by_halves(a, b).hi == (uint64_t)((wide_uint)a * b >> 64) && wide_mul_by_halves(a, b).lo == a * b);
#endif
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
