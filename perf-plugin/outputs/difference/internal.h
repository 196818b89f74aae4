/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - what the files of this room share while a difference is found. */
#ifndef CSTRACE_OUTPUTS_DIFFERENCE_INTERNAL_H
#define CSTRACE_OUTPUTS_DIFFERENCE_INTERNAL_H

#include "base/strings.h"
#include "outputs/difference/difference.h"
#include "outputs/profile/hot.h"
#include "outputs/profile/places.h"
#include "outputs/profile/tree.h"

/* Groups of code that has no binary of its own. */
enum { GROUP_ELSEWHERE, GROUP_GENERATED, NR_OTHER_GROUPS };

/* A binary of each side. */
struct group {
	uint32_t binary[DIFF_SIDES];	/* CST_COUNT_NO_BINARY: this side has none */
	bool same;	/* both are one build */
	bool lines;	/* both have DWARF */
};

/* A function while it is paired. The numbers of names are those of difference_state.names. */
struct subject {
	struct diff_function is;
	uint32_t group;
	uint32_t first[DIFF_SIDES];	/* one of its functions; DIFF_NONE: this side has none */
	uint64_t own[DIFF_SIDES];	/* instructions in its own code */
	/* index of the subject that has taken its counts; DIFF_NONE: none */
	bool unnamed;	/* all code of a binary that has no symbol, in two builds */
	uint32_t renamed_to;
};

/* Instructions of a line in a function. */
struct line_cost {
	uint32_t file;	/* the number of its pair, see files.h */
	unsigned int line;
	uint32_t function;	/* an index of the side */
	uint64_t insns;
	uint64_t runs;	/* executions of the instruction that ran most often */
};

struct side {
	struct whole whole;
	struct functions fs;
	struct hot hot;
	struct stacks stacks;
	uint32_t *group;	/* by binary */
	uint32_t *subject;	/* by function */
	size_t nr_functions;
	struct line_cost *costs;	/* by file, line and function */
	size_t nr_costs, cap_costs;
	struct strings file_names;	/* of source files with costs */
	uint32_t *file_pair;	/* for each its number in diff_state.files */
};

/* A name of a symbol, without what compilers append, in a group. */
struct base {
	uint32_t subject;	/* DIFF_NONE: none yet */
	uint64_t offset[DIFF_SIDES];	/* of a symbol with exactly this name */
	bool seen[DIFF_SIDES];
	bool several;	/* functions of a side: static ones of several source files */
};

struct line_map;

struct diff_state {
	struct difference *d;
	const struct diff_given *given;
	struct side side[DIFF_SIDES];
	struct group *groups;
	size_t nr_groups, cap_groups;
	struct subject *subjects;
	size_t nr_subjects, cap_subjects;
	struct strings names;	/* of bases and subjects, each with its group */
	struct base *bases;	/* by number of the name */
	size_t cap_bases;
	struct strings files;	/* of both sides; a pair has the name that DIFF_AFTER gives it */
	struct line_map
		*map;	/* map.h; NULL: all binaries are of one build, whose lines are the same */
};

/* binaries.c: finds the groups. */
void diff_pair_binaries(struct diff_state *s);

/* subjects.c: makes a subject of each function that either side has. */
void diff_make_subjects(struct diff_state *s);
/*
 * Returns the subject of a group with a base name; DIFF_NONE: there is none, or the name is that of
 * several.
 */
uint32_t diff_subject_named(const struct diff_state *s, uint32_t group, const char *name);

/* inlined.c: moves counts of code that only one side has inlined to the inlined functions. */
void diff_move_inlined(struct diff_state *s);

/* line_costs.c: instructions of lines, with one number for a source file of both sides. */
void diff_find_lines(struct diff_state *s);

/* renamed.c: pairs functions that are left, by name and by lines. */
void diff_pair_rest(struct diff_state *s);

/* difference.c: an amount of DIFF_AFTER, scaled. */
uint64_t diff_scaled(const struct difference *d, uint64_t v);

/* lines.c, blocks.c, stacks.c: what the names say. */
void diff_make_lines(struct diff_state *s);
void diff_make_blocks(struct diff_state *s);
/* line_blocks.c: those of two builds. */
void diff_make_line_blocks(struct diff_state *s, size_t *cap);
/* A line of `side` in the source of DIFF_AFTER; *gone: it is not there, and keeps its number. */
unsigned int diff_line_after(const struct diff_state *s, enum diff_side side, uint32_t file,
			     unsigned int line, bool *gone);
void diff_make_stacks(struct diff_state *s);

#endif
