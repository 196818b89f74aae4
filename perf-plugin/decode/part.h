/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * part.h - what one piece of the trace adds to the counts of a session: totals, losses, and the counts of each
 * file. A replica counts it from zero; the session adds the parts in order of the pieces.
 */
#ifndef CSTRACE_DECODE_PART_H
#define CSTRACE_DECODE_PART_H

#include "decode/decode.h"
#include "session/internal.h"

/* Of a file that the piece was about. */
struct part_file {
	uint32_t number;	/* dso.number */
	bool shown;
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

/* The counts of a run, which session_run() begins with, are zero. */
void session_zero_counts(struct session *ss);
/* Takes the counts of the piece from a replica, which begins the next one with zero. 0, or ERR_NOMEM. */
int part_take(struct part *p, struct session *rep);
/* False: what the session has and the part cannot be added exactly, and nothing was added. */
bool part_add(struct session *ss, const struct part *p);
void part_free(struct part *p);

#endif
