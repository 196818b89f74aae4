/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ahead.h - timestamps of a stream that the decoder has not come to. Which code ran after a Trace On depends on what
 * was mapped, and who ran, at the next timestamp, and the decoder needs that code to come to the timestamp. A second
 * tree over the same bytes finds its packet without making elements (cst_tree_scan()). That tree is made when the
 * first such question is asked: seldom, since code is replaced and threads are unknown in few stretches.
 */
#ifndef CSTRACE_DECODE_AHEAD_H
#define CSTRACE_DECODE_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

struct cst_tree;
struct stream_state;

struct ahead {
	struct cst_tree *tree;		/* NULL: not made */
	bool begun;			/* it was fed the fragment */
	uint64_t first;			/* the stream's bytes before this offset are left out */
	/* trace offsets plus 1, 0: none yet */
	uint64_t found;			/* of the timestamp that was found last; UINT64_MAX: there are no more */
	uint64_t ticks;			/* its value */
	uint64_t broken, barrier;	/* of the last break and barrier before it */
};

/* A fragment is about to be decoded. */
void ahead_begin(struct stream_state *st);
/* The stream has another configuration from its synchronisation at `first` on. */
void ahead_switch(struct stream_state *st, uint64_t first);
void ahead_free(struct ahead *a);

/* Has an earlier question found what ahead_time() would return? */
bool ahead_known(const struct stream_state *st);
/* The first timestamp behind all elements so far: true and *ticks, or false when none comes before the next barrier. */
bool ahead_time(struct stream_state *st, uint64_t *ticks);
/* The same up to the next break: a program cannot have been interrupted unseen before such a timestamp. */
bool ahead_stretch(struct stream_state *st, uint64_t *ticks);

#endif
