/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seek.h - a filter on time wants a part of a fragment, and an index of the trace exists: decoding begins at a place near
 * that part. A stream that begins there is decoded for its context only, until everything that would come out of it is what
 * comes out when the fragment is decoded from its beginning: elements, threads, times and maps.
 *
 * Each step needs the one before:
 *   time     a timestamp that is not older than any before it: maps and the progress of time follow from it
 *   thread   the thread that runs was found anew
 *   place    the next place of the index: elements do not depend on code that was read for another thread
 *   rate     two timestamps behind that place: how fast time goes
 *   branch   a stretch that is not wanted, with a branch in it: consumers keep no more of what came before
 * If something is wanted before the last step, decoding of the fragment begins anew, earlier, at last at its beginning.
 */
#ifndef CSTRACE_DECODE_SEEK_H
#define CSTRACE_DECODE_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include <cstrace/cstrace.h>

#include "decode/decode.h"

struct fragment;
struct index_book;
struct session;
struct session_consumer;
struct stream_state;

enum seek_step { SEEK_TIME, SEEK_THREAD, SEEK_PLACE, SEEK_RATE, SEEK_BRANCH };

/* Part of a stream's state. */
struct seek_stream {
	bool context_only;	/* decoded only to find its context, nothing is delivered */
	bool start_done;	/* its beginning was decoded, as far as consumers keep something of it */
	uint8_t step;		/* enum seek_step */
	const struct cst_index_stream *ix;
	uint64_t valid;		/* elements are right from here on */
	uint64_t ticks;		/* the latest timestamp before the place */
	uint64_t settled;	/* who.settled at the step before */
};

/* The fragment that is being decoded. */
struct seek {
	struct stream_state *const *st;	/* by trace ID */
	const struct fragment *f;
	struct cst_tree *tree;
	uint64_t from;		/* the first moment that is wanted */
	unsigned int attempt;
	uint64_t start;		/* offset from which it is fed */
};

/*
 * To be called before a fragment is fed, when its streams have begun. Sets sk->start, where feeding begins; streams may be
 * context_only from now on.
 */
int seek_fragment(struct session *ss, const struct session_consumer *con, struct seek *sk);
/* As if it had not been called. */
void seek_forget(struct seek *sk);
/* Is nothing wanted of the stream's fragment until then? */
bool seek_unwanted(const struct stream_state *st, uint64_t time);
/* A branch that was taken, and where it led to. */
bool seek_has_branch(const struct cst_generic *g, size_t n);
/* A batch of a context_only stream came. True: something in it or behind it is wanted, and the stream is not ready. */
bool seek_too_late(struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why);
/* Is the stream ready with this batch, which the filter leaves out? Delivery begins behind it. */
bool seek_ready(struct stream_state *st, const struct cst_generic *g, size_t n);
/* A pull stopped, and stream_stop() was called for it: the next step may be reached. */
void seek_stopped(struct stream_state *st, enum cst_stop why, const struct cst_generic *last);

#endif
