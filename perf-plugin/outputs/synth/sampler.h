/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler.h - samples from the decoded trace as requested by --itrace. The sampler receives the
 * batches of a session and calls back for each sample, in the order of each stream.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_SAMPLER_H
#define CSTRACE_OUTPUTS_SYNTH_SAMPLER_H

#include "outputs/synth/event.h"
#include "outputs/synth/ipc.h"
#include "outputs/synth/itrace.h"
#include "outputs/synth/ring.h"
#include "session/decode/branch.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"

/* An instructions sample. */
struct insn_sample {
	uint64_t ip;
	uint64_t time;
	uint64_t period;		/* instructions since the previous sample */
	int pid, tid;
	struct host_thread host;	/* as in struct stream ... */
	uint8_t isa, size, el;
	uint16_t guest;			/* ... and these */
	uint16_t vm;
	const struct ring *stack;	/* NULL: not requested */
	const uint64_t *chain;		/* in perf's form, with context markers */
	unsigned int nr_chain;
};

enum sample_error_code {
	SAMPLE_ERR_OVERFLOW = 1,	/* trace unit overflow */
	SAMPLE_ERR_LOST,		/* discard, truncated buffer */
	SAMPLE_ERR_PACKET,		/* undecodable bytes */
	SAMPLE_ERR_IMAGE,		/* trace and program contradict each other */
	SAMPLE_ERR_NO_IMAGE,		/* no code for an address */
};

struct error_sample {
	enum sample_error_code code;
	const char *text;		/* one phrase of less than 64 characters */
	uint64_t ip;
	uint64_t time;
	int pid, tid;
	struct host_thread host;
	uint16_t vm;
};

/* Each function returns 0, or a value that ends the run. */
struct sample_ops {
	int (*branch)(void *data, const struct stream *s, const struct branch *b);
	/*
	 * Receives several branches, at least 1. Called instead of branch() where that one would
	 * get no more than these and the stream have, with samples of all branches and no others.
	 * NULL: branch() receives all samples.
	 */
	int (*taken)(void *data, const struct stream *s, const struct cst_branch *b, size_t n);
	int (*insn)(void *data, const struct stream *s, const struct insn_sample *i);
	int (*error)(void *data, const struct stream *s, const struct error_sample *e);
	/* NULL: none are asked for */
	int (*event)(void *data, const struct stream *s, const struct event_sample *e);
	void *data;
};

struct sampler;

/* `ops` is copied; `read` is session_read_code() except in tests. */
struct sampler *sampler_new(const struct itrace_opts *o, const struct sample_ops *ops,
			    branch_read_fn read);
void sampler_free(struct sampler *sp);

/* Callbacks of struct consumer; `sampler` is their data. */
int sampler_batch(void *sampler, const struct stream *s, const struct cst_generic *g, size_t n);
int sampler_fragment_end(void *sampler, const struct stream *s);
void sampler_stream_end(void *sampler, const struct stream *s);
/*
 * As consumer.wants.plan, with the sampler as its data. It follows the batches with a sampler of
 * its own that emits no samples, since the others are delivered later. sampler_plans() is false if
 * the sampler needs all ranges.
 */
int sampler_plan(void *sampler, const struct stream *s, const struct cst_generic *g, size_t n, struct sample_plan *plan);
bool sampler_plans(const struct sampler *sp);
/*
 * Returns a pointer per stream for the consumer's use, initially NULL; valid inside the callbacks.
 */
void **sampler_slot(const struct stream *s);
/*
 * Returns the last instruction executed and its thread (session_thread_key()); 0: none, or it is
 * not needed any more.
 */
uint64_t sampler_last(const struct stream *s, uint64_t *thread);
/*
 * Returns the number of open calls of the thread of the last branch, with itrace_opts.depth or a
 * call chain; else 0.
 */
unsigned int sampler_depth(const struct stream *s);
/*
 * With itrace_opts.ipc, in the callback for a sample: what was counted since the last one of its
 * kind.
 */
struct ipc sampler_ipc(const struct sampler *sp, const struct stream *s, enum ipc_sample of);

