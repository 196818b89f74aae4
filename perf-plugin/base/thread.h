/* SPDX-License-Identifier: GPL-2.0-only */
/* thread.h - starts threads that leave signals to the thread that began. */
#ifndef CSTRACE_BASE_THREAD_H
#define CSTRACE_BASE_THREAD_H

#include <pthread.h>

/*
 * As pthread_create(), but signals that end the program are blocked in the new thread: only the first thread changes the
 * data of their handlers. SIGBUS and SIGSEGV arrive in the thread that causes them.
 */
int thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);

/*
 * Calls run(argc, argv), for main(): with a stack of its own, in a thread that gets all signals, if the limit of the process
 * is too small for it. Returns what `run` returns.
 */
int thread_run_first(int (*run)(int argc, const char **argv), int argc, const char **argv);

#endif
