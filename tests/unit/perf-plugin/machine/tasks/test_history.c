/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads and maps over time of which the newest part is kept: against a model that applies every
 * event by the book, in and out of order, forwards and begun again; and how much is kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso_table.h"
#include "machine/tasks/space.h"
#include "unit/perf-plugin/history_build.h"

static struct dso files[8];
static uint32_t random_state;

static uint32_t rnd(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % n;
}

static void seek(struct history *h, uint64_t time)
{
	threads_seek(&h->ts, time, UINT64_MAX, UINT64_MAX);
}

/* What the session would give a decoder for this moment: what was mapped, and what the epoch adds. */
static struct maplist *maps_at(const struct history *h, int pid, uint64_t limit)
{
	const struct process *p = threads_process(&h->ts, pid);
	struct maplist *ml;
	size_t first, last, i;

	if (!p)
		return maplist_new();
	process_epoch_events(p, process_epoch(p, limit), &first, &last);
	for (i = last; i > p->first && !p->ev[i - 1].is_base; i--)
		;
	ml = maplist_ref(i > p->first ? p->ev[i - 1].base : process_base(p));
	if (!ml)
		ml = maplist_new();
	for (; i < last; i++) {
		ml = maplist_own(ml);
		assert_non_null(ml);
		maplist_set(ml, &p->ev[i].map);
	}
	return ml;
}

static const struct dso *code_at(struct history *h, int pid, uint64_t time, uint64_t addr)
{
	struct maplist *ml = maps_at(h, pid, threads_limit(&h->ts, time, UINT64_MAX));
	const struct map *m = maplist_find(ml, addr);
	const struct dso *d = m ? m->dso : NULL;

	maplist_unref(ml);
	return d;
}

/* ---- against a model ------------------------------------------------------------------------------- */

#define TASKS 24u
#define PAGES 16u
#define EVENTS 3000u

struct model {
	int pid[TASKS];			/* of thread i; -1: never seen */
	bool alive[TASKS];
	const struct dso *page[TASKS][PAGES];	/* of process i */
	const char *comm[TASKS];
};

static const char *const comms[] = { "init", "shell", "cc", "ld" };

static void model_apply(struct model *m, const struct side_event *e)
{
	uint64_t a;

	switch (e->kind) {
	case SIDE_MAP:
	case SIDE_UNMAP:
		for (a = e->map.start; a < e->map.end; a += 0x1000)
			m->page[e->pid][a / 0x1000] = e->map.dso;
		break;
	case SIDE_EXEC:
		memset(m->page[e->pid], 0, sizeof(m->page[e->pid]));
		/* fall through */
	case SIDE_COMM:
		m->comm[e->tid] = e->comm;
		break;
	case SIDE_FORK:
		if (e->pid != e->fork.ppid)
			memcpy(m->page[e->pid], m->page[e->fork.ppid], sizeof(m->page[0]));
		if (m->comm[e->fork.ptid])
			m->comm[e->tid] = m->comm[e->fork.ptid];
		break;
	case SIDE_EXIT:
		m->alive[e->tid] = false;
		return;
	}
	m->pid[e->tid] = e->pid;
	m->alive[e->tid] = true;
}

/* A random event that a kernel could write: who acts is alive, who is created is not. */
static bool make_event(const struct model *m, struct side_event *e)
{
	unsigned int tid = 1 + rnd(TASKS - 1), other = 1 + rnd(TASKS - 1), first = rnd(PAGES), i;
	int pid = m->pid[tid];

	memset(e, 0, sizeof(*e));
	if (!m->alive[tid])
		return false;
	e->pid = pid;
	e->tid = (int)tid;
	switch (rnd(8)) {
	case 0:
	case 1:
	case 2:
		e->kind = SIDE_MAP;
		e->map.dso = &files[rnd(8)];
		break;
	case 3:
		e->kind = SIDE_UNMAP;
		break;
	case 4:
		e->kind = SIDE_COMM;
		e->comm = comms[rnd(4)];
		return true;
	case 5:
		/* A process of its own, or one more thread. */
		if (m->alive[other])
			return false;
		for (i = 1; i < TASKS; i++)
			if (m->alive[i] && m->pid[i] == (int)other)
				return false;
		e->kind = SIDE_FORK;
		e->fork.ppid = pid;
		e->fork.ptid = (int)tid;
		e->pid = rnd(2) ? (int)other : pid;
		e->tid = (int)other;
		return true;
	case 6:
		e->kind = rnd(4) ? SIDE_EXIT : SIDE_EXEC;
		/* Only a process's first thread comes out of an exec, and the others are gone. */
		for (i = 1; e->kind == SIDE_EXEC && i < TASKS; i++)
			if (i != tid && m->alive[i] && m->pid[i] == pid)
				return false;
		if (e->kind == SIDE_EXEC && pid != (int)tid)
			return false;
		e->comm = comms[rnd(4)];
		return tid != 1 || e->kind == SIDE_EXEC;
	default:
		e->kind = SIDE_THREAD;
		return true;
	}
	e->map.start = first * 0x1000;
	e->map.end = (first + 1 + rnd(PAGES - first)) * 0x1000;
	e->map.off = e->map.start;
	return true;
}

