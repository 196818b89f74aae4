/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * consumer.h - what a consumer of the trace is: what it needs, what it receives, and how its work
 * is divided in shards.
 */
#ifndef CSTRACE_SESSION_DECODE_CONSUMER_H
#define CSTRACE_SESSION_DECODE_CONSUMER_H

#include <limits.h>

#include "session/decode/stream.h"

/* Instructions sampled in a stream, from where it was decoded to on. */
struct sample_plan {
	uint64_t next;		/* instructions up to the next sample; 0: not known yet */
	uint64_t period;	/* instructions between further samples */
};

/*
 * The form of the batches. All 0: every range is an element, without times. Ranges that need not be
 * elements become runs (cst_decoder_emit()); with a filter or a log, which look at single ranges,
 * they stay.
 */
struct wants {
	bool times;		/* times; without them decoding is faster */
	/*
	 * With times: ranges and NOPATHs have their share of the cycles that the trace counts in cc
	 * (cycles.h); those without CST_GF_CC are in no count.
	 */
	bool cycles;
	bool record_times;	/* times of AUX records, also if the trace has timestamps */
	/* batches that the filter excludes, too (stream.selected.excluded) */
	bool excluded;
	/*
	 * Counts instead of ranges: session_take_counts() and session_exits() return them.
	 * `joined`: as CST_COUNTS_JOINED.
	 */
	bool counts, joined;
	/* Without times: taken branches in stream.branches, no ranges (CST_EMIT_BRANCHES). */
	bool branches;
	unsigned int stop;	/* batches end at these, too: enum cst_stop bits */
	unsigned int step;	/* maximum number of elements in a batch; 0: no limit */
	/*
	 * Instructions are shown with times of their own (stream_insn_time()): a filter excludes a
	 * range only if it excludes all of them.
	 */
	bool insn_times;
	/*
	 * Samples: ranges between the instructions of a plan are not needed, as with
	 * CST_EMIT_SAMPLES. Receives each batch when it is decoded, without times, with `plan`
	 * NULL; then, with n 0 and the thread that runs next, sets *plan, which is zeroed. Returns
	 * 0 or negative. NULL: all ranges are needed.
	 */
	int (*plan)(void *data, const struct stream *s, const struct cst_generic *g, size_t n,
		    struct sample_plan *plan);
	/*
	 * Packets: receives each one, before its elements come as batches. Decoding is slower with
	 * it. With `batch` NULL elements are not decoded.
	 */
	int (*packet)(void *data, const struct stream *s, const struct cst_packet *pkt);
};

/* The begin of an AUX fragment, or the end of one for a stream that had elements in it. */
struct fragment_event {
	/* after its last batch, whose last element is EO_TRACE; NULL: the fragment begins */
	const struct stream *ended;
	/* at the begin, before the first batch: */
	const struct session_fragment *fragment;
	struct cst_tree *tree;	/* was reset, and will be fed with the fragment; NULL: no decoder */
	/*
	 * Initially the fragment's offset. The function may set it to a later offset, up to the
	 * fragment's end: trace before it is not decoded, and counted as excluded by a filter.
	 */
	uint64_t *start;
};

/*
 * A function of a shard that is decoded ahead returns this if it cannot keep its result: that shard
 * and all that were not begun are decoded in the calling thread.
 */
#define SESSION_UNFIT INT_MAX

/*
 * How several threads decode (session_opts.jobs): the trace is divided in shards, each of which has
 * a consumer of its own with the same functions. Functions that are not needed are NULL; where one
 * does not say so, it is called in the thread that called session_run(), shard by shard in the
 * order of the trace.
 */
struct shard_ops {
	/*
	 * Returns the data of a shard's consumer, whose functions are called in any thread; `ss` is
	 * the replica that decodes it.
	 */
	void *(*make)(void *data, struct session *ss);
	/*
	 * True if the result of the shard would be the same after the shards before it. NULL:
	 * always.
	 */
	bool (*fits)(void *data, void *shard);
	/* Makes the shard begin with the state at the end of the shards before. */
	void (*resume)(void *data, void *shard);
	/* With `sums`: ends the thread's shard; called in that thread. */
	void (*end)(void *shard);
	/* Takes the result. Returns 0, or a value that ends the run. */
	int (*take)(void *data, void *shard);
	/*
	 * As take(), after it: for what takes long and changes nothing that a later shard begins
	 * with (session_shard_turn()).
	 */
	int (*write)(void *data, void *shard);
	void (*free)(void *shard);	/* called for each shard, taken or not */
	/*
	 * Streams can be divided between AUX fragments: the result of a fragment does not depend on
	 * earlier ones, or fits() detects it. Otherwise a shard has all fragments of its streams.
	 */
	bool by_fragment;
	/*
	 * AUX fragments can be divided, too (cut.h), if batches have no times and nothing but
	 * stream.priv has state between batches, or fits() detects what depends on other state:
	 * digest() extends a digest by that of stream.priv, and move() takes it over from another
	 * consumer of make() which got the trace before. Both are called for streams that had
	 * batches. lead() says that a shard is such a consumer, whose results nobody takes. Without
	 * digest() fragments are not divided.
	 */
	uint64_t (*digest)(void *data, const struct stream *s, uint64_t digest);
	void (*move)(void *data, const struct stream *s);
	void (*lead)(void *shard);
	/*
	 * For large results, which stay in memory until their turn: maximum size of a shard other
	 * than a fragment that cannot be divided, and maximum number of shards that are begun and
	 * not taken. 0: no limit of the consumer.
	 */
	uint64_t max_size;
	unsigned int max_ahead;
	/*
	 * The thread that called session_run() decodes the first shard while others decode the
	 * next ones, so that the output begins at once; not a cut, which is small.
	 */
	bool first_here;
	/*
	 * The results are sums, whose order does not matter: all that a thread decodes is one
	 * shard, taken at the end. The replica's code is freed before that: the shard must not
	 * refer to it after end().
	 */
	bool sums;
	bool by_process;	/* with by_fragment: losses are needed by process, too */
	bool stateless;		/* replaces the functions: the consumer has no state */
};

/* For a consumer without state. */
extern const struct shard_ops shards_stateless;

/*
 * Functions return 0; another value ends the run with that value. Those that are not needed are
 * NULL.
 */
struct consumer {
	void *data;
	struct wants wants;
	int (*batch)(void *data, const struct stream *s, const struct cst_generic *g, size_t n);
	int (*fragment)(void *data, const struct fragment_event *e);
	/*
	 * Memory for the n elements of the next pull, when no batch is pending; NULL: the
	 * session's own. What was returned before must be readable until the call after that.
	 */
	struct cst_generic *(*room)(void *data, size_t n);
	void (*stream_end)(void *data, const struct stream *s);
	const struct shard_ops *shards;	/* NULL: one thread decodes */
};

#endif
