/* SPDX-License-Identifier: GPL-2.0-only */
/* metric.h - what is counted of executed code: its instructions, its cycles or its time. */
#ifndef CSTRACE_COUNTING_COUNTS_METRIC_H
#define CSTRACE_COUNTING_COUNTS_METRIC_H

#include <stdint.h>

enum metric {
	METRIC_INSNS,
	METRIC_CYCLES,	/* as the trace counts them (session/decode/cycles.h) */
	/* nanoseconds between timestamps of the trace, shared by the instructions between them */
	METRIC_TIME,
	NR_METRICS,
};

struct metric_words {
	const char *name;	/* of the option: "cycles" */
	const char *title;	/* of a column: "Cycles" */
	const char *unit;	/* behind a number: "cycles" */
	/* where the amounts are no counts: ", estimated between two counts"; "": nowhere */
	const char *estimate;
	const char *event;	/* of Callgrind Format: "Cycles : Processor cycles" */
	const char *event_name;
	const char *value, *value_unit; /* of a pprof profile */
	const char *base;	/* what has no amount: "are in no count of cycles" */
};

/* What a metric does not count. */
struct metric_rest {
	uint64_t insns;	/* instructions that have no amount */
	uint64_t time;	/* ns that one instruction waited beyond the 4.29 s that it can have */
};

extern const struct metric_words metric_words[NR_METRICS];

#endif
