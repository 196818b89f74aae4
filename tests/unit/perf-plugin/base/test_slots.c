/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of an array are found by their keys, also of equal hashes and when they change places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/slots.h"
#include "base/strings.h"

#define N 5000u

static uint64_t seventh(const void *array, uint32_t i)
{
	return ((const uint32_t *)array)[i] % 7;
}

static uint32_t find(const struct slots *s, const uint32_t *v, uint32_t key)
{
	size_t at;

	SLOTS_FIND(s, at, key % 7, v[s->v[at] - 1] == key);
	return s->v[at];
}

static void indexes(void **state)
{
	static uint32_t v[N];
	struct slots s = { .v = NULL };
	uint32_t i;
	size_t at;

	(void)state;
	for (i = 0; i < N; i++) {
		assert_true(slots_reserve(&s, i, v, seventh));
		assert_int_equal(find(&s, v, 3 * i), 0);
		SLOTS_FIND(&s, at, 3 * i % 7, v[s.v[at] - 1] == 3 * i);
		v[i] = 3 * i;
		s.v[at] = i + 1;
	}
	assert_true(s.size >= 2 * N);
	for (i = 0; i < N; i++)
		assert_int_equal(find(&s, v, 3 * i), i + 1);
	for (i = 0; i < N; i++)
		v[i] = 3 * (N - 1 - i);
	slots_rebuild(&s, N, v, seventh);
	for (i = 0; i < N; i++)
		assert_int_equal(find(&s, v, 3 * i), N - i);
	assert_int_equal(find(&s, v, 1), 0);
	slots_free(&s);
	slots_rebuild(&s, 0, NULL, seventh);
	assert_false(slots_reserve(&s, UINT32_MAX, NULL, seventh));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(indexes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
