/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - a timeline that is complete, and what a format makes of it. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_INTERNAL_H
#define CSTRACE_OUTPUTS_TIMELINE_INTERNAL_H

#include "base/files/output.h"
#include "counting/calls/slices.h"
#include "machine/tasks/comms.h"
#include "outputs/timeline/labels.h"
#include "outputs/timeline/timeline.h"
#include "outputs/timeline/tracks.h"

struct timeline {
	struct tracks tracks;
	const struct calls_slice *slices;	/* by thread, begin and depth */
	size_t nr_slices;
	uint64_t left_out;	/* slices */
	bool by_insns;		/* the trace has no timestamps: times are instructions, of each thread or stream */
	const struct timeline_opts *opts;
	struct labels *labels;
	struct comms *comms;
};

struct timeline_format {
	const char *name;
	bool binary;
	bool whole;	/* the file is not kept within what viewers open */
	/* Writes all of it; or, with `out` NULL, only returns how many bytes that would be. */
	uint64_t (*write)(const struct timeline *t, struct pd_output *out);
	/*
	 * Or writes the file of this name, the output's own, and returns 0 or a negative error.
	 * NULL: `write` does it.
	 */
	int (*store)(const struct timeline *t, const struct pd_output *out, struct error *err);
};

uint64_t timeline_json(const struct timeline *t, struct pd_output *out);
uint64_t timeline_speedscope(const struct timeline *t, struct pd_output *out);
int timeline_sqlite(const struct timeline *t, const struct pd_output *out, struct error *err);

/*
 * The name of a thread at a time; of one that is idle or unknown it is made in `room`. `th` may be
 * NULL.
 */
const char *timeline_thread_name(const struct timeline *t, const struct track_thread *th,
				 uint64_t time, char *room, size_t size);

/* Begin and end of a slice on the axis of the timeline. */
static inline uint64_t timeline_at(const struct timeline *t, const struct calls_moment *m)
{
	return t->by_insns ? m->insns : m->time;
}

#endif
