/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt.h - writes counts in the pre-aggregated format of perf2bolt --pa. */
#ifndef CSTRACE_OUTPUTS_PROFILE_BOLT_H
#define CSTRACE_OUTPUTS_PROFILE_BOLT_H

#include "base/files/output.h"
#include "outputs/profile/address.h"

#define BOLT_TRACES	21u	/* LLVM 21 is the first whose perf2bolt reads lines T and R */

/*
 * Writes counts, joined and with arrivals, for any version:
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

/*
 * Writes the same counts for LLVM 21 and later, whose makers announced that B, F and f will go
 * (llvm #127125). NONE is 16 digits f:
 *
 *   T FROM FIRST LAST TIMES   a taken branch, and the range that ran behind it
 *   T FROM TO NONE TIMES      a taken branch
 *   T NONE FIRST LAST TIMES   a range
 *   R 0 FIRST LAST TIMES      a range that a return, or a branch from outside, led to
 *
 * The trace is counted by branch and by range. Which ranges ran behind which branch is known where
 * one branch or one range is at a place, and both ran as often: these are one line. BOLT adds the
 * lines up by branch and by range, so it makes the same of both. A return is no T line with its
 * range: if it is to a caller of the same function, BOLT up to 23 counts no way from the call to
 * FIRST for it.
 */
void bolt_write_traces(struct pd_output *out, const struct flat *f,
		       const struct profile_address *w);

#endif
