/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seek.h - decoding a fragment from a place near what a filter on time wants, with an index of the trace, instead of
 * from its beginning. A stream that begins there is decoded only for its context until all that comes out of it is what would come out had
 * it been decoded from the beginning: its elements, and what the session makes of them, threads, times and maps.
 *
 * In this order, since each step needs the one before:
 *   time     a timestamp that is not older than any before it: what is mapped and how far time is follow from it
 *   thread   the thread that runs was found out anew
 *   place    the next place that the index knows: elements do not depend on code that was read for another thread
 *   rate     two timestamps behind it: how fast time goes
 *   branch   a stretch that is not wanted, with a branch in it: all that consumers keep of what came before
 * If something is wanted before that, the fragment begins anew, farther ahead, at last at its beginning.
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

enum run_in_step { RUN_IN_TIME, RUN_IN_THREAD, RUN_IN_PLACE, RUN_IN_RATE, RUN_IN_BRANCH };

/* Part of a stream's state. */
struct run_in {
	const struct cst_index_stream *ix;
	uint64_t valid;		/* elements are right from here on */
	uint64_t ticks;		/* the latest timestamp before the place */
	uint64_t settled;	/* who.settled at the step before */
	uint8_t step;		/* enum run_in_step */
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
 * Before a fragment is fed; its streams have begun. Where feeding begins goes to sk->start, and streams may be context_only
 * from now on.
 */
int seek_fragment(struct session *ss, const struct session_consumer *con, struct seek *sk);
/* As if it had not been called. */
void seek_forget(struct seek *sk);
/* Is nothing wanted of the stream's fragment until then? */
bool seek_unwanted(const struct stream_state *st, uint64_t time);
/* A branch that was taken, and where it led to. */
bool seek_has_branch(const struct cst_generic *g, size_t n);
/* A batch of a stream that is context_only came. True: something that follows, or in it, is wanted, and the stream is not ready. */
bool seek_too_late(struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why);
/* Is this the batch with which the stream begins to speak? It is left out by the filter. */
bool seek_speaks(struct stream_state *st, const struct cst_generic *g, size_t n);
/* The same, after the session has dealt with the stop. */
void seek_stopped(struct stream_state *st, enum cst_stop why, const struct cst_generic *last);

#endif
