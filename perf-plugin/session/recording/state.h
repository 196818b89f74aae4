/* SPDX-License-Identifier: GPL-2.0-only */
/* state.h - what other parts of libcstrace-perf use of a recording. */
#ifndef CSTRACE_SESSION_RECORDING_STATE_H
#define CSTRACE_SESSION_RECORDING_STATE_H

#include <cstrace/perf/recording.h>

struct dso;
struct session;

struct session *recording_session(struct cst_recording *r);
const struct cst_recording_file *recording_file(struct cst_recording *r, const struct dso *d);

/* Messages between these two belong to one call of the interface. */
void recording_begin(struct cst_recording *r);
/* Passes the messages of the call on, line by line. */
void recording_end(struct cst_recording *r);

#endif
