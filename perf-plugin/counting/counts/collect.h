/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collect.h - counts a recording into the records of a count file (cstrace/files/countfile.h), in
 * their canonical order. The same recording gives the same records, however many threads decode it.
 *
 * Files of one identity are one binary, whose name is the least of theirs: a library that is found
 * under two paths, a module that was loaded twice.
 */
#ifndef CSTRACE_COUNTING_COUNTS_COLLECT_H
#define CSTRACE_COUNTING_COUNTS_COLLECT_H

#include <stdbool.h>

#include "counting/counts/counts.h"
#include "counting/counts/entries.h"

struct collect;
struct model;

/*
 * With COUNTS_SPLIT and COUNTS_JOINED only ranges and edges are collected, for formats that need no
 * more: ranges have no number of instructions and no flags, and there are no other records of
 * counts. `depth` as for counts_new().
 */
struct collect *collect_new(struct session *ss, enum counts_mode mode, uint32_t depth);
void collect_free(struct collect *c);

/*
 * Keeps the contexts of threads apart, for a model: the `from` of its roots is the thread. Before
 * collect_run().
 */
void collect_by_thread(struct collect *c);
/*
 * Counts amounts of a metric (counts_measure()), for a model: records of counts have none. Before
 * collect_run().
 */
void collect_measure(struct collect *c, enum metric metric);

/* Decodes the session's trace. Returns 0, or negative after a message on stderr. */
int collect_run(struct collect *c);

/* Totals of the calls; NULL: they were not counted. Valid after collect_run(). */
const struct calls_totals *collect_calls(const struct collect *c);
/* True if nothing of any binary was counted. */
bool collect_empty(const struct collect *c);

/*
 * Passes all records to `take`, once; strings are valid until collect_free(). Returns 0, or what
 * `take` returned.
 */
int collect_records(struct collect *c, collect_fn take, void *data);
/*
 * The same into an empty model, with the files of its binaries (model_binary.dso). Returns 0, or
 * what model_add() did.
 */
int collect_model(struct collect *c, struct model *m);

/* What was found. */
const struct collect_sums *collect_sums(const struct collect *c);

#endif
