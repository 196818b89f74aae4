/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge.h - adds any number of count files into one. More than the process may open, or than MERGE_WIDTH, are added in
 * groups, whose sums are added again; the result is the same.
 */
#ifndef CSTRACE_COUNTING_COUNTFILES_MERGE_H
#define CSTRACE_COUNTING_COUNTFILES_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cstrace/files/countfile.h>

#include "base/error.h"
#include "counting/countfiles/lost.h"

/* Files that are added at a time: each takes the memory of a struct cst_count_reader, some 40 KiB. */
#define MERGE_WIDTH 1000u

struct merge_file {
	char *path;
	uint64_t weight;
};

/* Inputs of another kind, of which count files are made before they are added. */
struct merge_convert {
	bool (*is)(const char *path);
	/* Writes a count file to a descriptor. Returns 0, or negative with a message. */
	int (*to_counts)(void *data, const char *path, int fd, struct error *err);
	void *data;
};

struct merge_list {
	struct merge_file *v;
	size_t nr, cap;
	cst_count_record_fn note;	/* gets totals and binaries of the sum, unless NULL */
	void *noted;			/* its argument */
	const struct merge_convert *convert;	/* NULL: all inputs are count files */
};

/* What was added, for the user. */
struct merge_sums {
	uint64_t empty;			/* inputs without counts */
	char *first_empty;		/* the name of one; NULL: there is none */
	uint64_t binaries, recordings, instructions;
	struct count_lost lost;
	struct merge_loss {
		char *name;		/* without "loss." */
		uint64_t count;
	} *losses;
	size_t nr_losses, cap_losses;
};

/* `path` is copied. */
void merge_list_add(struct merge_list *list, const char *path, size_t len, uint64_t weight);
/* [WEIGHT,]FILE: 0, or ERR_USAGE (the weight is 0 or too large, or there is no name). */
int merge_list_add_text(struct merge_list *list, const char *text, size_t len);
/* Adds each line of a text file (- is standard input): [WEIGHT,]FILE, empty, or a comment that begins with #. */
int merge_list_read(struct merge_list *list, const char *path, struct error *err);
void merge_list_free(struct merge_list *list);

/*
 * Adds the files into `output` (- is standard output), which gets its name when it is complete; 0, or the error. The sums
 * are set in both cases; free them. Where no file has counts, a file of before stays
 * (pd_output_drop()).
 */
int merge_files(const struct merge_list *list, const char *output, struct merge_sums *sums, struct error *err);
/*
 * The same into a temporary file, read from its begin on. Returns its descriptor, or the error; the
 * list stays an input that no output may replace.
 */
int merge_temp(const struct merge_list *list, struct merge_sums *sums, struct error *err);
/* Adds a total of a sum. */
void merge_sums_total(struct merge_sums *sums, const char *name, uint64_t value);
void merge_sums_free(struct merge_sums *sums);

#endif
