/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk.h - walks the code of binaries along branch lists, and counts what was executed: the counts
 * of ranges, edges and branches that were not taken, as of a recording, without what lists do not
 * have (perfdata/branch_list.h).
 */
#ifndef CSTRACE_COUNTING_BRANCHLISTS_WALK_H
#define CSTRACE_COUNTING_BRANCHLISTS_WALK_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "counting/counts/entries.h"
#include "machine/images/dso_table.h"

/* Branches of lists that are not counted, times their counts. */
enum list_loss {
	LIST_NO_CODE,	/* the binary is not here */
	LIST_OUTSIDE,	/* the list begins in no code of the binary, or leads out of it */
	/* behind an indirect branch: a return stack takes its target away */
	LIST_BEHIND,
	LIST_OVERFLOW,	/* counts beyond 2^62 */
	NR_LIST_LOSSES,
};

struct list_walks;

/* `t` has the options of the search for files, and must outlive the walks. */
struct list_walks *list_walks_new(struct dso_table *t);
void list_walks_free(struct list_walks *w);
struct branch_lists;
/* Walks along the lists of a file, which are joined. */
void list_walks_add(struct list_walks *w, const struct branch_lists *l);
/* Reads a file of branch lists and walks along them. Returns 0, or negative with a message. */
int list_walks_read(struct list_walks *w, const char *path, struct error *err);
/* Makes entries of the counts, after the last file. */
void list_walks_end(struct list_walks *w);
/*
 * Passes all records to `take`, once (`walks`: a struct list_walks); the totals say what is not
 * counted. Returns 0, or what `take` returned. Strings are valid until list_walks_free().
 */
int list_walks_pass(void *walks, collect_fn take, void *data);
/* The same into an empty model, with the files of its binaries. */
struct model;
int list_walks_model(struct list_walks *w, struct model *m);
/* True if nothing is counted. */
bool list_walks_empty(const struct list_walks *w);
/*
 * Prints what is not counted, with what to do about it, in lines that begin with "cstrace COMMAND:
 * NAME: ".
 */
void list_walks_print(const struct list_walks *w, const char *command, const char *name, FILE *out);

#endif
