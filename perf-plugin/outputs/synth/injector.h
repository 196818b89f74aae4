/* SPDX-License-Identifier: GPL-2.0-only */
/* injector.h - writes the samples of a session's trace to a new perf.data file. */
#ifndef CSTRACE_OUTPUTS_SYNTH_INJECTOR_H
#define CSTRACE_OUTPUTS_SYNTH_INJECTOR_H

#include "outputs/synth/itrace.h"
#include "outputs/synth/join.h"
#include "outputs/synth/sampler.h"
#include "session/session.h"

struct injector_opts {
	const char *output;	/* file, or "-" */
	struct itrace_opts itrace;
	bool hw_index;		/* branch stacks with the index field, which some readers cannot skip */
	bool no_branch_view;	/* omit the mark that makes perf report start in branch mode */
	bool switches;		/* copy context switch records, which AutoFDO's readers do not support */
	int level;		/* of the compression of records; 0: none */
};

struct injector;

/* Returns NULL after a message on stderr. */
struct injector *injector_open(struct session *ss, const struct injector_opts *o);
/* Decodes and writes. Returns 0, or negative after a message on stderr; there is no output file then. */
int injector_run(struct injector *in);
/* Number of samples of the recording that are not in the output, see sideband_unknown_samples(). */
uint64_t injector_left_out(const struct injector *in);
/*
 * Number of samples that are not in the output since their records have no room for an id or the
 * fields added.
 */
uint64_t injector_too_large(const struct injector *in);
/* True if trace and records have the times by which L and G find the history of a sample. */
bool injector_follows(const struct injector *in);
/* What became of existing samples; NULL without L and G. Valid after injector_run(). */
const struct join_counts *injector_joined(const struct injector *in);
/* Frees the injector; removes the output unless injector_run() succeeded. */
void injector_close(struct injector *in);

#endif
