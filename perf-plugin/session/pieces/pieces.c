/* SPDX-License-Identifier: GPL-2.0-only */
/* pieces.c - reads a pipe, and decides where it is cut. */
#include "session/pieces/pieces.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/time.h"
#include "machine/buffers/queues.h"
#include "session/pieces/buffers.h"
#include "session/pieces/ended.h"
#include "session/pieces/file.h"
#include "session/pieces/kept.h"

/* Errors that are described; more are only counted. */
#define MAX_MESSAGES 10

/* Bytes of trace in one record, which recorders limit by the size of their buffers. */
#define MOST_TRACE ((uint64_t)1 << 30)

/* How often an AUX record that waits is looked at for each record that comes. */
#define LOOKS 16u

/* Less than this is no want of room: the temporary file of the pipe grows by steps. */
#define LEAST_ROOM ((uint64_t)4 << 20)

/* Room of a pipe, so that its writer need not wait while a piece is written. */
#define PIPE_ROOM (1 << 20)

struct pieces {
	struct pieces_opts o;
	struct perfdata *pd;
	struct kept_list kept;
	struct piece_buffers buffers;
	struct ended ended;
	struct pieces_totals totals;
	bool info;	/* AUXTRACE_INFO has come */
	bool read;	/* the pipe has ended */
	bool begun;	/* its begin is not there any more, or in a piece */
	bool taken;	/* `pd` is the caller's */
	struct {
		uint64_t latest;	/* of all records so far */
		uint64_t round;	/* as of the end of the round before */
		uint64_t complete;	/* records up to this time have all come */
		uint64_t taken;	/* of the AUX records in pieces */
	} time;
	struct {
		uint64_t latest;	/* time.latest at the mark, and at the one before */
		uint64_t before;
		uint64_t at;	/* offset in the pipe of the last mark */
	} mark;
	uint64_t looked;	/* offset in the pipe of the last look at the room */
	uint64_t untried;	/* records since a cut was tried last */
	uint64_t trace;	/* bytes of trace that have come since the last piece */
	uint64_t first;	/* offset in the pipe of the next piece */
	struct timespec cut;	/* when the last piece was made */
	struct session_piece faults;	/* since the last piece */
	struct {
		char **v;
		size_t nr, cap;
		uint64_t count;
	} errors;	/* that were not printed */
};

