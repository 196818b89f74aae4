/* SPDX-License-Identifier: GPL-2.0-only */
/* check.h - prints what a machine can record, what limits it, and what helps. */
#ifndef CSTRACE_OUTPUTS_CHECK_CHECK_H
#define CSTRACE_OUTPUTS_CHECK_CHECK_H

#include "outputs/target/findings.h"

/* For people: a line for each finding, then what can be recorded. */
void check_text(const struct target *t, const struct target_findings *fs);
/* For programs: the same, and the facts. */
void check_json(const struct target *t, const struct target_findings *fs);

/*
 * What there is of all abilities: all of them, some or some in part, or not even a program of
 * the user.
 */
enum able check_verdict(const struct target_findings *fs);

#endif
