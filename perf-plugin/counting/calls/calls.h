/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls.h - exact call stacks of each thread, and the calling-context tree (CCT) that they make: a node for each chain
 * of call sites and callees, with its calls and the instructions executed in it without its callees.
 *
 * The consumer of a session hands each batch to calls_batch(), with a lane per stream. A lane follows the calls of the
 * thread that runs on it relative to an unknown base, and cuts them into segments: a segment ends where the rules need
 * frames below the base (returns beyond it, longjmp, C++ exceptions, signals, thread switches). join.c applies the
 * segments to the stacks of the threads: at once if all trace is one stream, else when the trace ends, in time order.
 *
 * Every executed instruction is in exactly one node. Where callers are not known (begin of a thread's trace, losses)
 * the tree has a ROOT; a return to a caller that is not known makes that caller the new root.
 *
 * Threads: a struct calls belongs to one thread at a time. A shard that is decoded in another thread has its own.
 */
#ifndef CSTRACE_COUNTING_CALLS_CALLS_H
#define CSTRACE_COUNTING_CALLS_CALLS_H

#include <cstrace/files/countfile.h>
#include <cstrace/flow.h>

#include "session/decode/stream.h"

/* A place in a file: number of a binary and offset, in one word. */
typedef uint64_t calls_place;
#define CALLS_NO_PLACE	UINT64_MAX	/* CST_COUNT_NO_BINARY, CST_COUNT_OUTSIDE */

static inline calls_place calls_place_of(uint32_t binary, uint32_t offset)
{
	return (uint64_t)binary << 32 | offset;
}

/* Binary, offset and function of an address. */
struct calls_where {
	calls_place place;	/* CALLS_NO_PLACE: in no file */
	uint32_t start, end;	/* offsets of the function that holds the place, end exclusive; equal: unknown */
	bool part;		/* a part of another function, which is elsewhere (NAME.cold) */
	bool sets_jump;		/* setjmp() and its likes: it returns again to the same address after longjmp() */
	bool begins_program;	/* the entry point of a program */
};

/*
 * What the calls read of the code. places.h has the implementation for a session; tests have their own. `binary` numbers
 * are the caller's own, below UINT32_MAX.
 */
struct calls_code {
	void *data;
	/* Number of the binary of a section (cst_generic.section, not 0), or CST_COUNT_NO_BINARY. The same for each call. */
	uint32_t (*binary)(void *data, uint32_t section);
	/*
	 * Finds the place of an address in the address space of the stream's thread, and its function. Offsets beyond
	 * 32 bits have no place.
	 */
	void (*where)(void *data, const struct stream *s, uint64_t addr, struct calls_where *w);
	/* Size of the instruction before `addr` if that is a branch with link, else 0. */
	unsigned int (*call_before)(void *data, const struct stream *s, uint64_t addr, unsigned int isa);
	/* Identity of the program that runs in the process of the stream's thread; 0: unknown. NULL: all are one. */
	uint64_t (*program)(void *data, const struct stream *s);
	/* Landing pad of an exception thrown by the call at `site`, or CALLS_NO_PLACE. NULL: no function has any. */
	calls_place (*landing_pad)(void *data, calls_place site);
};

struct calls_limits {
	uint32_t depth;		/* nodes below this depth are added into CUT nodes; 0: CALLS_DEPTH */
	uint32_t nodes;		/* the depth is reduced until no more nodes are left; 0: CALLS_NODES */
	uint64_t kept;		/* bytes of segments kept to be joined at the end, all streams together; 0: CALLS_KEPT */
};

#define CALLS_DEPTH	1024u
#define CALLS_NODES	1000000u
#define CALLS_KEPT	(256ull << 20)

struct calls_totals {
	uint64_t insns;		/* sum over all nodes */
	uint64_t calls;		/* of CALL and TAIL nodes */
	uint64_t cut_calls, cut_insns;	/* in CUT nodes */
	uint64_t roots;		/* begins of a ROOT */
	uint64_t lost;		/* ROOTs because of a loss: the stack was known before */
	uint64_t estimated;	/* stretches that timestamps do not order, joined in the order of their estimated times */
	/* stretches that begin with a ROOT because no timestamp orders them, or because estimated times gave an order that cannot be */
	uint64_t unordered;
	uint64_t unjoined;	/* stretches beyond limits.kept, which have a ROOT of their own */
};

struct calls;
struct calls_lane;

/*
 * `streams`: session_max_streams(). With more than one the consumer must have times, and batches that end at timestamps
 * (consumer.wants.times, CST_STOP_TIMESTAMP in its `stop`).
 */
struct calls *calls_new(const struct calls_limits *limits, const struct calls_code *code, unsigned int streams);
void calls_free(struct calls *c);
/*
 * Keeps the contexts of threads apart: calls_next() returns a root of each thread, with the thread
 * (calls_thread_of()) as its `from`. Before the first lane, and before the first shard is made.
 */
void calls_by_thread(struct calls *c);

/* State of a stream, from its first batch to its end or that of the shard. */
struct calls_lane *calls_lane_new(struct calls *c);
/* Takes a batch, also one that a filter excludes. CST_GEN_COUNTED must not occur. */
void calls_batch(struct calls *c, struct calls_lane *ln, const struct stream *s,
		 const struct cst_generic *g, size_t n);
/* Ends the stream and frees the lane. */
void calls_lane_end(struct calls *c, struct calls_lane *ln);

/*
 * Creates calls for one shard of the trace (shard_ops.make), with the same numbers of binaries.
 * With several streams shards may be taken in any order: fragments are put in order of queue and
 * offset at the end. Shards of whole streams give the same result as one thread; with shards of
 * fragments that holds as long as limits.kept is not reached. With one stream shards are taken in
 * its order, if they fit, and give the same result as one thread.
 */
struct calls *calls_shard_new(const struct calls *c, const struct calls_code *code);
/*
 * A shard can also begin inside an AUX fragment of an only stream, in the state that another lane
 * has reached in trace before it (session/decode/cut.h). calls_lane_digest() extends a digest by
 * that state: equal ones continue equally up to returns to functions that were entered earlier.
 * calls_lane_move() makes the lane, which has taken that trace for other calls, begin in `c`; what
 * it has counted is dropped.
 */
uint64_t calls_lane_digest(struct calls *c, const struct calls_lane *ln, uint64_t digest);
void calls_lane_move(struct calls *c, struct calls_lane *ln, const struct stream *s);
/*
 * False if a shard of an only stream is not to be taken, and its trace is to be given to `c`
 * itself: it has more segments than it may keep, or begins inside of a fragment and would have
 * another result behind the trace before it, which `c` has.
 */
bool calls_shard_fits(const struct calls *c, const struct calls *shard);
/* Takes the result of a shard whose lanes have ended. The shard must still be freed. */
void calls_shard_take(struct calls *c, struct calls *shard);

/*
 * Joins the segments and finishes the tree, after the last lane has ended. `place` gives the final number and offset of
 * each place but CALLS_NO_PLACE, or CALLS_NO_PLACE; places may be the same then.
 */
void calls_finish(struct calls *c, calls_place (*place)(void *data, calls_place p), void *data);
/*
 * Returns the next node in canonical order (depth first, siblings by kind, from_binary, from, binary, entry); false
 * after the last one. The iteration ends for good there.
 */
bool calls_next(struct calls *c, struct cst_count_node *n);
/* Valid after calls_finish(). */
const struct calls_totals *calls_totals(const struct calls *c);

#endif
