/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of events of several sources, each of which is out of order, and errors of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "machine/sideband/side_order.h"
#include "unit/perf-plugin/history_build.h"

enum { SOURCES = 3, EVENTS = 400 };

static uint32_t random_state;

static uint32_t rnd(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % n;
}

/* Times from 1 on, each out of order by less than `by`; the same time in another source is later by seq. */
static void fill(struct list_source *ls, unsigned int source, uint32_t by)
{
	uint64_t i;

	*ls = (struct list_source){ .src = { list_next, list_rewind, list_free } };
	ls->e = calloc(EVENTS, sizeof(*ls->e));
	assert_non_null(ls->e);
	ls->nr = ls->cap = EVENTS;
	for (i = 0; i < EVENTS; i++)
		ls->e[i] = (struct side_event){ .kind = SIDE_THREAD, .time = 1 + i + rnd(by), .seq = SOURCES * i + source,
						.pid = (int)source, .tid = (int)i };
}

/* `noted` of the sources were read before, as the records of a recording are. */
static void check_order(size_t keep, size_t noted, uint32_t by)
{
	struct list_source lists[SOURCES];
	struct side_event e, last;
	struct side_reader *r;
	struct side_order so;
	unsigned int pass, n;
	bool seen[SOURCES][EVENTS];
	size_t i, k;

	side_order_init(&so);
	so.keep = keep;
	for (i = 0; i < SOURCES; i++) {
		fill(&lists[i], (unsigned int)i, by);
		r = side_order_add(&so, &lists[i].src);
		assert_non_null(r);
		for (k = 0; i < noted && k < EVENTS; k++)
			side_order_note(&so, r, &lists[i].e[k]);
	}
	side_order_finish(&so);
	assert_int_equal(so.events, SOURCES * EVENTS);
	assert_int_equal(side_order_kept(&so), SOURCES * EVENTS <= keep);
	for (i = 0; i < SOURCES; i++)
		lists[i].pos = 0;
	for (pass = 0; pass < 2; pass++) {
		memset(seen, 0, sizeof(seen));
		last = (struct side_event){ .time = 0 };
		for (n = 0; side_order_next(&so, &e) == 1; n++) {
			if (e.time < last.time || (n && e.time == last.time && e.seq <= last.seq))
				fail_msg("event %u of source %d is late: time %u behind %u", (unsigned int)e.tid, e.pid,
					 (unsigned int)e.time, (unsigned int)last.time);
			assert_false(seen[e.pid][e.tid]);
			seen[e.pid][e.tid] = true;
			last = e;
		}
		assert_int_equal(n, SOURCES * EVENTS);
		/* each source is read again in each pass, or none of them */
		for (i = 0; i < SOURCES; i++)
			assert_int_equal(lists[i].pos, side_order_kept(&so) ? 0 : EVENTS);
		side_order_rewind(&so);
	}
	side_order_free(&so);
}

static void several_sources(void **state)
{
	static const size_t keeps[] = { 0, EVENTS, SOURCES * EVENTS - 1, SOURCES * EVENTS };
	size_t i, noted;
	uint32_t by;

	(void)state;
	for (i = 0; i < sizeof(keeps) / sizeof(keeps[0]); i++)
		for (noted = 0; noted <= 2; noted++)
			for (by = 1; by < 300; by = 3 * by + 1)
				check_order(keeps[i], noted, by);
}

static struct list_source list_of(const struct side_event *e, size_t n)
{
	struct list_source ls = { .src = { list_next, list_rewind, list_free }, .nr = n, .cap = n };

	ls.e = malloc(n * sizeof(*e));
	assert_non_null(ls.e);
	memcpy(ls.e, e, n * sizeof(*e));
	return ls;
}

/* Reads all events twice and compares their threads. */
static void expect_order(struct side_order *so, const int *tids, size_t n)
{
	struct side_event e;
	unsigned int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n; i++) {
			assert_int_equal(side_order_next(so, &e), 1);
			if (e.tid != tids[i])
				fail_msg("pass %u, event %zu: thread %d, not %d", pass, i, e.tid, tids[i]);
		}
		assert_int_equal(side_order_next(so, &e), 0);
		assert_int_equal(side_order_next(so, &e), 0);
		side_order_rewind(so);
	}
}

