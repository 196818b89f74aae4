/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of jumps: ranges and edges get the sums of all jumps that they are in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting/counts/jumps.h"

struct tables {
	struct cst_pairs ranges, arrivals, edges;
};

static void add(struct cst_pairs *p, uint32_t a, uint32_t b)
{
	assert_int_equal(cst_pairs_insert(p, a, b, 1), 1);
}

static void same(struct cst_pairs *a, struct cst_pairs *b)
{
	const struct cst_pair *x = cst_pairs_sort(a), *y = cst_pairs_sort(b);
	size_t i;

	assert_int_equal(a->used, b->used);
	for (i = 0; i < a->used; i++) {
		assert_int_equal(x[i].a, y[i].a);
		assert_int_equal(x[i].b, y[i].b);
		assert_int_equal(x[i].count, y[i].count);
	}
	cst_pairs_free(a);
	cst_pairs_free(b);
}

/* Compares `n` jumps in code of `size` instructions with pairs that are counted one by one. */
static void count(unsigned int n, uint32_t size)
{
	struct tables is = { .ranges.slot = NULL }, want = is;
	const struct jump_counts to = { &is.ranges, &is.arrivals, &is.edges };
	struct jumps j = { .slot = NULL };
	uint32_t start, last, target, arrived;
	unsigned int i;

	/* one that the tables have already */
	add(&is.ranges, 4, 8);
	add(&want.ranges, 4, 8);
	for (i = 0; i < n; i++) {
		start = (uint32_t)rand() % size * 2;
		last = start + (uint32_t)rand() % 3 * 2;
		target = (uint32_t)rand() % size * 2;
		/* T32 code has a bit in the begin */
		start |= (uint32_t)rand() & 1;
		arrived = (uint32_t)rand() & 1;
		jumps_add(&j, start, last | (arrived ? JUMP_ARRIVED : 0), target);
		add(arrived ? &want.arrivals : &want.ranges, start, last);
		add(&want.edges, last, target);
	}
	jumps_settle(&j, &to);
	assert_true(!j.slot && !j.used && !j.mask);
	same(&is.ranges, &want.ranges);
	same(&is.arrivals, &want.arrivals);
	same(&is.edges, &want.edges);
}

static void sums(void **state)
{
	(void)state;
	srand(1);
	count(0, 1);
	count(1, 1);
	/* often the same ones */
	count(5000, 4);
	/* many different ones: the table grows */
	count(60000, 200000);
}

/* More than 32 bits are counted, and the table can be used again. */
static void large(void **state)
{
	struct tables is = { .ranges.slot = NULL };
	const struct jump_counts to = { &is.ranges, &is.arrivals, &is.edges };
	struct jumps j = { .slot = NULL };
	uint32_t i;

	(void)state;
	jumps_add(&j, 0, 4, 8);
	for (i = 0; i <= j.mask; i++)
		if (j.slot[i].count)
			j.slot[i].count = UINT32_MAX;
	jumps_add(&j, 0, 4, 8);
	jumps_settle(&j, &to);
	jumps_add(&j, 0, 4, 8);
	jumps_settle(&j, &to);
	assert_int_equal(is.ranges.used, 1);
	assert_true(cst_pairs_sort(&is.ranges)->count == UINT32_MAX + 2ull);
	assert_true(cst_pairs_sort(&is.edges)->count == UINT32_MAX + 2ull);
	cst_pairs_free(&is.ranges);
	cst_pairs_free(&is.edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sums), cmocka_unit_test(large) };

	return cmocka_run_group_tests_name("jumps", tests, NULL, NULL);
}
