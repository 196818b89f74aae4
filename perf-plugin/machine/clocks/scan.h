/* SPDX-License-Identifier: GPL-2.0-only */
/* scan.h - decoders that find the timestamps of a fragment without decoding it. */
#ifndef CSTRACE_MACHINE_CLOCKS_SCAN_H
#define CSTRACE_MACHINE_CLOCKS_SCAN_H

#include <cstrace/cstrace.h>

#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"

/* Decoders of the trace IDs of a fragment whose units write timestamps. */
struct clock_scan {
	struct cst_tree *tree;
	struct cst_decoder *dec[128];	/* by ID; without frames the first one */
	struct trace_unit *unit[128];
	unsigned int nr;
};

/*
 * Feeds bytes of the fragment. Returns 0 or a negative code; the caller frees the tree in any case.
 */
int clock_scan_begin(struct clock_scan *s, const struct trace_units *tu, struct queue *q,
		     const struct fragment *f, const uint8_t *data, size_t len);

#endif
