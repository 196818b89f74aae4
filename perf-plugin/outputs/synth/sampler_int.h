/* SPDX-License-Identifier: GPL-2.0-only */
/* sampler_int.h - internals of a sampler: sampler.c selects samples, seams.c joins shards of the trace. */
#ifndef CSTRACE_OUTPUTS_SYNTH_SAMPLER_INT_H
#define CSTRACE_OUTPUTS_SYNTH_SAMPLER_INT_H

#include "outputs/synth/callstack.h"
#include "outputs/synth/ipc.h"
#include "outputs/synth/sampler.h"

/* State per stream. */
struct sampled_stream {
	void *user;
	struct branch_state br;
	struct ring ring;
	struct {
		uint64_t insns;		/* instructions so far */
		uint64_t next;		/* sample when `insns` reaches this */
		uint64_t sampled;	/* `insns` at the last sample */
		uint64_t batch_insns;	/* `insns` where the batch began */
		uint64_t last_time;	/* of the last instructions sample */
	} counts;
	struct sampler_gap gap;	/* last instruction before the gap */
	struct version *code, *other; /* address spaces of the last range, with references */
	bool kernel;		/* stream.kernel, for the same range */
	struct {
		bool closes, doubtful, asks_gap, touched, continued; /* struct sampler_seam */
	} seam;
	bool after_gap;		/* no instruction since the last time was set */
	bool passing;		/* a filter excluded the last batch */
	bool leading;	/* the last batch was of the lead of an AUX window */
	struct sample_clock clock;
	struct ipc_state ipc;	/* with itrace_opts.ipc */
	struct callstack *calls;
	uint64_t calls_thread;	/* session_thread_key() of `calls` */
	void *ahead;		/* lane of sampler.ahead */
};

struct sampler {
	struct itrace_opts o;
	struct sample_ops ops;
	branch_read_fn read;
	struct recent *calls;
	uint64_t skip;
	uint32_t tile;		/* branches not shown yet that trigger a sample */
	bool want_b, want_i;
	bool restricted;	/* some branches are not sampled */
	uint64_t ring_flags[BRANCH_INDICES]; /* of a stack entry, by branch_index() */
	struct sampler_seam *seams;
	size_t nr_seams, cap_seams;
	struct sampler *ahead;	/* follows what is decoded but not delivered yet; NULL: no plan */
	struct sampler *from;	/* sampler of the shards before, with whose seams streams begin; NULL: none */
	uint64_t chain[ITRACE_MAX_DEPTH + 2];
	struct sampled_stream places; /* of sampler_next(): at the sample that it found last */
};

/* sampler.c: emits a branch that is complete, or the edge of a traced stretch; does not push it to the ring. */
int sampler_branch_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, struct branch *b);
/* True if a branch is to be emitted, of a sampler that is `restricted`. */
bool sampler_branch_passes(struct sampler *sp, const struct stream *s, const struct branch *b);

/* seams.c: makes a lane begin with the state of a seam. */
void seam_begin(struct sampler *sp, struct sampled_stream *ln, const struct sampler_seam *was);
/* Stores the state of a stream that ends. */
void seam_leave(struct sampler *sp, const struct stream *s, const struct sampled_stream *ln);

#endif
