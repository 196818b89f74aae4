/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * injector_int.h - internals of an injector: injector.c writes samples, injector_shards.c joins
 * those of shards of the trace.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_INJECTOR_INT_H
#define CSTRACE_OUTPUTS_SYNTH_INJECTOR_INT_H

#include "outputs/synth/backlog.h"
#include "outputs/synth/event.h"
#include "outputs/synth/guest_records.h"
#include "outputs/synth/injector.h"
#include "outputs/synth/merge.h"
#include "outputs/synth/sideband.h"
#include "perfdata/writer.h"
#include "session/decode/decode.h"

/*
 * The events of the output, of which it has those that --itrace asks for, or one without samples.
 */
enum out_event {
	OUT_INSNS,
	OUT_BRANCHES,
	OUT_EVENTS,
	OUT_DUMMY = OUT_EVENTS + EVENT_KINDS,
	OUT_NR,
};

/* The history in a stream that is decoded, see history.h. */
struct followed {
	uint64_t place;		/* stream.place */
	struct history_stream *history;
};

struct injector {
	struct session *ss;
	struct injector_opts o;
	struct perf_writer *w;
	struct sideband *sb;
	struct merge *m;
	struct merge_lane *single;
	struct sampler *sp;
	bool timed;
	/* ends of threads are after all samples: sideband_opts.exits_last */
	bool exits_last;
	uint64_t place;		/* used in place of time in a file without times */
	struct guest_ids ids[OUT_NR];	/* of samples */
	/* guests whose process is known, by number: they have ids of their own */
	uint64_t with_ids;
	struct {
		/* for L and G in --itrace; NULL: not given */
		struct history *wanted;
		struct join *join;
		uint8_t *record;	/* a sample with what is added */
		bool follows;		/* trace and samples have the times for that */
		struct followed *v;
		size_t nr, cap;
	} add;
	uint64_t since_round;
	uint64_t first_time, last_time;	/* times of samples; first > last: none so far */
	int batch_tid;		/* the host's thread of the batch ... */
	/* ... and when that ended, if it did inside the batch; otherwise UINT64_MAX */
	uint64_t alive_until;
	struct {
		/*
		 * of a shard decoded in another thread: its lanes in the merge of the whole output
		 */
		struct merge_lanes lanes;
		bool is_shard, taken;
		/*
		 * the injector of the shards before, whose streams this shard continues; NULL: none
		 */
		struct injector *from;
		uint64_t shards;	/* of the whole output: number of shards taken */
		/* of the whole output: with SAMPLER_COUNTED and shards by fragment; else NULL */
		struct backlog_room *room;
		/* of a shard: its batches until it begins with the state of `whole`; else NULL */
		struct backlog *backlog;
		struct injector *whole;
		bool unfinished;	/* it did not begin */
	} shard;
};

/* injector.c: makes the sampler, which calls the functions of this injector. */
struct sampler *injector_sampler(struct injector *in);
/* Extends the span of the samples' times. */
static inline void injector_note_time(struct injector *in, uint64_t time)
{
	in->first_time = time < in->first_time ? time : in->first_time;
	in->last_time = time > in->last_time ? time : in->last_time;
}

/* Frees the history of the streams that have not ended. */
void injector_free_followed(struct injector *in);
/* Reports what failed with the temporary file of the output. */
int injector_temporary_failed(const struct injector *in);

/* Returns the stream of a batch, not later than the end of its thread: `s`, or a copy in *ended. */
const struct stream *injector_stream(const struct injector *in, const struct stream *s,
				     struct stream *ended);
/* Takes a batch: the function of the consumer, if it has no backlog. */
int injector_batch(struct injector *in, const struct stream *s, const struct cst_generic *g,
		   size_t n);

/* injector_shards.c: how several threads make the samples. */
struct shard_ops injector_shards(struct injector *in);
/* Keeps a batch of a shard that has a backlog, or takes all that it has. */
int injector_late_batch(struct injector *in, const struct stream *s, const struct cst_generic *g,
			size_t n);
/* Takes the backlog before a stream ends. */
void injector_late_end(struct injector *in);

#endif
