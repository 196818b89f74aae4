/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - for LD_PRELOAD: CLOCK_MONOTONIC runs a million times as fast, so that a short command takes long. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FASTER	1000000

int clock_gettime(clockid_t id, struct timespec *ts)
{
	static time_t first;
	long long ns;
	int rc = (int)syscall(SYS_clock_gettime, id, ts);

	if (rc || id != CLOCK_MONOTONIC)
		return rc;
	if (!first)
		first = ts->tv_sec;
	ns = (ts->tv_sec - first) * 1000000000ll + ts->tv_nsec;
	ts->tv_sec = first + (time_t)(ns * FASTER / 1000000000);
	ts->tv_nsec = 0;
	return 0;
}
