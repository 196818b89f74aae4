/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes into one order of time, in memory and through the temporary file. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "outputs/synth/merge.h"

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

static struct merge *start_in(const char *dir)
{
	const struct merge_sink s = { .write = sink };

	nr_got = 0;
	return merge_new(&s, dir);
}

static struct merge *start(void)
{
	return start_in(".");
}

static void add(struct merge_lane *ln, uint64_t time, uint32_t lane, uint32_t nr)
{
	struct item it = { .time = time, .lane = lane, .nr = nr };

	memcpy(merge_reserve(ln, time), &it, sizeof(it));
	merge_commit(ln, sizeof(it));
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

/* Enough to need the temporary file, which is closed at the end. */
static void many(void **state)
{
	enum { LANES = 5, EACH = 30000 };
	const int fd = dup(0);
	struct merge_lane *ln[LANES];
	uint32_t next[LANES] = { 0 };
	struct merge *m = start();
	uint64_t seed = 1, t;
	unsigned int i, k;

	(void)state;
	assert_true(fd >= 0 && !close(fd));
	for (i = 0; i < LANES; i++) {
		ln[i] = merge_lane_new(m, 1, 0);
		t = 0;
		for (k = 0; k < EACH; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			t += seed >> 33 & 7;
			add(ln[i], t, i, k);
		}
	}
	assert_true(fcntl(fd, F_GETFD) >= 0);
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, LANES * EACH);
	for (i = 0; i < nr_got; i++) {
		assert_int_equal(got[i].nr, next[got[i].lane]++);
		assert_true(!i || got[i - 1].time <= got[i].time);
	}
	merge_free(m);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
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

/* Lanes of one place, as pieces of one stream have them, are in the order of their numbers, and then in that of their making. */
static void orders(void **state)
{
	struct merge_lanes ls[3] = { { .v = NULL } };
	struct merge *m = start();
	struct merge_lane *ln[40];
	unsigned int i;

	(void)state;
	/* the list of the second piece grows */
	for (i = 0; i < 40; i++) {
		ln[i] = merge_lanes_add(&ls[i < 2 ? 0 : i < 38 ? 1 : 2], m, 1, 9);
		assert_non_null(ln[i]);
	}
	assert_int_equal(ls[1].nr, 36);
	for (i = 0; i < 36; i++)
		assert_ptr_equal(ls[1].v[i], ln[2 + i]);
	merge_lanes_order(&ls[0], 7);
	merge_lanes_order(&ls[1], 3);
	merge_lanes_order(&ls[2], 5);
	for (i = 0; i < 40; i++)
		add(ln[39 - i], 5, 39 - i, 0);
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, 40);
	for (i = 0; i < 40; i++)
		assert_int_equal(got[i].lane, i < 38 ? i + 2 : i - 38);
	for (i = 0; i < 3; i++)
		merge_lanes_free(&ls[i]);
	assert_int_equal(ls[1].nr, 0);
	merge_free(m);
}

enum { BIG = 200000 };	/* pieces of a lane that need many chunks in the file */

/* What is dropped does not come out, in the file or not. */
static void dropped(void **state)
{
	struct merge_lanes ls = { .v = NULL };
	struct merge *m = start();
	struct merge_lane *kept = merge_lane_new(m, 1, 0), *big = merge_lanes_add(&ls, m, 1, 1), *small = merge_lanes_add(&ls, m, 1, 2);
	unsigned int i;

	(void)state;
	for (i = 0; i < BIG; i++)
		add(big, i, 1, i);
	add(small, 1, 2, 0);
	add(kept, 3, 0, 0);
	merge_lanes_drop(&ls);
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, 1);
	assert_int_equal(got[0].lane, 0);
	merge_lanes_free(&ls);
	merge_free(m);
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
		cmocka_unit_test(places), cmocka_unit_test(many), cmocka_unit_test(backwards),
		cmocka_unit_test(floors), cmocka_unit_test(direct), cmocka_unit_test(orders),
		cmocka_unit_test(dropped),
	};

	return cmocka_run_group_tests_name("synth merge", tests, NULL, done);
}
