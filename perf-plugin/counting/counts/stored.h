/* SPDX-License-Identifier: GPL-2.0-only */
/* stored.h - count files (cstrace-profile(5)) as output and input of profile. */
#ifndef CSTRACE_COUNTING_COUNTS_STORED_H
#define CSTRACE_COUNTING_COUNTS_STORED_H

#include "base/files/output.h"
#include "counting/counts/collect.h"
#include "session/losses/share.h"

struct model;

/* Writes the records of `c`, and finishes `out` or leaves nothing of it. Returns 0, or negative after a message. */
int stored_write(struct collect *c, struct pd_output *out);
/* The same for `command`, of records that `pass` passes to `take`, as collect_records() does. */
typedef int (*stored_pass_fn)(void *from, collect_fn take, void *data);
int stored_write_records(const char *command, stored_pass_fn pass, void *from,
			 struct pd_output *out);

/* Reads a count file into an empty model, for `command`. Returns 0, or negative after a message with file and offset. */
int stored_read(const char *command, const char *path, struct model *m);
/*
 * Writes a count file again: all of it is checked. Its totals and binaries are added to an empty
 * model. Finishes `out` or leaves nothing of it; returns as stored_read().
 */
int stored_copy(const char *path, struct pd_output *out, struct model *totals);

/* True if the counts of the model lack something: recordings with losses. */
bool stored_incomplete(const struct model *m);
/* The losses of its recordings as a share of their trace. */
struct loss_share stored_share(const struct model *m);
/* Prints what was counted, and what was lost, to stderr. */
void stored_print(const char *path, const struct model *m);

#endif
