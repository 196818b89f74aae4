/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * windows.h - AUX windows: samples that carry the newest trace of their buffer (PERF_SAMPLE_AUX),
 * in recordings without AUXTRACE records. Each window is a fragment. Where it repeats trace of the
 * window before, that part is its lead: decoded for the state, and counted with the window before.
 */
#ifndef CSTRACE_MACHINE_BUFFERS_WINDOWS_H
#define CSTRACE_MACHINE_BUFFERS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pd_record;
struct queues;

struct window {
	const uint8_t *data;
	uint8_t *own;	/* copy of the bytes, which the reader did not keep; NULL: none */
	uint64_t time;	/* of the sample; NO_TIME: unknown */
	uint64_t seq;	/* of the sample in the file (pd_record.seq) */
	uint32_t size;
	int cpu, tid;	/* of the sample; -1: unknown */
};

struct window_counts {
	uint64_t nr, bytes;
	uint64_t smallest, largest;	/* sizes in bytes */
	uint64_t repeated;	/* bytes that the window before has, too */
	uint64_t continued;	/* windows that begin with such bytes */
	uint64_t doubtful;	/* bytes that may repeat the window before: the trace is periodic */
	uint64_t older;	/* bytes of before the window before, which is smaller */
	uint64_t cut;	/* bytes of a frame whose begin is not in the window */
};

struct windows {
	struct window *v;
	size_t nr, cap;
	/* ID_INDEX names CPUs, or threads alone, for the events with windows */
	bool of_cpus, of_threads;
	bool leads;	/* a fragment has a lead */
	bool beside;	/* the file has AUXTRACE records, too, and the windows are left out */
	struct window_counts counts;
};

/* Adds the window of a sample. */
void windows_add(struct windows *ws, const struct pd_record *rec);
/* After the last record: makes buffers and fragments of the windows. */
void windows_finish(struct queues *qs);
void windows_free(struct windows *ws);

#endif
