/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counted.h - the input of profile and report as a model of its counts: a recording, which is
 * decoded, or a count file.
 */
#ifndef CSTRACE_OUTPUTS_CMD_COUNTED_H
#define CSTRACE_OUTPUTS_CMD_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files/output.h"
#include "counting/counts/counts.h"
#include "counting/counts/model.h"
#include "machine/images/dso_table.h"

struct cmd_desc;
struct session;
struct session_opts;
struct summary;

/* True if an input is a file of counts: a count file or branch lists. */
bool counted_is(const char *path);
/* Returns which of them, for messages. */
const char *counted_kind(const char *path);

/*
 * For such an input: refuses options of trace, and warns of those that have no effect. Returns
 * CMD_GO_ON, or CMD_USAGE after a message.
 */
int counted_check(const struct cmd_desc *cmd, const struct session_opts *so, enum metric metric);

/* What is counted of a recording. */
struct counted_how {
	enum counts_mode mode;
	uint32_t depth;		/* as for counts_new() */
	enum metric metric;
	bool by_thread;		/* the contexts of threads are kept apart: collect_by_thread() */
};

/* What counts lack. */
struct counted_lost {
	bool any;		/* something was lost */
	bool unknown;		/* what was lost is not known, as of branch lists */
	bool above;		/* more than --max-loss accepts, or what is no loss of trace */
};

/*
 * Decodes the session's trace and counts it into `m`, which model_free() frees in any case, and
 * prints the end of the report. Returns CMD_GO_ON, or if nothing is to be written the exit code,
 * after a message that begins with `command`.
 */
int counted_session(const char *command, struct session *ss, const struct counted_how *how,
		    struct model *m, struct counted_lost *lost);

/* Returns what the trace lacks for a metric, in words, and how to record it; NULL: nothing. */
const char *counted_lacks(const struct session *ss, enum metric metric, const char **cure);

/* For CMD_OPT_CALL; `data`: enum metric. */
int counted_metric(void *data, const char *arg);

#define CMD_METRIC_OPT(metric)									\
	{ 0, "metric", CMD_OPT_CALL, &(metric), "METRIC",					\
	  "measure by instructions (default), cycles as the trace counts them, or time",	\
	  counted_metric }

/*
 * Reads the count file or branch lists so->input into `m`, and finds the binaries' files; `files`
 * must outlive `m`, and both are freed by the caller in any case. Prints what was counted. Returns
 * 0, or negative after a message that begins with `command`.
 */
int counted_file(const char *command, const struct session_opts *so, struct model *m,
		 struct dso_table *files, struct counted_lost *lost);

/*
 * Makes a count file of the branch lists `path`, for `command`; `so` has the places where their
 * binaries are. `out` is finished or aborted. `sum` gets the totals and binaries; NULL: the file is
 * a part of a sum, is written without counts, too, and its losses are judged there. Returns the
 * exit code, after messages.
 */
int counted_lists(const char *command, const struct session_opts *so, const char *path,
		  struct pd_output *out, struct summary *sum);

/*
 * Reports why there is nothing to write, and what ran: of the binary `b`, of the one that --binary
 * asks for (`want`), of one that is to be chosen (`one`), or of all. `v` are the model's binaries
 * (model_busiest()). Returns the exit code.
 */
int counted_nothing(const char *command, const char *name, const char *want, bool one, const struct model_binary *b,
		    struct model_binary **v, const struct model *m);

/*
 * For CMD_OPT_CALL: coverage counts what is not traced as not executed, or executed; `data`: bool.
 */
int counted_untraced(void *data, const char *arg);

#define CMD_UNTRACED_OPT(traced_only)								\
	{ 0, "untraced", CMD_OPT_CALL, &(traced_only), "HOW",					\
	  "coverage: lines whose code ran under a condition that is not traced: covered (default) or uncovered",	\
	  counted_untraced }

#endif
