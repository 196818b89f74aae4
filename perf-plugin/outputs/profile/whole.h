/* SPDX-License-Identifier: GPL-2.0-only */
/* whole.h - formats that have all binaries of a model, and the calls between their functions. */
#ifndef CSTRACE_OUTPUTS_PROFILE_WHOLE_H
#define CSTRACE_OUTPUTS_PROFILE_WHOLE_H

#include "base/files/output.h"
#include "counting/counts/model.h"

struct places;

struct whole {
	const struct model *model;
	const struct model_binary *only;	/* NULL: all binaries */
	struct places *places;			/* source lines of the binaries */
	bool demangle;				/* names of C++ functions as in the source */
	/* coverage: what is reached, but not traced, counts as not executed */
	bool traced_only;
};

/* True if the format has the counts of a binary, CST_COUNT_NO_BINARY for code in no binary. */
static inline bool whole_has(const struct whole *w, uint32_t binary)
{
	return !w->only || w->only->number == binary;
}

/* Instructions of the binaries that the format has, and of code in no binary. */
static inline uint64_t whole_instructions(const struct whole *w)
{
	uint64_t n = w->only ? w->only->insns : model_total(w->model, "instructions.elsewhere");
	size_t i;

	for (i = 0; !w->only && i < w->model->nr_binaries; i++)
		n = model_sum(n, w->model->binaries[i].insns);
	return n;
}

/*
 * Each writes its format. Returns 0, or 1 if the format has nothing of what was executed.
 *
 * callgrind: Callgrind Format, version 1: instructions of each instruction address and line; calls with their number and
 * inclusive instructions.
 */
int callgrind_write(struct pd_output *out, const struct whole *w);
/* folded: a line for each stack of functions, the innermost last, with the instructions of that function itself. */
int folded_write(struct pd_output *out, const struct whole *w);
/* top: a table of functions for the terminal, the one with most instructions first. */
int top_write(struct pd_output *out, const struct whole *w);
/* lcov: a tracefile of geninfo(1): executions of lines and functions, directions of branches. */
int lcov_write(struct pd_output *out, const struct whole *w);
/* pprof: profile.proto, packed by gzip. */
int pprof_write(struct pd_output *out, const struct whole *w);

#endif
