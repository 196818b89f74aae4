/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The losses as one share of the trace: which causes count how, and where a limit lies.
 * tests/data/recordings has two whole ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/losses/share.h"

/* The share of one cause in 1,000 bytes, 10 AUX records and 90 records. */
static uint64_t of_one(enum loss cause, uint64_t count, uint64_t bytes)
{
	static const struct loss_base base = { .bytes = 1000, .aux_records = 10, .records = 90 };
	struct losses ls = { .nr_lost = 0 };
	struct loss_share s;

	ls.cause[cause] = (struct loss_amount){ count, bytes };
	s = losses_share(&ls, &base);
	assert_int_equal(s.of, 1000);
	return s.lost;
}

static void by_cause(void **state)
{
	int i;

	(void)state;
	assert_int_equal(of_one(LOSS_AUX_MISSING, 40, 40), 40);
	assert_int_equal(of_one(LOSS_OVERFLOW, 3, 70), 70);
	assert_int_equal(of_one(LOSS_DISCARD, 3, 0), 3);
	assert_int_equal(of_one(LOSS_CONTEXT, 5, 0), 5);
	assert_int_equal(of_one(LOSS_ATOMS, 500, 0), 1);
	assert_int_equal(of_one(LOSS_UNSYNCED, 500, 0), 1);
	assert_int_equal(of_one(LOSS_UNSYNCED, 500, 500), 500);
	assert_int_equal(of_one(LOSS_TRUNCATED, 2, 0), 200);
	assert_int_equal(of_one(LOSS_PARTIAL, 10, 0), 1000);
	assert_int_equal(of_one(LOSS_LOST, 10, 0), 100);
	assert_int_equal(of_one(LOSS_BAD_RECORD, 30, 0), 250);
	assert_int_equal(of_one(LOSS_CUT, 1, 0), 1000);
	assert_int_equal(of_one(LOSS_EXPAND, 1, 0), 1000);
	assert_int_equal(of_one(LOSS_JITDUMP, 1, 0), 1000);
	/* no cause is nothing, and none is more than all */
	for (i = 0; i < NR_LOSSES; i++) {
		assert_in_range(of_one((enum loss)i, 1, 0), 1, 1000);
		assert_in_range(of_one((enum loss)i, UINT64_MAX, UINT64_MAX), 1, 1000);
	}
}

static void greatest(void **state)
{
	const struct loss_base base = { .bytes = 1000, .aux_records = 10, .records = 90 };
	const struct loss_base none = { .bytes = 0 };
	struct losses ls = {
		.cause[LOSS_DISCARD] = { 150, 0 }, .cause[LOSS_NO_FILE] = { 1, 100 },
		.cause[LOSS_TRUNCATED] = { 2, 0 }, .cause[LOSS_LOST] = { 10, 0 },
	};

	(void)state;
	assert_int_equal(losses_share(&ls, &base).lost, 250);
	ls.cause[LOSS_PARTIAL].count = 1;
	assert_int_equal(losses_share(&ls, &base).lost, 300);
	assert_int_equal(losses_share(&ls, &none).lost, losses_share(&ls, &none).of);
	memset(&ls, 0, sizeof(ls));
	assert_int_equal(losses_share(&ls, &base).lost, 0);
	assert_false(loss_share_above(&(struct loss_share){ .of = 1 }, 0));
}

static void limits(void **state)
{
	static const char *const wrong[] = {
		"100.0001%", "1", "1.%", "%", "1.00000%", "1% ", "4294967297%", "",
	};
	const struct loss_share large = { .lost = UINT64_MAX / 4,
					  .of = UINT64_MAX };
	const struct loss_share third = { .lost = 1, .of = 3 };
	const struct loss_share all = { .lost = 7, .of = 7 };
	uint32_t max = 5;
	size_t i;

	(void)state;
	assert_true(loss_share_above(&third, 333333));
	assert_false(loss_share_above(&third, 1000000));
	assert_true(loss_share_above(&third, 0));
	assert_true(loss_share_above(&large, 249999));
	assert_false(loss_share_above(&large, 250000));
	assert_true(loss_share_above(&all, 999999));
	assert_false(loss_share_above(&all, 1000000));
	assert_true(loss_share_read("0%", &max) && max == 0);
	assert_true(loss_share_read("2%", &max) && max == 20000);
	assert_true(loss_share_read("0.05%", &max) && max == 500);
	assert_true(loss_share_read("12.3456%", &max) && max == 123456);
	assert_true(loss_share_read("100.0000%", &max) && max == 1000000);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(loss_share_read(wrong[i], &max));
	assert_int_equal(max, 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_cause),
		cmocka_unit_test(greatest),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
