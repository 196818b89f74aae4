/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - adds statistics of decoders, buffers and AUX fragments. */
#include <cstrace/tree.h>

_Static_assert(sizeof(struct cst_stats) % sizeof(uint64_t) == 0 &&
	       sizeof(struct cst_frame_stats) % sizeof(uint64_t) == 0, "64-bit counters only");

static void add_counters(void *sum, const void *more, size_t size)
{
	uint64_t *to = sum;
	const uint64_t *from = more;
	size_t i;

	for (i = 0; i < size / sizeof(*to); i++)
		to[i] += from[i];
}

void cst_stats_add_sized(struct cst_stats *sum, const struct cst_stats *more, size_t size)
{
	add_counters(sum, more, size < sizeof(*sum) ? size : sizeof(*sum));
}

void cst_frame_stats_add_sized(struct cst_frame_stats *sum, const struct cst_frame_stats *more, size_t size)
{
	add_counters(sum, more, size < sizeof(*sum) ? size : sizeof(*sum));
}
