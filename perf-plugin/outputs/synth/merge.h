/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge.h - merges the output of several streams by time. Streams are decoded one after the other, so their output is
 * stored in a temporary file until all are decoded; the output of a single stream is written directly.
 *
 * Lanes may be made and written in several threads, each lane in one; the rest is for one thread.
 *
 * Output comes in pieces (records, lines) of at most MERGE_PIECE bytes, each with a time that is not
 * before that of the piece before it in the same lane.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_MERGE_H
#define CSTRACE_OUTPUTS_SYNTH_MERGE_H

#include <stddef.h>
#include <stdint.h>

#define MERGE_PIECE	65536u
/* Size of the memory for pieces of a lane. */
#define MERGE_CHUNK	(2u * MERGE_PIECE)

struct merge;

struct merge_lane {
	uint8_t *cur, *end;	/* free room in the chunk, always enough for one piece */
	uint64_t time;		/* time of the last piece */
	uint64_t first;		/* time of the first piece; UINT64_MAX: none */
	uint8_t *run;		/* header of the run of pieces with that time; NULL: no run */
	struct merge *m;
};

struct merge_sink {
	/* Writes whole pieces, in their final order. */
	void (*write)(void *data, const void *bytes, size_t len);
	/*
	 * In place of write(), for full chunks of a lane that is written directly: takes the chunk,
	 * which is memory of MERGE_CHUNK bytes for free(), and returns it or another one. NULL:
	 * write() gets all.
	 */
	uint8_t *(*take)(void *data, uint8_t *chunk, size_t len);
	/* Raises the times of whole pieces from before `time` to `time`; NULL: pieces contain no times. */
	void (*raise)(void *data, void *bytes, size_t len, uint64_t time);
	void *data;
};

/* `dir`: folder for a temporary file; NULL or empty: as guard_temp(). */
struct merge *merge_new(const struct merge_sink *sink, const char *dir);
void merge_free(struct merge *m);

/*
 * Creates a lane. At the same time, output of the lane with the lower rank is first, then that with the lower place,
 * then that created first.
 */
struct merge_lane *merge_lane_new(struct merge *m, unsigned int rank, uint64_t place);

/* The lanes of one writer, which can be dropped together; initially all zero. */
struct merge_lanes {
	struct merge_lane **v;
	size_t nr, cap;
};

/* Creates a lane as merge_lane_new() and adds it to the list. */
struct merge_lane *merge_lanes_add(struct merge_lanes *ls, struct merge *m, unsigned int rank, uint64_t place);
/* Sets a lower bound for the times of all output in the lane. */
void merge_lane_floor(struct merge_lane *ln, uint64_t floor);
/* Orders these lanes, among those of the same rank and place, after all lanes with a lower number. */
void merge_lanes_order(struct merge_lanes *ls, uint64_t number);
/* Drops all output of these lanes; no more follows. */
void merge_lanes_drop(struct merge_lanes *ls);
/* Frees the list but not the lanes. */
void merge_lanes_free(struct merge_lanes *ls);

/*
 * From now on, writes pieces of `ln` directly to the sink, each after the output of other lanes up to its time. The
 * other lanes must be complete. Returns 0 or ERR_x, as merge_finish() will.
 */
int merge_direct(struct merge *m, struct merge_lane *ln);
/*
 * Writes the output of another lane in the same way, and frees its space in the file. The lane takes no output after
 * that. Returns 0 or ERR_x, see merge_why().
 */
int merge_direct_lane(struct merge *m, struct merge_lane *from);

/* Slow path of merge_reserve(). */
void merge_turn(struct merge_lane *ln, uint64_t time);

/* Returns room for one piece, never NULL: output that cannot be stored is lost, and merge_finish() reports that. */
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

/* Writes all output to the sink, in order. Returns 0 or ERR_x. */
int merge_finish(struct merge *m);
/* Returns what failed with the temporary file. */
const char *merge_why(const struct merge *m);

#endif
