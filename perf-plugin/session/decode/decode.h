/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode.h - decodes the AUX fragments of a session in the address spaces of the threads that ran, and delivers batches
 * of generic trace elements to a consumer (samples, listings, counts).
 */
#ifndef CSTRACE_SESSION_DECODE_DECODE_H
#define CSTRACE_SESSION_DECODE_DECODE_H

#include <limits.h>

#include "session/decode/stream.h"

/*
 * A callback of a piece that is decoded ahead returns this if it cannot keep its result: that piece and all that were not begun
 * are decoded in the calling thread.
 */
#define SESSION_UNFIT INT_MAX

/* Instructions sampled in a stream, from where it was decoded to on. */
struct session_plan {
	uint64_t next;		/* instructions up to the next sample; 0: not known yet, all ranges are needed */
	uint64_t period;	/* instructions between further samples */
};

struct session_consumer {
	void *data;
	unsigned int stop;	/* enum cst_stop bits at which batches are cut, too */
	unsigned int step;	/* maximum number of elements in a batch; 0: no limit */
	bool times;		/* batches have times; otherwise these are 0, which is faster */
	bool timeless;		/* use the time of the AUX record, also if the trace has timestamps */
	bool unwanted;		/* call batch() also for batches that the filter excludes (stream.unwanted) */
	/*
	 * Ranges may be counted: batches then have CST_GEN_RUN instead of ranges (cstrace/flow.h), and
	 * session_take_counts() and session_exits() return the counts after session_run(). With a filter or a log, which
	 * need single ranges, they are not counted. `joined`: as CST_COUNTS_JOINED.
	 */
	bool counts, joined;
	/*
	 * Taken branches may be listed: batches then have CST_GEN_RUN instead of ranges, as with cst_decoder_list(), and the
	 * branches are in stream.branches. With times, a filter or a log, which need single ranges, they are not listed.
	 */
	bool branches;
	/* Receives a batch; a non-zero result ends the run with that value. */
	int (*batch)(void *data, const struct stream *s, const struct cst_generic *g, size_t n);
	/*
	 * Ranges between samples are not needed: batches then have CST_GEN_RUN for them, as with cst_decoder_sample(). Receives
	 * each batch when it is decoded, without times, with `plan` NULL; then, with n 0 and the thread that runs next, sets
	 * *plan, which is zeroed. Returns 0 or negative. Not called with a filter or a log. NULL: all ranges are needed.
	 */
	int (*plan)(void *data, const struct stream *s, const struct cst_generic *g, size_t n, struct session_plan *plan);
	/* Ends an AUX fragment, after its last batch (whose last element is EO_TRACE). */
	int (*fragment_end)(void *data, const struct stream *s);
	void (*stream_end)(void *data, const struct stream *s);
	/* Begins an AUX fragment, before its first batch. */
	int (*fragment_begin)(void *data, const struct session_fragment *f);
	/*
	 * Called before the fragment is fed to `tree`, which was reset. The function may set *start, initially the
	 * fragment's offset, to a later offset up to the fragment's end. Trace before it is not decoded, and counted as
	 * excluded by a filter.
	 */
	int (*fragment_tree)(void *data, const struct session_fragment *f, struct cst_tree *tree, uint64_t *start);
	/*
	 * For listings: receives each packet, before its elements come as batches. Decoding is slower with it. With
	 * `batch` NULL elements are not decoded.
	 */
	int (*packet)(void *data, const struct stream *s, const struct cst_packet *pkt);
	/*
	 * For decoding in several threads (session_opts.jobs): creates a consumer of the same kind for one piece of the
	 * trace. The callbacks above get it as their data, in any thread; `ss` is the replica that decodes the piece.
	 * NULL: no memory. Without this function one thread decodes.
	 */
	void *(*piece_new)(void *data, struct session *ss);
	/* True if the result of the piece would be the same after the pieces before it. NULL: always. */
	bool (*piece_fits)(void *data, void *piece);
	/* Makes the piece begin with the state at the end of the pieces before. NULL: not needed. */
	void (*piece_continue)(void *data, void *piece);
	/* With `sums`: ends the thread's piece; called in that thread. Returns 0 or negative. NULL: not needed. */
	int (*piece_end)(void *piece);
	/*
	 * Takes the result of a piece in the calling thread, in the order of pieces. Returns 0, or a value that ends
	 * the run.
	 */
	int (*piece_take)(void *data, void *piece);
	void (*piece_free)(void *piece);	/* called for each piece, taken or not */
	/*
	 * Streams can be divided between AUX fragments: the result of a fragment does not depend on earlier ones, or
	 * piece_fits() detects it. Otherwise a piece has all fragments of its streams.
	 */
	bool by_fragment;
	/*
	 * For large results, which stay in memory until their turn: maximum size of a piece other than a fragment that cannot
	 * be divided, and maximum number of pieces that are begun and not taken. 0: no limit of the consumer.
	 */
	uint64_t max_piece;
	unsigned int max_pieces;
	/*
	 * AUX fragments can be divided, too (cut.h), if batches have no times and nothing but stream.priv has state between
	 * batches: stream_digest() extends a digest by that state, and stream_move() takes it over from `lead`, a consumer
	 * of piece_new() which got the trace before; it returns 0 or negative (NULL: nothing is to be done). Both are called for
	 * streams that had batches. piece_lead() says that a piece is a lead, whose results nobody takes; NULL: not needed.
	 * Without stream_digest() fragments are not divided.
	 */
	uint64_t (*stream_digest)(void *data, const struct stream *s, uint64_t digest);
	int (*stream_move)(void *data, void *lead, const struct stream *s);
	void (*piece_lead)(void *piece);
	/*
	 * The results are sums, whose order does not matter: all that a thread decodes is one piece, taken at the end. The
	 * replica's code is freed before that: the piece must not refer to it after piece_end().
	 */
	bool sums;
	bool by_process;	/* with by_fragment: losses are needed by process, not only as sums */
	bool stateless;		/* replaces the above: the callbacks keep no state and may be called in any thread */
};

/* Returns the bytes of all AUX fragments. */
uint64_t session_trace_bytes(const struct session *ss);
/*
 * Returns the number of parts of the trace that can be decoded side by side for a consumer with by_fragment, and the size of
 * the largest one.
 */
size_t session_parts(const struct session *ss, uint64_t *largest);
/* True if the largest AUX fragment can be divided, for a consumer with stream_digest(). */
bool session_divides(struct session *ss);
/* Returns the number of threads that the amount of trace is worth, at most session_opts.jobs; at least 1. */
unsigned int session_jobs(const struct session *ss);

/*
 * Returns the maximum number of streams that session_run() delivers: with 1 a consumer need not sort. Several threads look
 * for their trace IDs (session_jobs()).
 */
unsigned int session_max_streams(const struct session *ss);

/* Decodes everything once, in order of queue and AUX record. Returns 0, negative, or the consumer's value. */
int session_run(struct session *ss, const struct session_consumer *consumer);

/*
 * Moves the counts of the code section with this number, from 1 on, to the caller: 1 with its file (NULL: none) and the
 * sorted pairs of ranges and edges (cstrace/counts.h), which the caller frees; 0: there is no such section; or negative.
 */
int session_take_counts(struct session *ss, uint32_t section, struct dso **dso, struct cst_pairs *ranges,
			struct cst_pairs *edges);
/* As cst_counts_exits(), of a section for which session_take_counts() returned 1. */
int session_exits(struct session *ss, uint32_t section, const struct cst_exits **exits, uint32_t *n, uint64_t *insns);

#endif
