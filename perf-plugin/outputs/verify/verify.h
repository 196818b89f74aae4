/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verify.h - what can be checked of a trace without a reference: the rules of the architecture for packets, frames and
 * their sequence, the program files against the flow, and rules over elements (rules.def). Violations are grouped by rule.
 */
#ifndef CSTRACE_OUTPUTS_VERIFY_VERIFY_H
#define CSTRACE_OUTPUTS_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include <cstrace/log.h>

#include "session/session.h"

struct verify_opts {
	const char *who;	/* begins messages: "cstrace verify" */
	const char *output;	/* "-": standard output */
	bool json;		/* one JSON object for each rule */
};

struct verify_result {
	uint64_t rules[CST_LOG_SEVERITIES]; /* that were violated, by severity */
	uint64_t packets;	/* that were decoded of what the filter selects */
};

/*
 * Decodes the recording that `so` describes and writes the report; sets so->log. 0, or ERR_REPORTED after a message on
 * stderr. *incomplete: true if the session lost more than so->max_loss.
 */
int verify_run(struct session_opts *so, const struct verify_opts *opts, struct verify_result *result, bool *incomplete);

/*
 * The same of trace that is no session: `decode` passes violations to the log, and sets *buffer to the number of the buffer they are
 * in; it returns 0, or not after a message on stderr. It sets result->packets: without any, and
 * without violations, no file is written.
 */
int verify_log(const struct verify_opts *opts, int (*decode)(void *data, struct cst_log *log, unsigned int *buffer), void *data,
	       struct verify_result *result);

#endif
