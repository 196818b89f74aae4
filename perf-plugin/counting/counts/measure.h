/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure.h - batches in which ranges have an amount of a metric in place of a number of
 * instructions: what adds up instructions of ranges adds up the metric then.
 */
#ifndef CSTRACE_COUNTING_COUNTS_MEASURE_H
#define CSTRACE_COUNTING_COUNTS_MEASURE_H

#include "counting/counts/metric.h"
#include "session/decode/stream.h"

struct measure {
	enum metric metric;
	struct cst_generic *v;	/* the last batch */
	size_t cap;
	struct metric_rest rest;	/* what has no amount */
};

/*
 * Returns the batch with the amounts in n_insn of ranges and NOPATHs, valid until the next call.
 * The consumer has times, and for METRIC_CYCLES cycles (consumer.wants).
 */
const struct cst_generic *measure_batch(struct measure *m, const struct stream *s,
					const struct cst_generic *g, size_t n);
void measure_free(struct measure *m);

#endif
