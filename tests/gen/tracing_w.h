/* SPDX-License-Identifier: BSD-3-Clause */
/* tracing_w.h - the tracing data that perf stores when it records tracepoints: the format of sched_switch. */
#ifndef CSTRACE_TESTS_GEN_TRACING_W_H
#define CSTRACE_TESTS_GEN_TRACING_W_H

#include "util.h"

#define TRACING_FEATURE 1	/* of perf.data */

void tracing_write(struct gbuf *out);

#endif
