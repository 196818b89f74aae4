/* SPDX-License-Identifier: GPL-2.0-only */
/* injector.h - a session's trace as samples in a new perf.data file. */
#ifndef CSTRACE_SYNTH_INJECTOR_H
#define CSTRACE_SYNTH_INJECTOR_H

#include "session/session.h"
#include "synth/itrace.h"
#include "synth/sampler.h"

struct injector_opts {
	const char *output;	/* file, or "-" */
	struct itrace_opts itrace;
	bool hw_index;		/* branch stacks with the index field, which some readers cannot skip */
	bool no_branch_view;	/* leave out the mark that makes perf report start in branch mode */
	bool switches;		/* copy records of context switches, which readers of AutoFDO do not know */
};

struct injector;

/* NULL after a message on stderr. */
struct injector *injector_open(struct session *ss, const struct injector_opts *o);
/* Decode and write. 0, or negative after a message on stderr; the output then does not exist. */
int injector_run(struct injector *in);
/* Leaves no output behind when injector_run() did not succeed. */
void injector_close(struct injector *in);

#endif
