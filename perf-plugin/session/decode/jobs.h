/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jobs.h - session_run() with several threads. Shards of the trace are decoded in parallel, each thread with a replica
 * of the session, and the calling thread takes the results in order. The output does not depend on the number of
 * threads.
 */
#ifndef CSTRACE_SESSION_DECODE_JOBS_H
#define CSTRACE_SESSION_DECODE_JOBS_H

#include "session/decode/decode.h"
#include "session/decode/stream_state.h"

/* Returns the number of threads for this run; 1: jobs_run() must not be called. */
unsigned int jobs_threads(const struct session *ss, const struct consumer *con);
/* Decodes everything as session_run(), with fewer threads if some cannot be created. */
int jobs_run(struct session *ss, const struct consumer *con, unsigned int threads);

#endif
