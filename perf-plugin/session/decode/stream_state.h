/* SPDX-License-Identifier: GPL-2.0-only */
/* stream_state.h - state of one instruction stream while it is decoded: position, thread and address space, time. */
#ifndef CSTRACE_SESSION_DECODE_STREAM_STATE_H
#define CSTRACE_SESSION_DECODE_STREAM_STATE_H

#include "machine/clocks/pace.h"
#include "session/decode/ahead.h"
#include "session/decode/count_losses.h"
#include "session/decode/decode.h"
#include "session/decode/who.h"
#include "session/internal.h"

struct batch;
struct pending;

/* Perf time, and the corresponding moment in the history of threads and maps. */
struct stream_time {
	uint64_t now;			/* time of the next element, from a trace timestamp; NO_TIME: unknown */
	uint64_t limit;			/* moment: number of events that had happened */
	bool late;			/* `now` and `limit` are not yet those of the next timestamp: stream_moment() */
	bool may_be_late;		/* `late` is allowed while code, processes and names do not change */
	uint64_t floor;			/* minimum time of the fragment's trace */
	const struct trace_clock *clock;
	int clock_cpu;			/* CPU of the clock */
	uint64_t last_ticks;		/* ticks of the last timestamp in the fragment */
	struct pace pace;
	uint64_t insns_seen;		/* instructions that the pace has counted */
	uint64_t insns_stamped;		/* instructions at the last timestamp */
};

/* The next trace unit with the stream's trace ID in this fragment. */
struct stream_owner {
	struct trace_unit *next_unit;	/* owner from next_time on; NULL: none */
	uint64_t next_time;
	bool awaits_sync;		/* the decoder waits for the synchronisation with which the unit begins */
	uint64_t seen_until;		/* changes of owner up to this time were applied */
};

struct stream_space {
	const struct guest *guest;	/* whose spaces these are; NULL: the host's */
	struct version *user, *kernel;	/* references */
	struct version *now;		/* one of the two: the space from which code is read, or NULL */
};

/* State of the last context element. */
struct stream_context {
	uint8_t el;
	bool el_known;
	bool return_known;		/* an exception directly before it ... */
	uint64_t return_address;	/* ... has this return address */
	uint32_t id, vmid;
};

struct stream_losses {
	struct loss_gap gap;
	struct cst_stats counted;	/* decoder statistics that were counted, and the sum of their losses */
	uint64_t counted_sum;
	/* bytes at the begin of the AUX fragment: the stream's, those of all streams in frames */
	uint64_t own_before, all_before;
	uint64_t unsynced_before;	/* bytes before a synchronisation in earlier fragments */
	uint64_t skipped;		/* bytes of the fragment before those that were decoded; 0: none, or in own_before */
};

/* State of the delivery to the consumer. */
struct stream_out {
	uint32_t last_pending;		/* pending batches, a list in struct pending, the last one first; NO_BATCH: none */
	bool active;			/* an element was decoded in this fragment */
	bool past;			/* past the end of the filter's times in this fragment */
	/* the last batch was selected: the file of its last branch's target counts as used */
	bool next_used;
	bool open_end;			/* the last fragment of this stream was decoded to its end */
};

/* Counts of cycles on their way to the ranges that they are of (cycles.h). */
struct stream_cycles {
	/* batch and element with the first instructions that have no cycles yet; NO_BATCH: none */
	uint32_t first;
	size_t at;
	uint64_t insns;			/* number of these instructions */
	/* cycles that were counted before them, since the last range */
	uint64_t early;
	/*
	 * the next count began before these instructions: before a gap, or with ranges that were
	 * delivered
	 */
	bool cut;
};

/* Position of the stream in its AUX fragment. */
struct stream_place {
	const struct fragment *f;
	struct stream_state *const *peers; /* streams of the fragment, by trace ID ... */
	const uint64_t *present;	/* ... and a bit per ID that occurs in it */
	uint64_t done;			/* trace offset after the packet of the last element */
};

/* One instruction stream while it is decoded: a trace ID in a buffer. */
struct stream_state {
	struct session *ss;
	const struct queue *queue;
	struct trace_unit *unit;
	struct cst_tree *tree;
	const struct pending *pending;	/* pending batches of the run, which keep threads from being dropped */
	struct stream stream;		/* state at the decoder's position */
	struct stream given;		/* state in the batch delivered last */
	void *word;			/* pointer for the consumer's use */
	struct stream_place fragment;
	struct stream_owner owner;
	struct stream_time time;
	struct stream_context context;
	struct who who;
	struct stream_space space;
	struct stream_losses losses;
	struct stream_out out;
	struct stream_cycles cycles;
	struct ahead ahead;
};

/*
 * stream.c: threads, moments and address spaces of one stream while it is decoded. The functions return 0 or negative.
 */
void stream_begin(struct stream_state *st, const struct fragment *f);
/* Handles a stop of a pull after element `last` (NULL: no element). */
int stream_stop(struct stream_state *st, enum cst_stop why, const struct cst_generic *last);
void stream_release(struct stream_state *st);
/* Moves the stream's position after this element. */
void stream_passed(struct stream_state *st, const struct cst_generic *last);
/* Called when the bytes of a fragment were fed: checks whether the ID's owner changes in it. */
int stream_watch_owner(struct stream_state *st);
/* Changes the trace unit of the stream now or, with `at_once` false, at its next synchronisation. */
int stream_set_unit(struct stream_state *st, struct trace_unit *u, bool at_once);
/* Converts a trace timestamp to perf time; false if that is not known. */
bool stream_time(struct stream_state *st, uint64_t ticks, uint64_t *time);
/* Sets st->time.now and st->time.limit from the next timestamp, if they are `late`. */
void stream_moment(struct stream_state *st);
/* Returns the time of the next element, or that of the AUX record. */
uint64_t stream_now(struct stream_state *st);
/* Returns the present moment in the history of the guest st->who.guest.files. */
uint64_t stream_guest_limit(struct stream_state *st);
/* Fills a batch, except its times, from the elements of a pull that stopped for `why`. */
void stream_batch(struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why, struct batch *b);
/*
 * Sets the times of a batch. b->known must not be NEXT_OPEN, unless the batch ends with a timestamp. To be called in
 * the order of the stream's batches.
 */
void stream_batch_time(struct batch *b, const struct consumer *con);
/* Returns the stream at the decoder's position, for lookups of code, files and names. */
struct stream *stream_here(struct stream_state *st);
/* As stream_here(), for a callback of the consumer that is not about a batch. */
struct stream *stream_as_given(struct stream_state *st);

#endif
