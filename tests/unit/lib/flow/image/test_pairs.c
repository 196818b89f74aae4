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

static void empty(void **state)
{
	struct cst_pairs p = { .slot = NULL };

	(void)state;
	assert_null(cst_pairs_sort(&p));
	assert_int_equal(p.used, 0);
	/* the pair 0, 0 is a pair as any other */
	assert_true(cst_pairs_add(&p, 0, 0));
	assert_true(cst_pairs_add(&p, 0, 0));
	assert_int_equal(p.used, 1);
	assert_int_equal(cst_pairs_sort(&p)->count, 2);
	cst_pairs_free(&p);
}

/* Counts beyond one, keys that fall together, and a table that grows when it is half full. */
static void insert(void **state)
{
	struct cst_pairs p = { .slot = NULL };
	const struct cst_pair *v;
	uint32_t i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		assert_true(cst_pairs_insert(&p, i, 5000 - i, i + 1));
		assert_true(cst_pairs_insert(&p, i, 5000 - i, 10));
		assert_true(cst_pairs_insert(&p, i, UINT32_MAX, 3));
		/* free slots are at least as many: each search ends */
		assert_true(2 * p.used <= p.mask + 1);
		assert_true(p.mask < 8 * p.used || p.mask == 1023);
	}
	assert_int_equal(p.used, 10000);
	v = cst_pairs_sort(&p);
	for (i = 0; i < 5000; i++, v += 2) {
		assert_int_equal(v[0].a, i);
		assert_int_equal(v[0].b, 5000 - i);
		assert_int_equal(v[0].count, i + 11);
		assert_int_equal(v[1].a, i);
		assert_int_equal(v[1].b, UINT32_MAX);
		assert_int_equal(v[1].count, 3);
	}
	cst_pairs_free(&p);
	assert_null(p.slot);
	assert_int_equal(p.used + p.mask + p.sorted, 0);
}

/* Few and many pairs of one first number, numbers close together and far apart, in any order of arrival. */
static void order(void **state)
{
	static const struct {
		uint32_t n, a_times, a_range, b_range;
	} cases[] = {
		{ 1, UINT32_MAX, 1, 1 }, { 2, UINT32_MAX, 2, 1 }, { 300, 1, 1, 0xffffffff }, { 3000, 4, 100, 50 },
		{ 3000, 1, 0xffffffff, 2 }, { 3000, 0x01000000, 200, 9 }, { 3000, 1, 3000, 3000 },
	};
	const struct cst_pair *v;
	uint64_t seed = 7, sum;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cst_pairs p = { .slot = NULL };

		for (k = 0; k < cases[i].n; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			assert_true(cst_pairs_insert(&p, cases[i].a_times * (uint32_t)(1 + (seed >> 33) % cases[i].a_range),
						     (uint32_t)((seed >> 20) % cases[i].b_range), 1));
		}
		v = cst_pairs_sort(&p);
		for (k = sum = 0; k < p.used; k++) {
			sum += v[k].count;
			assert_true(!k || v[k - 1].a < v[k].a || (v[k - 1].a == v[k].a && v[k - 1].b < v[k].b));
		}
		assert_int_equal(sum, cases[i].n);
		cst_pairs_free(&p);
	}
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
	/* pairs before, between and behind those of the other array, and equal ones */
	for (i = 0; i < 1u << 8; i++) {
		struct cst_pairs to = { .slot = NULL }, from = to;

		for (a = 0; a < 4; a++) {
			if (i >> a & 1)
				assert_true(cst_pairs_insert(&to, a / 2, a % 2, 1));
			if (i >> (4 + a) & 1)
				assert_true(cst_pairs_insert(&from, a / 2, a % 2, 10));
		}
		cst_pairs_sort(&to);
		cst_pairs_sort(&from);
		assert_true(cst_pairs_merge(&to, &from));
		cst_pairs_sort(&to);	/* it is a hash table if it was empty */
		for (a = b = 0; a < 4; a++) {
			if (!((i | i >> 4) >> a & 1))
				continue;
			assert_true(b < to.used && to.slot[b].a == a / 2 && to.slot[b].b == a % 2);
			assert_int_equal(to.slot[b++].count, (i >> a & 1) + 10 * (i >> (4 + a) & 1));
		}
		assert_int_equal(to.used, b);
		cst_pairs_free(&to);
		cst_pairs_free(&from);
	}
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
		cmocka_unit_test(sums), cmocka_unit_test(empty), cmocka_unit_test(insert), cmocka_unit_test(order),
		cmocka_unit_test(lists), cmocka_unit_test(sorted_in_place),
	};

	return cmocka_run_group_tests_name("profile pairs", tests, NULL, NULL);
}
