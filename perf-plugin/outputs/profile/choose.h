/* SPDX-License-Identifier: GPL-2.0-only */
/* choose.h - which binary of a model a format for one binary is written of. */
#ifndef CSTRACE_OUTPUTS_PROFILE_CHOOSE_H
#define CSTRACE_OUTPUTS_PROFILE_CHOOSE_H

#include <stdio.h>

#include "counting/counts/model.h"

/*
 * Returns the binary that `want` names: "build-id:" and the begin of its build-id in hexadecimal, its path as recorded or as
 * found on this machine, else the last part of either. NULL: none of them, or several have this begin, path or last part; of
 * several builds under one path, the one whose file was found is returned if there is one such.
 * `v` are the model's binaries (model_busiest()).
 */
struct model_binary *choose_named(struct model_binary *const *v, size_t n, const char *want);
/* Returns the only binary, or the only one that is a program: no library, no generated code. NULL: there are several, or none. */
struct model_binary *choose_main(struct model_binary *const *v, size_t n);
/* Returns the program with most instructions, or what has most if none is a program; NULL: there are no binaries. */
const struct model_binary *choose_first(struct model_binary *const *v, size_t n);
/* True for a binary that branches of others led to, without any count of its own: with a filter. */
bool choose_empty(const struct model_binary *b);
/*
 * Lists the binaries with their instructions, those of one path with their build-ids, and
 * instructions that are in no binary; `unit`: instructions, or that of another metric.
 */
void choose_list(FILE *out, struct model_binary *const *v, size_t n, uint64_t elsewhere,
		 const char *unit);

#endif
