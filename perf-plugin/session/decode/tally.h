/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally.h - the contribution of a shard to the counts of a session: totals, losses, and counts per
 * file. A replica counts each shard from zero; the session adds the tallies in order of the shards.
 */
#ifndef CSTRACE_SESSION_DECODE_TALLY_H
#define CSTRACE_SESSION_DECODE_TALLY_H

#include "session/decode/stream.h"
#include "session/internal.h"

/* Counts of a file that occurs in the shard. */
struct part_file {
	uint32_t number;	/* dso.number */
	bool assumed;
	struct dso_counts counts;
};

struct tally {
	struct session_totals totals;
	struct losses losses;
	uint64_t unrouted_ids[2];
	bool matched, left_undone;
	struct part_file *files;
	size_t nr_files;
};

/* Sets the counts of a run to zero, at the begin of session_run(). */
void session_zero_counts(struct session *ss);
/* Takes the counts of the shard from a replica and sets them to zero. */
void tally_take(struct tally *p, struct session *rep);
/* Adds a tally. Returns false, without a change, if the sum would not be exact. */
bool tally_add(struct session *ss, const struct tally *p);
/*
 * Sets the session's counts, which are zero, to those of a tally that was taken from it, which
 * becomes empty.
 */
void tally_put_back(struct session *ss, struct tally *p);
void tally_free(struct tally *p);

#endif
