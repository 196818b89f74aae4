/* SPDX-License-Identifier: GPL-2.0-only */
/* injector_shards.c - samples of shards of the trace, which are decoded in other threads. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "outputs/synth/injector_int.h"
#include "session/parts.h"

/* Maximum size of a shard with a backlog, but for a fragment: half of its trace fills that. */
#define LATE_SHARD (4u << 20)

static void *shard_make(void *data, struct session *ss)
{
	struct injector *whole = data;
	struct injector *in = mem_zeroed(1, sizeof(*in));

	/* fields that the calling thread does not change meanwhile */
	in->ss = ss;
	in->o = whole->o;
	in->sb = whole->sb;
	in->m = whole->m;
	in->timed = whole->timed;
	in->exits_last = whole->exits_last;
	memcpy(in->ids, whole->ids, sizeof(in->ids));
	in->with_ids = whole->with_ids;
	in->add.wanted = whole->add.wanted;
	in->add.follows = whole->add.follows;
	in->shard.is_shard = true;
	in->sp = injector_sampler(in);
	if (whole->shard.room && !session_shard_first(ss)) {
		in->shard.backlog = backlog_new(whole->shard.room);
		in->shard.whole = whole;
	}
	return in;
}

static bool shard_fits(void *data, void *shard)
{
	const struct injector *in = data, *more = shard;

	if (more->shard.unfinished)
		return false;
	return more->shard.from || sampler_fits(in->sp, more->sp);
}

static void shard_resume(void *data, void *shard)
{
	struct injector *in = data, *more = shard;

	more->shard.from = in;
	sampler_continue(more->sp, in->sp);
}

/* ---- shards that begin late ---------------------------------------------------------------- */

static uint64_t next_sample(void *data, const struct stream *s)
{
	const struct injector *in = data;
	struct stream ended;

	return sampler_next(in->sp, injector_stream(in, s, &ended));
}

static uint64_t further_sample(void *data)
{
	const struct injector *in = data;

	return sampler_further(in->sp);
}

static int take_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	return injector_batch(data, s, g, n);
}

/* Begins with the state of the shards before, when their results are taken. */
static int begin(struct injector *in)
{
	const struct backlog_use use = { .next = next_sample, .further = further_sample,
					 .batch = take_batch, .data = in };
	int rc = SESSION_UNFIT;

	if (session_shard_turn(in->ss, true)) {
		shard_resume(in->shard.whole, in);
		rc = backlog_replay(in->shard.backlog, &use);
	}
	in->shard.unfinished = rc;
	backlog_free(in->shard.backlog);
	in->shard.backlog = NULL;
	return rc;
}

int injector_late_batch(struct injector *in, const struct stream *s, const struct cst_generic *g,
			size_t n)
{
	int rc;

	if (!session_shard_turn(in->ss, false) && backlog_keep(in->shard.backlog, s, g, n))
		return 0;
	rc = begin(in);
	return rc ? rc : injector_batch(in, s, g, n);
}

void injector_late_end(struct injector *in)
{
	begin(in);
}

/* ---- taking -------------------------------------------------------------------------------- */

/*
 * Returns the lane for the end of a stretch that the previous shard left open; it precedes the next
 * shard. With one stream, which is written directly, there are no shards with branches.
 */
static void *seam_lane(void *data, const struct sampler_seam *was)
{
	struct merge_lanes one = { .v = NULL };
	struct injector *in = data;
	struct merge_lane *ln;

	ln = merge_lanes_add(&one, in->m, SIDEBAND_RANK_SAMPLES, was->place);
	ln->time = was->last;
	merge_lanes_order(&one, in->shard.shards);
	merge_lanes_free(&one);
	return ln;
}

static int shard_take(void *data, void *shard)
{
	struct injector *in = data, *more = shard;
	const struct sampler_seam *seam;
	size_t i;
	int rc;

	in->shard.shards += 2;
	rc = sampler_join(in->sp, more->sp, seam_lane, in);
	merge_lanes_order(&more->shard.lanes, in->shard.shards + 1);
	for (i = 0; (seam = sampler_nth_seam(more->sp, i)) && !rc; i++) {
		if (seam->history.user)
			merge_lane_floor(seam->history.user, seam->history.floor);
		if (!seam->user || seam->first == UINT64_MAX)
			continue;
		merge_lane_floor(seam->user, seam->floor);
		injector_note_time(in, seam->first > seam->floor ? seam->first : seam->floor);
		injector_note_time(in, seam->last > seam->floor ? seam->last : seam->floor);
	}
	more->shard.taken = !rc;
	return rc;
}

/* Writes the samples of an only stream; those of several are merged when all are decoded. */
static int shard_write(void *data, void *shard)
{
	struct injector *in = data, *more = shard;
	size_t i;

	for (i = 0; in->single && i < more->shard.lanes.nr; i++)
		if (merge_direct_lane(in->m, more->shard.lanes.v[i]))
			return injector_temporary_failed(in);
	return pw_failed(in->w) ? ERR_REPORTED : 0;
}

static void shard_free(void *shard)
{
	struct injector *in = shard;

	if (!in->shard.taken)
		merge_lanes_drop(&in->shard.lanes);
	merge_lanes_free(&in->shard.lanes);
	injector_free_followed(in);
	backlog_free(in->shard.backlog);
	sampler_free(in->sp);
	free(in);
}

/* True if the number of instructions before an AUX fragment is all that its samples depend on. */
static bool is_counted(const struct injector *in)
{
	return sampler_unit(in->sp) == SAMPLER_COUNTED && !in->add.wanted &&
	       !session_queues(in->ss)->windows.leads;
}

struct shard_ops injector_shards(struct injector *in)
{
	struct shard_ops ops = { .make = shard_make, .fits = shard_fits, .resume = shard_resume,
				 .take = shard_take, .write = shard_write,
				 .free = shard_free };
	const bool counted = is_counted(in);

	/* in a file without times, all samples of a fragment have the position of its record */
	ops.by_fragment = in->timed && (counted || sampler_unit(in->sp) == SAMPLER_FRAGMENT);
	/* samples of all branches of one stream, many times the trace, are written directly */
	ops.by_fragment &= !(in->single && in->o.itrace.branches);
	if (ops.by_fragment && counted) {
		in->shard.room = backlog_room_new();
		ops.max_size = LATE_SHARD;
	}
	return ops;
}
