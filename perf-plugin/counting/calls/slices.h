/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slices.h - calls in time: when each function was entered and left. They are recorded beside the tree if
 * calls_record_slices() asks for it. The number is limited: if there are more, the shortest ones are left out, so that the
 * callers of a slice that is kept are kept, too.
 */
#ifndef CSTRACE_COUNTING_CALLS_SLICES_H
#define CSTRACE_COUNTING_CALLS_SLICES_H

#include "counting/calls/calls.h"

/* A moment of a thread. */
struct calls_moment {
	uint64_t time;		/* perf time in ns, estimated between timestamps */
	uint64_t insns;		/* executed by the thread since its trace began */
	uint64_t branches;	/* taken by the thread since then; an exception is none */
	uint64_t cycles;	/* counted by the trace; 0 without cycle counts */
};

enum calls_slice_flags {
	CALLS_BEGAN_BEFORE = 1,	/* the function was entered before the trace of the thread began, or before a loss */
	CALLS_END_LOST = 2,	/* it was open when trace was lost: the end is not known */
	CALLS_STILL_OPEN = 4,	/* it was open when the trace of the thread ended */
};

/* A function from its entry to its return. */
struct calls_slice {
	struct calls_moment begin, end;
	uint64_t thread;	/* CALLS_THREAD_x */
	uint32_t tree;		/* of the thread: a new one begins where the stack is unknown, or with a new program */
	calls_place from, entry; /* as in struct cst_count_node; entry CALLS_NO_PLACE: code of no file, or too deep */
	int32_t depth;		/* calls below the function in which the trace of the thread began; a caller of it: negative */
	uint8_t kind;		/* enum cst_count_node_kind */
	uint8_t flags;		/* enum calls_slice_flags */
	uint8_t exception;	/* enum branch_kind of CST_COUNT_EXCEPTION; 0: unknown */
};

/* Values of calls_slice.thread: the thread's number, or one of these with the CPU, or the place of the stream. */
#define CALLS_THREAD_IDLE	(1ull << 32)	/* the idle thread of a CPU */
#define CALLS_THREAD_UNKNOWN	(1ull << 33)

struct calls_slice_opts {
	size_t max;		/* slices that are kept; 0: no limit */
	uint64_t min;		/* shorter ones are left out: ns or, with by_insns, instructions */
	int32_t depth;		/* those at this depth and below are left out; 0: no limit */
	bool by_insns;		/* lengths are counted in instructions */
	/*
	 * NULL, or only the slices for which `wanted` returns true are recorded, and `each` takes
	 * them, in any order, in place of the list. `max` bounds those that wait for that.
	 */
	bool (*wanted)(void *data, uint8_t kind, calls_place entry);
	void (*each)(void *data, const struct calls_slice *s);
	void *data;
};

/* Identity of the thread of a batch. */
uint64_t calls_thread_of(const struct stream *s);
/* Records slices. Before the first lane; there must be no shards. */
void calls_record_slices(struct calls *c, const struct calls_slice_opts *o);
/*
 * Returns the slices after calls_finish(), by thread, begin and depth, and how many were left out. Their places are those of
 * calls_code, not those of calls_next().
 */
const struct calls_slice *calls_slices(struct calls *c, size_t *nr, uint64_t *left_out);
/* Leaves out the shortest ones until there are at most `max`; after calls_slices(). */
void calls_limit_slices(struct calls *c, size_t max);

#endif
