/* SPDX-License-Identifier: GPL-2.0-only */
/* thread.c - see thread.h. */
#include "base/thread.h"

#include <signal.h>
#include <sys/resource.h>

/* libdw alone takes 150 KB for the line table of a unit. */
#define STACK_LEAST	(512u << 10)

/* As pthread_create(), with a stack that does not depend on the limit of the process where that is small. */
static int create(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	size_t size;
	int rc = pthread_attr_init(&attr);

	if (rc)
		return rc;
	if (!pthread_attr_getstacksize(&attr, &size) && size < STACK_LEAST)
		pthread_attr_setstacksize(&attr, STACK_LEAST);
	rc = pthread_create(t, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return rc;
}

int thread_start(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	sigset_t all, was;
	int rc;

	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	rc = create(t, run, arg);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return rc;
}

struct first {
	int (*run)(int argc, const char **argv);
	int argc, rc;
	const char **argv;
	sigset_t signals;
};

static void *run_first(void *arg)
{
	struct first *f = arg;

	pthread_sigmask(SIG_SETMASK, &f->signals, NULL);
	f->rc = f->run(f->argc, f->argv);
	return NULL;
}

int thread_run_first(int (*run)(int argc, const char **argv), int argc, const char **argv)
{
	struct first f = { .run = run, .argc = argc, .argv = argv };
	struct rlimit limit;
	sigset_t all;
	pthread_t t;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_LEAST)
		return run(argc, argv);
	/* signals arrive in the thread that changes the data of their handlers; this one only waits */
	pthread_sigmask(SIG_SETMASK, NULL, &f.signals);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	if (create(&t, run_first, &f))
		run_first(&f);
	else
		pthread_join(t, NULL);
	pthread_sigmask(SIG_SETMASK, &f.signals, NULL);
	return f.rc;
}
