/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes into one order of time, in memory and through the temporary file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synth/merge.h"
#include "synth/text.h"

/* A piece of these tests. */
struct item {
	uint64_t time;
	uint32_t lane;
	uint32_t nr;
};

static struct item *got;
static size_t nr_got, cap_got;

static void sink(void *data, const void *bytes, size_t len)
{
	(void)data;
	assert_true(len % sizeof(*got) == 0);
	if (nr_got + len / sizeof(*got) > cap_got) {
		cap_got = 2 * (nr_got + len / sizeof(*got));
		got = realloc(got, cap_got * sizeof(*got));
		assert_non_null(got);
	}
	memcpy(got + nr_got, bytes, len);
	nr_got += len / sizeof(*got);
}

static struct merge *start(void)
{
	const struct merge_sink s = { .write = sink };

	nr_got = 0;
	return merge_new(&s, ".");
}

static void add(struct merge_lane *ln, uint64_t time, uint32_t lane, uint32_t nr)
{
	struct item it = { .time = time, .lane = lane, .nr = nr };

	memcpy(merge_reserve(ln, time), &it, sizeof(it));
	merge_commit(ln, sizeof(it));
}

static void ranks(void **state)
{
	struct merge *m = start();
	struct merge_lane *late = merge_lane_new(m, 2, 0), *mid = merge_lane_new(m, 1, 0),
			  *first = merge_lane_new(m, 0, 0);

	(void)state;
	add(late, 5, 2, 0);
	add(mid, 5, 1, 0);
	add(mid, 7, 1, 1);
	add(first, 5, 0, 0);
	add(first, 8, 0, 1);
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, 5);
	assert_true(got[0].lane == 0 && got[1].lane == 1 && got[2].lane == 2);
	assert_true(got[3].time == 7 && got[4].time == 8);
	merge_free(m);
}

/* Which lane was made first does not matter where the places differ. */
static void places(void **state)
{
	struct merge *m = start();
	struct merge_lane *b = merge_lane_new(m, 1, 1ull << 33), *a = merge_lane_new(m, 1, 7),
			  *c = merge_lane_new(m, 1, 1ull << 33), *last = merge_lane_new(m, 2, 0);

	(void)state;
	add(last, 5, 3, 0);
	add(c, 5, 2, 0);
	add(b, 5, 1, 0);
	add(a, 5, 0, 0);
	add(a, 6, 0, 1);
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, 5);
	assert_true(got[0].lane == 0 && got[1].lane == 1 && got[2].lane == 2 && got[3].lane == 3);
	assert_true(got[4].time == 6 && got[4].lane == 0);
	merge_free(m);
}

/* Enough to need the temporary file. */
static void many(void **state)
{
	enum { LANES = 5, EACH = 30000 };
	struct merge_lane *ln[LANES];
	uint32_t next[LANES] = { 0 };
	struct merge *m = start();
	uint64_t seed = 1, t;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < LANES; i++) {
		ln[i] = merge_lane_new(m, 1, 0);
		t = 0;
		for (k = 0; k < EACH; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			t += seed >> 33 & 7;
			add(ln[i], t, i, k);
		}
	}
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, LANES * EACH);
	for (i = 0; i < nr_got; i++) {
		assert_int_equal(got[i].nr, next[got[i].lane]++);
		assert_true(!i || got[i - 1].time <= got[i].time);
	}
	merge_free(m);
}

/* A time that goes back is taken for the last one: order within a lane is what was said first. */
static void backwards(void **state)
{
	struct merge *m = start();
	struct merge_lane *a = merge_lane_new(m, 0, 0), *b = merge_lane_new(m, 0, 0);

	(void)state;
	add(a, 9, 0, 0);
	add(a, 3, 0, 1);
	add(b, 5, 1, 0);
	assert_int_equal(merge_finish(m), 0);
	assert_true(got[0].lane == 1 && got[1].nr == 0 && got[2].nr == 1 && got[2].lane == 0);
	merge_free(m);
}

static void raise_times(void *data, void *bytes, size_t len, uint64_t time)
{
	struct item *it = bytes, *end = it + len / sizeof(*it);

	++*(unsigned int *)data;
	for (; it < end; it++)
		it->time = time;
}

