/* SPDX-License-Identifier: GPL-2.0-only */
/* time.h - moments in perf time, in nanoseconds. */
#ifndef CSTRACE_BASE_TIME_H
#define CSTRACE_BASE_TIME_H

#include <stdint.h>

/* Stands for a time that is not known. */
#define NO_TIME UINT64_MAX

#endif
