/* SPDX-License-Identifier: GPL-2.0-only */
/* workers.c - see workers.h. */
#include "base/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/thread.h"

struct workers {
	pthread_mutex_t lock;	/* protects the fields up to `error` */
	pthread_cond_t begin;	/* for workers_next(): it may return now */
	pthread_cond_t changed;	/* for others: a job is done or taken, or the threads stop */
	size_t added, begun, taken;
	size_t awaited;		/* the job of workers_wait() */
	bool *done;		/* of jobs begun and not taken, by number modulo `ahead` */
	bool stop;
	int error;

	size_t ahead;
	bool grows;		/* the owner adds jobs */
	unsigned int nr;	/* threads, which only the owner counts */
	pthread_t thread[];
};

struct workers *workers_new(unsigned int threads, size_t jobs, size_t ahead)
{
	struct workers *w = mem_zeroed(1, sizeof(*w) + threads * sizeof(w->thread[0]) + ahead);

	w->added = jobs;
	w->grows = !jobs;
	w->ahead = ahead;
	w->awaited = SIZE_MAX;
	w->done = (bool *)&w->thread[threads];
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->begin, NULL);
	pthread_cond_init(&w->changed, NULL);
	return w;
}

bool workers_start(struct workers *w, void *(*run)(void *arg), void *arg)
{
	if (thread_start(&w->thread[w->nr], run, arg))
		return false;
	w->nr++;
	return true;
}

void workers_free(struct workers *w)
{
	if (!w)
		return;
	workers_stop(w);
	while (w->nr)
		pthread_join(w->thread[--w->nr], NULL);
	pthread_cond_destroy(&w->changed);
	pthread_cond_destroy(&w->begin);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void workers_lock(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
}

void workers_unlock(struct workers *w)
{
	pthread_mutex_unlock(&w->lock);
}

void workers_add(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->added++;
	pthread_cond_signal(&w->begin);
	pthread_mutex_unlock(&w->lock);
}

/* Begins the next job, if there is one that may be begun. Called with the lock. */
static bool begin(struct workers *w, size_t *job)
{
	if (w->stop || w->begun == w->added || w->begun >= w->taken + w->ahead)
		return false;
	*job = w->begun++;
	return true;
}

bool workers_next(struct workers *w, size_t *job)
{
	bool found;

	pthread_mutex_lock(&w->lock);
	while (!(found = begin(w, job)) && !w->stop && (w->grows || w->begun < w->added))
		pthread_cond_wait(&w->begin, &w->lock);
	pthread_mutex_unlock(&w->lock);
	return found;
}

bool workers_help(struct workers *w, size_t left, size_t *job)
{
	bool found = false;

	pthread_mutex_lock(&w->lock);
	while (!w->stop && w->added - w->taken > left && !(found = begin(w, job)))
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	return found;
}

void workers_done(struct workers *w, size_t job)
{
	pthread_mutex_lock(&w->lock);
	w->done[job % w->ahead] = true;
	if (job == w->awaited)
		pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

/* Called with the lock. */
static enum workers_wait state(const struct workers *w, size_t job)
{
	if (job >= w->begun)
		return w->nr && !w->stop ? WORKERS_LATER : WORKERS_NONE;
	return w->done[job % w->ahead] ? WORKERS_DONE : WORKERS_LATER;
}

enum workers_wait workers_wait(struct workers *w, size_t job, uint32_t ns)
{
	enum workers_wait found;
	struct timespec until;

	pthread_mutex_lock(&w->lock);
	w->awaited = job;
	while ((found = state(w, job)) == WORKERS_LATER && !ns)
		pthread_cond_wait(&w->changed, &w->lock);
	if (found == WORKERS_LATER) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += (until.tv_nsec + ns) / 1000000000;
		until.tv_nsec = (until.tv_nsec + ns) % 1000000000;
		pthread_cond_timedwait(&w->changed, &w->lock, &until);
		found = state(w, job);
	}
	pthread_mutex_unlock(&w->lock);
	return found;
}

bool workers_claim(struct workers *w, size_t *job)
{
	bool found;

	pthread_mutex_lock(&w->lock);
	*job = w->taken;
	found = !w->stop && w->done[*job % w->ahead];
	w->done[*job % w->ahead] = false;
	pthread_mutex_unlock(&w->lock);
	return found;
}

bool workers_turn(struct workers *w, size_t job, bool wait)
{
	bool turn;

	pthread_mutex_lock(&w->lock);
	while (w->taken != job && wait && !w->stop)
		pthread_cond_wait(&w->changed, &w->lock);
	turn = w->taken == job && !w->stop;
	pthread_mutex_unlock(&w->lock);
	return turn;
}

void workers_taken(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->done[w->taken % w->ahead] = false;
	if (w->begun >= w->taken + w->ahead)
		pthread_cond_broadcast(&w->begin);
	w->taken++;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

size_t workers_skip(struct workers *w, size_t end)
{
	size_t first;

	pthread_mutex_lock(&w->lock);
	first = w->begun;
	if (first < end)
		w->begun = end;
	pthread_mutex_unlock(&w->lock);
	return first;
}

void workers_stop(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->begin);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

void workers_fail(struct workers *w, int rc)
{
	pthread_mutex_lock(&w->lock);
	if (!w->error)
		w->error = rc;
	pthread_mutex_unlock(&w->lock);
}

int workers_error(struct workers *w)
{
	int rc;

	pthread_mutex_lock(&w->lock);
	rc = w->error;
	pthread_mutex_unlock(&w->lock);
	return rc;
}
