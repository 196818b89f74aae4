/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spans.h - the times that an AUX buffer was open. Offsets count from the begin of such a time: a
 * recorder that opens the buffer of a CPU again (after hotplug) begins at 0, in the same queue
 * or in another one of that CPU. In one span chunks that lie over each other hold the same trace,
 * as snapshots do that have a part in common.
 */
#ifndef CSTRACE_MACHINE_BUFFERS_SPANS_H
#define CSTRACE_MACHINE_BUFFERS_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct queue;
struct queues;

/* Chunks first..end-1 of a queue. */
struct span {
	size_t first, end;
	struct queue *queue;
	uint64_t low, high;	/* offsets of all of its chunks */
	uint64_t seq;		/* of its first chunk in the file */
	uint64_t claimed;	/* offset up to which AUX records of snapshots took its bytes */
};

/* Sorts the chunks of a queue by span and offset, and sets queue.spans. */
void spans_of_queue(struct queue *q);
/*
 * Sets aux_record.span of the records of CPUs and threads with several spans: their AUX records
 * begin again at lower offsets as often.
 */
void spans_of_records(struct queues *qs);

#endif
