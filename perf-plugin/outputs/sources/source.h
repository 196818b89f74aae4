/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - source lines and functions of the code of an ELF file, by file offset: DWARF of the file itself or of its
 * debug file (finder/finder.h), of files with split DWARF, and of what debug files share. libdw gets their sections, never
 * files or paths. A kernel module has offsets in its file as addresses.
 */
#ifndef CSTRACE_OUTPUTS_SOURCES_SOURCE_H
#define CSTRACE_OUTPUTS_SOURCES_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct error;
struct source;

struct source_place {
	const char *file;	/* source file, with the directory of the compilation; valid as long as the lines */
	unsigned int line;	/* from 1 */
};

/*
 * Opens the file at `path`. `dso`, which must be loaded and stay, says where files that belong to it are searched; NULL: its
 * debug file is not. Returns NULL for a file without lines. Then *err has the reason: with a code
 * if a file cannot be opened, without one if it has no lines, which is no error.
 */
struct source *source_open(const char *path, const struct dso *dso, struct error *err);
void source_close(struct source *l);

/* Returns the line of the code at a file offset. False: none. */
bool source_at(struct source *l, uint64_t offset, struct source_place *place);

/* A row of the line tables: code of one line, [begin, end) by file offset. */
struct source_row {
	uint64_t begin, end;
	struct source_place place;
};

/* Calls `row` for all rows that have code, unit by unit. */
void source_each_row(struct source *l, void (*row)(void *data, const struct source_row *r),
		     void *data);

struct source_function {
	uint64_t begin, end;	/* file offsets; of a function in several parts, of the part with its entry */
	struct source_place place;	/* of its declaration */
	const char *name;	/* with its linkage name, if there is one; valid during the call */
};

/* Calls `function` for all functions that have code of their own (inlined ones have none), unit by unit. */
void source_each_function(struct source *l,
			  void (*function)(void *data, const struct source_function *f),
			  void *data);

/* Code of a function that is inlined in another one. */
struct source_inlined {
	uint64_t begin, end;	/* file offsets */
	unsigned int depth;	/* calls inlined around it, at most SOURCE_INLINED_DEPTH - 1 */
	const char *name;	/* as in source_function */
};

#define SOURCE_INLINED_DEPTH	128u

/*
 * Calls `inlined` for all ranges of code of inlined functions, unit by unit, those of a function
 * before those that are inlined in it.
 */
void source_each_inlined(struct source *l,
			 void (*inlined)(void *data, const struct source_inlined *i), void *data);

/* What a file has from an offset on, up to the next one (mapping symbols: $a, $t, $x, $d). */
struct source_mapping {
	uint64_t offset;
	enum source_mapped {
		SOURCE_A32, SOURCE_T32, SOURCE_A64, SOURCE_DATA
	} kind;
};

/* Calls `mapping` for all mapping symbols of the file, or of its debug file, in any order. */
void source_each_mapping(struct source *l,
			 void (*mapping)(void *data, const struct source_mapping *m), void *data);

/*
 * After source_each_function(): which split DWARF was not found first, and where it was searched; the functions of its unit are
 * unknown. NULL: none is missing.
 */
const char *source_split_missing(const struct source *l);

#endif
