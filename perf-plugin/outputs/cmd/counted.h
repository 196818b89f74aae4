/* SPDX-License-Identifier: GPL-2.0-only */
/* counted.h - the input of profile and report as a model of its counts: a recording, which is decoded, or a count file. */
#ifndef CSTRACE_OUTPUTS_CMD_COUNTED_H
#define CSTRACE_OUTPUTS_CMD_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "counting/counts/counts.h"
#include "counting/counts/model.h"
#include "machine/images/dso_table.h"

struct cmd_desc;
struct session;
struct session_opts;

/*
 * For an input that is a count file: refuses options of trace, and warns of those that have no effect. Returns CMD_GO_ON, or
 * CMD_USAGE after a message.
 */
int counted_check(const struct cmd_desc *cmd, const struct session_opts *so, enum metric metric);

/* What is counted of a recording. */
struct counted_how {
	enum counts_mode mode;
	uint32_t depth;		/* as for counts_new() */
	enum metric metric;
	bool by_thread;		/* the contexts of threads are kept apart: collect_by_thread() */
};

/*
 * Decodes the session's trace and counts it into `m`, which model_free() frees in any case, and
 * prints the end of the report. Returns CMD_GO_ON, or if nothing is to be written the exit code,
 * after a message that begins with `command`. *incomplete: something was lost.
 */
int counted_session(const char *command, struct session *ss, const struct counted_how *how,
		    struct model *m, bool *incomplete);

/* Returns what the trace lacks for a metric, in words, and how to record it; NULL: nothing. */
const char *counted_lacks(const struct session *ss, enum metric metric, const char **cure);

/* For CMD_OPT_CALL; `data`: enum metric. */
int counted_metric(void *data, const char *arg);

#define CMD_METRIC_OPT(metric)									\
	{ 0, "metric", CMD_OPT_CALL, &(metric), "METRIC",					\
	  "measure by instructions (default), cycles as the trace counts them, or time",	\
	  counted_metric }

/*
 * Reads the count file so->input into `m`, and finds its binaries' files; `files` must outlive `m`, and both are freed by the
 * caller in any case. Prints what was counted. Returns 0, or negative after a message that begins
 * with `command`.
 */
int counted_file(const char *command, const struct session_opts *so, struct model *m, struct dso_table *files);

/*
 * Reports why there is nothing to write, and what ran: of the binary `b`, of the one that --binary asks for (`want`), of one
 * that is to be chosen (`one`), or of all. `v` are the model's binaries (model_busiest()). Returns the exit code.
 */
int counted_nothing(const char *command, const char *name, const char *want, bool one, const struct model_binary *b,
		    struct model_binary **v, const struct model *m);

/* For CMD_OPT_CALL: coverage counts what is not traced as not executed, or executed; `data`: bool. */
int counted_untraced(void *data, const char *arg);

#define CMD_UNTRACED_OPT(traced_only)								\
	{ 0, "untraced", CMD_OPT_CALL, &(traced_only), "HOW",					\
	  "coverage: lines whose code ran under a condition that is not traced: covered (default) or uncovered",	\
	  counted_untraced }

#endif
