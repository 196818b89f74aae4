/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler.h - samples out of the decoded trace, as --itrace asks for them. The sampler is fed with the
 * batches of a session and calls back for each sample, in the order of each stream.
 */
#ifndef CSTRACE_SYNTH_SAMPLER_H
#define CSTRACE_SYNTH_SAMPLER_H

#include "session/session.h"
#include "synth/branch.h"
#include "synth/itrace.h"
#include "synth/ring.h"

/* An instructions sample. */
struct insn_sample {
	uint64_t ip;
	uint64_t time;
	uint64_t period;		/* instructions since the sample before */
	int pid, tid;
	uint8_t isa, size, el;
	const struct ring *stack;	/* NULL: none asked for */
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
	const char *text;		/* one phrase, less than 64 characters */
	uint64_t ip;
	uint64_t time;
	int pid, tid;
};

/* Each returns 0, or a value that ends the run. */
struct sample_ops {
	int (*branch)(void *data, struct stream *s, const struct branch *b);
	int (*insn)(void *data, struct stream *s, const struct insn_sample *i);
	int (*error)(void *data, struct stream *s, const struct error_sample *e);
	void *data;
};

struct sampler;

/* NULL when memory is short. `ops` is copied; `read` is session_read_code except in tests. */
struct sampler *sampler_new(const struct itrace_opts *o, const struct sample_ops *ops,
			    branch_read_fn read);
void sampler_free(struct sampler *sp);

/* Callbacks of struct session_consumer, with the sampler as their data. */
int sampler_batch(void *sampler, struct stream *s, const struct cst_generic *g, size_t n);
int sampler_fragment_end(void *sampler, struct stream *s);
void sampler_stream_end(void *sampler, struct stream *s);
/* A word per stream for whoever gets the samples; NULL at first. Valid inside the callbacks. */
void **sampler_slot(struct stream *s);
/* The last instruction that was executed and by whom; 0: none, or nothing hangs on it any more. */
uint64_t sampler_last(const struct stream *s, int *tid);
/* Is each stream sampled by itself? Else (call chains, sN) streams have to come one after the other. */
bool sampler_divisible(const struct sampler *sp);
/* What the sampler asks of the session: stop, step, timeless, unwanted. */
void sampler_consumer(const struct sampler *sp, struct session_consumer *c);

#endif
