/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as tracing data, and the last of them as raw data of samples of the event found there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sideband/tracepoint.h"

/* Bytes at the end that are a sample. */
#define RAW 64

static void require(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t half = size > RAW ? size - RAW : size, k;
	uint8_t *copy = malloc(half ? half : 1), *raw;
	struct sched_switch a, b;
	struct tracepoint *tp;
	const char *problem;

	require(copy != NULL);
	if (size)
		memcpy(copy, data, half);
	tp = tracepoint_new(copy, half, &problem);
	free(copy);
	require(!tp || !problem);
	if (!tp)
		return 0;
	for (k = 0; k <= size - half; k++) {
		raw = malloc(k ? k : 1);
		require(raw != NULL);
		memcpy(raw, data + half, k);
		if (tracepoint_switch(tp, raw, k, &a)) {
			require(a.prev >= 0 && a.next >= 0);
			require(tracepoint_switch(tp, raw, k, &b) && a.prev == b.prev && a.next == b.next);
		}
		free(raw);
	}
	tracepoint_free(tp);
	return 0;
}
