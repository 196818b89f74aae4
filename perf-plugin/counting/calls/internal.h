/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - frames, gaps and segments: the parts of a thread's stack as a lane has followed them, and the stacks of
 * the threads to which they are applied.
 */
#ifndef CSTRACE_COUNTING_CALLS_INTERNAL_H
#define CSTRACE_COUNTING_CALLS_INTERNAL_H

#include "counting/calls/calls.h"
#include "counting/calls/slices.h"
#include "counting/calls/tree.h"

#define MAX_FRAMES	(1u << 20)
/* TAIL frames above one call that are kept apart; a further one replaces the last one. */
#define MAX_TAILS	32u

/* An open function. */
struct frame {
	/* CALL, TAIL: where it returns to; EXCEPTION, SIGNAL: the interrupted address; 0: unknown */
	uint64_t ret;
	uint64_t lo, span;	/* addresses of the function; span 0: unknown */
	uint64_t jump;		/* where the last setjmp() that it called returns to; 0: none */
	uint32_t node;
	uint8_t kind;		/* enum cst_count_node_kind */
	bool returned;		/* SIGNAL: the handler has returned, to the code that ends it */
	uint8_t exception;	/* EXCEPTION: enum branch_kind; 0: unknown */
};

/* A place where execution may continue elsewhere, or unseen. */
struct gap {
	uint64_t expect;	/* where execution continues if nothing happens in between; 0: unknown */
	calls_place from;	/* the last instruction, or the one that was interrupted */
	uint64_t program;	/* calls_code.program of the last instruction */
	bool kernel;		/* an exception whose handler is not traced */
	bool soft;		/* the trace ended and began again: an AUX fragment */
	bool lost;		/* trace was lost */
	bool missing;		/* code without an image is executed; it returns to the caller of the top frame */
	uint8_t el;		/* of the last instruction; 0 also if unknown */
	uint8_t exception;	/* with `kernel`: enum branch_kind; 0: unknown */
};

/* Why a segment begins. */
enum cause {
	CAUSE_JOIN,		/* the thread was elsewhere, or trace is missing */
	CAUSE_RETURN,		/* a return to an address that is not that of the last open call of the segment */
	CAUSE_ERET,		/* an exception return, likewise */
	CAUSE_CONTINUE,		/* none: the lane's tree was full, or a cut of a fragment begins */
	CAUSE_PART,		/* a branch from a part of a stripped function back to it */
	CAUSE_LAND,		/* an indirect branch into the middle of another function: longjmp(), C++ exceptions */
};

/* Counts of one node in a segment. */
struct counted {
	uint32_t node;		/* of the lane's tree */
	uint32_t parent;	/* index of its parent's counts; NO_NODE: the base of the segment */
	uint64_t calls, insns;
};

/* A call that began and ended in a segment. */
struct part_slice {
	struct calls_moment begin, end;	/* counts since the begin of the segment */
	uint32_t node;		/* of the lane's tree; in an ended segment: index of `counted` */
	uint32_t depth;		/* above the base of the segment */
	uint8_t exception;	/* as in struct frame */
};

/* What a thread executed from one place on, relative to the unknown frame in which it was. */
struct segment {
	uint64_t key;		/* of the thread */
	uint64_t stream;	/* struct stream.place */
	uint64_t seq;		/* order in the stream: position of the AUX record, number of the segment */
	uint64_t number;
	struct {
		uint64_t time;		/* estimated, of its begin */
		/*
		 * times of the timestamps before its begin (0: none) and after its end (UINT64_MAX:
		 * none)
		 */
		uint64_t after, before;
		bool timed;		/* the stream has timestamps */
	} when;
	struct {
		uint64_t addr;		/* first instruction */
		calls_place place, entry; /* of `addr`, and of the begin of its function */
		uint64_t lo, span;	/* addresses of that function */
		uint64_t program;	/* calls_code.program; 0: unknown */
		uint64_t base_jump;	/* frame.jump of the base; 0: none */
		uint8_t cause;		/* enum cause */
		uint8_t el;		/* of `addr`; 0 also if unknown */
		bool begins_program;	/* at `addr` */
		bool base_calls_setjmp;	/* as a tail: setjmp() returns to the caller of the base */
		/* the base, of unknown kind, has branched into the middle of another function */
		bool base_left;
		/* of the call instruction before `addr`; 0: there is none */
		uint8_t call_size;
	} begin;
	struct gap end;
	struct {
		const struct cct *tree;	/* of the lane */
		struct counted *counted; /* parents before children */
		/* open at the end, outermost first; `node` is an index of `counted` */
		struct frame *frames;
		uint32_t nr_counted, nr_frames;
	} made;
	struct {
		/*
		 * with struct slices: the time of the begin; the end, with what the segment
		 * counted; calls in it; begins of `frames`
		 */
		uint64_t start;
		struct calls_moment finish;
		struct part_slice *slices;
		struct calls_moment *frame_begins;
		uint32_t nr_slices;
	} sliced;
	struct {
		/* before it, since the last instruction of the stream; as in struct gap */
		bool lost, soft, missing;
	} gap;
};

/* Stack and tree of a thread since its last ROOT. */
struct thread_calls {
	uint64_t key;
	struct cct tree;
	struct frame *f;
	size_t nr, cap;		/* 0 frames: unknown */
	struct gap end;
	/* with struct slices: begins of the frames; end of the last segment; how often a caller became the root */
	struct calls_moment *begin, now;
	size_t cap_begin;
	int32_t climbs;
	uint32_t trees;		/* trees that have ended */
	bool climbed;		/* depths of nodes are too small */
	bool estimated;		/* a stretch since the last ROOT has its place by its estimated time */
};

