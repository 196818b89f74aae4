/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that do jobs: in order, a limited number ahead of the one whose result is taken, each
 * once; results taken by the owner or in turn; errors, early ends, and threads that do not start.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/workers.h"

#define JOBS	2000u
#define THREADS	4u

/* What the jobs of a test leave: each job's result, and how far the threads went. */
struct bench {
	struct workers *w;
	uint32_t result[JOBS];
	unsigned int times[JOBS];	/* that a job was begun */
	_Atomic size_t taken;		/* as the owner counts it */
	size_t ahead;
	_Atomic unsigned int too_far, threads_ended;
	char text[8 * JOBS];		/* in the order in which results are taken */
	size_t len;
};

static uint32_t result_of(size_t job)
{
	return (uint32_t)job * 2654435761u;
}

static void do_job(struct bench *b, size_t job)
{
	b->times[job]++;
	if (job % 7 == 0)
		usleep(50);
	b->result[job] = result_of(job);
}

static void *work(void *arg)
{
	struct bench *b = arg;
	size_t job;

	while (workers_next(b->w, &job)) {
		b->too_far += b->ahead && job >= b->taken + b->ahead;
		do_job(b, job);
		workers_done(b->w, job);
	}
	b->threads_ended++;
	return NULL;
}

static struct bench *bench_new(unsigned int threads, size_t jobs, size_t ahead)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->ahead = ahead;
	b->w = workers_new(threads, jobs, ahead);
	assert_non_null(b->w);
	return b;
}

/* Results are the owner's in order; no thread is further ahead than it may be. */
static void in_order(void **state)
{
	unsigned int threads, ahead, i;
	struct bench *b;

	(void)state;
	for (threads = 1; threads <= THREADS; threads++)
		for (ahead = 1; ahead <= 2 * threads; ahead += threads) {
			b = bench_new(threads, JOBS, ahead);
			for (i = 0; i < threads; i++)
				assert_true(workers_start(b->w, work, b));
			for (i = 0; i < JOBS; i++) {
				assert_int_equal(workers_wait(b->w, i, 0), WORKERS_DONE);
				assert_int_equal(b->result[i], result_of(i));
				assert_int_equal(b->times[i], 1);
				/* first here, so that a thread that is too far is never missed */
				b->taken++;
				workers_taken(b->w);
			}
			/* no job is left */
			for (i = 0; b->threads_ended < threads && i < 10000; i++)
				usleep(1000);
			assert_int_equal(b->threads_ended, threads);
			assert_int_equal(b->too_far, 0);
			workers_free(b->w);
			free(b);
		}
}

/* Without a thread, the owner does the jobs; a thread that was not started is not joined. */
static void no_threads(void **state)
{
	struct bench *b = bench_new(THREADS, JOBS, 2);
	size_t job, n;

	(void)state;
	assert_int_equal(workers_wait(b->w, 0, 0), WORKERS_NONE);
	for (n = 0; workers_help(b->w, 0, &job); n++) {
		assert_int_equal(job, n);
		workers_taken(b->w);
	}
	assert_int_equal(n, JOBS);
	workers_free(b->w);
	free(b);
	workers_free(NULL);
}

/* A thread that the system refuses is none. It would need a stack: no case before has left one. */
static void refused_thread(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	(void)state;	/* they need address space themselves */
	skip();
#else
	struct rlimit was, none = { 0, 0 };
	struct bench *b = bench_new(1, JOBS, 2);
	bool started;

	(void)state;
	getrlimit(RLIMIT_AS, &was);
	none.rlim_max = was.rlim_max;
	setrlimit(RLIMIT_AS, &none);
	started = workers_start(b->w, work, b);
	setrlimit(RLIMIT_AS, &was);
	assert_false(started);
	assert_int_equal(workers_wait(b->w, 0, 0), WORKERS_NONE);
	workers_free(b->w);
	free(b);
#endif
}

/* Results are taken in turn, by threads and the owner: the text is in the order of the jobs. */
static void add_in_turn(struct bench *b, size_t job)
{
	bool wait = job % 5 == 0, turn;

	do_job(b, job);
	turn = workers_turn(b->w, job, wait);
	b->too_far += wait && !turn;
	if (turn)
		b->len += (size_t)sprintf(b->text + b->len, "%zu", job);
	b->times[job] += turn;
	workers_done(b->w, job);
	while (workers_claim(b->w, &job)) {
		workers_fail(b->w, job == 70 ? -70 : job == 71 ? -71 : 0);
		b->len += (size_t)(b->times[job] == 2 ? sprintf(b->text + b->len, " ") :
							sprintf(b->text + b->len, "%zu ", job));
		workers_taken(b->w);
	}
}

