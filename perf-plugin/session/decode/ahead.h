/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ahead.h - timestamps of a stream that the decoder has not reached yet. The code executed after a Trace On depends on
 * the maps and the thread at the next timestamp, but the decoder needs that code to reach the timestamp. A second tree
 * over the same bytes finds the timestamp's packet without decoding elements (cst_tree_scan()). It is created when
 * first needed, which is rare: code is replaced, and threads are unknown, in few stretches.
 */
#ifndef CSTRACE_SESSION_DECODE_AHEAD_H
#define CSTRACE_SESSION_DECODE_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

struct cst_tree;
struct stream_state;

struct ahead {
	struct cst_tree *tree;		/* NULL: not created */
	bool begun;			/* the fragment was fed to it */
	uint64_t first;			/* bytes of the stream before this offset are skipped */
	/* trace offsets plus 1; 0: none yet */
	uint64_t found;			/* of the last timestamp found; UINT64_MAX: there are no more */
	uint64_t ticks;			/* its value */
	uint64_t broken, barrier;	/* last break and last barrier before it */
};

/* Begins a fragment, of which bytes of the stream before offset `first` are skipped. */
void ahead_begin(struct ahead *a, uint64_t first);
/* Changes the stream's configuration from its synchronisation at `first` on. */
void ahead_switch(struct stream_state *st, uint64_t first);
void ahead_free(struct ahead *a);

/* True if ahead_time() can return an earlier result. */
bool ahead_known(const struct stream_state *st);
/* Returns the first timestamp after all elements so far; false if there is none before the next barrier. */
bool ahead_time(struct stream_state *st, uint64_t *ticks);
/* As ahead_time(), up to the next break: no other program runs unnoticed before such a timestamp. */
bool ahead_stretch(struct stream_state *st, uint64_t *ticks);

#endif
