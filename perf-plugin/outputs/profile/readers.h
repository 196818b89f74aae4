/* SPDX-License-Identifier: GPL-2.0-only */
/* readers.h - checks whether the programs that read our output accept a binary. The man page has their versions. */
#ifndef CSTRACE_OUTPUTS_PROFILE_READERS_H
#define CSTRACE_OUTPUTS_PROFILE_READERS_H

#include <stdio.h>

struct dso;

enum reader {
	READER_AUTOFDO = 1,	/* create_llvm_prof and create_gcov, text */
	READER_LLVM = 2,	/* llvm-profgen */
	READER_BOLT = 4,	/* perf2bolt, then llvm-bolt */
	READER_SAMPLES = 8,	/* create_llvm_prof and create_gcov, perf.data with branch stacks */
	READER_OFFSETS = 16,	/* create_llvm_prof and create_gcov, text with file offsets that nobody asked for */
};

/*
 * Prints a line for each property of the binary that `reader` will not accept: the fault, its effect, the remedy.
 * `command` is the command that calls. Nothing is printed for code without a file, and for copies of kernel memory,
 * since the reader uses another file for them.
 */
void readers_report(FILE *out, const char *command, const struct dso *d, enum reader reader);

#endif