static struct side_event *make_history(struct model *m)
{
	struct side_event *v = calloc(EVENTS, sizeof(*v)), e;
	size_t n = 0;

	assert_non_null(v);
	memset(m, 0, sizeof(*m));
	memset(m->pid, 0xff, sizeof(m->pid));
	v[n++] = comm_event(10, 1, "init", true);
	model_apply(m, &v[0]);
	while (n < EVENTS) {
		if (!make_event(m, &e))
			continue;
		e.time = 10 + n * 10;
		v[n++] = e;
		model_apply(m, &e);
	}
	return v;
}

/* As several buffers of the recorder would leave them: each in order, but one after the other. */
static void add_rounds(struct history *h, const struct side_event *v, unsigned int round, unsigned int buffers)
{
	unsigned int i, b, end;

	for (i = 0; i < EVENTS; i = end) {
		end = i + round < EVENTS ? i + round : EVENTS;
		for (b = 0; b < buffers; b++)
			for (unsigned int k = i; k < end; k++)
				if ((unsigned int)v[k].tid % buffers == b)
					add(h, v[k]);
	}
}

static void check_moment(struct history *h, const struct model *m, uint64_t time)
{
	uint64_t limit = threads_limit(&h->ts, time, UINT64_MAX);
	struct maplist *ml;
	const struct map *x;
	unsigned int i, p;

	assert_int_equal(threads_time(&h->ts, limit), time);
	for (i = 1; i < TASKS; i++) {
		if (!m->alive[i])
			continue;
		assert_int_equal(threads_pid(&h->ts, (int)i, limit), m->pid[i]);
		if (m->comm[i])
			assert_string_equal(threads_comm(&h->ts, (int)i, limit), m->comm[i]);
		ml = maps_at(h, m->pid[i], limit);
		for (p = 0; p < PAGES; p++) {
			x = maplist_find(ml, p * 0x1000);
			/* what is added soon may be there already, but nothing may be missing or another */
			if (m->page[m->pid[i]][p]) {
				assert_non_null(x);
				assert_ptr_equal(x->dso, m->page[m->pid[i]][p]);
				assert_int_equal(x->off + (p * 0x1000 - x->start), p * 0x1000);
			}
		}
		maplist_unref(ml);
	}
}

/* All moments, in order; with `hold`, events may only be dropped in steps. */
static void walk(struct history *h, const struct side_event *v, unsigned int hold)
{
	struct model m;
	unsigned int i, from = 0;

	memset(&m, 0, sizeof(m));
	memset(m.pid, 0xff, sizeof(m.pid));
	for (i = 0; i < EVENTS; i++) {
		model_apply(&m, &v[i]);
		if (i - from >= hold)
			from = i;
		threads_seek(&h->ts, v[i].time, UINT64_MAX, from);
		assert_false(threads_passed(&h->ts, v[from].time, UINT64_MAX));
		if (i % 7 == 0 || h->ts.keep)
			check_moment(h, &m, v[i].time);
	}
}

static void check_history(unsigned int seed, size_t keep, size_t ahead, unsigned int round, unsigned int buffers)
{
	struct side_event *v;
	struct history h;
	struct model m;

	random_state = seed;
	v = make_history(&m);
	start(&h);
	h.side.keep = keep;
	h.ts.ahead = ahead;
	add_rounds(&h, v, round, buffers);
	finish(&h);
	assert_int_equal(h.ts.keep, keep >= EVENTS);
	walk(&h, v, 1);
	if (!h.ts.keep) {
		assert_true(threads_passed(&h.ts, v[0].time, 0));
		threads_restart(&h.ts);
	}
	assert_false(threads_passed(&h.ts, 0, 0));
	walk(&h, v, 100);
	end(&h);
	free(v);
}

