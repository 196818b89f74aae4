/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes of AUX windows are new, what is decoded before them, and how old they can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/time.h"
#include "machine/buffers/queues.h"

#define STREAM	40000u
#define WINDOWS	60u
#define ROUNDS	200u

static uint8_t stream[STREAM];

struct shape {
	uint32_t start, end;
};

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static void add(struct queues *qs, const struct shape *w, uint64_t time, int tid)
{
	struct pd_record rec = {
		.seq = time,
		.window = { stream + w->start, w->end - w->start, true },
	};

	rec.sample.sid = (struct pd_sample_id){
		.valid = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_TID,
		.time = time, .tid = (uint32_t)tid,
	};
	windows_add(&qs->windows, &rec);
}

/* AUX records say that there are no frames. */
static void finish(struct queues *qs, bool raw)
{
	struct perf_record_aux aux = { .aux_size = 8, .flags = raw ? AUX_FORMAT_RAW : 0 };
	struct pd_record rec = { .ev = (const union perf_event *)&aux };

	queues_add_aux(qs, &rec);
	queues_finish(qs);
}

/*
 * Fragment `i` ends with its window, begins with trace directly before it, and counts what the one
 * before lacks.
 */
static void check_fragment(const struct queue *q, const struct shape *w, size_t i, bool same_size)
{
	const struct fragment *f = &q->frags[i];
	uint32_t fresh = w[i].end - w[i].start, size = (uint32_t)f->pub.size, m;
	struct joined joined = { .data = NULL };

	assert_true(f->pub.window);
	assert_int_equal(f->pub.time, i + 1);
	assert_true(size >= fresh && size <= w[i].end);
	if (i && w[i].start + 32 <= w[i - 1].end)
		fresh = w[i].end - w[i - 1].end;
	assert_int_equal(fragment_fresh(f), fresh);
	if (size)
		assert_memory_equal(fragment_bytes(&joined, q, f), stream + w[i].end - size, size);
	joined_free(&joined);
	for (m = (uint32_t)i; same_size && m && w[m - 1].end > w[i].end - size; m--)
		;
	if (same_size)
		assert_int_equal(f->since, m);
}

static void random_windows(bool same_size, bool raw)
{
	struct queues qs = { .nr = 0 };
	struct shape w[WINDOWS];
	uint32_t end = 600, step = 1 + below(1200), size = 64 + below(1000), i;

	for (i = 0; i < WINDOWS; i++) {
		end += below(4) ? below(step) : 0;
		w[i] = (struct shape){ end - (same_size ? size : 64 + below(500)), end };
		if (same_size && size > end)
			w[i].start = 0;
		/* so few common bytes may be equal by chance */
		if (i && w[i].start < w[i - 1].end && w[i].start + 32 > w[i - 1].end)
			w[i].end = w[i - 1].end, w[i].start = w[i - 1].start;
		end = w[i].end;
		if (!raw) {
			w[i].start = (w[i].start + 15) / 16 * 16;
			w[i].end = w[i].end / 16 * 16;
		}
		add(&qs, &w[i], i + 1, 100);
	}
	finish(&qs, raw);
	assert_int_equal(qs.nr, 1);
	assert_int_equal(qs.q[0]->nr_frags, WINDOWS);
	for (i = 0; i < WINDOWS; i++)
		check_fragment(qs.q[0], w, i, same_size && raw);
	assert_int_equal(qs.windows.counts.doubtful, 0);
	/* sizes in whole frames differ */
	if (same_size && raw)
		assert_int_equal(qs.windows.counts.older, 0);
	queues_free(&qs);
}

static void every_byte_once(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < STREAM; i++)
		stream[i] = (uint8_t)(1 + below(255));
	for (i = 0; i < ROUNDS; i++) {
		random_windows(i & 1, true);
		random_windows(i & 1, false);
	}
}

/*
 * Of a loop the largest common length is left out: of these 100 bytes all, and then 60 of 80 or
 * more that may be new.
 */
