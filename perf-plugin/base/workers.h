/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workers.h - threads that do jobs in their order. Jobs are numbered from 0. One is begun when all
 * before it are, is done when its thread says so, and then its result is taken, in the order of
 * the jobs. The number of jobs that are begun and not taken can be limited, so that results in
 * memory are, too. A thread that waits sleeps.
 *
 * The thread that calls workers_new() is the owner, and calls the functions for the owner. The
 * data of a job and its result are the caller's, and belong to one thread at a time: to that which
 * has begun the job, and from workers_done() on to the owner (workers_wait()) or to whichever
 * thread claims it (workers_claim()). What a thread has written before a call is seen by a thread
 * whose call returns because of it.
 *
 * A thread that cannot be started is no error: with none the owner learns from workers_wait() that
 * no thread does a job, or does it itself with workers_help().
 */
#ifndef CSTRACE_BASE_WORKERS_H
#define CSTRACE_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workers;

/* ---- for the owner ---- */

/*
 * For up to `threads` threads and this number of jobs; 0: they are added one by one. `ahead`:
 * maximum number of jobs that are begun and not taken.
 */
struct workers *workers_new(unsigned int threads, size_t jobs, size_t ahead);
/* Begins a thread, as thread_start(). Returns false if it cannot be started. */
bool workers_start(struct workers *w, void *(*run)(void *arg), void *arg);
/* Adds a job. */
void workers_add(struct workers *w);
/* Waits until a job is done; `ns`, if it is not 0: or for up to that time, at most a second. */
enum workers_wait {
	WORKERS_DONE,
	WORKERS_LATER,	/* not yet */
	WORKERS_NONE,	/* it is not begun, and no thread will begin it */
} workers_wait(struct workers *w, size_t job, uint32_t ns);
/* Jobs before `end` that are not begun will not be. Returns the first of them, or `end` or more. */
size_t workers_skip(struct workers *w, size_t end);
/* Stops and ends the threads. */
void workers_free(struct workers *w);

/* ---- for any thread ---- */

/* Begins the next job, when there is one. Returns false if there will be none. */
bool workers_next(struct workers *w, size_t *job);
/*
 * Waits until at most `left` jobs are not taken, and does others in that time: returns true with a
 * job that the calling thread begins, then false.
 */
bool workers_help(struct workers *w, size_t left, size_t *job);
/* A job is done. Needed where its result is waited for or claimed. */
void workers_done(struct workers *w, size_t job);
/* Returns true with the next job to take, if it is done; for one thread, which takes its result. */
bool workers_claim(struct workers *w, size_t *job);
/* True if all jobs before this one are taken. `wait`: waits for that; false if the threads stop. */
bool workers_turn(struct workers *w, size_t job, bool wait);
/* The result of the first job that is not taken is taken. */
void workers_taken(struct workers *w);
/* No job is begun any more. */
void workers_stop(struct workers *w);
/* Keeps the first error of a job; 0 is none. Jobs are done nevertheless. */
void workers_fail(struct workers *w, int rc);
int workers_error(struct workers *w);
/* For data that the caller's threads share. No other function may be called in between. */
void workers_lock(struct workers *w);
void workers_unlock(struct workers *w);

#endif
