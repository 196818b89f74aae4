/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - the functions of a model: every place in a binary belongs to one.
 *
 * A function is a symbol of the binary's file, a method of generated code, or, where there is no symbol, the code from one
 * target of a call, or the entry point, to the next; its name is then [FILE+0xOFFSET].
 */
#ifndef CSTRACE_OUTPUTS_PROFILE_FUNCTIONS_H
#define CSTRACE_OUTPUTS_PROFILE_FUNCTIONS_H

#include "base/slots.h"
#include "counting/counts/model.h"

struct function {
	uint32_t binary;	/* CST_COUNT_NO_BINARY: code in no binary, or calls below the limits */
	uint64_t start, end;	/* file offsets; a symbol without a size ends where the next one begins */
	const char *name;	/* harmless in text (base/name.h) */
};

struct functions {
	const struct model *model;
	bool demangle;
	struct function *v;
	size_t nr, cap;
	struct slots slots;	/* by binary and start */
	struct function_targets {
		uint64_t *v;	/* offsets that calls led to, sorted */
		size_t n, cap;
	} *targets;		/* for each binary */
	uint32_t last;		/* function of the last place, an index */
	/* functions of places by their hash: nodes have few places, in no order */
	struct function_place {
		uint64_t offset;
		uint32_t binary, function;
	} *recent;
};

/* Indexes of the two functions that are in no binary. */
enum {
	FUNCTION_ELSEWHERE,	/* code that is in no single file: "[elsewhere]" */
	FUNCTION_CUT,		/* calls below the limits of the tree: "[cut]" */
};

/* `demangle`: names of C++ functions as in the source. */
void functions_init(struct functions *fs, const struct model *m, bool demangle);
void functions_free(struct functions *fs);

/* Returns the index of the function at a place. Pointers to functions are valid until then. */
uint32_t functions_at(struct functions *fs, uint32_t binary, uint64_t offset);
/* The same of a node: where its callee began. */
uint32_t functions_of_node(struct functions *fs, const struct cst_count_node *n);

/* Returns the last part of the recorded name of a binary, harmless in text; "[elsewhere]" for CST_COUNT_NO_BINARY. */
const char *functions_binary(const struct model *m, uint32_t binary);

#endif