/* Calls in time. */
struct slices {
	struct calls_slice_opts o;
	struct calls_slice *v;
	size_t nr, cap;
	uint64_t min;		/* minimum of a slice's length now */
	uint64_t left_out;
	size_t nr_parts;	/* slices of segments that are not yet applied to a thread */
	struct lane_slices *lanes;
};

/* Those of the open segment of a lane. */
struct lane_slices {
	struct lane_slices *next;
	struct part_slice *v;
	size_t nr, cap;
	struct calls_moment *begin; /* of each frame */
	size_t cap_begin;
	struct calls_moment now; /* counts since the begin of the segment */
	bool timed;		/* the trace has timestamps: before the first one of a fragment no time is known */
};

#define WHERES	8192u
#define PADS	1024u

struct calls {
	struct calls_limits limits;
	struct calls_code code;
	struct {
		bool deferred;		/* segments are kept until calls_finish() */
		/* a filter excludes what threads ran between stretches that it selects */
		bool unseen;
		struct segment *kept;
		size_t nr_kept, cap_kept;
		struct room {
			uint64_t stream;
			uint64_t left;	/* bytes that the stream may still keep */
			/* the stack of its present stretch, when there are none left */
			struct thread_calls orphan;
		} *rooms;
		size_t nr_rooms, cap_rooms;
		size_t room;		/* that of the last segment */
		unsigned int streams;
		struct cct **forests;	/* trees of lanes that ended, for kept segments */
		size_t nr_forests, cap_forests;
	} keep;
	struct calls_totals totals;
	uint32_t *binary_of;	/* by section number */
	uint32_t nr_sections;
	struct where_slot {
		uint64_t key;	/* section, offset; 0: empty */
		struct calls_where where;
	} *wheres;
	struct pad_slot {
		calls_place site, pad;	/* a call and its landing pad; site 0 also: empty */
	} *pads;
	struct {
		struct thread_calls **threads;	/* sorted by key */
		size_t nr_threads, cap_threads;
	} who;
	struct cct done;	/* trees whose root is final */
	uint32_t depth;		/* present limit of depth */
	bool by_thread;		/* roots of `done` have the thread in the place of a call */
	struct slices *slices;	/* NULL: not asked for */
	struct {
		uint32_t *map;		/* room of segment_apply() */
		size_t cap_map;
	} apply;
	struct {
		/* iteration of calls_next() */
		/* nodes by parent; begin of each parent's children in `order`, roots last */
		uint32_t *order, *first;
		struct walk { uint32_t at, end; } *walk;
		size_t nr_walk, cap_walk;
	} walking;
};

/*
 * calls.c: returns the depth to which a tree must be cut so that it is within the limit of nodes.
 */
uint32_t calls_depth_for(const struct cct *t, uint32_t depth, uint32_t limit);

/* stack.c: applies a segment to a thread; `unordered`: it is not known to follow the last one. */
void segment_apply(struct calls *c, struct thread_calls *t, const struct segment *seg,
		   bool unordered);
/* Ends the tree of a thread. `flags`: enum calls_slice_flags of the calls that are open. */
void thread_end(struct calls *c, struct thread_calls *t, uint8_t flags);
void thread_free(struct thread_calls *t);
/* Returns the frame that frame `i` is a tail of. */
size_t stack_head(const struct thread_calls *t, size_t i);
/* join.c: returns the stack of a thread, a new one if needed. */
struct thread_calls *thread_get(struct calls *c, uint64_t key);

/* join.c: takes a segment, whose arrays are copied. */
void join_take(struct calls *c, const struct segment *seg);
/* Applies all kept segments. */
void join_all(struct calls *c);
/* Applies the segments of a shard of the only stream, whose shards are taken in order. */
void join_shard(struct calls *c, const struct calls *shard);
/* Ends the stacks of segments that were not kept. */
void join_orphans(struct calls *c);
/* Keeps the tree of a lane that ended, if a kept segment is in it; *t is empty afterwards. */
void join_forest(struct calls *c, struct cct *t);

/* slices.c. Frame `i` of a lane, or of a thread, is entered or left. */
void slices_push(struct lane_slices *l, size_t i, const struct calls_moment *now);
void slices_pop(struct calls *c, struct lane_slices *l, size_t i, const struct frame *f,
		calls_place entry, const struct calls_moment *now);
void slices_thread_push(struct thread_calls *t, size_t i, const struct calls_moment *begin);
void slices_thread_pop(struct calls *c, struct thread_calls *t, size_t i,
		       const struct calls_moment *end, uint8_t flags);
/*
 * The moment `m` of a segment that begins at `base`, with the thread's instructions and cycles. Estimated times may go back;
 * a thread's time does not.
 */
struct calls_moment slices_later(const struct calls_moment *base, const struct calls_moment *m);
/* The caller of the first frame, which has ended, takes its place; it was entered at `begin` or before. */
void slices_climb(struct thread_calls *t, const struct calls_moment *begin);
/*
 * Takes the slices of a segment, from number *taken on, that ended before its open frame number `frames` was entered. The open
 * frames before that one are on the stack of the thread. map: nodes of the thread's tree.
 */
void slices_take(struct calls *c, struct thread_calls *t, const struct segment *seg,
		 const uint32_t *map, uint32_t frames,
		uint32_t *taken);
/* The thread has executed the segment. */
void slices_finish_segment(struct thread_calls *t, const struct segment *seg);
struct lane_slices *lane_slices_new(struct slices *sl);
void lane_slices_free(struct slices *sl, struct lane_slices *l);
void slices_free(struct slices *sl);

#endif
