/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of events of several sources, each of which is out of order: kept in memory, and read again in each pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "history_build.h"
#include "sideband/side_order.h"

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
			assert_int_equal(side_order_note(&so, r, &lists[i].e[k]), 0);
	}
	assert_int_equal(side_order_finish(&so), 0);
	assert_int_equal(so.events, SOURCES * EVENTS);
	assert_int_equal(side_order_kept(&so), SOURCES * EVENTS <= keep);
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
		assert_int_equal(side_order_rewind(&so), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(several_sources) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
