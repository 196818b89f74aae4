/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - source lines and functions of the code of an ELF file, by file offset: DWARF of the file itself or of its
 * debug file, which libdwfl finds by build-id and .gnu_debuglink. A kernel module has the addresses that libdwfl gives its
 * sections.
 */
#ifndef CSTRACE_SOURCES_SOURCE_H
#define CSTRACE_SOURCES_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct source;

struct source_place {
	const char *file;	/* source file, with the directory of the compilation; valid as long as the lines */
	unsigned int line;	/* from 1 */
};

/*
 * Opens the file at `path`. Debug files are also searched below `symfs` (NULL: none). Returns NULL without memory, for a file
 * that is not ELF, for one without DWARF, and, with *err set, for one that cannot be opened.
 */
struct source *source_open(const char *path, const char *symfs, struct error *err);
void source_close(struct source *l);

/* Returns the line of the code at a file offset. False: none. */
bool source_at(struct source *l, uint64_t offset, struct source_place *place);

/* A row of the line tables: code of one line, [begin, end) by file offset. */
struct source_row {
	uint64_t begin, end;
	struct source_place place;
};

/* Calls `row` for all rows that have code, unit by unit; a non-zero result ends this and is returned. */
int source_each_row(struct source *l, int (*row)(void *data, const struct source_row *r), void *data);

struct source_function {
	uint64_t begin, end;	/* file offsets; of a function in several parts, of the part with its entry */
	struct source_place place;	/* of its declaration */
	const char *name;	/* with its linkage name, if there is one; valid during the call */
};

/* Calls `function` for all functions that have code of their own (inlined ones have none), unit by unit. */
int source_each_function(struct source *l, int (*function)(void *data, const struct source_function *f), void *data);

/* What a file has from an offset on, up to the next one (mapping symbols: $a, $t, $x, $d). */
struct source_mapping {
	uint64_t offset;
	enum source_mapped {
		SOURCE_A32, SOURCE_T32, SOURCE_A64, SOURCE_DATA
	} kind;
};

/* Calls `mapping` for all mapping symbols of the file, or of its debug file, in any order. */
int source_each_mapping(struct source *l,
			int (*mapping)(void *data, const struct source_mapping *m), void *data);

#endif