/* Smallest part of the trace whose samples do not depend on earlier parts. */
enum sampler_unit {
	SAMPLER_ALL,		/* none: call chains and sN depend on all streams */
	SAMPLER_STREAM,		/* a stream: periods extend over fragments */
	/*
	 * an AUX fragment, from where the place of its first sample is known on
	 * (sampler_continue()): until then its batches can be in a backlog (backlog.h)
	 */
	SAMPLER_COUNTED,
	SAMPLER_FRAGMENT,	/* an AUX fragment, with exceptions: see sampler_fits() */
};
enum sampler_unit sampler_unit(const struct sampler *sp);
/*
 * With SAMPLER_COUNTED, before a batch: the number of instructions up to its first sample;
 * sampler_further() returns the number from there up to the next one, and so on.
 */
uint64_t sampler_next(struct sampler *sp, const struct stream *s);
uint64_t sampler_further(struct sampler *sp);

/* When samples are due, with periods in time or ticks. */
struct sample_clock {
	bool clock_set;
	uint64_t anchor;	/* time at anchor_insns */
	uint64_t anchor_insns;
	uint64_t rate;		/* time per instruction, RATE_SHIFT fraction bits */
	uint64_t due;		/* time of the next sample */
};

/*
 * State of a stream between two shards of the trace: what the shard leaves open at its end, and how
 * its begin would affect the state before it. A sampler stores one when it has finished a stream
 * (sampler_stream_end()).
 */
struct sampler_seam {
	uint64_t place;		/* stream.place */
	int cpu;
	bool closes;		/* the shard begins with the end of a stretch, which ends a stretch from before */
	bool doubtful;		/* ... whose last branch is doubtful (CST_GF_DOUBTFUL) */
	bool asks_gap;		/* an error before the first instruction needs the last one from before */
	uint64_t first;		/* for the consumer: time of the first sample; UINT64_MAX: none */
	uint64_t floor;		/* time of the last sample before the shard, the minimum of a stream's times */
	/* state at the end: */
	bool touched;		/* an instruction or the end of a stretch occurred; else `br` and `gap` are void */
	struct branch_state br;
	uint64_t to_next, since; /* instructions to the next sample, and since the last one */
	struct sample_clock clock; /* anchor_insns: instructions since the anchor */
	bool after_gap;		/* no instruction since the last time was set */
	struct sampler_gap {
		uint64_t ip;	/* last instruction before the gap; 0: none */
		uint64_t time;	/* time after it */
		uint8_t isa, size, el;
	} gap;
	uint64_t last;		/* for the consumer: time of the last sample, 0: none */
	void *user;		/* for the consumer's use */
	struct {
		/* the same of a second lane, with `user` NULL if the stream has none */
		uint64_t floor, last;
		void *user;
	} history;
};

/* Returns seam `i` of a sampler, NULL after the last one. */
struct sampler_seam *sampler_nth_seam(struct sampler *sp, size_t i);
/*
 * sampler_last_seam() returns the seam of the stream that was finished last, sampler_seam() that of
 * a stream; NULL: none.
 */
struct sampler_seam *sampler_last_seam(struct sampler *sp);
struct sampler_seam *sampler_seam(const struct sampler *sp, uint64_t place);
/*
 * True if the samples of a shard, whose streams began without state, are the same with the state of
 * the shards before in `whole`.
 */
bool sampler_fits(const struct sampler *whole, const struct sampler *shard);
/* Makes the streams of a shard begin with the state of the shards before in `whole`. */
void sampler_continue(struct sampler *shard, struct sampler *whole);
/*
 * Appends the seams of the next shard to `whole`. For a stretch that was open and is ended by this
 * shard, `lane` returns the pointer (sampler_slot()) for reporting its last branch, NULL without
 * memory. Returns 0, or a value that ends the run.
 */
int sampler_join(struct sampler *whole, struct sampler *shard,
		 void *(*lane)(void *data, const struct sampler_seam *was), void *data);
/*
 * As consumer.wants.stream_digest, for branch samples without times; without what is behind
 * sampler_slot().
 */
uint64_t sampler_digest(const struct stream *s, uint64_t digest);
/* Returns what the sampler needs of the trace, without `plan`. `times`: its client uses times. */
struct wants sampler_wants(const struct sampler *sp, bool times);

#endif
