/* SPDX-License-Identifier: BSD-3-Clause */
/* The share of trace that count files lost, by their totals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "counting/countfiles/lost.h"

static struct loss_share of_file(uint64_t losses, uint64_t measured, uint64_t lost)
{
	struct count_lost l = { 0 };

	count_lost_add(&l, "bytes.traced", 900);
	count_lost_add(&l, "bytes.absent", 100);
	count_lost_add(&l, "loss.overflow", losses);
	count_lost_add(&l, "loss.discard", 1);
	count_lost_add(&l, "losses.measured", measured);
	count_lost_add(&l, "bytes.lost", lost);
	return count_lost_share(&l);
}

/* A sum with one file whose losses are not measured has no share. */
static void count_files(void **state)
{
	struct count_lost none = { 0 };

	(void)state;
	assert_int_equal(of_file(4, 5, 30).lost, 30);
	assert_int_equal(of_file(4, 5, 30).of, 1000);
	assert_int_equal(of_file(4, 4, 30).lost, 1000);
	assert_int_equal(of_file(4, 5, 5000).lost, 1000);
	assert_int_equal(of_file(4, 5, 0).lost, 1);
	assert_int_equal(count_lost_share(&none).lost, 0);
}

/* Recordings of which nothing says what was lost are counted, and are in no share. */
static void unknown(void **state)
{
	struct count_lost l = { 0 };

	(void)state;
	assert_int_equal(of_file(4, 5, 30).unknown, 0);
	count_lost_add(&l, "bytes.traced", 1000);
	count_lost_add(&l, LOST_UNKNOWN, 2);
	count_lost_add(&l, LOST_UNKNOWN, 1);
	assert_int_equal(count_lost_share(&l).lost, 0);
	assert_int_equal(count_lost_share(&l).unknown, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(count_files),
					    cmocka_unit_test(unknown) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
