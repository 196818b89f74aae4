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

#endif
