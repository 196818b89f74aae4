/* SPDX-License-Identifier: GPL-2.0-only */
/* injector_shards.c - samples of shards of the trace, which are decoded in other threads. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "outputs/synth/injector_int.h"

static void *shard_make(void *data, struct session *ss)
{
	const struct injector *whole = data;
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
	return in;
}

static bool shard_fits(void *data, void *shard)
{
	const struct injector *in = data, *more = shard;

	return sampler_fits(in->sp, more->sp);
}

static void shard_resume(void *data, void *shard)
{
	struct injector *in = data, *more = shard;

	more->shard.from = in;
	sampler_continue(more->sp, in->sp);
}

/*
 * Returns the lane for the end of a stretch that the previous shard left open; it precedes the next shard. With one stream,
 * which is written directly, there are no shards with branches (injector_run()).
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
	for (i = 0; in->single && i < more->shard.lanes.nr && !rc; i++)
		if (merge_direct_lane(in->m, more->shard.lanes.v[i]))
			rc = injector_temporary_failed(in);
	if (rc)
		return rc;
	more->shard.taken = true;
	return pw_failed(in->w) ? ERR_REPORTED : 0;
}

static void shard_free(void *shard)
{
	struct injector *in = shard;

	if (!in->shard.taken)
		merge_lanes_drop(&in->shard.lanes);
	merge_lanes_free(&in->shard.lanes);
	injector_free_followed(in);
	sampler_free(in->sp);
	free(in);
}

struct shard_ops injector_shards(void)
{
	return (struct shard_ops){ .make = shard_make, .fits = shard_fits, .resume = shard_resume,
				   .take = shard_take, .free = shard_free };
}
