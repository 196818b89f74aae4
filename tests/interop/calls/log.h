/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.h - a program's own log of its calls: -finstrument-functions calls the two functions below when a function begins
 * and ends. The log is the truth for the calls that a decoder finds. Include it once per program.
 *
 * Records of 16 bytes: thread, kind, address of the function, or for LOG_UNWIND the number of open functions.
 */
#ifndef CALLS_LOG_H
#define CALLS_LOG_H

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#define LOG_MAX (1u << 18)
#define QUIET __attribute__((no_instrument_function, noinline))

enum { LOG_ENTER = 1, LOG_EXIT, LOG_UNWIND };

struct log_record {
	uint32_t thread, kind;
	uint64_t what;
};

#ifdef __cplusplus
extern "C" {
#endif

static struct log_record log_v[LOG_MAX];
static unsigned int log_n;
static __thread unsigned int log_depth;
static __thread uint32_t log_thread;

QUIET static void log_add(uint32_t kind, uint64_t what)
{
	unsigned int i = __atomic_fetch_add(&log_n, 1, __ATOMIC_RELAXED);

	if (i < LOG_MAX)
		log_v[i] = (struct log_record){ log_thread, kind, what };
}

QUIET void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	log_depth++;
	log_add(LOG_ENTER, (uint64_t)(uintptr_t)function);
}

QUIET void __cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	log_depth--;
	log_add(LOG_EXIT, (uint64_t)(uintptr_t)function);
}

/* After longjmp(): the functions that were open at setjmp() are open again. */
__attribute__((unused)) QUIET static void log_unwind(unsigned int depth)
{
	log_depth = depth;
	log_add(LOG_UNWIND, depth);
}

QUIET static void log_write(const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	unsigned int n = log_n < LOG_MAX ? log_n : LOG_MAX;

	if (fd < 0 || write(fd, log_v, n * sizeof(*log_v)) < 0)
		_exit(9);
	close(fd);
}

#ifdef __cplusplus
}
#endif

#endif
