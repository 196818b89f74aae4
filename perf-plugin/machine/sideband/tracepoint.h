/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracepoint.h - sched:sched_switch samples. The layout of the event comes with the file: feature
 * TRACING_DATA, or the HEADER_TRACING_DATA record of a pipe.
 */
#ifndef CSTRACE_MACHINE_SIDEBAND_TRACEPOINT_H
#define CSTRACE_MACHINE_SIDEBAND_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracepoint;

struct sched_switch {
	int prev, next;		/* threads */
};

/*
 * Look for sched_switch in tracing data. NULL: it is not there, or, with *problem set to a
 * phrase for a message, the data is damaged. `problem` is NULL otherwise.
 */
struct tracepoint *tracepoint_new(const void *data, size_t len, const char **problem);
void tracepoint_free(struct tracepoint *tp);

/* perf_event_attr.config of the event's samples. */
uint64_t tracepoint_id(const struct tracepoint *tp);
/* Read the raw data of a sample; false when it is too short or of another event. */
bool tracepoint_switch(const struct tracepoint *tp, const void *raw, size_t size, struct sched_switch *sw);

#endif
