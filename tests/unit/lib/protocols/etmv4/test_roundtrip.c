/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip.c - random programs, executed, encoded by the trace-unit model, decoded: every element
 * must come back, in order. The model knows nothing of the decoder.
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

static int one_seed(uint64_t seed, uint64_t *ranges)
{
	struct gen_case c;
	int bad;

	gen_case_opts(seed, 0, &c);
	/* reserved in an ETE; it is followed if the register says it */
	if (c.tu.ete && seed % 8 == 5 && (c.tu.cid || !c.tu.vmid_is_tid))
		c.tu.vmid_bytes = 1 + seed / 8 % 2;
	gen_case_build(&c);
	bad = rt_one_case(seed, &c, ranges);
	gen_case_free(&c);
	return bad;
}

static void test_random_streams(void **state)
{
	const char *one = getenv("CST_SEED");
	uint64_t n = seeds_wanted(10000), seed, ranges = 0;
	unsigned int bad = 0;

	(void)state;
	if (one) {
		assert_int_equal(one_seed(strtoull(one, NULL, 0), &ranges), 0);
		return;
	}
	for (seed = 1; seed <= n && bad < 10; seed++)
		bad += one_seed(seed, &ranges);
	print_message("%" PRIu64 " streams, %" PRIu64 " ranges\n", seed - 1, ranges);
	assert_int_equal(bad, 0);
	assert_true(ranges > 20 * n);
}

/* Bytes before synchronisations are damaged, where nothing speculative outlives these. */
static void test_damaged_before_sync(void **state)
{
	uint64_t n = seeds_wanted(10000) / 10, seed;
	struct rt_damage sum = { 0, 0 };
	unsigned int bad = 0;
	struct gen_case c;

	(void)state;
	for (seed = 1; seed <= n && bad < 10; seed++) {
		gen_case_opts(seed, GEN_X_SPEC | GEN_X_OVERFLOW | GEN_X_TX | GEN_X_Q | GEN_X_CUT, &c);
		c.tu.p_soft = 0;
		c.tu.sync_every = 60 + seed % 300;
		gen_case_build(&c);
		bad += rt_damage_before_syncs(seed, &c, &sum);
		gen_case_free(&c);
	}
	print_message("%" PRIu64 " damaged streams, %" PRIu64 " of them with a bad packet\n", sum.tried, sum.noticed);
	assert_int_equal(bad, 0);
	assert_true(sum.tried > 10 * n && sum.noticed > n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_streams),
		cmocka_unit_test(test_damaged_before_sync),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
