/* SPDX-License-Identifier: GPL-2.0-only */
/* base.h - --base: the counts that others are compared with, of a recording or a count file. */
#ifndef CSTRACE_OUTPUTS_CMD_BASE_H
#define CSTRACE_OUTPUTS_CMD_BASE_H

#include "outputs/cmd/counted.h"
#include "outputs/difference/difference.h"

struct base_opts {
	const char *input;	/* NULL: there is no base */
	const char *symfs;	/* where its programs are; NULL: where the others are */
	const char *scale;	/* as diff_given.scale */
};

/* clang-format off */
#define CMD_BASE_OPTS(bo)									\
	CMD_HEADING("Before and after"),							\
	{ 0, "base", CMD_OPT_PLACE, &(bo).input, "FILE",					\
	  "what changed since this recording or count file, which was before", NULL },		\
	{ 0, "base-symfs", CMD_OPT_FOLDER, &(bo).symfs, "DIR",					\
	  "look up its programs under DIR (default: as --symfs)", NULL },			\
	{ 0, "scale", CMD_OPT_STRING, &(bo).scale, "SCALE",					\
	  "counts as they are: none (default); total or the name of a function: "		\
	  "multiplied, so that it is equal", NULL }
/* clang-format on */

/* The counts of the base. */
struct base {
	struct session *ss;	/* NULL: of a count file */
	struct dso_table files;
	struct model model;
	struct places *places;
	bool opened;
	struct counted_lost lost;
};

/*
 * Refuses options that need a base without one, or that it does not allow. Returns CMD_GO_ON, or
 * CMD_USAGE after a message.
 */
int base_check(const struct cmd_desc *cmd, const struct base_opts *o, const struct session_opts *so,
	       enum metric metric);

/*
 * Counts the base as `how` says, if there is one. Returns CMD_GO_ON, or the exit code after a
 * message that begins with `command`. base_close() is to follow in any case.
 */
int base_open(struct base *b, const char *command, const struct base_opts *o,
	      const struct session_opts *so, const struct counted_how *how);
void base_close(struct base *b);

/* Sets the sides; `incomplete`: something was lost of `after`, or may have been. */
void base_given(struct diff_given *given, const struct base *b, const struct base_opts *o,
		const struct whole *after, bool incomplete);

#endif