static void kept_against_model(void **state)
{
	unsigned int seed;

	(void)state;
	for (seed = 1; seed <= 4; seed++) {
		check_history(seed, EVENTS, THREADS_AHEAD, 1, 1);
		check_history(seed, 0, 2, 1, 1);
		check_history(seed, 0, 2, 50, 4);
		check_history(seed, 100, 64, 700, 8);
	}
}

/* ---- address spaces for decoders -------------------------------------------------------------------- */

#define STREAMS 3u

/* What the decoder would read at an address: the file it is in. */
static const struct dso *section_at(const struct version *v, uint64_t addr)
{
	struct cst_section *sec = NULL;
	const uint8_t *bytes;

	if (!cst_space_read(v->space, addr, 4, &bytes, &sec, NULL))
		return NULL;
	return sec ? cst_section_cookie(sec) : NULL;
}

static void check_version(const struct version *v, const struct model *m, int pid)
{
	const struct map *x;
	unsigned int p;

	for (p = 0; p < PAGES; p++) {
		if (!m->page[pid][p])
			continue;
		x = maplist_find(v->maps, p * 0x1000);
		assert_non_null(x);
		assert_ptr_equal(x->dso, m->page[pid][p]);
		assert_ptr_equal(section_at(v, p * 0x1000), m->page[pid][p]);
	}
}

/* Streams that follow threads, each with the address space of whoever runs, through all of history. */
static void check_spaces(unsigned int seed, size_t keep, size_t ahead)
{
	struct version *have[STREAMS] = { NULL };
	struct dso_table dsos;
	struct side_event *v;
	struct spaces sp;
	struct history h;
	struct process *p;
	struct model m;
	unsigned int i, s;

	random_state = seed;
	v = make_history(&m);
	dso_table_init(&dsos);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		files[i] = (struct dso){ .extent = PAGES * 0x1000 };
	spaces_init(&sp, 0);
	start(&h);
	h.side.keep = keep;
	h.ts.ahead = ahead;
	h.ts.hooks.release = versions_release;
	add_rounds(&h, v, 20, 3);
	finish(&h);
	memset(&m, 0, sizeof(m));
	memset(m.pid, 0xff, sizeof(m.pid));
	for (i = 0; i < EVENTS; i++) {
		uint64_t limit;

		model_apply(&m, &v[i]);
		s = rnd(STREAMS);
		seek(&h, v[i].time);
		limit = threads_limit(&h.ts, v[i].time, UINT64_MAX);
		p = m.alive[v[i].tid] ? threads_process(&h.ts, v[i].pid) : NULL;
		if (!p)
			continue;
		have[s] = version_get(&sp, p, limit, have[s]);
		assert_non_null(have[s]);
		check_version(have[s], &m, v[i].pid);
	}
	for (s = 0; s < STREAMS; s++)
		version_put(have[s]);
	spaces_free(&sp, &h.ts);
	dso_table_free(&dsos);
	end(&h);
	free(v);
}

static void spaces_follow_what_is_kept(void **state)
{
	unsigned int seed;

	(void)state;
	for (seed = 10; seed < 14; seed++) {
		check_spaces(seed, EVENTS, THREADS_AHEAD);
		check_spaces(seed, 0, 2);
		check_spaces(seed, 0, 40);
	}
}

/* A thread that has exited runs up to its exit record, and no longer. */
static void alive_until_exit(void **state)
{
	struct history h;

	(void)state;
	start(&h);
	add(&h, fork_event(20, 1, 5, 5));
	add(&h, exit_event(40, 5, 5));
	add(&h, map_event(60, 1, 0x2000, &files[1]));
	finish(&h);
	assert_false(threads_alive(&h.ts, 5, threads_limit(&h.ts, 19, 0)));
	assert_true(threads_alive(&h.ts, 5, threads_limit(&h.ts, 20, UINT64_MAX)));
	assert_true(threads_alive(&h.ts, 5, threads_limit(&h.ts, 39, 0)));
	assert_false(threads_alive(&h.ts, 5, threads_limit(&h.ts, 60, 0)));
	/* the time of a moment behind all records is that of the last one */
	assert_int_equal(threads_time(&h.ts, threads_limit(&h.ts, 70, 0)), 60);
	assert_int_equal(threads_time(&h.ts, UINT64_MAX), 60);
	end(&h);
}

