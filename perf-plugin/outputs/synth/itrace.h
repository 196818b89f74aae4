/* SPDX-License-Identifier: GPL-2.0-only */
/* itrace.h - options of --itrace: which samples are synthesised from the trace. */
#ifndef CSTRACE_OUTPUTS_SYNTH_ITRACE_H
#define CSTRACE_OUTPUTS_SYNTH_ITRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outputs/synth/event.h"

enum itrace_unit {
	ITRACE_INSNS,	/* i: instructions */
	ITRACE_TICKS,	/* t: ticks of the trace's timestamp counter */
	ITRACE_NS,	/* ns, us, ms: perf time */
};

#define ITRACE_DEFAULT_PERIOD	100000u
#define ITRACE_DEFAULT_CHAIN	16u
#define ITRACE_DEFAULT_STACK	64u
#define ITRACE_MAX_DEPTH	1024u	/* of call chains and branch stacks */

struct itrace_opts {
	bool instructions;	/* i */
	bool branches;		/* b, and c and r, which restrict them */
	bool calls;		/* c */
	bool returns;		/* r */
	bool errors;		/* e */
	bool events[EVENT_KINDS]; /* x, w, I */
	bool no_overflow_errors; /* e-o */
	bool no_lost_errors;	/* e-l */
	bool timeless;		/* Z */
	bool kernel_time;	/* T: session_opts.kernel_time */
	enum itrace_unit unit;
	uint64_t period;
	uint64_t skip;		/* s */
	unsigned int chain;	/* g: entries of the call chain, 0 none */
	unsigned int stack;	/* l: entries of the branch stack, 0 none */
	unsigned int add_chain;	/* G: as g, for existing samples */
	unsigned int add_stack;	/* L: as l, for existing samples */
	/*
	 * not a letter: sample whenever the branch stack is full of branches that are in no sample yet, so that each is
	 * in exactly one
	 */
	bool tiles;
	bool ipc;		/* not a letter: cycles are followed, for sampler_ipc() */
	/* A: instructions up to the sample, not up to the last count of cycles */
	bool approximate_ipc;
	bool depth;		/* not a letter: calls are followed, for sampler_depth() */
	/* letters given that mean nothing for this trace, for a notice to the user */
	char unused[24];
};

/*
 * Default for a missing or empty --itrace. A listing (perf script) shows calls and errors; other uses sample
 * instructions and branches and report errors.
 */
void itrace_default(struct itrace_opts *o, bool listing);

/* True if samples of one of event_types are asked for. */
bool itrace_events(const struct itrace_opts *o);

/* Parses `text`. Returns true, or false with a message in `msg` that points at the letter. */
bool itrace_parse(struct itrace_opts *o, const char *text, char *msg, size_t len);

#endif
