/* SPDX-License-Identifier: BSD-3-Clause */
/* tracing_w.h - the tracing data that perf stores for tracepoints: the format of one. */
#ifndef CSTRACE_TESTS_GEN_TRACING_W_H
#define CSTRACE_TESTS_GEN_TRACING_W_H

#include "util.h"

#define TRACING_FEATURE 1	/* of perf.data */

/* of one tracepoint: PERFW_SCHED_SWITCH or PERFW_TRACEPOINT */
void tracing_write(struct gbuf *out, int tracepoint);

#endif
