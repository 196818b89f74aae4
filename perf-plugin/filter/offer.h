/* SPDX-License-Identifier: GPL-2.0-only */
/* offer.h - what a recording has that a filter can ask for. */
#ifndef CSTRACE_FILTER_OFFER_H
#define CSTRACE_FILTER_OFFER_H

#include <stdio.h>

#include "buffers/queues.h"
#include "buffers/units.h"
#include "filter/filter.h"

struct offer_from {
	struct perfdata *pd;	/* it is read once more, from its first record */
	const char *name;	/* of the input, as messages show it */
	const struct trace_units *units;
	const struct queues *queues;
};

/* After nothing fitted the filter: for each option that was given, what there is; or that memory ran out. */
void filter_print_offer(const struct filter_opts *f, const struct offer_from *from, FILE *out);

#endif
