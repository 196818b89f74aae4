/* SPDX-License-Identifier: GPL-2.0-only */
/* readers.h - what the programs that read our output do not accept of a binary. The man page has their versions. */
#ifndef CSTRACE_PROFILE_READERS_H
#define CSTRACE_PROFILE_READERS_H

#include <stdbool.h>
#include <stdio.h>

struct dso;

enum reader {
	READER_AUTOFDO = 1,	/* create_llvm_prof and create_gcov, text */
	READER_LLVM = 2,	/* llvm-profgen */
	READER_BOLT = 4,	/* perf2bolt, then llvm-bolt */
	READER_SAMPLES = 8,	/* create_llvm_prof and create_gcov, perf.data with branch stacks */
};

/*
 * Writes a line for everything about the binary that `reader` will not accept: what is wrong, what the reader makes
 * of it, what to do. `command` is the one that asks. Of code that is not in a file, and of copies of kernel memory,
 * nothing is written: the reader is given another file.
 */
void readers_report(FILE *out, const char *command, const struct dso *d, enum reader reader);

/* Not a program by itself: shared object, dynamic linker, kernel, vDSO. `path` as recorded. */
bool readers_library(const char *path);

#endif
