/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split.h - split DWARF (DWARF 5, 3.1.3; GNU's before): functions are in .dwo files, one per unit, or in one package (.dwp).
 * libdw gets the sections of one unit as a file of its own, with what the unit uses of the program: addresses and, in
 * DWARF 4, ranges. libdw 0.188 reads no packages, and opens .dwo files by the names that a program states.
 */
#ifndef CSTRACE_OUTPUTS_SOURCES_SPLIT_H
#define CSTRACE_OUTPUTS_SOURCES_SPLIT_H

#include "outputs/sources/sections.h"

struct dso;
struct split;

/* A unit while it is read. */
struct split_unit {
	Dwarf_Die cu;
	bool own_files;		/* it has the names of its source files; else they are in the unit of the program */
	Dwarf_Addr base;	/* of the unit of the program, for ranges that are relative to it */
	struct made made;
	struct sections sections; /* parts of the file, nothing of its own */
};

/*
 * `s`: sections of the program, which stay. `file`: where they were read, and `dso`, which may be
 * NULL, whose they are.
 */
struct split *split_new(const struct sections *s, const char *file, const struct dso *dso);
void split_free(struct split *s);
/* True if a unit of the program is a skeleton: most of it is elsewhere. */
bool split_is_skeleton(Dwarf_Die *unit);
/* Opens what belongs to a skeleton. False: it is not found. */
bool split_open(struct split *s, Dwarf_Die *skeleton, struct split_unit *u);
void split_unit_close(struct split_unit *u);
/* Returns a message about units that were not found, with the first of them; NULL: all were. */
const char *split_missing(struct split *s);

#endif
