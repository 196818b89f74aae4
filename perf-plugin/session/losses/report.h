/* SPDX-License-Identifier: GPL-2.0-only */
/* report.h - prints losses: causes with remedies, then the CPUs and processes. */
#ifndef CSTRACE_SESSION_LOSSES_REPORT_H
#define CSTRACE_SESSION_LOSSES_REPORT_H

#include "session/losses/cures.h"
#include "session/losses/guests.h"
#include "session/losses/losses.h"

struct loss_report {
	const struct losses *losses;
	const struct guests *guests;
	struct cure_case made;	/* how the recording was made, and is read */
	uint64_t trace_bytes;	/* bytes of trace that the recording has, or should have: 100 % */
};

/* 65012345 as "65,012,345", in `out`. */
const char *losses_grouped(uint64_t v, char out[32]);
/* Prints "12 bytes of trace, 3.4 %"; nothing for 0. */
void losses_print_share(const struct loss_report *rep, uint64_t bytes, FILE *out);
/* Prints each cause with its remedy. */
void losses_print_causes(const struct loss_report *rep, FILE *out);
/* As losses_print_causes(), followed by the CPUs and processes. `all`: complete lists. */
void losses_print(const struct loss_report *rep, FILE *out, bool all);

#endif
