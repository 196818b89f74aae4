/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * coverage.h - executions of source lines and functions, and directions of branches, of the binaries of a model.
 *
 * A line is counted as gcov counts it: how often execution came to it from another line. Of all basic blocks that have
 * code of the line these are their executions, less the ways that lead forward from one of them to another. A loop within a
 * line counts again each time around. A function counts the executions of its first instruction, and the code at its begin
 * belongs to the line of its declaration.
 */
#ifndef CSTRACE_OUTPUTS_PROFILE_COVERAGE_H
#define CSTRACE_OUTPUTS_PROFILE_COVERAGE_H

#include "outputs/profile/places.h"
#include "base/strings.h"
#include "outputs/profile/whole.h"

/* A line of a source file: (file, line) order all tables. */
struct at_line {
	uint32_t file;		/* number in coverage.files */
	unsigned int line;
};

struct coverage_line {
	struct at_line at;
	/* executions; with whole.traced_only without the untraced ones, else with them */
	uint64_t count;
	/* times that execution came to the line, and it is not known whether it was executed */
	uint64_t untraced;
	/* all that came to it is untraced, and it is not known whether it was executed at all */
	bool reached;
};

struct coverage_function {
	struct at_line at;
	char *name;		/* harmless in text (base/name.h), without commas */
	uint32_t binary;
	uint64_t begin;		/* file offset in its binary */
	uint64_t count;
};

struct coverage_branch {
	struct at_line at;
	size_t place;		/* order of branches of a line: by binary, then offset */
	uint64_t taken, not_taken;
	bool executed;
};

struct coverage {
	struct strings files;	/* numbered by name */
	struct coverage_line *lines;
	struct coverage_function *functions;
	struct coverage_branch *branches;
	size_t nr_lines, nr_functions, nr_branches;
};

/* Finds the lines of the binaries that `w` has. Names of files are those of w->places, copied. */
void coverage_init(struct coverage *c, const struct whole *w);
void coverage_free(struct coverage *c);

/* What one source file has. */
struct coverage_file {
	uint32_t next;		/* number of the file after it */
	const char *name;
	const struct coverage_line *lines;
	const struct coverage_function *functions;
	const struct coverage_branch *branches;	/* those of one line follow each other */
	size_t nr_lines, nr_functions, nr_branches;
	size_t lines_hit, functions_hit;	/* those that were executed */
	/* those that are reached only, whether or not they count as executed */
	size_t lines_reached;
	size_t directions_hit;			/* of the 2 * nr_branches directions */
};

/* Moves `f` to the next file, at first (all zero) to the first one. False: there is none. */
bool coverage_next(const struct coverage *c, struct coverage_file *f);

static inline int coverage_compare(const struct at_line *a, const struct at_line *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

#endif
