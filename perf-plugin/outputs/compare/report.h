/* SPDX-License-Identifier: GPL-2.0-only */
/* report.h - inside compare: differences and sums in words. */
#ifndef CSTRACE_OUTPUTS_COMPARE_REPORT_H
#define CSTRACE_OUTPUTS_COMPARE_REPORT_H

#include "base/files/output.h"
#include "outputs/compare/align.h"

/* One core: its names on both sides. */
struct report {
	struct pd_output *out;
	const char *trace, *other;	/* "CPU 0", "cpu0" */
	const char *other_file;
	bool other_is_text;	/* places of the other side are lines */
};

void report_difference(const struct report *r, const struct align *al, const struct align_diff *diff, uint64_t number);
void report_sums(const struct report *r, const struct align_counts *c);

#endif
