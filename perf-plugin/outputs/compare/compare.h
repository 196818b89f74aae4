/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.h - what a recording executed against Tarmac text or another recording: differences with what is around them, and
 * a summary of each core.
 */
#ifndef CSTRACE_OUTPUTS_COMPARE_COMPARE_H
#define CSTRACE_OUTPUTS_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "outputs/compare/align.h"
#include "session/session.h"

/* "2=cluster0.cpu2": the instructions of CPU 2 are those of that core of the text. */
struct compare_core {
	int cpu;
	const char *name;
};

struct compare_opts {
	const char *who;	/* begins messages: "cstrace compare" */
	const char *tarmac;	/* path of the text, or NULL: */
	const struct session_opts *with; /* the other recording */
	const char *output;	/* "-": standard output */
	unsigned int shown;	/* differences of each core that are shown; all are counted */
	unsigned int ignore;	/* enum align_field: fields that are not compared */
	const struct compare_core *cores;
	size_t nr_cores;
};

struct compare_result {
	uint64_t differences;
	uint64_t equal;		/* instructions */
	/*
	 * a stream of the trace has no core on the other side, lines were not understood, or the
	 * other recording has losses
	 */
	bool incomplete;
};

/* Decodes the session, prints the report, and the summary of the session on stderr. 0, or ERR_REPORTED after a message on stderr. */
int compare_run(struct session *ss, const struct compare_opts *opts, struct compare_result *result);

#endif
