/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest_records.h - records about virtual machines in the output of inject, as perf inject
 * --guest-data writes them: the ids of samples of each guest (ID_INDEX with the process that runs
 * it), its kernel, and the maps and threads of its own recording at the host's times.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_GUEST_RECORDS_H
#define CSTRACE_OUTPUTS_SYNTH_GUEST_RECORDS_H

#include "outputs/synth/merge.h"
#include "perfdata/writer.h"

struct session;

/*
 * Ids of an event's samples: the host's, and behind it one for each guest of the session, by its
 * number.
 */
struct guest_ids {
	uint64_t first;		/* the host's */
	unsigned int nr;	/* events: distance between the ids of two guests */
};

static inline uint64_t guest_id_of(const struct guest_ids *ids, unsigned int guest)
{
	return ids->first + (uint64_t)ids->nr * guest;
}

/* Returns the number of guests with files, known or not by the process that runs them. */
unsigned int guest_records_guests(const struct session *ss);
/*
 * Writes the ID_INDEX record of the guests whose process on the host is known, for `n` events that
 * the header has. Without such a guest there is none.
 */
void guest_records_ids(const struct session *ss, struct perf_writer *w,
		       const struct guest_ids *events, unsigned int n);
/*
 * Adds the records of these guests to lanes of `m`; their trailers have `sample_type` and the
 * guest's id of `ids`. `timed`: the output's records have times.
 */
void guest_records_collect(const struct session *ss, struct merge *m, const struct guest_ids *ids,
			   uint64_t sample_type, bool timed);

#endif
