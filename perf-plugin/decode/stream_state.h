/* SPDX-License-Identifier: GPL-2.0-only */
/* stream_state.h - one instruction stream while it is decoded: where it is, whose code it runs, and when. */
#ifndef CSTRACE_DECODE_STREAM_STATE_H
#define CSTRACE_DECODE_STREAM_STATE_H

#include "clocks/pace.h"
#include "decode/ahead.h"
#include "decode/count_losses.h"
#include "decode/decode.h"
#include "decode/who.h"
#include "session/internal.h"

struct batch;
struct pending;

/* Perf time, and the moment in the history of threads and maps that goes with it. */
struct stream_time {
	uint64_t now;			/* of the next element, from a trace timestamp; NO_TIME unknown */
	uint64_t limit;			/* the moment: events that had happened */
	bool late;			/* `now` and `limit` are not yet those of the next timestamp: stream_moment() */
	bool may_be_late;		/* that is allowed while code, processes and names are the same */
	bool no_memory;			/* while the moment was looked for */
	uint64_t floor;			/* the fragment's trace cannot be older */
	const struct trace_clock *clock;
	int clock_cpu;			/* whose it is */
	uint64_t last_ticks;		/* of the last timestamp in the fragment */
	struct pace pace;
	uint64_t insns_seen;		/* by the pace */
	uint64_t insns_stamped;		/* instructions when the last timestamp came */
};

/* The next trace unit that has the stream's trace ID, in this fragment. */
struct stream_owner {
	struct trace_unit *next_unit;	/* from next_time on; NULL: none */
	uint64_t next_time;
	bool awaits_sync;		/* the decoder waits for the synchronisation that the unit starts with */
	uint64_t seen_until;		/* changes of owner until then were dealt with */
};

struct stream_space {
	struct version *user, *kernel;	/* references */
	struct version *now;		/* one of the two, or NULL: where code is read from */
};

/* The last context element. */
struct stream_context {
	uint8_t el;
	bool el_known;
	bool return_known;		/* an exception came right before it ... */
	uint64_t return_address;	/* ... that returns here */
	uint32_t id, vmid;
};

struct stream_losses {
	struct loss_gap gap;
	struct cst_stats counted;	/* statistics that were counted, and the sum of their losses */
	uint64_t counted_sum;
	uint64_t own_before, all_before; /* bytes when the AUX fragment began: the stream's, those of all streams in frames */
};

/* What the consumer gets of the stream. */
struct stream_out {
	uint32_t first_pending, last_pending; /* batches that have no time yet, a list in struct pending; NO_BATCH: none */
	bool active;			/* something came out in this fragment */
	bool past;			/* behind all that the filter wants in this fragment */
	bool next_used;			/* the last batch was wanted: where its last branch leads to counts as used */
	bool open_end;			/* the last fragment of this stream was decoded to its end */
};

/* Where the stream is in its AUX fragment. */
struct stream_place {
	const struct fragment *f;
	struct stream_state *const *peers; /* streams of the fragment, by trace ID, those that ... */
	const uint64_t *present;	/* ... occur in it: a bit per ID */
	uint64_t done;			/* trace offset behind the packet of the last element */
};

/* One instruction stream while it is decoded: a trace ID in a buffer. */
struct stream_state {
	struct session *ss;
	const struct queue *queue;
	struct trace_unit *unit;
	struct cst_tree *tree;
	const struct pending *pending;	/* the run's: threads keep what its batches need */
	struct stream stream;		/* where the decoder is */
	struct stream given;		/* the batch that the consumer got last */
	void *word;			/* the consumer's */
	struct stream_place fragment;
	struct stream_owner owner;
	struct stream_time time;
	struct stream_context context;
	struct who who;
	struct stream_space space;
	struct stream_losses losses;
	struct stream_out out;
	struct ahead ahead;
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
/* Sets st->time.now and st->time.limit from the next timestamp, if that was put off. */
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
