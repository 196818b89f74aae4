/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes into one order of time, in memory and through the temporary file. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "outputs/synth/merge.h"
#include "outputs/synth/text.h"
#include "unit/perf-plugin/checked_locks.h"

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

int __real_fallocate64(int fd, int mode, off_t at, off_t len);
int __wrap_fallocate64(int fd, int mode, off_t at, off_t len);

static uint64_t given_back;	/* bytes of temporary files; each follows those before it */

int __wrap_fallocate64(int fd, int mode, off_t at, off_t len)
{
	assert_int_equal(at, given_back);
	assert_int_equal(mode, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE);
	given_back += (uint64_t)len;
	return __real_fallocate64(fd, mode, at, len);
}

/* A whole lane goes through the one that is written at once, between what other lanes have. */
static void direct_lanes(void **state)
{
	struct merge *m = start();
	struct merge_lane *side = merge_lane_new(m, 0, 0), *out = merge_lane_new(m, 1, 0), *big;
	uint32_t next[2] = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 10; i++)
		add(side, 20000 * i, 0, i);
	assert_int_equal(merge_direct(m, out), 0);
	big = merge_lane_new(m, 1, 1);
	for (i = 0; i < BIG; i++)
		add(big, 5 + i / 2, 1, i);
	assert_int_equal(big->first, 5);
	assert_int_equal(big->time, 5 + (BIG - 1) / 2);
	given_back = 0;
	assert_int_equal(merge_direct_lane(m, big), 0);
	/* a header of 16 bytes for each of the BIG / 2 times at least: all of it was in the file */
	assert_true(given_back >= BIG * sizeof(struct item) + BIG / 2 * 16);
	assert_int_equal(merge_finish(m), 0);
	assert_int_equal(nr_got, BIG + 10);
	for (i = 0; i < nr_got; i++) {
		assert_int_equal(got[i].nr, next[got[i].lane]++);
		assert_true(!i || got[i - 1].time < got[i].time ||
			    (got[i - 1].time == got[i].time && got[i - 1].lane <= got[i].lane));
	}
	merge_free(m);
}

/* ---- the temporary file -------------------------------------------------------------------------- */

ssize_t __real_pread64(int fd, void *buf, size_t len, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t len, off_t at);
ssize_t __real_pwrite64(int fd, const void *buf, size_t len, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t len, off_t at);

/* What becomes of reads and writes: each transfers all or a part, until they fail with an errno, or transfer nothing (0). */
static struct {
	unsigned int reads, writes;	/* how many are left that succeed */
	bool in_parts;
	int error;
} refusal = { UINT32_MAX, UINT32_MAX, false, 0 };

static ssize_t refused(void)
{
	errno = refusal.error;
	return refusal.error ? -1 : 0;
}

ssize_t __wrap_pread64(int fd, void *buf, size_t len, off_t at)
{
	if (!refusal.reads)
		return refused();
	refusal.reads -= refusal.reads != UINT32_MAX;
	return __real_pread64(fd, buf, refusal.in_parts ? (len + 2) / 3 : len, at);
}

ssize_t __wrap_pwrite64(int fd, const void *buf, size_t len, off_t at)
{
	if (!refusal.writes)
		return refused();
	refusal.writes -= refusal.writes != UINT32_MAX;
	return __real_pwrite64(fd, buf, refusal.in_parts ? (len + 2) / 3 : len, at);
}

/* Merges two lanes of which one needs the file. Returns what merge_finish() does, with the reason. */
static int merge_two(const char *dir, char *why, size_t room)
{
	struct merge *m = start_in(dir);
	struct merge_lane *big = merge_lane_new(m, 1, 0), *other = merge_lane_new(m, 1, 1);
	unsigned int i;
	int rc;

	for (i = 0; i < BIG; i++)
		add(big, i, 0, i);
	add(other, BIG / 2, 1, 0);
	rc = merge_finish(m);
	snprintf(why, room, "%s", merge_why(m));
	merge_free(m);
	return rc;
}

static void file(void **state)
{
	char why[128];
	unsigned int i;

	(void)state;
	refusal.in_parts = true;
	assert_int_equal(merge_two("", why, sizeof(why)), 0);
	refusal.in_parts = false;
	assert_int_equal(nr_got, BIG + 1);
	for (i = 0; i < nr_got; i++)
		assert_true(got[i].lane ? i == BIG / 2 + 1 : got[i].nr == i - (i > BIG / 2));
	assert_int_equal(merge_two("./nowhere", why, sizeof(why)), ERR_IO);
	assert_string_equal(why, strerror(ENOENT));
	assert_int_equal(nr_got, 0);
	/* a write, a read, at first or later */
	for (i = 0; i < 8; i++) {
		refusal.error = i & 1 ? ENOSPC : 0;
		*(i & 2 ? &refusal.reads : &refusal.writes) = i & 4 ? 3 : 0;
		assert_int_equal(merge_two(".", why, sizeof(why)), ERR_IO);
		assert_string_equal(why, strerror(i & 1 ? ENOSPC : EIO));
		assert_true(nr_got < BIG);
		refusal.reads = refusal.writes = UINT32_MAX;
	}
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
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		*text_hex16(a, v[i]) = 0;
		snprintf(b, sizeof(b), "%16llx", (unsigned long long)v[i]);
		assert_string_equal(a, b);
		for (k = 0; k < sizeof(v) / sizeof(v[0]); k++) {
			text_hex16_pair(a, v[i], text_hex_upper(v[i]), a + 16, v[k], text_hex_upper(v[k]));
			a[32] = 0;
			snprintf(b, sizeof(b), "%16llx%16llx", (unsigned long long)v[i], (unsigned long long)v[k]);
			assert_string_equal(a, b);
		}
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

/* What lanes share, so that they can be written in several threads, is used under its lock. */
static int end_test(void **state)
{
	(void)state;
	if (locks_wrong)
		print_error("%u calls for a lock failed\n", locks_wrong);
	return locks_wrong ? -1 : 0;
}

static int done(void **state)
{
	(void)state;
	free(got);
	return 0;
}

#define LOCKED(test) cmocka_unit_test_teardown(test, end_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOCKED(ranks), LOCKED(places), LOCKED(many),
		LOCKED(backwards), LOCKED(floors),
		LOCKED(direct), LOCKED(orders), LOCKED(dropped), LOCKED(direct_lanes),
		LOCKED(file), LOCKED(nothing), LOCKED(numbers),
	};

	return cmocka_run_group_tests_name("synth merge", tests, NULL, done);
}