/*
 * Events without a time come first, those behind the first time as well; at one time the place in the file decides, and
 * of one place the number in its source. In a recording without times the place is all there is, also of other sources.
 */
static void times_and_places(void **state)
{
	static const struct side_event first[] = {
		{ .kind = SIDE_THREAD, .tid = 1, .time = 0, .seq = 9 }, { .kind = SIDE_THREAD, .tid = 2, .time = 50, .seq = 10 },
		{ .kind = SIDE_THREAD, .tid = 3, .time = 50, .seq = 11 }, { .kind = SIDE_THREAD, .tid = 4, .time = 0, .seq = 12 },
		{ .kind = SIDE_COMM, .tid = 5, .time = 40, .seq = 13, .comm = "a" },
		{ .kind = SIDE_COMM, .tid = 6, .time = 0, .seq = 14, .comm = "b" },
	};
	static const struct side_event second[] = {
		{ .kind = SIDE_THREAD, .tid = 11, .time = 50, .seq = 10 }, { .kind = SIDE_THREAD, .tid = 12, .time = 50, .seq = 10 },
		{ .kind = SIDE_THREAD, .tid = 13, .time = 45, .seq = 99 }, { .kind = SIDE_THREAD, .tid = 14, .time = 60, .seq = 1 },
	};
	static const int timed[] = { 1, 4, 6, 5, 13, 11, 2, 12, 3, 14 }, untimed[] = { 14, 1, 11, 2, 12, 3, 4, 5, 6, 13 };
	struct list_source a, b;
	struct side_event e;
	struct side_reader *r;
	struct side_order so;
	unsigned int keep, times;
	size_t i;

	(void)state;
	for (keep = 0; keep < 2; keep++) {
		for (times = 0; times < 2; times++) {
			a = list_of(first, 6);
			b = list_of(second, 4);
			for (i = 0; i < a.nr && !times; i++)
				a.e[i].time = 0;
			side_order_init(&so);
			so.keep = keep ? 100 : 0;
			r = side_order_add(&so, &a.src);
			assert_non_null(r);
			assert_non_null(side_order_add(&so, &b.src));
			for (i = 0; i < a.nr; i++)
				side_order_note(&so, r, &a.e[i]);
			side_order_finish(&so);
			assert_int_equal(so.timed, times);
			/* of equal keys that of the source that was added first */
			expect_order(&so, times ? timed : untimed, 10);
			for (i = 0; i < 10; i++) {
				assert_int_equal(side_order_next(&so, &e), 1);
				if (!times)
					assert_int_equal(e.time, 0);
				if (e.kind == SIDE_COMM)
					assert_string_equal(e.comm, e.tid == 5 ? "a" : "b");
			}
			side_order_free(&so);
		}
	}
}

/* Events without a time behind the first time: 65536 of them come before all others, the rest is held back. */
static void late_events(void **state)
{
	enum { LATE = 65536 + 5 };
	struct side_event *all = calloc(LATE + 2, sizeof(*all)), e;
	struct list_source ls;
	struct side_order so;
	unsigned int pass, i;

	(void)state;
	assert_non_null(all);
	for (i = 0; i < LATE + 2; i++)
		all[i] = (struct side_event){ .kind = SIDE_THREAD, .tid = (int)i, .seq = i, .time = !i || i > LATE ? 5 + i : 0 };
	ls = list_of(all, LATE + 2);
	side_order_init(&so);
	so.keep = 0;
	assert_non_null(side_order_add(&so, &ls.src));
	side_order_note(&so, so.readers[0], &all[0]);
	for (i = 1; i < LATE + 2; i++)
		side_order_note(&so, so.readers[0], &all[i]);
	side_order_finish(&so);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < LATE + 2; i++) {
			assert_int_equal(side_order_next(&so, &e), 1);
			if (e.tid != (int)(i < LATE ? i + 1 : i == LATE ? 0 : LATE + 1))
				fail_msg("event %u is of thread %d", i, e.tid);
		}
		assert_int_equal(side_order_next(&so, &e), 0);
		side_order_rewind(&so);
	}
	side_order_free(&so);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_events), cmocka_unit_test(several_sources),
		cmocka_unit_test(times_and_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
