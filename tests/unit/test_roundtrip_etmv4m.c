/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip_etmv4m.c - the round trip for what only trace units of the R and M profile have: low overhead
 * loops and branch futures, tail chains, exception and function returns as P0 elements, loads and stores as P0
 * elements (in IT blocks, too), conditional non-branch instructions with their results. Every element must come
 * back. And a damaged byte costs at most the trace up to the next synchronisation.
 *
 * CST_SEEDS=N sets the number of streams (default 10000), CST_SEED=N runs one and shows both sides.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundtrip.h"

#define ASYNC_ZEROS 11

struct seen {
	uint64_t ranges, conditions, located, damaged, noticed;
};

static void count(const struct gen_case *c, struct seen *seen)
{
	size_t i;

	for (i = 0; i < c->nevents; i++)
		if (c->events[i].kind == GEN_COND) {
			seen->conditions++;
			seen->located += c->events[i].start && c->events[i].num;
		}
}

static int exact(uint64_t seed, struct seen *seen)
{
	struct gen_case c;
	int bad;

	gen_profile_case(seed, 0, &c);
	bad = rt_one_case(seed, &c, &seen->ranges);
	count(&c, seen);
	gen_case_free(&c);
	return bad;
}

/* Offset of the n-th alignment synchronisation from `at` on, or len. */
static size_t next_async(const uint8_t *p, size_t len, size_t at, unsigned int n)
{
	size_t i, zeros = 0;

	for (i = at; i < len; i++) {
		if (p[i] == 0x80 && zeros >= ASYNC_ZEROS && !--n)
			return i - ASYNC_ZEROS;
		zeros = p[i] ? 0 : zeros + 1;
	}
	return len;
}

/*
 * State is the same whatever went before after the first range of a packet from `from` on; but an IT block that began
 * before may be four ranges long, and the places of its instructions are not known.
 */
static size_t first_after(const struct list *l, uint64_t from)
{
	size_t i, ranges = 0;

	for (i = 0; i < l->n; i++)
		if (l->v[i].off >= from && l->v[i].kind == GEN_RANGE && ++ranges == 5)
			return i + 1;
	return l->n;
}

/* Elements that say that decoding had to start anew. */
static uint64_t told(const struct list *l)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		n += l->v[i].kind == GEN_NONE && l->v[i].flags;
	return n;
}

/*
 * One byte is changed. From the second synchronisation after it on (the change may have swallowed the first
 * one) everything is as without it, and no more is counted as lost than lies before that.
 */
static int damaged(uint64_t seed, struct seen *seen)
{
	struct cst_stats clean, stats;
	struct list want;
	struct gen_case c;
	struct run r;
	size_t at, sync, i, j;
	uint8_t *copy;
	int bad = 0;

	gen_profile_case(seed, 1, &c);
	rt_begin(&r, &c, 1 << 20);
	r.rnd = seed;
	rt_decode(&r, c.trace, c.len, false, false, &clean);
	want = r.got;
	memset(&r.got, 0, sizeof(r.got));
	copy = malloc(c.len);
	assert_non_null(copy);
	memcpy(copy, c.trace, c.len);
	at = ASYNC_ZEROS + 1 + (seed * 2654435761u >> 7) % (c.len - ASYNC_ZEROS - 1);
	copy[at] ^= 1 + (seed * 40503u >> 3) % 255;
	rt_decode(&r, copy, c.len, false, false, &stats);
	sync = next_async(c.trace, c.len, at + 1, 2);
	i = first_after(&want, sync);
	j = first_after(&r.got, sync);
	if (sync < c.len) {
		seen->damaged++;
		seen->noticed += stats.resyncs != 0;
		for (; i < want.n && j < r.got.n && rt_same(&want.v[i], &r.got.v[j]); i++, j++)
			;
		if (i != want.n || j != r.got.n) {
			print_message("seed %" PRIu64 ": byte %zu changed, not the same after %zu\n", seed, at, sync);
			rt_show("want", &want, i);
			rt_show(" got", &r.got, j);
			bad = 1;
		}
		if (stats.unsynced > sync - at + CST_MAX_PACKET || told(&r.got) != stats.resyncs) {
			print_message("seed %" PRIu64 ": byte %zu changed, %" PRIu64 " bytes lost before %zu\n", seed, at,
				      stats.unsynced, sync);
			bad = 1;
		}
	}
	free(copy);
	free(want.v);
	rt_end(&r);
	gen_case_free(&c);
	return bad;
}

static uint64_t streams(void)
{
	const char *n = getenv("CST_SEEDS");

	return n ? strtoull(n, NULL, 0) : 10000;
}

static void test_exact(void **state)
{
	const char *one = getenv("CST_SEED");
	uint64_t n = streams(), seed;
	struct seen seen = { 0, 0, 0, 0, 0 };
	unsigned int bad = 0;

	(void)state;
	if (one) {
		assert_int_equal(exact(strtoull(one, NULL, 0), &seen), 0);
		return;
	}
	for (seed = 1; seed <= n && bad < 10; seed++)
		bad += exact(seed, &seen);
	print_message("%" PRIu64 " streams, %" PRIu64 " ranges, %" PRIu64 " conditional instructions, %" PRIu64 " resolved\n",
		      seed - 1, seen.ranges, seen.conditions, seen.located);
	assert_int_equal(bad, 0);
	assert_true(seen.ranges > 20 * n && seen.located > n && seen.conditions > seen.located);
}

static void test_damaged(void **state)
{
	const char *one = getenv("CST_SEED");
	uint64_t n = streams(), seed;
	struct seen seen = { 0, 0, 0, 0, 0 };
	unsigned int bad = 0;

	(void)state;
	if (one) {
		assert_int_equal(damaged(strtoull(one, NULL, 0), &seen), 0);
		return;
	}
	for (seed = 1; seed <= n && bad < 10; seed++)
		bad += damaged(seed, &seen);
	print_message("%" PRIu64 " damaged streams, %" PRIu64 " of them with a bad packet\n", seen.damaged, seen.noticed);
	assert_int_equal(bad, 0);
	assert_true(seen.damaged > n / 3 && seen.noticed > n / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
