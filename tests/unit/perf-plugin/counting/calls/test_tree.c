/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of a calling-context tree: found again however many there are, moved, removed, and added to another tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "counting/calls/tree.h"

#define MANY	10000u

/* A tree of MANY nodes: three roots, and three children of each node. */
static void fill(struct cct *t)
{
	uint32_t i;
	bool fresh;

	for (i = 0; i < MANY; i++) {
		assert_int_equal(cct_child(t, i < 3 ? NO_NODE : i / 3 - 1, CST_COUNT_CALL, i, i % 3, &fresh), i);
		assert_true(fresh);
	}
}

static void nodes_are_found(void **state)
{
	struct cct t = { .v = NULL };
	uint32_t i;
	bool fresh;

	(void)state;
	fill(&t);
	for (i = 0; i < MANY; i++) {
		assert_int_equal(cct_child(&t, i < 3 ? NO_NODE : i / 3 - 1, CST_COUNT_CALL, i, i % 3, &fresh), i);
		assert_false(fresh);
		assert_int_equal(t.v[i].depth, i < 3 ? 0 : t.v[i / 3 - 1].depth + 1);
	}
	/* each part of the key counts */
	assert_int_equal(cct_child(&t, NO_NODE, CST_COUNT_SIGNAL, 0, 0, &fresh), MANY);
	assert_int_equal(cct_child(&t, NO_NODE, CST_COUNT_CALL, 9, 0, &fresh), MANY + 1);
	assert_int_equal(cct_child(&t, NO_NODE, CST_COUNT_CALL, 0, 9, &fresh), MANY + 2);
	assert_int_equal(cct_child(&t, 5, CST_COUNT_CALL, 0, 0, &fresh), MANY + 3);
	cct_free(&t);
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
	assert_true(cct_reserve(&t, 100));
	assert_int_equal(t.cap, 128);
	assert_false(cct_reserve(&t, UINT32_MAX));
	assert_int_equal(t.cap, 128);
	cct_free(&t);
}

static calls_place plus_100(void *data, calls_place p)
{
	(void)data;
	return p + 100;
}

/* Counts are added, places changed, and what is at the depth is one node for all of its parent. */
static void trees_are_added(void **state)
{
	struct cct one = { .v = NULL }, all = { .v = NULL };
	const struct cct_node *p;
	uint32_t root, child, moved, deep, cut;
	unsigned int i;
	bool fresh;

	(void)state;
	root = cct_child(&one, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, 1, &fresh);
	child = cct_child(&one, root, CST_COUNT_CALL, 2, 3, &fresh);
	cct_child(&one, child, CST_COUNT_CALL, 4, 5, &fresh);
	cct_child(&one, child, CST_COUNT_CALL, 6, 7, &fresh);
	moved = cct_child(&one, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, 8, &fresh);
	deep = cct_child(&one, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE, 9, &fresh);
	cct_hang(&one, moved, deep, CST_COUNT_CALL, 10);	/* its parent is behind it */
	cct_child(&one, 2, CST_COUNT_CALL, 11, 12, &fresh);
	for (i = 0; i < one.nr; i++) {
		one.v[i].calls = 1;
		one.v[i].insns = 10 + i;
	}
	one.v[child].back = 4;
	one.v[child].size = 12;
	one.v[child].sets_jump = true;
	for (i = 1; i <= 2; i++) {
		assert_true(cct_merge(&all, &one, 2, plus_100, NULL));
		assert_int_equal(all.nr, 5);
		root = cct_child(&all, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE + 100, 101, &fresh);
		p = &all.v[cct_child(&all, root, CST_COUNT_CALL, 102, 103, &fresh)];
		assert_int_equal(p->insns, i * 11);
		assert_true(p->back == 4 && p->size == 12 && p->sets_jump);
		cut = cct_child(&all, (uint32_t)(p - all.v), CST_COUNT_CUT, CALLS_NO_PLACE, CALLS_NO_PLACE, &fresh);
		assert_false(fresh);
		assert_int_equal(all.v[cut].calls, i * 3);
		assert_int_equal(all.v[cut].insns, i * 41);
		deep = cct_child(&all, NO_NODE, CST_COUNT_ROOT, CALLS_NO_PLACE + 100, 109, &fresh);
		p = &all.v[cct_child(&all, deep, CST_COUNT_CALL, 110, 108, &fresh)];
		assert_false(fresh);
		assert_int_equal(p->insns, i * 14);
	}
	/* what was cut stays so */
	cct_clear(&one);
	assert_true(cct_merge(&one, &all, UINT32_MAX, plus_100, NULL));
	assert_int_equal(one.nr, 5);
	assert_int_equal(one.v[2].kind, CST_COUNT_CUT);
	assert_int_equal(one.v[2].insns, 82);
	assert_true(one.v[2].from == CALLS_NO_PLACE && one.v[2].entry == CALLS_NO_PLACE);
	cct_free(&one);
	cct_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_found),
		cmocka_unit_test(roots_become_children),
		cmocka_unit_test(nodes_are_removed),
		cmocka_unit_test(trees_are_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
