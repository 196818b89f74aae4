/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counts.h - how often each range and each branch ran, per binary, in one pass over the trace.
 *
 * A range begins at the target of a branch, or after a branch that was not taken, and ends at the next branch, an
 * exception or the end of the trace. It may consist of several elements: ETMv3 has one for each instruction, and PTM has
 * waypoint updates.
 * With `joined`, branches that were not taken do not end a range.
 *
 * An edge is a taken branch. Exceptions are not counted, since no branch instruction causes them. A branch whose
 * target is unknown or outside its binary counts as leaving it; one that comes in from outside
 * belongs to the other binary.
 *
 * With `arrivals`, entries into a binary from outside are counted as well: branches from other binaries, and
 * exception returns to an address other than that of the instruction after the last one (the kernel starts a signal
 * handler, or a handler ends). An exception that returns to the instruction after the last one does not end a range.
 * It is unknown how execution came to the first range of a trace and to the first one after a loss: they are no
 * arrivals.
 */
#ifndef CSTRACE_PROFILE_COUNTS_H
#define CSTRACE_PROFILE_COUNTS_H

#include <cstrace/counts.h>
#include "session/session.h"

#define COUNTS_OUTSIDE	UINT32_MAX	/* target of an edge that leaves the binary */

struct binary {
	struct dso *dso;
	struct cst_pairs ranges;	/* offsets of the first and the last instruction */
	struct cst_pairs edges;
	/* With `arrivals`: */
	struct cst_pairs arrivals;	/* ranges that a return, or a branch from another binary, led to; not in `ranges` */
	struct cst_pairs entries;	/* targets of branches from other binaries; b is 0 */
	uint64_t insns;
	uint64_t branches;	/* branches taken */
	uint64_t inside;	/* branches whose target is in the binary */
};

struct counts;

/* `joined` and `arrivals` are described above. Returns NULL without memory. */
struct counts *counts_new(struct session *ss, bool joined, bool arrivals);
void counts_free(struct counts *c);

/* Decodes the session's trace. Returns 0, or negative after a message on stderr. */
int counts_run(struct counts *c);

/* Returns the binaries sorted by instructions, most first. */
size_t counts_binaries(struct counts *c, struct binary ***v);
/* Number of instructions in no binary. */
uint64_t counts_elsewhere(const struct counts *c);

#endif
