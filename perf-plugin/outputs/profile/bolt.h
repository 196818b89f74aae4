/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt.h - writes counts in the format of perf2bolt --pa. */
#ifndef CSTRACE_OUTPUTS_PROFILE_BOLT_H
#define CSTRACE_OUTPUTS_PROFILE_BOLT_H

#include "base/files/output.h"
#include "outputs/profile/address.h"

/*
 * Writes counts, joined and with arrivals, as pre-aggregated text for perf2bolt --pa:
 *
 *   B FROM TO TIMES 0      a taken branch; 0 for what is outside the binary; mispredictions are not in the trace
 *   F FIRST LAST TIMES     a range that a branch of the same binary, or nothing known, led to
 *   f FIRST LAST TIMES     one that a return, or a branch from outside, led to: BOLT then counts the way from the
 *                          call before FIRST to FIRST, when a block begins there
 *
 * The linker's stubs (PLT) count as outside: perf2bolt has no code for them, and up to LLVM 19 it calls ranges
 * there mismatching. Calls of a stub keep its address, by which BOLT finds the name of what is called. Without the
 * file of the binary its stubs are unknown, and the profile has them.
 */
void bolt_write(struct pd_output *out, const struct flat *f, const struct profile_address *w);

#endif
