/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge.h - puts the output of several streams into one order of time. Streams are decoded one after the
 * other, so what they say is kept in a temporary file until all have spoken; with a single stream,
 * nothing needs to be kept and its output passes straight through.
 *
 * Lanes may be made and written in several threads, each lane in one; the rest is for one thread.
 *
 * Output comes in pieces (records, lines) of at most MERGE_PIECE bytes, each with a time that is not
 * before that of the piece before it in the same lane.
 */
#ifndef CSTRACE_SYNTH_MERGE_H
#define CSTRACE_SYNTH_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MERGE_PIECE	65536u

struct merge;

struct merge_lane {
	uint8_t *cur, *end;	/* free room of the chunk; one piece always fits */
	uint64_t time;		/* of the last piece */
	uint64_t first;		/* of the first one; UINT64_MAX: there is none */
	uint8_t *run;		/* header of the run of pieces with that time; NULL: none open */
	struct merge *m;
};

struct merge_sink {
	/* Whole pieces, in final order. */
	void (*write)(void *data, const void *bytes, size_t len);
	/* Whole pieces with times before `time`, which they are to have; NULL: pieces have no times in them. */
	void (*raise)(void *data, void *bytes, size_t len, uint64_t time);
	void *data;
};

/* `dir`: where a temporary file may be made; NULL: $TMPDIR or /var/tmp. NULL when memory is short. */
struct merge *merge_new(const struct merge_sink *sink, const char *dir);
void merge_free(struct merge *m);

/*
 * A lane; at the same time the lane with the lower rank comes first, of those the one with the lower place, of
 * those the one that was made first. NULL when memory is short.
 */
struct merge_lane *merge_lane_new(struct merge *m, unsigned int rank, uint64_t place);

/* The lanes of one writer, which may turn out not to be wanted; all zero to begin with. */
struct merge_lanes {
	struct merge_lane **v;
	size_t nr, cap;
};

/* merge_lane_new(), and the lane is in the list. */
struct merge_lane *merge_lanes_add(struct merge_lanes *ls, struct merge *m, unsigned int rank, uint64_t place);
/* All that is in the lane is not before this time: what is gets this time. */
void merge_lane_floor(struct merge_lane *ln, uint64_t floor);
/* Among lanes of one rank and place, these come behind all that have a lower number. */
void merge_lanes_order(struct merge_lanes *ls, uint64_t number);
/* What is in these lanes is not wanted, and nothing more comes. */
void merge_lanes_drop(struct merge_lanes *ls);
/* The list; the lanes stay. */
void merge_lanes_free(struct merge_lanes *ls);

/*
 * From now on pieces of `ln` go to the sink at once, together with what the other lanes (which must be
 * complete) have for the times up to then.
 */
int merge_direct(struct merge *m, struct merge_lane *ln);
/* The pieces of another lane go that way, which is empty then. 0, or ERR_x: see merge_why(). */
int merge_direct_lane(struct merge *m, struct merge_lane *from);

/* Out of line part of merge_reserve. */
void merge_turn(struct merge_lane *ln, uint64_t time);

/* Room for one piece. Never NULL: what cannot be kept is lost and reported by merge_finish(). */
static inline void *merge_reserve(struct merge_lane *ln, uint64_t time)
{
	if (__builtin_expect(time > ln->time || !ln->run || (size_t)(ln->end - ln->cur) < MERGE_PIECE, 0))
		merge_turn(ln, time);
	return ln->cur;
}

static inline void merge_commit(struct merge_lane *ln, size_t n)
{
	ln->cur += n;
}

/* Everything to the sink, in order. 0, or ERR_x. */
int merge_finish(struct merge *m);
/* What was wrong with the temporary file. */
const char *merge_why(const struct merge *m);

#endif
