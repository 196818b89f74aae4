/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode.h - decodes the AUX fragments of a session in the address spaces of the threads that ran, and delivers batches
 * of generic trace elements to a consumer (samples, listings, counts).
 */
#ifndef CSTRACE_DECODE_DECODE_H
#define CSTRACE_DECODE_DECODE_H

#include <cstrace/cstrace.h>

#include "filter/filter.h"
#include "session/session.h"

struct version;

/*
 * One instruction stream: a trace ID in a buffer (queue), with its state in the batch that is delivered. A batch is cut
 * at every PE_CONTEXT, so all its ranges are of the same thread. Its times are final.
 */
struct stream {
	int cpu;		/* -1 unknown */
	int pid, tid;		/* -1 unknown */
	uint64_t time;		/* perf time in ns of the batch's first element; see time_known */
	uint64_t time_end;	/* perf time of its last element; see clocks/pace.h */
	uint32_t n_insn;	/* instructions in the batch, over which time to time_end is distributed */
	bool time_known;	/* from a trace timestamp; else the AUX record's time */
	/*
	 * Minimum time for samples of this batch: that of the latest map or thread event that is in effect in the
	 * batch's address space. 0: none.
	 */
	uint64_t not_before;
	uint64_t before;	/* time of the next timestamp, the limit for session_time(); 0: not needed */
	uint64_t aux_time;	/* perf time of the AUX record; 0 none */
	uint64_t aux_seq;	/* position of the AUX record in the file (pd_record.seq) */
	uint8_t trace_id;
	unsigned int queue;	/* number of the buffer, from 0, in file order */
	uint64_t place;		/* order of streams at the same time, independent of what else is decoded */
	bool fragment_start;	/* first batch of an AUX fragment of this stream */
	/*
	 * A filter excludes this batch: it is not to be shown, except for a branch that is open before it and ends
	 * here, if session_wants() selects that.
	 */
	bool unwanted;
	struct filter *filter;	/* NULL: all batches are selected */
	const struct cst_config *config;
	struct cst_decoder *decoder;
	void **priv;		/* pointer for the consumer's use, initially NULL; valid until consumer.stream_end */
	/* for the session's own use */
	struct version *code;	/* address space of the batch, or NULL */
	bool kernel;
	uint64_t moment;	/* moment for threads.h */
	struct stream_state *state;
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
	 * session_counted() returns the counts after session_run(). With a filter or a log, which need single ranges,
	 * they are not counted. `joined`: as CST_COUNTS_JOINED.
	 */
	bool counts, joined;
	/* Receives a batch; a non-zero result ends the run with that value. */
	int (*batch)(void *data, const struct stream *s, const struct cst_generic *g, size_t n);
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
	 * The results are sums, whose order does not matter: all that a thread decodes is one piece, taken at the end.
	 */
	bool sums;
	bool by_process;	/* with by_fragment: losses are needed by process, not only as sums */
	bool stateless;		/* replaces the above: the callbacks keep no state and may be called in any thread */
};

/* Decodes everything once, in order of queue and AUX record. Returns 0, negative, or the consumer's value. */
int session_run(struct session *ss, const struct session_consumer *consumer);

/*
 * Returns the counts of the code section with this number, from 1 on: 1 with its file (NULL: none) and the pairs of
 * ranges and edges (cstrace/counts.h), which the session owns; 0: there is no such section; or negative.
 */
int session_counted(struct session *ss, uint32_t section, struct dso **dso, const struct cst_pairs **ranges,
		    const struct cst_pairs **edges);

/*
 * Limits a time inside the batch to the next timestamp: without limits for batches (consumer.step 0), interpolation may
 * exceed it.
 */
static inline uint64_t session_time(const struct stream *s, uint64_t time)
{
	if (!s->before || time < s->before)
		return time;
	return s->before > s->not_before ? s->before : s->not_before;
}

/* True if the filter selects this thread at that time. */
static inline bool session_wants(const struct stream *s, int pid, int tid, uint64_t time)
{
	return !s->filter || filter_wants(s->filter, s->cpu, pid, tid, time);
}

#endif
