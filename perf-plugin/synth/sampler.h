/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler.h - samples out of the decoded trace, as --itrace asks for them. The sampler is fed with the
 * batches of a session and calls back for each sample, in the order of each stream.
 */
#ifndef CSTRACE_SYNTH_SAMPLER_H
#define CSTRACE_SYNTH_SAMPLER_H

#include "decode/decode.h"
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
	int (*branch)(void *data, const struct stream *s, const struct branch *b);
	int (*insn)(void *data, const struct stream *s, const struct insn_sample *i);
	int (*error)(void *data, const struct stream *s, const struct error_sample *e);
	void *data;
};

struct sampler;

/* NULL when memory is short. `ops` is copied; `read` is session_read_code except in tests. */
struct sampler *sampler_new(const struct itrace_opts *o, const struct sample_ops *ops,
			    branch_read_fn read);
void sampler_free(struct sampler *sp);

/* Callbacks of struct session_consumer, with the sampler as their data. */
int sampler_batch(void *sampler, const struct stream *s, const struct cst_generic *g, size_t n);
int sampler_fragment_end(void *sampler, const struct stream *s);
void sampler_stream_end(void *sampler, const struct stream *s);
/* A word per stream for whoever gets the samples; NULL at first. Valid inside the callbacks. */
void **sampler_slot(const struct stream *s);
/* The last instruction that was executed and by whom; 0: none, or nothing hangs on it any more. */
uint64_t sampler_last(const struct stream *s, int *tid);
/* What of the trace can be sampled by itself, whatever came before. */
enum sampler_unit {
	SAMPLER_ALL,		/* nothing: call chains and sN go from stream to stream */
	SAMPLER_STREAM,		/* a stream: periods go from fragment to fragment */
	SAMPLER_FRAGMENT,	/* an AUX fragment, nearly always: see sampler_fits() */
};
enum sampler_unit sampler_unit(const struct sampler *sp);

/*
 * What a stream leaves open at the end of a piece of the trace, and what its beginning would have made of that. A
 * sampler keeps one for each stream that it was done with (sampler_stream_end()).
 */
struct sampler_seam {
	uint64_t place;		/* stream.place */
	int cpu;
	bool closes;		/* the first thing was the end of a stretch: it would have ended one from before */
	bool doubtful;		/* ... and that one's last branch with it (CST_GF_DOUBTFUL) */
	bool asks_gap;		/* an error before the first instruction names the last one before it */
	uint64_t first;		/* consumer's: time of the first sample; UINT64_MAX: there is none */
	uint64_t floor;		/* time of the last sample before the piece: those of a stream never go back in time */
	/* At the end: */
	bool touched;		/* something executed, or the end of a stretch; else `br` and `gap` say nothing */
	struct branch_state br;
	uint64_t to_next, since; /* instructions to the next sample, and since the last one */
	struct sampler_gap {
		uint64_t ip;	/* last instruction before the gap; 0: none */
		uint8_t isa, size, el;
	} gap;
	uint64_t last;		/* consumer's: time of the last sample, 0: none */
	void *user;		/* consumer's */
};

/* Number `i` of a sampler's seams; NULL: there are no more. */
struct sampler_seam *sampler_nth_seam(struct sampler *sp, size_t i);
/* The seam of the stream that sampler_stream_end() was called for last, or of a stream; NULL: there is none. */
struct sampler_seam *sampler_last_seam(struct sampler *sp);
struct sampler_seam *sampler_seam(struct sampler *sp, uint64_t place);
/* Do the samples of a piece, whose streams began with nothing, go with what `whole` has of the pieces before? */
bool sampler_fits(const struct sampler *whole, const struct sampler *piece);
/* The streams of a piece begin with what `whole` has of the pieces before. */
void sampler_continue(struct sampler *piece, struct sampler *whole);
/*
 * `whole` gets the seams of the next piece. For a stretch that the piece before left open and this one ends, `lane` gives
 * the word (sampler_slot()) under which its branch is reported, NULL: no memory. 0, or what ends the run.
 */
int sampler_join(struct sampler *whole, struct sampler *piece,
		 void *(*lane)(void *data, const struct sampler_seam *was), void *data);
/* What the sampler asks of the session: stop, step, timeless, unwanted. */
void sampler_consumer(const struct sampler *sp, struct session_consumer *c);

#endif
