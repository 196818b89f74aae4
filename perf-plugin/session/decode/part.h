/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * part.h - the contribution of a piece to the counts of a session: totals, losses, and counts per file. A replica
 * counts each piece from zero; the session adds the parts in order of the pieces.
 */
#ifndef CSTRACE_SESSION_DECODE_PART_H
#define CSTRACE_SESSION_DECODE_PART_H

#include "session/decode/stream.h"
#include "session/internal.h"

/* Counts of a file that occurs in the piece. */
struct part_file {
	uint32_t number;	/* dso.number */
	bool shown, assumed;
	uint64_t used, insns, nacc, nacc_bytes, conflicts;
};

struct part {
	struct session_totals totals;
	struct losses losses;
	uint64_t unrouted_ids[2];
	bool matched, left_undone;
	struct part_file *files;
	size_t nr_files;
};

/* Sets the counts of a run to zero, at the begin of session_run(). */
void session_zero_counts(struct session *ss);
/* Takes the counts of the piece from a replica and sets them to zero. Returns 0 or ERR_NOMEM. */
int part_take(struct part *p, struct session *rep);
/* Adds a part. Returns false, without a change, if the sum would not be exact. */
bool part_add(struct session *ss, const struct part *p);
/* Sets the session's counts, which are zero, to those of a part that was taken from it, which becomes empty. */
void part_put_back(struct session *ss, struct part *p);
void part_free(struct part *p);

#endif
