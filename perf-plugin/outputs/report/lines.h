/* SPDX-License-Identifier: GPL-2.0-only */
/* lines.h - instructions that were executed in each source line, as callgrind has them. */
#ifndef CSTRACE_OUTPUTS_REPORT_LINES_H
#define CSTRACE_OUTPUTS_REPORT_LINES_H

#include "outputs/profile/coverage.h"

/* The instruction of a line that was executed most often, and how often. */
struct report_place {
	uint64_t count, offset;
	uint32_t binary;
};

struct report_line {
	struct at_line at;	/* the file by its number in the coverage */
	uint64_t insns;
	struct report_place hottest;
};

struct report_lines {
	struct report_line *v;	/* by file and line */
	size_t n, cap;
	uint64_t *of_file;	/* instructions, by file */
};

struct report;
/* Adds up the instructions of all lines of files of the coverage. */
void report_lines_init(struct report_lines *l, struct report *r);
void report_lines_free(struct report_lines *l);

/* Returns the first line with instructions from a line of its file on; NULL: none. */
const struct report_line *report_lines_from(const struct report_lines *l, struct at_line at);
/* Returns the last line of a file with instructions; 0: none. */
unsigned int report_lines_last(const struct report_lines *l, uint32_t file);
/* Returns a line; NULL: it has no instructions. */
const struct report_line *report_lines_at(const struct report_lines *l, struct at_line at);
/* Returns the lines with most instructions, at most `max`, in an array that the caller frees. */
struct report_line *report_lines_hottest(const struct report_lines *l, size_t max, size_t *n);

/* Returns the number of a source file of the coverage; UINT32_MAX: it has none of this name. */
uint32_t report_file_number(const struct coverage *c, const char *name);

#endif
