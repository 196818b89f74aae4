/* SPDX-License-Identifier: GPL-2.0-only */
/* exact.h - whether counts are those of what was executed: nothing was lost, and the trace does not contradict the code. */
#ifndef CSTRACE_OUTPUTS_PROFILE_EXACT_H
#define CSTRACE_OUTPUTS_PROFILE_EXACT_H

#include "counting/counts/model.h"

/* Size of what exact_words() writes. */
#define EXACT_WORDS	128

/* How many times the trace contradicts the code of all binaries. */
uint64_t exact_conflicts(const struct model *m);
/* Writes ", exact" if the counts or amounts are, or else what they are. Returns `text`. */
const char *exact_words(const struct model *m, char text[EXACT_WORDS]);

/*
 * True if the trace contradicts a binary in more than 1 % of its branches: it is the file of another build, and no compiler
 * should learn from its counts. *conflicts: how many times; of a count file, which does not have them by binary, in all of
 * them, and *branches those of all.
 */
bool exact_refuses(const struct model *m, const struct model_binary *b, bool count_file, uint64_t *conflicts, uint64_t *branches);

#endif
