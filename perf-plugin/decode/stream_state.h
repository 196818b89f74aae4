/* SPDX-License-Identifier: GPL-2.0-only */
/* stream_state.h - one instruction stream while it is decoded: where it is, whose code it runs, and when. */
#ifndef CSTRACE_DECODE_STREAM_STATE_H
#define CSTRACE_DECODE_STREAM_STATE_H

#include "clocks/pace.h"
#include "decode/ahead.h"
#include "decode/count_losses.h"
#include "decode/decode.h"
#include "decode/seek.h"
#include "decode/who.h"
#include "session/internal.h"

struct batch;
struct pending;

/* One instruction stream while it is decoded: a trace ID in a buffer. */
struct stream_state {
	struct session *ss;
	struct stream stream;		/* where the decoder is */
	struct stream given;		/* the batch that the consumer got last */
	void *word;			/* the consumer's */
	const struct queue *queue;
	const struct fragment *frag;
	struct trace_unit *unit;
	struct trace_unit *next_unit;	/* of this ID from next_time on; NULL: none in this fragment */
	uint64_t next_time;
	bool armed;			/* the decoder waits for the synchronisation that it starts with */
	uint64_t owned;			/* changes of owner until then are behind us */
	struct version *user, *kernel;	/* references */
	struct version *now;		/* one of the two, or NULL: where code is read from */
	uint64_t limit;			/* moment for threads and maps */
	struct stream_state *const *peers; /* streams of the fragment, by trace ID, those that ... */
	const uint64_t *present;	/* ... occur in it: a bit per ID */
	bool late;			/* `time` and `limit` are not yet those of the next timestamp: stream_moment() */
	bool may_be_late;		/* that is allowed while code, processes and names are the same */
	const struct pending *pending;	/* the run's: threads keep what its batches need */
	uint32_t waiting, waiting_last;	/* the stream's batches in it without a time, a list; NO_BATCH: none */
	bool no_memory;			/* while the moment was looked for */
	uint64_t time;			/* of what comes next, from a trace timestamp; NO_TIME unknown */
	uint64_t floor;			/* the fragment's trace cannot be older */
	const struct trace_clock *clock;
	int clock_cpu;			/* whose it is */
	uint64_t last_ticks;		/* of the last timestamp in the fragment */
	struct pace pace;
	uint64_t insns_seen;		/* by the pace */
	bool past;			/* behind all that the filter wants in this fragment */
	bool context_only;		/* decoded only to find its context, nothing is delivered (decode/seek.h) */
	struct run_in run_in;
	uint64_t delivered;		/* pieces of batches that came out of this fragment */
	uint64_t skip;			/* the first ones are dropped: the fragment is decoded a second time, the consumer has them */
	bool lead_done;			/* its beginning was decoded, as far as consumers keep something of it */
	bool owes_gap;			/* the fragment before ended open, and the consumer has not yet received the gap behind it */
	bool next_used;			/* the last batch was wanted: where its last branch leads to counts as used */
	bool open_end;			/* the last fragment of this stream was decoded to its end */
	uint64_t done;			/* trace offset behind the packet of the last element */
	struct ahead ahead;
	struct cst_tree *tree;
	struct loss_gap gap;
	struct cst_stats seen;		/* what losses.c has counted, and the sum of its losses */
	uint64_t seen_sum;
	bool active;			/* delivered something in this fragment */
	uint8_t el;
	bool el_known;
	struct who who;
	bool left_known;		/* an exception came right before the last context ... */
	uint64_t left_at;		/* ... and this is its return address */
	uint32_t context_id, vmid;	/* of the last context */
	uint64_t insns_stamped;		/* instructions when the last timestamp came */
};

/* stream.c: threads, moments and address spaces of one stream while it is decoded. 0, or negative. */
int stream_begin(struct stream_state *st, const struct fragment *f);
/* A pull stopped after element `last` (NULL: none came). */
int stream_stop(struct stream_state *st, enum cst_stop why, const struct cst_generic *last);
void stream_release(struct stream_state *st);
/* The stream is behind this element. */
void stream_passed(struct stream_state *st, const struct cst_generic *last);
/* The bytes of a fragment were fed: does the ID change hands in it? */
int stream_fed(struct stream_state *st);
/* The stream comes from another trace unit from now on, or, with `at_once` false, from its next synchronisation. */
int stream_set_unit(struct stream_state *st, struct trace_unit *u, bool at_once);
/* Trace timestamp to perf time; false when it is not known. */
bool stream_time(struct stream_state *st, uint64_t ticks, uint64_t *time);
/* Time of the next timestamp; NO_TIME: there is none that helps. */
uint64_t stream_next_time(struct stream_state *st);
/* Sets st->time and st->limit from the next timestamp, if that was put off. */
void stream_moment(struct stream_state *st);
/* Fills a batch, all but its times, from the elements of a pull that stopped for `why`. */
void stream_batch(struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why, struct batch *b);
/*
 * Sets its times. b->known is not NEXT_OPEN, unless a timestamp is the batch's last element. To be called for a stream's
 * batches in their order.
 */
void stream_batch_time(struct batch *b, const struct session_consumer *con);
/* The stream where the decoder is, for code, files and names of that moment. */
struct stream *stream_here(struct stream_state *st);
/* The same for a callback of the consumer that is not about a batch. */
struct stream *stream_as_given(struct stream_state *st);

#endif
