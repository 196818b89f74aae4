/* SPDX-License-Identifier: BSD-3-Clause */
/* test_history_avl.c - the order of keys in the sets of a state: by number, then by text, of which a part comes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "files/history/avl.h"

static void order(void **state)
{
	/* in ascending order; what is in memory behind a text makes no difference */
	static const struct avl_key keys[] = {
		{ .text = { "", 0 } }, { .text = { "abz", 2 } }, { .text = { "abc", 3 } }, { .text = { "abd", 3 } }, { .text = { "b", 1 } },
		{ .number = 1, .text = { "a", 1 } }, { .number = 2 }, { .kind = 1 }, { .kind = 2 }, { .pid = 1 }, { .pid = 2 },
	};
	size_t i, k;
	int c;

	(void)state;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			c = cst_avl_compare(&keys[i], &keys[k]);
			if (i == k ? c : i < k ? c >= 0 : c <= 0)
				fail_msg("keys %zu and %zu: %d", i, k, c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(order) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
