/* SPDX-License-Identifier: GPL-2.0-only */
/* select.h - applies the filter to whole AUX fragments, to skip those that need no decoding. */
#ifndef CSTRACE_SESSION_FILTER_SELECT_H
#define CSTRACE_SESSION_FILTER_SELECT_H

#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"
#include "machine/tasks/running.h"
#include "session/filter/filter.h"

struct selection {
	const struct filter *filter;	/* NULL: everything is selected */
	const struct trace_units *units;
	const struct running *running;
	bool lost_records;		/* records were lost, possibly of context switches */
	/* a trace unit writes timestamps; otherwise all trace has the time of its AUX record */
	bool timestamps;
};

/* True if the filter excludes the whole fragment. `timeless`: all its elements have the time of its AUX record. */
bool select_skips(const struct selection *s, struct queue *q, const struct fragment *f, bool timeless);
/* True if the filter selects a CPU to which the trace ID belongs at some time in this buffer. */
bool select_wants_id(const struct selection *s, const struct queue *q, uint8_t id);

#endif
