/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - the function that contains a file offset: by the symbols of the file, and where it has none (stripped
 * files) by its unwind tables. Read when first needed, and kept with the file.
 */
#ifndef CSTRACE_MACHINE_IMAGES_FUNCTIONS_H
#define CSTRACE_MACHINE_IMAGES_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct function_table;

struct dso_function {
	uint64_t start, end;	/* file offsets, end exclusive */
	bool part;		/* a part of another function, which is elsewhere (NAME.cold) */
	bool label;		/* a symbol without a size, which extends to the next one */
	bool sets_jump;		/* setjmp() and its likes, which return again after longjmp() */
};

/* Finds the function at an offset of the file. False: none is known. */
bool dso_function(struct dso *d, uint64_t offset, struct dso_function *f);
/* True if a program begins at this offset: the entry point of the file. */
bool dso_begins_program(struct dso *d, uint64_t offset);
/*
 * Finds the file offset at which execution continues when the call at file offset `site` throws a C++ exception. False:
 * the exception leaves the function.
 */
bool dso_landing_pad(struct dso *d, uint64_t site, uint64_t *pad);

void function_table_free(struct function_table *fs);

#endif