static void *work_in_turn(void *arg)
{
	struct bench *b = arg;
	size_t job;

	while (workers_next(b->w, &job))
		add_in_turn(b, job);
	return NULL;
}

/* Jobs are added one by one; the owner helps; the first error is kept and ends nothing. */
static void in_turn(void **state)
{
	unsigned int threads, i;
	char want[8 * JOBS];
	size_t job, len = 0;
	struct bench *b;

	(void)state;
	for (i = 0; i < JOBS; i++)
		len += (size_t)sprintf(want + len, "%u ", i);
	for (threads = 0; threads <= THREADS; threads++) {
		b = bench_new(threads, 0, 6);
		for (i = 0; i < threads; i++)
			assert_true(workers_start(b->w, work_in_turn, b));
		for (i = 0; i < JOBS; i++) {
			while (workers_help(b->w, 5, &job))
				add_in_turn(b, job);
			if (i < 70 || i >= 80)
				assert_int_equal(workers_error(b->w), i < 70 ? 0 : -70);
			workers_add(b->w);
		}
		while (workers_help(b->w, 0, &job))
			add_in_turn(b, job);
		assert_int_equal(b->len, len);
		assert_string_equal(b->text, want);
		assert_int_equal(workers_error(b->w), -70);
		assert_int_equal(b->too_far, 0);
		workers_free(b->w);
		free(b);
	}
}

/* After a stop no job is begun; those that were begun are done. */
static void stop(void **state)
{
	struct bench *b = bench_new(2, JOBS, 4);
	unsigned int i, n;

	(void)state;
	assert_true(workers_start(b->w, work, b) && workers_start(b->w, work, b));
	for (i = 0; i < 100; i++) {
		assert_int_equal(workers_wait(b->w, i, 0), WORKERS_DONE);
		b->taken++;
		workers_taken(b->w);
	}
	workers_stop(b->w);
	for (n = i; workers_wait(b->w, n, 0) == WORKERS_DONE; n++)
		assert_int_equal(b->result[n], result_of(n));
	assert_in_range(n, i, i + 4);
	assert_int_equal(b->times[n], 0);
	assert_false(workers_turn(b->w, n, true));
	workers_free(b->w);
	assert_int_equal(b->threads_ended, 2);
	free(b);
	/* threads that wait for a job, or for a place among the results, end, too */
	for (i = 0; i < 2; i++) {
		b = bench_new(2, i ? JOBS : 0, 1);
		assert_true(workers_start(b->w, work, b) && workers_start(b->w, work, b));
		usleep(1000);
		workers_free(b->w);
		assert_int_equal(b->threads_ended, 2);
		free(b);
	}
}

/* The owner does jobs in place of the threads: those are not begun, and those after them are. */
static void skipped(void **state)
{
	struct bench *b = bench_new(1, 10, 2);
	size_t i;

	(void)state;
	assert_int_equal(workers_skip(b->w, 4), 0);
	assert_true(workers_start(b->w, work, b));
	for (i = 0; i < 10; i++) {
		if (i >= 4)
			assert_int_equal(workers_wait(b->w, i, 0), WORKERS_DONE);
		assert_int_equal(b->times[i], i >= 4);
		b->taken++;
		workers_taken(b->w);
	}
	assert_int_equal(workers_skip(b->w, 4), 10);
	workers_free(b->w);
	free(b);
}

static void *work_late(void *arg)
{
	struct bench *b = arg;
	size_t job;

	if (workers_next(b->w, &job)) {
		workers_lock(b->w);
		b->len++;
		workers_unlock(b->w);
		while (!b->taken)
			usleep(1000);
		workers_done(b->w, job);
	}
	return NULL;
}

/* A wait ends after its time, if the job is not done by then. */
static void time_limit(void **state)
{
	struct bench *b = bench_new(1, 1, 1);
	struct timespec begin, end;
	int64_t ms;

	(void)state;
	assert_true(workers_start(b->w, work_late, b));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(workers_wait(b->w, 0, 20000000), WORKERS_LATER);
	clock_gettime(CLOCK_MONOTONIC, &end);
	ms = (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
	assert_true(ms >= 15);
	b->taken = 1;
	while (workers_wait(b->w, 0, 20000000) == WORKERS_LATER)
		;
	assert_int_equal(workers_wait(b->w, 0, 20000000), WORKERS_DONE);
	assert_int_equal(b->len, 1);
	workers_free(b->w);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_thread), cmocka_unit_test(no_threads),
		cmocka_unit_test(in_order), cmocka_unit_test(in_turn),
		cmocka_unit_test(stop), cmocka_unit_test(skipped), cmocka_unit_test(time_limit),
	};

	return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
