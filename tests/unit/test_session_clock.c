/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace timestamps to perf time: as the file says, or estimated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/clock.h"

/* 25 MHz: 40 ns per tick. */
static const struct pd_time_conv conv = { .shift = 10, .mult = 40 << 10, .zero = 1000000, .usable = true };

static void converted(void **state)
{
	struct trace_clock c;
	uint64_t ns;

	(void)state;
	clock_init(&c, &conv, true, true, true, 0);
	assert_int_equal(c.kind, CLOCK_CONVERTED);
	clock_pair(&c, 1, 99);	/* nothing to estimate */
	assert_true(clock_ns(&c, 100, &ns));
	assert_int_equal(ns, 1000000 + 4000);
}

static void no_timestamps(void **state)
{
	struct trace_clock c;
	uint64_t ns;

	(void)state;
	clock_init(&c, &conv, false, true, true, 0);
	assert_int_equal(c.kind, CLOCK_NONE);
	assert_false(clock_ns(&c, 100, &ns));
}

static void estimated(void **state)
{
	struct trace_clock c;
	uint64_t ns;

	(void)state;
	clock_init(&c, NULL, true, false, false, 0);
	assert_int_equal(c.kind, CLOCK_ESTIMATED);
	assert_false(clock_ns(&c, 100, &ns));
	clock_pair(&c, 5000, 700000);
	clock_pair(&c, 1, 1);	/* the first pair counts */
	assert_true(clock_ns(&c, 5100, &ns));
	assert_int_equal(ns, 700100);
	assert_true(clock_ns(&c, 4000, &ns));
	assert_int_equal(ns, 699000);
	/* damaged timestamps neither wrap nor trap */
	assert_true(clock_ns(&c, UINT64_MAX, &ns));
	assert_true(ns > 700000);
	clock_init(&c, NULL, true, false, false, 1);
	clock_pair(&c, 1u << 31, 5);
	assert_true(clock_ns(&c, UINT64_MAX, &ns));
	assert_true(clock_ns(&c, 0, &ns));
	assert_int_equal(ns, 0);
}

/* Where the frequency comes from. */
static void frequency(void **state)
{
	struct trace_clock c;
	uint64_t ns;

	(void)state;
	/* the physical counter: same rate, other zero */
	clock_init(&c, &conv, true, false, true, 0);
	assert_int_equal(c.kind, CLOCK_ESTIMATED);
	clock_pair(&c, 0, 0);
	assert_true(clock_ns(&c, 10, &ns));
	assert_int_equal(ns, 400);
	/* an unknown counter may tick at any rate */
	clock_init(&c, &conv, true, false, false, 0);
	clock_pair(&c, 0, 0);
	assert_true(clock_ns(&c, 10, &ns));
	assert_int_equal(ns, 10);
	/* the user knows better */
	clock_init(&c, &conv, true, true, true, 100000000);
	assert_int_equal(c.kind, CLOCK_ESTIMATED);
	clock_pair(&c, 0, 0);
	assert_true(clock_ns(&c, 10, &ns));
	assert_int_equal(ns, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(converted),
		cmocka_unit_test(no_timestamps),
		cmocka_unit_test(estimated),
		cmocka_unit_test(frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