static void periodic(void **state)
{
	const struct shape w[] = { { 0, 100 }, { 100, 200 }, { 140, 260 } };
	struct queues qs = { .nr = 0 };
	size_t i;

	(void)state;
	memset(stream, 0xf7, 240);
	memset(stream + 240, 1, 40);
	for (i = 0; i < 3; i++)
		add(&qs, &w[i], i + 1, 100);
	finish(&qs, true);
	assert_int_equal(fragment_fresh(&qs.q[0]->frags[0]), 100);
	assert_int_equal(fragment_fresh(&qs.q[0]->frags[1]), 0);
	assert_int_equal(fragment_fresh(&qs.q[0]->frags[2]), 20);
	assert_int_equal(qs.windows.counts.doubtful, 200);
	/* nothing is decoded before it that may not be directly before it */
	assert_int_equal(qs.q[0]->frags[2].pub.size, 120);
	queues_free(&qs);
}

/*
 * The end of a window is often in the next one, as that of a loop, which runs again: nothing is
 * common.
 */
static void similar(void **state)
{
	const struct shape w[] = { { 0, 400 }, { 400, 1000 } };
	struct queues qs = { .nr = 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < 1000; i++)
		stream[i] = (uint8_t)(1 + below(255));
	memset(stream + 340, 0xf7, 60);
	memset(stream + 700, 0xf7, 200);
	for (i = 0; i < 2; i++)
		add(&qs, &w[i], i + 1, 100);
	finish(&qs, true);
	assert_int_equal(fragment_fresh(&qs.q[0]->frags[1]), 600);
	assert_int_equal(qs.windows.counts.doubtful, 0);
	queues_free(&qs);
}

/*
 * A thread that took a sample executed something: equal windows of two threads are not the same
 * trace.
 */
static void two_threads(void **state)
{
	const struct shape w = { 0, 64 };
	struct queues qs = { .nr = 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < 64; i++)
		stream[i] = (uint8_t)(i + 1);
	add(&qs, &w, 1, 100);
	add(&qs, &w, 2, 101);
	add(&qs, &w, 3, 101);
	finish(&qs, true);
	assert_int_equal(qs.nr, 1);
	assert_int_equal(fragment_fresh(&qs.q[0]->frags[1]), 64);
	assert_int_equal(fragment_fresh(&qs.q[0]->frags[2]), 0);
	queues_free(&qs);
}

/*
 * Buffers are of CPUs, or of threads if the events of threads alone have windows, or no CPU is
 * known.
 */
static void buffers(void **state)
{
	const struct shape w = { 0, 64 };
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct queues qs = { .windows = { .of_threads = i > 0, .of_cpus = i > 1 } };

		add(&qs, &w, 1, 100);
		add(&qs, &w, 2, 101);
		finish(&qs, true);
		assert_int_equal(qs.nr, i == 1 ? 2 : 1);
		assert_int_equal(qs.q[0]->cpu, i == 1 ? -1 : 0);
		assert_int_equal(qs.q[0]->tid, i == 1 ? 100 : -1);
		queues_free(&qs);
	}
}

/*
 * Zeros of a buffer that was not full, but those of an A-sync; a frame that begins before the
 * window.
 */
static void begins(void **state)
{
	const struct shape w = { 0, 72 };
	int raw;

	(void)state;
	for (raw = 0; raw < 2; raw++) {
		struct queues qs = { .nr = 0 };

		memset(stream, 0, 43);
		memset(stream + 43, 0x80, 29);
		add(&qs, &w, 1, 100);
		finish(&qs, raw);
		assert_int_equal(qs.q[0]->frags[0].pub.size, raw ? 40 : 32);
		assert_int_equal(qs.windows.counts.cut, raw ? 0 : 8);
		queues_free(&qs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_once), cmocka_unit_test(periodic),
		cmocka_unit_test(similar),
		cmocka_unit_test(two_threads),	   cmocka_unit_test(buffers),
		cmocka_unit_test(begins),
	};

	return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
