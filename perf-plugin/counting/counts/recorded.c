/* SPDX-License-Identifier: GPL-2.0-only */
/* recorded.c - the counts of libcstrace-perf: cst_recording_count(). */
#include "counting/counts/counts.h"
#include "machine/images/dso.h"
#include "session/recording/state.h"

_Static_assert(COUNTS_OUTSIDE == CST_COUNTS_OUTSIDE, "targets of edges are passed on as they are");

typedef int (*each_fn)(void *data, const struct cst_recording_counts *c);

static int pass(struct cst_recording *r, struct binary *b, each_fn each, void *data)
{
	const struct cst_recording_counts c = {
		.file = recording_file(r, b->dso),
		.method = b->method == COUNTS_WHOLE ? NULL : b->dso->symbols.syms[b->method].name,
		.ranges = cst_pairs_sort(&b->ranges),
		.n_ranges = b->ranges.used,
		.edges = cst_pairs_sort(&b->edges),
		.n_edges = b->edges.used,
		.branches = b->branches,
	};

	return c.n_ranges || c.n_edges ? each(data, &c) : 0;
}

int cst_recording_count(struct cst_recording *r, unsigned int flags, each_fn each, void *data)
{
	const enum counts_mode mode = flags & CST_COUNTS_JOINED ? COUNTS_JOINED : COUNTS_SPLIT;
	struct counts *c;
	struct binary **v;
	size_t i, n;
	int rc;

	if (flags & ~(unsigned int)CST_COUNTS_JOINED)
		return -CST_ERR_INVAL;
	c = counts_new(recording_session(r), mode, 0);
	recording_begin(r);
	rc = counts_run(c);
	recording_end(r);
	n = rc ? 0 : counts_binaries(c, &v);
	for (i = 0; i < n && !rc; i++)
		rc = pass(r, v[i], each, data);
	counts_free(c);
	return rc;
}
