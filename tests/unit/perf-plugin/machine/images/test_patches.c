/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel text that changes: what is kept of many changes, and which of two that overlap counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso_table.h"
#include "machine/images/patches.h"

#define TEXT	0xffff800008010000ull

static const uint8_t nop[4] = { 0x1f, 0x20, 0x03, 0xd5 }, branch[4] = { 2, 0, 0, 0x14 };

/* A place that goes to and fro costs as much as one that changed once. */
static void memory_follows_the_places(void **state)
{
	struct dso_table t;
	struct patches ps = { 0 };
	uint64_t at, first[2];
	unsigned int i;

	(void)state;
	dso_table_init(&t);
	patches_place(&ps, &t, nop, 4, &first[0]);
	patches_place(&ps, &t, branch, 4, &first[1]);
	for (i = 0; i < 100000; i++) {
		const uint8_t *old = i & 1 ? branch : nop, *new = i & 1 ? nop : branch;

		patches_note(&ps, TEXT + 4 * (i % 10), 1000 + i, i, old, 4);
		patches_place(&ps, &t, new, 4, &at);
		assert_int_equal(at, first[!(i & 1)]);
	}
	assert_true(ps.cap_word <= 64);
	assert_int_equal(ps.size, 8);
	patches_finish(&ps, &t);
	/* ten words, of which every other one was a branch at first */
	assert_int_equal(ps.nr_run, 1);
	assert_int_equal(ps.run[0].end - ps.run[0].start, 40);
	for (i = 0; i < 10; i++)
		assert_memory_equal(ps.dso->image.data + ps.run[0].at + 4 * i, i & 1 ? branch : nop,
				    4);
	/* what is there is found */
	patches_place(&ps, &t, branch, 4, &at);
	patches_free(&ps);
	dso_table_free(&t);
}

/* Thousands of different stretches of bytes: each has one place, by its content and its length. */
static void many_stretches(void **state)
{
	enum { N = 3000 };
	struct dso_table t;
	struct patches ps = { 0 };
	static uint64_t at[N];
	uint64_t again, sum = 0;
	unsigned int i, round;

	(void)state;
	dso_table_init(&t);
	for (round = 0; round < 2; round++)
		for (i = 0; i < N; i++) {
			uint8_t bytes[16] = { (uint8_t)i, (uint8_t)(i >> 8) };
			size_t len = 4 + 4 * (i % 4);

			patches_place(&ps, &t, bytes, len, &again);
			if (!round) {
				at[i] = again;
				assert_int_equal(again, sum);
				sum += len;
			}
			assert_int_equal(again, at[i]);
			assert_memory_equal(ps.bytes + again, bytes, len);
		}
	assert_int_equal(ps.size, sum);
	assert_int_equal(ps.nr_seq, N);
	patches_free(&ps);
	dso_table_free(&t);
}

/* Records that overlap, and that are not in order of time: the earliest word of each place counts. */
static void overlaps(void **state)
{
	static const uint8_t old1[12] = "aaaabbbbcccc", old2[12] = "BBBBCCCCDDDD";
	struct dso_table t;
	struct patches ps = { 0 };
	const struct patch_run *r;

	(void)state;
	dso_table_init(&t);
	patches_note(&ps, TEXT + 4, 200, 1, old2, 12);
	patches_note(&ps, TEXT, 100, 2, old1, 12);
	patches_note(&ps, TEXT + 64, 50, 3, old1, 7);	/* only whole words */
	patches_finish(&ps, &t);
	r = patches_next(&ps, 0);
	assert_int_equal(r->start, TEXT);
	assert_int_equal(r->end, TEXT + 16);
	assert_memory_equal(ps.dso->image.data + r->at, "aaaabbbbccccDDDD", 16);
	assert_ptr_equal(patches_next(&ps, TEXT + 15), r);
	r = patches_next(&ps, TEXT + 16);
	assert_int_equal(r->start, TEXT + 64);
	assert_int_equal(r->end, TEXT + 68);
	assert_null(patches_next(&ps, TEXT + 68));
	patches_free(&ps);
	dso_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_follows_the_places), cmocka_unit_test(many_stretches),
		cmocka_unit_test(overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
