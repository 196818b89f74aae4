/* SPDX-License-Identifier: GPL-2.0-only */
/* metric.c - the words for each metric. */
#include "counting/counts/metric.h"

const struct metric_words metric_words[NR_METRICS] = {
	[METRIC_INSNS] = { "instructions", "Instructions", "instructions", "",
			   "Ir : Instructions executed", "Ir", "instructions", "count", "" },
	[METRIC_CYCLES] = { "cycles", "Cycles", "cycles",
			    ", estimated between two counts of the trace",
			    "Cycles : Processor cycles", "Cycles", "cycles", "count",
			    "are in no count of cycles" },
	[METRIC_TIME] = { "time", "Nanoseconds", "ns", ", estimated between timestamps",
			  "ns : Nanoseconds", "ns", "time", "nanoseconds",
			  "are before the first timestamp after a gap" },
};
