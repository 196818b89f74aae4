/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * latency.h - how long interrupts, system calls and waits of threads took: of a recording with
 * timestamps, and with trace of the kernel or records of context switches.
 */
#ifndef CSTRACE_OUTPUTS_TIMELINE_LATENCY_H
#define CSTRACE_OUTPUTS_TIMELINE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/* Durations are in ns. */
struct latency {
	const char *what;	/* a literal, as "interrupt" */
	char *function;		/* that was entered; "": none */
	uint64_t count, sum, max;
	uint64_t p99;		/* of a hundred, 99 took at most this; it may be 3 % too large */
	uint32_t *buckets;	/* how many took as long, by latency.c's scale */
};

struct latencies {
	struct latency *v;	/* those that took longest together first */
	size_t n, cap;
	uint64_t left_out;	/* the shortest ones: they are in no row */
};

/*
 * `handlers`: the trace has code of exception handlers; it is then decoded, in a run of its own.
 * Returns 0, or negative after a message. Without times, handlers and switches `v` is empty.
 */
int latencies_find(struct session *ss, bool handlers, struct latencies *v);
void latencies_free(struct latencies *v);

#endif