/* Families that cannot be. */
static void cyclic_forks_end(void **state)
{
	struct history h;
	unsigned int i;

	(void)state;
	start(&h);
	add(&h, map_event(10, 5, 0x1000, &files[0]));
	for (i = 0; i < 200; i++) {
		add(&h, fork_event(20 + i * 10, 5, 6, 6));
		add(&h, fork_event(22 + i * 10, 6, 5, 5));
		add(&h, fork_event(24 + i * 10, 7, 7, 7));
		add(&h, fork_event(26 + i * 10, 6, 6, 5));
	}
	h.ts.ahead = 2;
	h.side.keep = 0;
	finish(&h);
	seek(&h, 1000);
	assert_ptr_equal(code_at(&h, 5, 1000, 0x1000), &files[0]);
	assert_ptr_equal(code_at(&h, 6, 1000, 0x1000), &files[0]);
	assert_null(threads_process(&h.ts, 7));
	seek(&h, NO_TIME);
	assert_ptr_equal(code_at(&h, 6, NO_TIME, 0x1000), &files[0]);
	end(&h);
}

/* ---- how much is kept -------------------------------------------------------------------------------- */

static bool released;

static bool release(struct process *p)
{
	(void)p;
	return released;
}

/* Processes whose code is in use when they end are forgotten later, all of them. */
static void what_was_in_use_is_forgotten_later(void **state)
{
	struct history h;
	int pid;

	(void)state;
	start(&h);
	h.side.keep = 0;
	h.ts.ahead = 4;
	h.ts.hooks.release = release;
	released = false;
	for (pid = 10; pid < 200; pid++) {
		add(&h, fork_event(10 * (uint64_t)pid, 1, pid, pid));
		add(&h, map_event(10 * (uint64_t)pid + 1, pid, 0x2000, &files[1]));
		add(&h, exit_event(10 * (uint64_t)pid + 2, pid, pid));
	}
	finish(&h);
	seek(&h, 1000);
	assert_true(h.ts.known.processes.used > 80);
	released = true;
	seek(&h, 1500);
	assert_true(h.ts.known.processes.used < 20);
	assert_int_equal(h.ts.known.nr_zombies, 0);
	end(&h);
}

/* Somebody still needs an early moment: then everything since stays. */
static void held_moments_stay(void **state)
{
	struct history h;
	unsigned int i;

	(void)state;
	start(&h);
	h.side.keep = 0;
	h.ts.ahead = 4;
	for (i = 0; i < 1000; i++)
		add(&h, map_event(10 + i, 5, 0x1000, &files[i % 8]));
	finish(&h);
	threads_seek(&h.ts, 900, UINT64_MAX, 100);
	assert_false(threads_passed(&h.ts, 10 + 100, 0));
	for (i = 100; i < 890; i++)
		assert_ptr_equal(code_at(&h, 5, 10 + i, 0x1000), &files[i % 8]);
	threads_seek(&h.ts, 901, UINT64_MAX, 880);
	assert_true(threads_passed(&h.ts, 10 + 500, 0));
	assert_ptr_equal(code_at(&h, 5, 10 + 885, 0x1000), &files[885 % 8]);
	end(&h);
}

/* Going back again and again must not cost a pass each time. */
static void all_is_kept_after_many_restarts(void **state)
{
	struct history h;
	unsigned int i;

	(void)state;
	start(&h);
	h.side.keep = 0;
	h.ts.ahead = 4;
	for (i = 0; i < 1000; i++)
		add(&h, map_event(10 + i, 5, 0x1000, &files[i % 8]));
	finish(&h);
	for (i = 0; i < 100; i++) {
		seek(&h, NO_TIME);
		if (threads_passed(&h.ts, 10, 0))
			threads_restart(&h.ts);
		seek(&h, 10 + i);
		assert_ptr_equal(code_at(&h, 5, 10 + i, 0x1000), &files[i % 8]);
	}
	assert_int_equal(h.ts.restarts, THREADS_MAX_RESTARTS);
	end(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_against_model),
		cmocka_unit_test(spaces_follow_what_is_kept),
		cmocka_unit_test(alive_until_exit),
		cmocka_unit_test(cyclic_forks_end),
		cmocka_unit_test(what_was_in_use_is_forgotten_later),
		cmocka_unit_test(held_moments_stay),
		cmocka_unit_test(all_is_kept_after_many_restarts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
