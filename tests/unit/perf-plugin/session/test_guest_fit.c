/* SPDX-License-Identifier: BSD-3-Clause */
/* test_guest_fit.c - the offset between the clocks of a host's trace and a guest's recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/guest_clocks.h"

#define CHANGES 200

static uint64_t state;

static uint64_t rnd(uint64_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

/*
 * Changes of some threads at random times, and the same on another clock, each up to `jitter` ns
 * later.
 */
static void make(struct guest_turn *a, struct guest_turn *b, int64_t offset, uint64_t jitter)
{
	uint64_t time = 5000000000;
	int i;

	for (i = 0; i < CHANGES; i++) {
		time += 20000 + rnd(300000);
		a[i] = (struct guest_turn){ .time = time, .tid = 100 + (int)rnd(4) };
		b[CHANGES - 1 - i] = a[i];
		b[CHANGES - 1 - i].time += (uint64_t)(offset + (int64_t)rnd(jitter + 1));
	}
}

static void finds_it(void **data)
{
	static const int64_t offsets[] = { 0, 1, -4000000000, 123456789012 };
	static const uint64_t jitters[] = { 0, 150, 1500, 10000 };
	struct guest_turn a[CHANGES], b[CHANGES];
	struct guest_fit fit;
	size_t i, k;

	(void)data;
	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++) {
			make(a, b, offsets[i], jitters[k]);
			guest_clock_fit(a, CHANGES, b, CHANGES, &fit);
			assert_true(guest_fit_is_sure(&fit));
			assert_true(fit.offset >= offsets[i]);
			assert_true(fit.offset <= offsets[i] + (int64_t)jitters[k]);
		}
}

/* Only a part of the changes was recorded: at least half of them are needed. */
static void needs_half(void **data)
{
	struct guest_turn a[CHANGES], b[CHANGES];
	struct guest_fit fit;

	(void)data;
	make(a, b, 777, 0);
	guest_clock_fit(a, CHANGES, b, CHANGES * 6 / 10, &fit);
	assert_true(guest_fit_is_sure(&fit));
	assert_int_equal(fit.offset, 777);
	guest_clock_fit(a, CHANGES, b, CHANGES / 5, &fit);
	assert_false(guest_fit_is_sure(&fit));
}

/* Two threads in turn, in equal steps: a step more fits nearly as well. */
static void refuses_periods(void **data)
{
	struct guest_turn a[CHANGES], b[CHANGES];
	struct guest_fit fit;
	int i;

	(void)data;
	for (i = 0; i < CHANGES; i++) {
		a[i] = (struct guest_turn){ .time = 1000000 + 4000000 * (uint64_t)i,
					    .tid = 1 + (i & 1) };
		b[i] = (struct guest_turn){ .time = a[i].time + 50000, .tid = a[i].tid };
	}
	guest_clock_fit(a, CHANGES, b, CHANGES, &fit);
	assert_false(guest_fit_is_sure(&fit));
	assert_true(4 * fit.other > 3 * fit.fitting);
}

static void nothing_to_compare(void **data)
{
	struct guest_turn a = { 5, 6 }, b = { 5, 7 };
	struct guest_fit fit;

	(void)data;
	guest_clock_fit(&a, 0, &b, 0, &fit);
	assert_false(guest_fit_is_sure(&fit));
	guest_clock_fit(&a, 1, &b, 1, &fit);
	assert_false(guest_fit_is_sure(&fit));
	assert_int_equal(fit.fitting, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_it),
		cmocka_unit_test(needs_half),
		cmocka_unit_test(refuses_periods),
		cmocka_unit_test(nothing_to_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
