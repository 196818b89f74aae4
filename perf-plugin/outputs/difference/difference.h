/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * difference.h - what changed between two sets of counts: of one build, or of two builds of a
 * program.
 *
 * Binaries are paired by their ids, by their names, and a program that is left with the program
 * that is left. Functions of one build are paired by their places, and those of two builds
 *   by their names without what compilers append to them (base_name.h): parts of a function are
 *   added up;
 *   by their names, in another binary;
 *   by their source lines, where DWARF has them: they were renamed.
 * What one side has inlined, and the other side calls, counts for the inlined function on both
 * sides. All others are new, or gone.
 *
 * Counts of a trace without losses have no error: each change is one of what was executed, and it
 * is the caller's to run both with the same input. Counts with losses, and cycles and times, have
 * an unknown error, which is taken from the counts themselves: `noise` is the median of the
 * relative changes of the functions that both sides have, on the assumption that most functions did
 * not change.
 */
#ifndef CSTRACE_OUTPUTS_DIFFERENCE_DIFFERENCE_H
#define CSTRACE_OUTPUTS_DIFFERENCE_DIFFERENCE_H

#include "base/error.h"
#include "outputs/profile/whole.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

#define DIFF_NONE UINT32_MAX

enum diff_match {
	DIFF_PAIRED,	/* by place or name */
	DIFF_MOVED,	/* by name, from another binary */
	DIFF_RENAMED,	/* by source lines */
	DIFF_NEW,
	DIFF_GONE,
};

/* Amounts of both sides, that of DIFF_AFTER scaled. */
struct diff_function {
	char *name;	/* of DIFF_AFTER, if it has the function; harmless in text (base/name.h) */
	char *old_name;	/* of DIFF_BEFORE, if it is another one; else NULL */
	char *binary;	/* as functions_binary() */
	enum diff_match match;
	/* where it begins in the model of DIFF_AFTER; CST_COUNT_NO_BINARY: nowhere */
	uint32_t number;
	uint64_t start;
	uint64_t insns[DIFF_SIDES], calls[DIFF_SIDES];
	/* those of `insns` that are in the code of other functions */
	uint64_t inlined[DIFF_SIDES];
	uint32_t host[DIFF_SIDES];	/* one of these, an index; DIFF_NONE: none */
	unsigned int parts[DIFF_SIDES];	/* functions of the program that are added up in it */
};

/* A source line. */
struct diff_line {
	char *file;
	unsigned int line[DIFF_SIDES];	/* 0: this side has not executed it */
	uint64_t insns[DIFF_SIDES];
};

/*
 * Code whose executions changed alike: of one build instructions one behind the other, of two
 * builds source lines of a function one below the other.
 */
struct diff_block {
	uint32_t binary;	/* in the model of DIFF_AFTER; of two builds CST_COUNT_NO_BINARY */
	uint64_t begin, end;	/* file offsets */
	uint64_t size;	/* instructions */
	char *file;	/* of two builds; else NULL */
	/* lines of DIFF_AFTER, or of DIFF_BEFORE if those are gone */
	unsigned int first, last;
	/* of the instruction that ran most often; of another metric, its amount */
	uint64_t executions[DIFF_SIDES];
	uint64_t insns[DIFF_SIDES];
	uint32_t function;
};

/* A stack of functions, of either side. */
struct diff_stack {
	/* its caller's, an index; DIFF_NONE: none. It precedes its callees */
	uint32_t parent;
	uint32_t function;
	uint64_t insns[DIFF_SIDES];	/* of the innermost function itself */
};

struct diff_scale {
	/* DIFF_AFTER is multiplied by the first one and divided by the second one */
	uint64_t times, parts;
	char *words;	/* "not scaled" */
};

struct difference {
	struct diff_function
		*functions;	/* by the size of the change, the largest first, then by name */
	struct diff_line *lines;	/* the same, only those that changed */
	struct diff_block *blocks;	/* the same */
	struct diff_stack *stacks;
	size_t nr_functions, nr_lines, nr_blocks, nr_stacks;
	size_t nr_changed;	/* functions */
	size_t unchanged_lines, unchanged_blocks;
	bool same_build;	/* of all binaries that both sides have */
	bool calls;	/* both sides have calls */
	uint64_t total[DIFF_SIDES];	/* instructions */
	uint64_t no_stack[DIFF_SIDES];	/* those of them that no stack has */
	uint64_t changes;	/* sum of the sizes of the changes of functions */
	double noise;	/* a relative change; 0: counts are exact, or functions are too few */
	struct diff_scale scale;
};

struct diff_given {
	/* `only` of DIFF_AFTER selects the binary, and the one that it is paired with */
	struct whole whole[DIFF_SIDES];
	const char *scale;	/* "none", "total", or the name of a function; NULL: "none" */
	bool inexact;	/* losses, or an estimated metric */
	bool lines, stacks;	/* lines and blocks, or stacks, are needed besides functions */
};

/*
 * Returns 0, or ERR_USAGE with its message: nothing can be scaled so. difference_free() is to
 * follow in any case.
 */
int difference_init(struct difference *d, const struct diff_given *given, struct error *err);
void difference_free(struct difference *d);

/* The share of a change in those of all functions, in percent. */
double diff_share(const struct difference *d, const uint64_t v[DIFF_SIDES]);
/* The relative change in percent; 0 if there was nothing before. */
double diff_percent(const uint64_t v[DIFF_SIDES]);

/* The size of a change. */
static inline uint64_t diff_size(const uint64_t v[DIFF_SIDES])
{
	return v[DIFF_AFTER] > v[DIFF_BEFORE] ? v[DIFF_AFTER] - v[DIFF_BEFORE] :
						v[DIFF_BEFORE] - v[DIFF_AFTER];
}

/* True for a change that is no more than three times the noise. */
bool diff_is_noise(const struct difference *d, const uint64_t v[DIFF_SIDES]);

/* What the sides are, for the head of an output. */
struct diff_about {
	const char *name[DIFF_SIDES];
};

/* Tables of functions, lines and blocks for a terminal. */
void diff_top_write(struct pd_output *out, const struct difference *d,
		    const struct diff_given *given, const struct diff_about *about);
/* Stacks with two numbers each, as flamegraph.pl reads them. */
void diff_folded_write(struct pd_output *out, const struct difference *d);

#endif
