/* SPDX-License-Identifier: GPL-2.0-only */
/* offer.h - lists the values that a recording has for the filter options. */
#ifndef CSTRACE_SESSION_FILTER_OFFER_H
#define CSTRACE_SESSION_FILTER_OFFER_H

#include <stdio.h>

#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"
#include "machine/clocks/clocks.h"
#include "session/filter/filter.h"

struct offer_from {
	struct perfdata *pd;	/* read once more, from its first record */
	const char *name;	/* name of the input for messages */
	const struct trace_units *units;
	const struct queues *queues;
	const struct clocks *clocks;	/* NULL: those of the records alone */
};

/* Prints, for each option that was given, the values that the recording has. */
void filter_print_offer(const struct filter_opts *f, const struct offer_from *from, FILE *out);

#endif
