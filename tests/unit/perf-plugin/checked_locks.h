/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_CHECKED_LOCKS_H
#define TESTS_CHECKED_LOCKS_H

/*
 * Locks that check how they are used: a race of two threads would show a missing lock only now and then. Every mutex of
 * the program under test is one of type PTHREAD_MUTEX_ERRORCHECK, so a call fails if the thread does not hold the mutex
 * that it unlocks or waits with, or holds the one that it locks. The test is linked with these calls wrapped (Makefile).
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* calls that failed; waits that were begun, without a time limit and with one */
static _Atomic unsigned int locks_wrong, locks_waits, locks_timed_waits;
/* Called before a mutex is locked, or NULL. */
static void (*locks_before)(void);

int __real_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __real_pthread_mutex_unlock(pthread_mutex_t *m);
int __real_pthread_mutex_destroy(pthread_mutex_t *m);
int __real_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __real_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *m);
int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);

static inline int locks_check(int rc)
{
	locks_wrong += rc != 0 && rc != ETIMEDOUT;
	return rc;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
	pthread_mutexattr_t checked;
	int rc;

	(void)a;
	pthread_mutexattr_init(&checked);
	pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
	rc = __real_pthread_mutex_init(m, &checked);
	pthread_mutexattr_destroy(&checked);
	return rc;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	if (locks_before)
		locks_before();
	return locks_check(__real_pthread_mutex_lock(m));
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *m)
{
	return locks_check(__real_pthread_mutex_unlock(m));
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *m)
{
	return locks_check(__real_pthread_mutex_destroy(m));
}

int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	locks_waits++;
	return locks_check(__real_pthread_cond_wait(c, m));
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	locks_timed_waits++;
	return locks_check(__real_pthread_cond_timedwait(c, m, until));
}

#endif
