/* SPDX-License-Identifier: GPL-2.0-only */
/* run.h - internals of session_run(): the trees of the buffer that is being decoded. */
#ifndef CSTRACE_SESSION_DECODE_RUN_H
#define CSTRACE_SESSION_DECODE_RUN_H

#include <time.h>

#include "session/decode/pending.h"
#include "session/decode/stream_state.h"

/* Decode tree of a buffer: one for its frames, or one for each trace unit without frames. */
struct buffer_tree {
	struct cst_tree *tree;
	struct trace_unit *unit;	/* without frames: the trace unit */
	bool raw;
	uint64_t last_index;		/* trace offset of the last element */
	struct stream_state *st[128];
	uint64_t seen[2];	/* trace IDs that have a stream, or need none */
	/* statistics when counting began: after the lead of a cut (cut.h) */
	struct tree_counts {
		struct cst_stats dec;	/* of all decoders */
		struct cst_frame_stats frame;
		uint64_t unrouted, ignored;
	} before;
};

struct run {
	struct session *ss;
	const struct consumer *con;
	struct queue *q;
	struct buffer_tree *trees;
	size_t nr_trees, cap_trees;
	struct pending pending;
	enum deliver_mode { DELIVER_UNTIMED, DELIVER_AT_ONCE, DELIVER_PENDING } mode;
	struct cst_counts *counts;	/* counts of all decoders, or NULL */
	bool planned;		/* consumer.wants.plan is in use */
	struct cst_branch_list list; /* with consumer.wants.branches; v is NULL if they are not listed */
	size_t pull;		/* maximum number of elements in the next pull */
	struct joined joined;	/* bytes of a fragment that the file has in several records */
	uint64_t present[2];	/* trace IDs in the fragment, if needed */
	/* State of the fragment that is being decoded. */
	struct run_fragment {
		/* trace offset at which decoding began, after the lead of an AUX window */
		uint64_t start;
		bool lead;	/* the lead is being decoded */
		bool past;		/* the filter excludes all further elements */
	} f;
	uint64_t released;	/* ss->bytes_done at the last run_release() */
	struct run_progress {
		bool shown;		/* shown on the terminal */
		_Atomic uint64_t *bytes; /* not NULL: progress is stored here, and another thread shows it */
		struct timespec started, last;
		uint64_t most; /* largest number of bytes shown; what is decoded a second time does not decrease it */
		unsigned int ticks;
	} progress;
};

/*
 * decode.c: sets what an earlier decoding of the session has counted and learned to its state
 * before.
 */
void run_restart(struct session *ss);
/* Prepares a run. `bytes` as in struct run_progress. */
void run_open(struct run *r, struct session *ss, const struct consumer *con,
	      _Atomic uint64_t *bytes);
void run_close(struct run *r);
/* Prepares a run and decodes all fragments of all queues. */
int run_all(struct run *r, struct session *ss, const struct consumer *con);
/* Decodes fragments [first, end) of a queue. */
int run_fragments(struct run *r, struct queue *q, size_t first, size_t end);
/* Parts of it, for one fragment: resets its tree and begins its streams. */
void fragment_open(struct run *r, struct buffer_tree *bt, const struct fragment *f);
/* Decodes the bytes from trace offset `from` up to `to`. */
int fragment_feed(struct run *r, struct buffer_tree *bt, const struct fragment *f, uint64_t from, uint64_t to);
/* Ends the fragment. */
int fragment_finish(struct run *r, struct buffer_tree *bt, const struct fragment *f);
/* Frees the trees. `next`: the queue's next fragment, which another run decodes. */
void run_leave(struct run *r, size_t next);
/* Shows the progress of decoding on the terminal from time to time. */
void run_progress(struct run *r, uint64_t bytes);
/* Frees the memory of the recording's bytes, each time that some more of them were decoded. */
void run_release(struct run *r);

/*
 * deliver.c: delivers batches to the consumer, in pieces if it limits their size. The functions
 * return 0, negative, or the consumer's value.
 */
void deliver_open(struct run *r);
void deliver_close(struct run *r);
/* Drops all pending batches: the run ends early. */
void deliver_drop(struct run *r);
/* Returns room for a pull of BATCH elements. */
int deliver_room(struct run *r, struct cst_generic **out);
/* Takes a batch of a stream, in the room of deliver_room(); the pull stopped for `why`. */
int deliver_batch(struct run *r, struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why);
/* Delivers all pending batches: no timestamp follows. */
int deliver_flush(struct run *r);
/* Begins a gap in a stream: the trace after it is excluded. */
int deliver_gap(struct run *r, struct stream_state *st);

/*
 * trees.c: prepares the tree for a fragment, with its streams. *bt NULL: no decoder for it. Returns
 * 0 or negative.
 */
int tree_prepare(struct run *r, const struct fragment *f, struct buffer_tree **bt);
/*
 * Returns the trace unit of the fragment's stream, and its ID, if all fragments of the buffer have
 * only one; else NULL.
 */
const struct trace_unit *tree_only_unit(struct session *ss, struct queue *q, const struct fragment *f, uint8_t *id);
/* Returns the sum of the statistics of its decoders. */
struct cst_stats tree_stats(const struct buffer_tree *bt);
/* Makes the statistics so far count as none. */
void tree_begin_counts(struct buffer_tree *bt);
/* Its statistics now, and makes those since then count as none. */
struct tree_counts tree_mark(const struct buffer_tree *bt);
void tree_uncount(struct buffer_tree *bt, const struct tree_counts *mark);
/* Makes the decoder count ranges, if the consumer accepts counts. */
void run_emit_counts(const struct run *r, struct cst_decoder *dec);
/* Ends its streams and adds their statistics. */
void tree_free(struct run *r, struct buffer_tree *bt);
/* As tree_free(), for all trees. */
void run_free_trees(struct run *r);

#endif
