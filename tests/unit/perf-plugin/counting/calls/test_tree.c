/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of a calling-context tree: found again however many there are, moved, removed, and added to another tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "counting/calls/tree.h"

/* enough for arrays in large pages to grow */
#define MANY	150000u

/* A tree of MANY nodes: three roots, and three children of each node. */
static void fill(struct cct *t)
{
	uint32_t i;
	bool fresh;

	for (i = 0; i < MANY; i++) {
		assert_int_equal(cct_child(t, i < 3 ? NO_NODE : i / 3 - 1, CST_COUNT_CALL, i, i % 3, &fresh), i);
		assert_true(fresh);
	}
	for (i = 0; i < MANY; i++) {
		const uint32_t parent = i < 3 ? NO_NODE : i / 3 - 1;

		assert_int_equal(cct_child(t, parent, CST_COUNT_CALL, i, i % 3, &fresh), i);
		assert_false(fresh);
		assert_int_equal(t->v[i].entry, i % 3);
	}
}

/* All others are found where they were. */
static void roots_become_children(void **state)
{
	enum { ROOTS = 3000 };
	struct cct t = { .v = NULL };
	uint32_t i;
	bool fresh;

	(void)state;
	for (i = 0; i < ROOTS; i++)
		cct_child(&t, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, i, &fresh);
	for (i = 1; i < ROOTS; i += 2)
		cct_hang(&t, i, i - 1, CST_COUNT_CALL, 7);
	for (i = 0; i < ROOTS; i++) {
		if (i & 1)
			assert_int_equal(cct_child(&t, i - 1, CST_COUNT_CALL, 7, i, &fresh), i);
		else
			assert_int_equal(cct_child(&t, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, i, &fresh), i);
		assert_false(fresh);
	}
	cct_child(&t, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, 1, &fresh);
	assert_true(fresh);
	cct_free(&t);
}

/* A large tree gives its memory back, a small one keeps it; neither has nodes. */
static void nodes_are_removed(void **state)
{
	struct cct t = { .v = NULL };
	unsigned int large, i;
	bool fresh;

	(void)state;
	for (large = 0; large < 2; large++) {
		if (large)
			fill(&t);
		else
			for (i = 0; i < 4096; i++)
				cct_child(&t, NO_NODE, CST_COUNT_CALL, i, 0, &fresh);
		cct_clear(&t);
		assert_int_equal(t.nr, 0);
		assert_int_equal(t.cap, large ? 0 : 4096);
		assert_int_equal(cct_child(&t, NO_NODE, CST_COUNT_CALL, 1, 0, &fresh), 0);
		assert_true(fresh);
		cct_clear(&t);
	}
	cct_reserve(&t, 100);
	assert_int_equal(t.cap, 128);
	cct_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roots_become_children),
		cmocka_unit_test(nodes_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
