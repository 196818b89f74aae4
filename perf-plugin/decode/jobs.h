/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jobs.h - session_run() with several threads: pieces of the trace are decoded side by side, each thread with a
 * replica of the session, and taken in their order by the thread that called. What comes out does not depend on
 * the number of threads.
 */
#ifndef CSTRACE_DECODE_JOBS_H
#define CSTRACE_DECODE_JOBS_H

#include "decode/decode.h"
#include "decode/stream_state.h"

/* How many threads this run is worth; 1: jobs_run() is not to be called. */
unsigned int jobs_threads(const struct session *ss, const struct session_consumer *con);
/* Decodes everything: as session_run(). Threads that cannot be made are done without. */
int jobs_run(struct session *ss, const struct session_consumer *con, unsigned int threads);

#endif
