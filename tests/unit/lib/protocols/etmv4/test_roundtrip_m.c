/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip_etmv4m.c - the round trip for what only trace units of the R and M profile have: low overhead
 * loops and branch futures, tail chains, exception and function returns as P0 elements, loads and stores as P0
 * elements (in IT blocks, too), conditional non-branch instructions with their results. Every element must come
 * back. And a damaged byte costs at most the trace up to the next synchronisation.
 *
 * CST_SEEDS=N sets the number of streams (default 10000, see unit/seeds.h), CST_SEED=N
 * runs one and shows both sides.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/lib/roundtrip.h"
#include "unit/seeds.h"

struct seen {
	uint64_t ranges, conditions, located;
};

static void count(const struct gen_case *c, struct seen *seen)
{
	size_t i;

	for (i = 0; i < c->nevents; i++)
		if (c->events[i].kind == GEN_COND) {
			seen->conditions++;
			seen->located += c->events[i].start && c->events[i].num;
		}
}

static int exact(uint64_t seed, struct seen *seen)
{
	struct gen_case c;
	int bad;

	gen_profile_case(seed, 0, &c);
	bad = rt_one_case(seed, &c, &seen->ranges);
	count(&c, seen);
	gen_case_free(&c);
	return bad;
}

static void test_exact(void **state)
{
	const char *one = getenv("CST_SEED");
	uint64_t n = seeds_wanted(10000), seed;
	struct seen seen = { 0, 0, 0 };
	unsigned int bad = 0;

	(void)state;
	if (one) {
		assert_int_equal(exact(strtoull(one, NULL, 0), &seen), 0);
		return;
	}
	for (seed = 1; seed <= n && bad < 10; seed++)
		bad += exact(seed, &seen);
	print_message("%" PRIu64 " streams, %" PRIu64 " ranges, %" PRIu64 " conditional instructions, %" PRIu64 " resolved\n",
		      seed - 1, seen.ranges, seen.conditions, seen.located);
	assert_int_equal(bad, 0);
	assert_true(seen.ranges > 20 * n && seen.located > n && seen.conditions > seen.located);
}

/* For each seed a stream, by one of the two ways to damage it. */
static void damage_streams(int (*damage)(uint64_t seed, struct gen_case *c, struct rt_damage *sum), uint64_t n)
{
	const char *one = getenv("CST_SEED");
	uint64_t seed = one ? strtoull(one, NULL, 0) : 1;
	struct rt_damage sum = { 0, 0 };
	unsigned int bad = 0;
	struct gen_case c;

	for (n = one ? seed : n; seed <= n && bad < 10; seed++) {
		gen_profile_case(seed, 1, &c);
		bad += damage(seed, &c, &sum);
		gen_case_free(&c);
	}
	print_message("%" PRIu64 " damaged streams, %" PRIu64 " of them with a bad packet\n", sum.tried, sum.noticed);
	assert_int_equal(bad, 0);
	assert_true(one || (sum.tried > n / 3 && sum.noticed > n / 20));
}

static void test_damaged(void **state)
{
	(void)state;
	damage_streams(rt_damage_one, seeds_wanted(10000));
}

static void test_damaged_before_sync(void **state)
{
	(void)state;
	damage_streams(rt_damage_before_syncs, seeds_wanted(10000) / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_damaged_before_sync),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
