/* SPDX-License-Identifier: GPL-2.0-only */
/* folded.h - names of functions in the lines of stacks that flamegraph.pl reads. */
#ifndef CSTRACE_OUTPUTS_PROFILE_FOLDED_H
#define CSTRACE_OUTPUTS_PROFILE_FOLDED_H

#include <stdbool.h>

struct lines;

/*
 * Writes a name of the stack. A semicolon in it would be read as its end. flamegraph.pl takes a
 * number behind the `last` name for another count, that of a second profile.
 */
void folded_name(struct lines *l, const char *name, bool last);

#endif
