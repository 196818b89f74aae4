/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_damage_state.c - damage of trace with speculation and transactions, whose state no A-sync resets: the Trace Info
 * behind it corrects the decoder.
 *
 * CST_SEEDS=N sets the number of traces (default 2000, in make nightly 5000; see
 * unit/seeds.h), CST_SEED=N damages one.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/lib/roundtrip.h"
#include "unit/seeds.h"
#include "util.h"

static int one_seed(uint64_t seed, struct rt_damage *sum)
{
	struct gen_case c;
	struct rng rng;
	int bad;

	gen_case_opts(seed, GEN_X_CUT, &c);
	rng_seed(&rng, seed ^ 0x5bd1e995);
	c.tu.sync_every = rng_range(&rng, 40, 400);
	if (!c.tu.maxspec && rng_below(&rng, 3)) {
		c.tu.maxspec = (uint8_t)rng_range(&rng, 1, 40);
		c.tu.p_commit = (uint16_t)rng_range(&rng, 20, 800);
		c.tu.p_off_commit = 1000;
		c.tu.p_mispredict = (uint16_t)rng_below(&rng, 200);
		c.tu.p_phantom = (uint16_t)rng_below(&rng, 80);
	}
	if (c.tu.ete && rng_below(&rng, 2))
		c.prog.tx = 1;
	gen_case_build(&c);
	bad = rt_damage_state(seed, &c, sum);
	gen_case_free(&c);
	return bad;
}

static void test_damaged(void **state)
{
	const char *one = getenv("CST_SEED");
	uint64_t n = seeds_wanted(getenv("CSTRACE_NIGHTLY") ? 5000 : 2000), seed;
	struct rt_damage sum = { 0, 0 };
	unsigned int bad = 0;

	(void)state;
	if (one) {
		assert_int_equal(one_seed(strtoull(one, NULL, 0), &sum), 0);
		return;
	}
	for (seed = 1; seed <= n && bad < 10; seed++)
		bad += (unsigned int)one_seed(seed, &sum);
	print_message("%" PRIu64 " damaged traces, %" PRIu64 " of them with more losses\n", sum.tried, sum.noticed);
	assert_int_equal(bad, 0);
	assert_true(sum.noticed > sum.tried / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
