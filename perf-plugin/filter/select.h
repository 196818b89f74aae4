/* SPDX-License-Identifier: GPL-2.0-only */
/* select.h - the filter's view on whole AUX fragments: which of them need not be decoded at all. */
#ifndef CSTRACE_FILTER_SELECT_H
#define CSTRACE_FILTER_SELECT_H

#include "buffers/queues.h"
#include "buffers/units.h"
#include "filter/filter.h"
#include "tasks/running.h"

struct selection {
	const struct filter *filter;	/* NULL: everything is wanted */
	const struct trace_units *units;
	const struct running *running;
	bool lost_records;		/* some are missing, of context switches perhaps */
	bool timestamps;		/* some unit writes them; else everything has the time of its AUX record */
};

/* Can nothing in this fragment be wanted? `timeless`: everything in it has the time of its AUX record. */
bool select_skips(const struct selection *s, struct queue *q, const struct fragment *f, bool timeless);
/* Does the filter want a CPU that the trace ID ever belongs to in this buffer? */
bool select_wants_id(const struct selection *s, const struct queue *q, uint8_t id);

#endif