bool pieces_are_of(const char *path)
{
	struct stat st;

	return path && !strcmp(path, "-") && !fstat(STDIN_FILENO, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

struct pieces *pieces_open(const struct pieces_opts *opts, struct error *err)
{
	struct perfdata *pd = perfdata_open(opts->path, err);
	struct pieces *p;

	if (!pd)
		return NULL;
	/* a refusal costs speed only */
	if (!strcmp(opts->path, "-"))
		fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_ROOM);
	perfdata_set_max_expand(pd, opts->max_expand);
	perfdata_limit(pd, opts->stop_fd,
		       opts->size > MOST_TRACE / 4 ? 4 * opts->size : MOST_TRACE);
	p = mem_zeroed(1, sizeof(*p));
	p->o = *opts;
	p->pd = pd;
	if (!perfdata_is_pipe(pd))
		p->totals.whole =
			"is a file with a header, whose end has features that hold for all of it";
	else if (perfdata_is_swapped(pd))
		p->totals.whole = "has the other byte order";
	clock_gettime(CLOCK_MONOTONIC, &p->cut);
	return p;
}

void pieces_close(struct pieces *p)
{
	size_t i;

	if (!p)
		return;
	if (!p->taken)
		perfdata_close(p->pd);
	kept_free(&p->kept);
	buffers_free(&p->buffers);
	ended_free(&p->ended);
	for (i = 0; i < p->errors.nr; i++)
		free(p->errors.v[i]);
	free(p->errors.v);
	free(p);
}

struct perfdata *pieces_whole(struct pieces *p)
{
	p->taken = true;
	perfdata_limit(p->pd, -1, 0);
	perfdata_rewind(p->pd);
	return p->pd;
}

struct pieces_totals pieces_totals(const struct pieces *p)
{
	struct pieces_totals t = p->totals;

	t.reach = p->buffers.reach;
	return t;
}

/* ---- one record ------------------------------------------------------------------------------ */

static void note_error(struct pieces *p)
{
	const struct error *err = perfdata_error(p->pd);

	if (err->code == ERR_EXPAND)
		p->faults.lost_compressed++;
	else
		p->faults.bad_records++;
	p->faults.cut |= err->code == ERR_CUT;
	if (p->errors.count++ > MAX_MESSAGES)
		return;
	*ARRAY_ADD(p->errors.v, p->errors.nr, p->errors.cap) =
		p->errors.count <= MAX_MESSAGES ?
			mem_text(err->msg) :
			format_text("%s: more errors of this kind are only counted",
				    perfdata_name(p->pd));
}

static void print_errors(struct pieces *p)
{
	size_t i;

	for (i = 0; i < p->errors.nr; i++) {
		fprintf(message_stream(), "cstrace: %s\n", p->errors.v[i]);
		free(p->errors.v[i]);
	}
	p->errors.nr = 0;
}

/* What holds for the recording as a whole, so that no part of it can be decoded before its end. */
static void check_whole(struct pieces *p, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;

	if (rec->window.size)
		p->totals.whole = "has samples with trace, which repeat each other's";
	else if (ev->header.type == PERF_RECORD_AUX && ev->aux.flags & AUX_FLAG_OVERWRITE)
		p->totals.whole = "has snapshots, which may repeat each other's trace";
	else if (ev->header.type == PERF_RECORD_AUX &&
		 !(rec->sid.valid & (PERF_SAMPLE_CPU | PERF_SAMPLE_TID)))
		p->totals.whole = "has AUX records that name neither CPU nor thread";
	else if (p->buffers.ambiguous)
		p->totals.whole = "has several buffers of one CPU or thread";
}

/* Records that pieces of an earlier time should have had. */
static void check_late(struct pieces *p, const struct pd_record *rec, const struct kept *k)
{
	if (!p->totals.pieces || k->keep == KEEP_ONCE ||
	    rec->ev->header.type >= PERF_RECORD_USER_TYPE_START)
		return;
	p->totals.late += k->time == NO_TIME ? p->time.taken != 0 : k->time < p->time.taken;
}

static void take_time(struct pieces *p, const struct pd_record *rec)
{
	const struct pd_sample_id *sid = pd_record_sid(rec);

	if (rec->ev->header.type < PERF_RECORD_USER_TYPE_START && sid->valid & PERF_SAMPLE_TIME &&
	    sid->time > p->time.latest && sid->time != NO_TIME)
		p->time.latest = sid->time;
}

static void take_record(struct pieces *p, const struct pd_record *rec)
{
	const uint32_t type = rec->ev->header.type;
	struct kept *k;

	p->untried++;
	if (!p->totals.whole)
		check_whole(p, rec);
	take_time(p, rec);
	p->info |= type == PERF_RECORD_AUXTRACE_INFO;
	if (type == PERF_RECORD_AUXTRACE) {
		p->trace += rec->aux.avail;
		p->faults.cut |= rec->aux.avail < rec->aux.size;
		buffers_add_chunk(&p->buffers, rec);
		return;
	}
	k = kept_add(&p->kept, rec);
	if (!k)
		return;
	check_late(p, rec, k);
	if (type == PERF_RECORD_AUX)
		buffers_add_aux(&p->buffers, rec, k);
	else if (type == PERF_RECORD_EXIT)
		buffers_end_thread(&p->buffers, (int)rec->ev->fork.tid);
	ended_note(&p->ended, rec, k);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static bool is_large(const struct pieces *p, uint64_t bytes)
{
	return bytes >= 2 * p->o.size && bytes >= LEAST_ROOM;
}

/*
 * Notes the times of records now and then, and gives back the room of those that are kept
 * elsewhere or not at all. Without rounds, or in one that is larger than the room, records are
 * taken to be late by less than the bytes of a piece. Returns true if there is no room.
 */
static bool is_full(struct pieces *p)
{
	const uint64_t at = perfdata_position(p->pd);
	uint64_t lowest;

	if (at - p->looked < p->o.size / 4)
		return false;
	p->looked = at;
	if (at - p->mark.at >= p->o.size) {
		p->mark.before = p->mark.latest;
		p->mark.latest = p->time.latest;
		p->mark.at = at;
	}
	lowest = buffers_lowest(&p->buffers, at);
	/* from then on it cannot be read again from its start, and counted as a file */
	p->begun |= !p->totals.whole && p->info && p->trace && is_large(p, at);
	if (p->begun)
		perfdata_forget(p->pd, lowest);
	return is_large(p, at - lowest);
}

static void end_round(struct pieces *p)
{
	p->time.complete = p->time.round;
	p->time.round = p->time.latest;
}

static bool is_due(const struct pieces *p)
{
	struct timespec now;

	if (!p->o.interval)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)(now.tv_sec - p->cut.tv_sec) >= p->o.interval;
}

/* Writes the trace that buffers_ready() has chosen, and the records for it. */
static enum pieces_next cut(struct pieces *p, uint64_t trace, uint64_t last, struct piece *piece,
			    struct error *err)
{
	const uint64_t end = perfdata_position(p->pd);
	const struct piece_source from = { &p->kept, &p->buffers, p->pd };

	piece->fd = piece_file_new(&from, err);
	if (piece->fd < 0)
		return PIECES_FAILED;
	piece->first = p->first;
	piece->last = p->first = end;
	piece->trace = trace;
	piece->faults = p->faults;
	memset(&p->faults, 0, sizeof(p->faults));
	buffers_take(&p->buffers, &p->kept);
	if (last > p->time.taken)
		p->time.taken = last;
	ended_drop(&p->ended, &p->kept, buffers_floor(&p->buffers));
	kept_drop(&p->kept, buffers_since, &p->buffers);
	p->totals.carried = p->kept.bytes;
	p->totals.pieces++;
	p->begun = true;
	/* what waits has come for the next piece */
	p->trace = p->trace > trace ? p->trace - trace : 0;
	clock_gettime(CLOCK_MONOTONIC, &p->cut);
	perfdata_forget(p->pd, buffers_lowest(&p->buffers, end));
	print_errors(p);
	return PIECES_PIECE;
}

/*
 * Cuts if there is enough of what everything has come for. `due`: if there is any. Else it is tried
 * again when more has come.
 */
static bool try_cut(struct pieces *p, bool due, struct piece *piece, struct error *err,
		    enum pieces_next *result)
{
	const uint64_t at = perfdata_position(p->pd);
	/* without room, trace that no record is about does not wait for one */
	const uint64_t old =
		is_large(p, at - buffers_lowest(&p->buffers, at)) ? at - 2 * p->o.size : 0;
	uint64_t last, trace = buffers_ready(&p->buffers, p->time.complete, old, &last);

	p->untried = 0;
	if (!trace || (!due && trace < p->o.size / 4))
		return false;
	p->totals.unclaimed += p->buffers.old;
	*result = cut(p, trace, last, piece, err);
	return true;
}

/* Cuts after a record if that is possible, and it is time to. */
static bool cut_after(struct pieces *p, uint32_t type, struct piece *piece, struct error *err,
		      enum pieces_next *result)
{
	const bool round = type == PERF_RECORD_FINISHED_ROUND, full = is_full(p);
	bool due;

	if (round)
		end_round(p);
	if (p->totals.whole || !p->info || (!round && !full))
		return false;
	due = full || (round && is_due(p));
	if (!due && p->trace < p->o.size)
		return false;
	/* a try looks at all AUX records that wait */
	if (LOOKS * p->untried < p->buffers.nr_aux)
		return false;
	if (try_cut(p, due, piece, err, result))
		return true;
	if (!full || p->mark.before <= p->time.complete)
		return false;
	p->time.complete = p->mark.before;
	if (!try_cut(p, true, piece, err, result))
		return false;
	p->totals.forced++;
	return true;
}

/* What is left at the end of the pipe. */
static enum pieces_next cut_last(struct pieces *p, struct piece *piece, struct error *err)
{
	uint64_t last, trace;

	if (!p->begun)
		return PIECES_WHOLE;
	trace = buffers_ready(&p->buffers, NO_TIME, 0, &last);
	if (!trace && !p->buffers.nr_aux && !p->faults.bad_records && !p->faults.lost_compressed &&
	    !p->faults.cut)
		return PIECES_END;
	return cut(p, trace, last, piece, err);
}

enum pieces_next pieces_next(struct pieces *p, struct piece *piece, struct error *err)
{
	enum pieces_next result;
	struct pd_record rec;
	int rc;

	while (!p->read && (rc = perfdata_next(p->pd, &rec))) {
		if (rc < 0) {
			note_error(p);
			continue;
		}
		take_record(p, &rec);
		if (cut_after(p, rec.ev->header.type, piece, err, &result))
			return result;
	}
	if (p->read)
		return PIECES_END;
	p->read = true;
	return cut_last(p, piece, err);
}