/* Output of a lane that is earlier than the lane may be is raised to its floor, in its order and its content. */
static void floors(void **state)
{
	unsigned int raised = 0, way, i;
	const struct merge_sink s = { .write = sink, .raise = raise_times, .data = &raised };
	static const struct item want[] = { { 8, 1, 0 }, { 10, 0, 0 }, { 10, 0, 1 }, { 10, 0, 2 }, { 10, 0, 3 }, { 11, 1, 1 },
					    { 12, 0, 4 } };

	(void)state;
	for (way = 0; way < 2; way++) {
		struct merge *m = merge_new(&s, ".");
		struct merge_lane *b = merge_lane_new(m, 0, 2), *a;

		nr_got = raised = 0;
		add(b, 8, 1, 0);
		add(b, 11, 1, 1);
		if (way)
			assert_int_equal(merge_direct(m, merge_lane_new(m, 0, 3)), 0);
		a = merge_lane_new(m, 0, 1);
		add(a, 3, 0, 0);
		add(a, 3, 0, 1);
		add(a, 9, 0, 2);
		add(a, 10, 0, 3);
		add(a, 12, 0, 4);
		merge_lane_floor(a, 10);
		if (way)	/* through the lane that is written at once */
			assert_int_equal(merge_direct_lane(m, a), 0);
		assert_int_equal(merge_finish(m), 0);
		assert_int_equal(raised, 2);	/* the runs of the times 3 and 9 */
		assert_int_equal(nr_got, 7);
		for (i = 0; i < 7; i++)
			assert_true(got[i].time == want[i].time && got[i].lane == want[i].lane && got[i].nr == want[i].nr);
		merge_free(m);
	}
}

static void direct(void **state)
{
	enum { EACH = 40000 };
	struct merge *m = start();
	struct merge_lane *side = merge_lane_new(m, 0, 0), *end = merge_lane_new(m, 2, 0), *main_lane;
	uint32_t next[3] = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		add(side, 1000 * i, 0, i);
		add(end, 1000 * i, 2, i);
	}
	main_lane = merge_lane_new(m, 1, 0);
	assert_int_equal(merge_direct(m, main_lane), 0);
	for (i = 0; i < EACH; i++)
		add(main_lane, i, 1, i);
	assert_true(nr_got > EACH / 2);	/* it did not wait for the end */
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, EACH + 200);
	for (i = 0; i < nr_got; i++) {
		assert_int_equal(got[i].nr, next[got[i].lane]++);
		assert_true(!i || got[i - 1].time < got[i].time ||
			    (got[i - 1].time == got[i].time && got[i - 1].lane < got[i].lane));
	}
	merge_free(m);
}

static void nothing(void **state)
{
	struct merge *m = start();

	(void)state;
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, 0);
	merge_free(m);
	m = start();
	merge_lane_new(m, 0, 0);
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, 0);
	merge_free(m);
}

/* text.h against printf */
static void numbers(void **state)
{
	static const uint64_t v[] = {
		0, 1, 9, 10, 15, 16, 255, 0x400780, 0xfffffff, 0x10000000, 0xffffffff, 0x100000000, 0x123456789a,
		0xfffffffffffffff, 0x0abcdef012345678, 0xffff800010080000, UINT64_MAX,
	};
	char a[64 + TEXT_SPARE], b[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		*text_hex16(a, v[i]) = 0;
		snprintf(b, sizeof(b), "%16llx", (unsigned long long)v[i]);
		assert_string_equal(a, b);
		*text_hex(a, v[i], 9) = 0;
		snprintf(b, sizeof(b), "%9llx", (unsigned long long)v[i]);
		assert_string_equal(a, b);
		*text_hex(a, v[i], 0) = 0;
		snprintf(b, sizeof(b), "%llx", (unsigned long long)v[i]);
		assert_string_equal(a, b);
		*text_dec(a, (int64_t)v[i], 5, ' ') = 0;
		snprintf(b, sizeof(b), "%5lld", (long long)v[i]);
		assert_string_equal(a, b);
	}
	*text_dec(a, 7, 3, '0') = 0;
	assert_string_equal(a, "007");
}

static int done(void **state)
{
	(void)state;
	free(got);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks), cmocka_unit_test(places), cmocka_unit_test(many),
		cmocka_unit_test(backwards), cmocka_unit_test(floors),
		cmocka_unit_test(direct), cmocka_unit_test(nothing), cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests_name("synth merge", tests, NULL, done);
}
