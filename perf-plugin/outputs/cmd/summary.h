/* SPDX-License-Identifier: GPL-2.0-only */
/* summary.h - --summary=FILE: what a run read, lost and took, as one JSON object for programs. */
#ifndef CSTRACE_OUTPUTS_CMD_SUMMARY_H
#define CSTRACE_OUTPUTS_CMD_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cstrace/files/countfile.h>

#include "base/files/output.h"
#include "counting/countfiles/lost.h"

struct model;
struct session;

/* A run without the option, too: then nothing is written. */
struct summary {
	const char *file;		/* NULL: not given */
	struct pd_output out;
	struct timespec start;		/* of the monotonic clock */
	bool counted;			/* the members below are known */
	bool has_branches;
	bool has_decoded;		/* a filter left out some of these: */
	uint64_t decoded_insns;
	bool no_trace;			/* neither bytes nor instructions are known */
	uint64_t recordings, bytes, filtered, instructions, branches;
	struct count_lost lost;
	struct loss_share share;
	struct summary_list {
		FILE *f;		/* writes to `text` */
		char *text;
		size_t size;
	} losses, binaries;		/* objects with commas between them */
};

#define CMD_SUMMARY_OPT(s)								\
	{ 0, "summary", CMD_OPT_STRING, &(s).file, "FILE",					\
	  "write what was read, lost and used to FILE, as JSON", NULL }

/*
 * Opens the file, before anything is decoded; `output` is where the command's own output goes.
 * Returns CMD_GO_ON, or the exit code after a message.
 */
int summary_begin(struct summary *s, const char *command, const char *output);
/*
 * For an error before summary_begin(), of a command line that is understood: writes the file with
 * exit code 1. Returns CMD_ERROR.
 */
int summary_failed(struct summary *s, const char *command, const char *output, const char *input);
/*
 * True if the file turned out to be one of those that are read: the command shall end before it
 * decodes. summary_end() prints the message.
 */
bool summary_refused(const struct summary *s);
/* What a session decoded. */
void summary_session(struct summary *s, struct session *ss);
/* A total or binary of a count file, for functions that pass records on; `s` is a struct summary. */
int summary_record(void *s, const struct cst_count_record *rec);
/* All of a model that was read from a count file. */
void summary_model(struct summary *s, const struct model *m);
struct branch_lists;
/* A sum of `n` files of branch lists: their binaries; instructions and losses are not known. */
void summary_lists(struct summary *s, const struct branch_lists *l, uint64_t n);
/*
 * Writes the file. `input` is NULL where a command has several. Returns `rc`, the exit code of the
 * command, or CMD_ERROR after a message.
 */
int summary_end(struct summary *s, const char *command, const char *input, int rc);

#endif
