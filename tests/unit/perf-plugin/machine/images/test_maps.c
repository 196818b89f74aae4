/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps against a model with one entry per page, and where code is replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/maps.h"
#include "machine/tasks/threads.h"
#include "unit/perf-plugin/history_build.h"

#define PAGES 64u

static struct dso files[4];

struct page {
	struct dso *dso;
	uint64_t off;
};

static uint32_t random_state;

static uint32_t rnd(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % n;
}

static void check_model(const struct maplist *ml, const struct page *model)
{
	const struct map *m;
	uint64_t addr;
	unsigned int p;

	for (p = 0; p < PAGES; p++) {
		addr = p * 4096u + rnd(4096);
		m = maplist_find(ml, addr);
		if (!model[p].dso) {
			assert_null(m);
			continue;
		}
		assert_non_null(m);
		assert_ptr_equal(m->dso, model[p].dso);
		assert_int_equal(m->off + (addr - m->start), model[p].off + addr % 4096);
	}
}

static void maps_against_model(void **state)
{
	struct page model[PAGES] = { { NULL, 0 } };
	struct maplist *ml = maplist_new();
	unsigned int i, p;

	(void)state;
	random_state = 7;
	for (i = 0; i < 3000; i++) {
		unsigned int first = rnd(PAGES), n = 1 + rnd(PAGES - first);
		struct map m = { .start = first * 4096u, .end = (first + n) * 4096u,
				 .off = rnd(16) * 4096u };
		bool conflict = false;

		m.dso = rnd(4) ? &files[rnd(3)] : NULL;
		for (p = first; p < first + n; p++)
			conflict |= model[p].dso &&
				    (model[p].dso != m.dso || model[p].off != m.off + (p - first) * 4096u);
		assert_int_equal(maplist_conflicts(ml, &m), conflict);
		maplist_set(ml, &m);
		/* a range without addresses changes nothing */
		m.end = m.start;
		m.start += rnd(2) * 4096u;
		m.off += 0x100000;
		maplist_set(ml, &m);
		m.off -= 0x100000;
		for (p = first; p < first + n; p++) {
			model[p].dso = m.dso;
			model[p].off = m.off + (p - first) * 4096u;
		}
		check_model(ml, model);
	}
	maplist_unref(ml);
}

static uint32_t epoch_at(const struct threads *ts, int pid, uint64_t time)
{
	struct process *p = threads_process(ts, pid);

	assert_non_null(p);
	return process_epoch(p, threads_limit(ts, time, 0));
}

static void epochs_end_where_code_is_replaced(void **state)
{
	struct history h;
	struct process *p;
	size_t first, last;

	(void)state;
	start(&h);
	/* out of order on purpose: events of another CPU come later in the file */
	add(&h, map_event(30, 5, 0x1000, &files[1]));
	add(&h, map_event(10, 5, 0x1000, &files[0]));
	add(&h, map_event(20, 5, 0x2000, &files[2]));
	add(&h, map_event(40, 5, 0x3000, &files[3]));
	add(&h, map_event(50, 5, 0x3000, &files[3]));
	finish(&h);
	p = threads_process(&h.ts, 5);
	assert_int_equal(p->epochs, 2);
	assert_int_equal(epoch_at(&h.ts, 5, 5), 0);
	assert_int_equal(epoch_at(&h.ts, 5, 29), 0);
	assert_int_equal(epoch_at(&h.ts, 5, 30), 1);
	assert_int_equal(epoch_at(&h.ts, 5, 1000), 1);
	process_epoch_events(p, 0, &first, &last);
	assert_int_equal(last - first, 2);
	process_epoch_events(p, 1, &first, &last);
	assert_int_equal(last - first, 3);
	assert_ptr_equal(threads_only_process(&h.ts), p);
	end(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_against_model),
		cmocka_unit_test(epochs_end_where_code_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
