/* SPDX-License-Identifier: GPL-2.0-only */
/* thread.c - see thread.h. */
#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	sigset_t all, was;
	int rc;

	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	rc = pthread_create(t, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return rc;
}
