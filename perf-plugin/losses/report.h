/* SPDX-License-Identifier: GPL-2.0-only */
/* report.h - losses in words: causes with what helps against them, and who lost what. */
#ifndef CSTRACE_LOSSES_REPORT_H
#define CSTRACE_LOSSES_REPORT_H

#include "losses/guests.h"
#include "losses/losses.h"

struct loss_report {
	const struct losses *losses;
	const struct guests *guests;
	enum session_recorder recorder;
	uint64_t trace_bytes;	/* that the recording holds or should hold: shares are of these */
};

/* 65012345 as "65,012,345", in `out`. */
const char *losses_grouped(uint64_t v, char out[32]);
/* "12 bytes of trace, 3.4 %"; nothing for none. */
void losses_print_share(const struct loss_report *rep, uint64_t bytes, FILE *out);
/* Each cause, with what helps against it. */
void losses_print_causes(const struct loss_report *rep, FILE *out);
/* The same, then who lost what. `all`: whole lists. */
void losses_print(const struct loss_report *rep, FILE *out, bool all);

#endif
