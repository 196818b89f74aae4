/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counts.h - how often each range and each branch ran, per binary, in one pass over the trace.
 *
 * A range begins at the target of a branch, or after a branch that was not taken, and ends at the next branch or the
 * end of the trace. It may consist of several elements: ETMv3 has one for each instruction, and PTM has waypoint
 * updates. An exception that returns to the instruction after the last one, in the same thread, does not end a range.
 * With all modes but COUNTS_SPLIT, branches that were not taken do not end a range.
 *
 * An edge is a taken branch. Exceptions are not counted, since no branch instruction causes them. A branch whose
 * target is unknown or outside its binary counts as leaving it; one that comes in from outside
 * belongs to the other binary.
 *
 * With COUNTS_ALL, entries into a binary from outside are counted as well: branches from other binaries, and
 * exception returns to an address other than that of the instruction after the last one (the kernel starts a signal
 * handler, or a handler ends). It is unknown how execution came to the first range of an AUX fragment and to the first
 * one after a loss: they are no arrivals. So fragments can be counted independently.
 *
 * Each method of generated code (DSO_JIT) is a binary of its own.
 */
#ifndef CSTRACE_COUNTING_COUNTS_COUNTS_H
#define CSTRACE_COUNTING_COUNTS_COUNTS_H

#include <cstrace/counts.h>

#include "counting/counts/jumps.h"
#include "counting/counts/metric.h"
#include "session/session.h"

#define COUNTS_OUTSIDE	UINT32_MAX	/* target of an edge that leaves the binary */
#define COUNTS_WHOLE	UINT32_MAX	/* binary.method: the binary is a whole file */
#define COUNTS_T32	1u		/* in the first offset of a range, which is even: T32 instructions (COUNTS_ALL) */

enum counts_mode {
	COUNTS_SPLIT,	/* every branch ends a range, taken or not */
	COUNTS_JOINED,	/* branches that were not taken do not end a range */
	COUNTS_ALL,	/* joined; all that a count file needs, but for calls */
	COUNTS_CALLS,	/* all, and calls in their contexts */
};

struct binary {
	struct dso *dso;
	uint32_t method;	/* DSO_JIT: index of the method's symbol; else COUNTS_WHOLE */
	uint8_t isa;		/* enum cst_isa of its first executed instruction */
	uint8_t isa_flags;	/* enum cst_isa_flags for the classification of its branches */
	/* All offsets are those of the dso, for a method, too. */
	struct cst_pairs ranges;	/* offsets of the first and the last instruction */
	struct cst_pairs edges;
	/* With COUNTS_ALL and COUNTS_CALLS: */
	struct cst_pairs arrivals;	/* ranges that a return, or a branch from another binary, led to; not in `ranges` */
	struct cst_pairs entries;	/* targets of branches from other binaries; b is 0 */
	struct cst_pairs untaken;	/* ends of ranges at a branch that was not taken; a as for ranges, b is 0 */
	/*
	 * with counts_measure(): amounts of the metric, in the place of `count`; a and b as for
	 * `ranges`
	 */
	struct cst_pairs spent;
	struct jumps jumps;	/* while ranges are counted: those that are not in the tables yet */
	uint64_t insns;		/* with counts_measure(): amounts */
	uint64_t branches;	/* branches taken */
	uint64_t inside;	/* branches whose target is in the binary */
};

struct calls;
struct counts;

/* `depth`, with COUNTS_CALLS: contexts below it are added up; 0: default. */
struct counts *counts_new(struct session *ss, enum counts_mode mode, uint32_t depth);
void counts_free(struct counts *c);
/* Keeps the contexts of threads apart, with COUNTS_CALLS: calls_by_thread(). */
void counts_by_thread(struct counts *c);

/*
 * Counts amounts of a metric where instructions are counted: of binaries, elsewhere, without path,
 * and of calls. With COUNTS_ALL and COUNTS_CALLS, before counts_run().
 */
void counts_measure(struct counts *c, enum metric metric);
const struct metric_rest *counts_unmeasured(const struct counts *c);

/* Decodes the session's trace. Returns 0, or negative after a message on stderr. */
int counts_run(struct counts *c);

/* Returns the binaries sorted by instructions, most first. */
size_t counts_binaries(struct counts *c, struct binary ***v);
/* Adds the counts of a binary to another one; `from` has no pairs afterwards. */
void counts_move(struct binary *to, struct binary *from);
/* Number of instructions in no binary. */
uint64_t counts_elsewhere(const struct counts *c);
/* The calls in their contexts, to be finished by the caller; NULL without COUNTS_CALLS. */
struct calls *counts_calls(struct counts *c);
/* Index of the method at an offset of generated code, whose symbols are in order of their offsets. */
uint32_t counts_method(const struct dso *d, uint64_t offset);
/* Number of instructions whose path was not traced (Q elements), which are in no range. */
uint64_t counts_nopath(const struct counts *c);

#endif
