/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count_input.h - a count file (cstrace-profile(5)) that is read: a file, a pipe or standard input as a struct
 * cst_count_reader, and the messages of its errors.
 */
#ifndef CSTRACE_COUNTING_COUNTFILES_COUNT_INPUT_H
#define CSTRACE_COUNTING_COUNTFILES_COUNT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/countfile.h>

#include "base/error.h"

#define COUNT_INPUT_HEAD 16u

struct count_input {
	const char *name;		/* for messages; "standard input" for - */
	struct cst_count_reader *reader;
	int fd;
	bool own_fd;
	int failed;			/* errno of a read */
	uint8_t head[COUNT_INPUT_HEAD];	/* the first bytes, by which other kinds of files are recognised */
	size_t head_len;
};

/* Opens `path` (- is standard input) and records it as an input (files/input.h). `path` stays the caller's. */
int count_input_open(struct count_input *in, const char *path, struct error *err);
/* The same for a descriptor, which is read from its position on and is the caller's. */
void count_input_fd(struct count_input *in, int fd, const char *name);
void count_input_close(struct count_input *in);

/* The message of an error of in->reader: file, offset, what was found and expected there, what helps. Returns `rc`. */
int count_input_fail(const struct count_input *in, int rc, struct error *err);

/* True if `path` is a regular file that begins like one. */
bool count_file_is(const char *path);

#endif
