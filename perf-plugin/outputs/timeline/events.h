/* SPDX-License-Identifier: GPL-2.0-only */
/* events.h - a timeline as tracks with events, which each format writes in its way. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_EVENTS_H
#define CSTRACE_OUTPUTS_TIMELINE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "outputs/timeline/internal.h"

#define EVENT_ARGS	5u

struct event_arg {
	const char *key;
	const char *text;	/* NULL: `number` is the value */
	uint64_t number;
};

struct event_track {
	int pid, tid;
	bool thread;		/* of a thread of the recording; else these are numbers of our own */
	bool cpu;		/* `tid` is a CPU */
};

struct event {
	struct event_track track;
	uint64_t begin, end;	/* ns, or instructions; equal and `instant`: a moment */
	int32_t depth;		/* within the track and `tree`: an event holds those that follow it with more depth */
	uint32_t tree;
	bool instant;
	const char *category, *name;
	const struct calls_slice *call;	/* NULL: not on the track of a thread */
	unsigned int nr_args;
	struct event_arg args[EVENT_ARGS];
};

/* Texts are valid during the call. */
struct event_sink {
	/* The process whose tracks follow; for a track of a CPU, what the tracks show. */
	void (*process)(void *data, const struct event_track *t, const char *name);
	void (*track)(void *data, const struct event_track *t, const char *name);
	/* Events of a track follow each other; callers are before what they called. */
	void (*event)(void *data, const struct event *e);
	/* NULL, or called for each event but moments: after all in it have ended, and before any after it begins. */
	void (*end)(void *data, const struct event_track *t, uint64_t time);
};

void timeline_events(const struct timeline *t, const struct event_sink *sink, void *data);

#endif
