/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of pairs: exact sums whatever its size, sorted output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/image/counts_int.h"
#include "unit/failing_alloc.h"

static void sums(void **state)
{
	enum { N = 200, ADDS = 100000 };
	static uint64_t want[N][N];
	struct cst_pairs p = { .slot = NULL };
	const struct cst_pair *v;
	uint64_t seed = 42, total = 0;
	size_t i, keys = 0;
	uint32_t a, b;

	(void)state;
	for (i = 0; i < ADDS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		a = (uint32_t)(seed >> 40) % N;
		b = (uint32_t)(seed >> 50) % N;
		keys += !want[a][b]++;
		/* offsets that differ in high bits only must not fall together */
		assert_true(cst_pairs_add(&p, a << 20, b << 24));
	}
	assert_int_equal(p.used, keys);
	v = cst_pairs_sort(&p);
	for (i = 0; i < p.used; i++) {
		assert_int_equal(v[i].count, want[v[i].a >> 20][v[i].b >> 24]);
		total += v[i].count;
		assert_true(!i || v[i - 1].a < v[i].a || (v[i - 1].a == v[i].a && v[i - 1].b < v[i].b));
	}
	assert_int_equal(total, ADDS);
	assert_ptr_equal(cst_pairs_sort(&p), v);
	cst_pairs_free(&p);
}

/* A list takes equal pairs one by one; sorted, it is what the hash table is, and so are two halves that are merged. */
static void lists(void **state)
{
	enum { ADDS = 20000 };
	struct cst_pairs hash = { .slot = NULL }, list = hash, half[2] = { hash, hash }, none = hash;
	uint64_t seed = 3;
	uint32_t a, b;
	size_t i;

	(void)state;
	for (i = 0; i < ADDS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		a = (uint32_t)(seed >> 33) % 3000;
		b = (uint32_t)(seed >> 50) % 5;
		assert_true(cst_pairs_add(&hash, a, b));
		/* a hash table with pairs becomes a list, too */
		if (i == 0 || i == 500)
			assert_true(cst_pairs_list(i ? &half[0] : &list));
		assert_true(cst_pairs_add(&list, a, b));
		assert_true(cst_pairs_insert(&half[i & 1], a, b, 1));
	}
	assert_int_equal(list.used, ADDS);
	cst_pairs_sort(&hash);
	cst_pairs_sort(&list);
	assert_int_equal(list.used, hash.used);
	assert_memory_equal(list.slot, hash.slot, hash.used * sizeof(*hash.slot));
	cst_pairs_sort(&half[0]);
	/* what is not sorted, or one pair, is not added to what is */
	assert_false(cst_pairs_merge(&half[0], &half[1]));
	assert_false(cst_pairs_add(&half[0], 1, 1));
	cst_pairs_sort(&half[1]);
	assert_true(cst_pairs_merge(&half[0], &half[1]));
	assert_true(cst_pairs_merge(&half[0], &none));
	assert_int_equal(half[0].used, hash.used);
	assert_memory_equal(half[0].slot, hash.slot, hash.used * sizeof(*hash.slot));
	/* sorted pairs and lists into a hash table, which is empty first */
	assert_true(cst_pairs_merge(&none, &half[1]));
	assert_true(none.mask && none.used == half[1].used);
	assert_true(cst_pairs_merge(&none, &half[1]));
	cst_pairs_sort(&none);
	for (i = 0; i < none.used; i++)
		assert_int_equal(none.slot[i].count, 2 * half[1].slot[i].count);
	cst_pairs_free(&hash);
	cst_pairs_free(&list);
	cst_pairs_free(&half[0]);
	cst_pairs_free(&half[1]);
	cst_pairs_free(&none);
}

/* Without memory to sort in, pairs are sorted where they are. */
static void sorted_in_place(void **state)
{
	const struct cst_pair *v;
	uint64_t seed;
	unsigned int refused, i;

	(void)state;
	for (refused = 0; refused < 4; refused++) {
		struct cst_pairs p = { .slot = NULL };

		for (i = 0, seed = 11; i < 3000; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			assert_true(cst_pairs_insert(&p, (uint32_t)(seed >> 33) % 700, (uint32_t)(seed >> 50) % 3, 1));
		}
		failing = refused;
		v = cst_pairs_sort(&p);
		/* only two allocations are there to be refused */
		assert_int_equal(failing, refused == 3);
		failing = 0;
		for (i = 1; i < p.used; i++)
			assert_true(v[i - 1].a < v[i].a || (v[i - 1].a == v[i].a && v[i - 1].b < v[i].b));
		assert_in_range(p.used, 1000, 700 * 3);
		cst_pairs_free(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(lists), cmocka_unit_test(sorted_in_place),
	};

	return cmocka_run_group_tests_name("profile pairs", tests, NULL, NULL);
}
