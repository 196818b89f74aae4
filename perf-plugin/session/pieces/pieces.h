/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pieces.h - a recording that comes through a pipe, cut into pieces while it comes. Each piece is a
 * recording of its own: the records that hold at its time, and the trace of whole AUX records, at
 * whose begin decoders are reset anyway. So the counts of all pieces, added, are those of the
 * recording, but for calling contexts, which begin again in each.
 *
 * A piece has an AUX record when everything of its time has come: perf writes rounds
 * (PERF_RECORD_FINISHED_ROUND), and at the end of one all that happened up to the latest time of
 * the round before.
 */
#ifndef CSTRACE_SESSION_PIECES_PIECES_H
#define CSTRACE_SESSION_PIECES_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "session/session.h"

struct perfdata;
struct pieces;

struct pieces_opts {
	const char *path;
	uint64_t max_expand;	/* as in struct session_opts */
	uint64_t size;	/* bytes of trace of a piece, as far as AUX records allow it */
	uint64_t interval;	/* seconds after which a piece may be smaller; 0: none */
	int stop_fd;	/* the recording ends when this can be read */
};

struct piece {
	int fd;	/* perf.data without a name; the caller closes it */
	uint64_t first,
		last;	/* the records that came for it are between these offsets of the pipe */
	uint64_t trace;	/* bytes */
	struct session_piece faults;
};

/* What is to be said of the cuts. */
struct pieces_totals {
	uint64_t pieces;
	uint64_t forced;	/* cuts for want of room that no round allowed */
	uint64_t unclaimed;	/* bytes of trace that did not wait for a record for want of room */
	uint64_t late;	/* records that came after trace of a later time was in a piece */
	uint64_t reach;	/* AUX records whose trace may be older than the switches that were kept */
	uint64_t carried;	/* bytes of records that the last piece had of the time before it */
	const char *whole;	/* why it was not cut (any more); NULL: it could be */
};

/* True if the input is a pipe, of which pieces can be made. */
bool pieces_are_of(const char *path);
/* NULL on error, with @err filled. */
struct pieces *pieces_open(const struct pieces_opts *opts, struct error *err);
void pieces_close(struct pieces *p);

enum pieces_next {
	PIECES_PIECE,	/* a piece */
	PIECES_END,	/* the last one was returned */
	PIECES_WHOLE,	/* the pipe has ended, and was not cut: pieces_whole() */
	PIECES_FAILED, /* with *err: a piece cannot be written */
};

/*
 * Reads on. Messages about damaged records go to message_stream(), but not if the pipe is not cut.
 */
enum pieces_next pieces_next(struct pieces *p, struct piece *piece, struct error *err);
/* The recording, to be read from its start and closed by the caller. */
struct perfdata *pieces_whole(struct pieces *p);
struct pieces_totals pieces_totals(const struct pieces *p);

#endif
