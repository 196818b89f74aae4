/* SPDX-License-Identifier: GPL-2.0-only */
/* run.h - inside session_run(): the trees of the buffer that is being decoded. */
#ifndef CSTRACE_DECODE_RUN_H
#define CSTRACE_DECODE_RUN_H

#include <time.h>

#include "decode/pending.h"
#include "decode/stream_state.h"

/* Decode tree of a buffer: one for its frames, or one for each trace unit that wrote without frames. */
struct tree_slot {
	struct cst_tree *tree;
	struct trace_unit *unit;	/* without frames */
	bool raw;
	uint64_t last_index;		/* of what was decoded last */
	struct stream_state *st[128];
	uint64_t seen[2];	/* IDs that were dealt with */
};

struct run {
	struct session *ss;
	const struct session_consumer *con;
	struct queue *q;
	struct tree_slot *slots;
	size_t nr_slots, cap_slots;
	struct pending pending;
	enum deliver_mode { DELIVER_UNTIMED, DELIVER_AT_ONCE, DELIVER_PENDING } mode;
	struct cst_counts *counts;	/* for all decoders, or NULL */
	struct joined joined;	/* the fragment's bytes, if the file has them in pieces */
	uint64_t present[2];	/* trace IDs in the fragment, when it matters */
	/* Of the fragment that is being decoded. */
	struct run_fragment {
		uint64_t start;		/* offset in the trace at which it was begun */
		bool past;		/* nothing that follows in it is wanted */
	} f;
	struct run_progress {
		bool shown;		/* on the terminal */
		_Atomic uint64_t *bytes; /* not NULL: progress goes here, and somebody else shows it */
		struct timespec started, last;
		unsigned int ticks;
	} progress;
};

/* decode.c: room for decoding. `bytes` as in struct run_progress. 0, or ERR_NOMEM. */
int run_open(struct run *r, struct session *ss, const struct session_consumer *con, _Atomic uint64_t *bytes);
void run_close(struct run *r);
/* Fragments [first, end) of a queue. */
int run_fragments(struct run *r, struct queue *q, size_t first, size_t end);
/* Shows on the terminal how far decoding is, now and then. */
void run_progress(struct run *r, uint64_t bytes);

/*
 * deliver.c: batches to the consumer, in pieces if it wants the time to go on inside. Each returns 0, negative, or what
 * the consumer returned.
 */
int deliver_open(struct run *r);
void deliver_close(struct run *r);
/* Nothing that waits is delivered: the run ends early. */
void deliver_drop(struct run *r);
/* Room for a pull of BATCH elements. */
int deliver_room(struct run *r, struct cst_generic **out);
/* A batch of a stream, in the room that deliver_room() gave; the pull stopped for `why`. */
int deliver_batch(struct run *r, struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why);
/* No timestamp follows: all that waits is delivered. */
int deliver_flush(struct run *r);
/* Trace follows that is not wanted: what the end of the bytes before left open is a gap. */
int deliver_gap(struct run *r, struct stream_state *st);

/* slots.c: the tree for a fragment, with its streams. *slot NULL: nothing can decode it. 0, or negative. */
int slot_prepare(struct run *r, const struct fragment *f, struct tree_slot **slot);
/* Its streams end, and their sums are added up. */
void slot_free(struct run *r, struct tree_slot *slot);

#endif
