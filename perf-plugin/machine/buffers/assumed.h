/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * assumed.h - the trace units behind trace IDs that neither the metadata nor a record names, found
 * by the evidence of the buffers. Recorders of metadata version 2 leave the IDs to AUX_OUTPUT_HW_ID
 * records, which are written once, when the event starts: later files of perf record
 * --switch-output lack them, and they may be lost as any record.
 */
#ifndef CSTRACE_MACHINE_BUFFERS_ASSUMED_H
#define CSTRACE_MACHINE_BUFFERS_ASSUMED_H

#include <stddef.h>

struct id_owner;
struct queues;
struct trace_units;

/* Owners of IDs without one, to be freed by the caller. */
struct assumed {
	struct id_owner *v;
	size_t nr, cap;
};

/*
 * Finds owners for the IDs in frames that have none, in up to `threads` threads. Looks at no trace
 * if the metadata and the records name the ID of each CPU. The owners of @tu are in order.
 */
void assumed_find(struct assumed *a, const struct trace_units *tu, const struct queues *qs,
		 unsigned int threads);
/* Gives owners that were recorded without a CPU the one that the kernel's numbering gives their ID. */
void assumed_number(struct trace_units *tu);
/* What an assumption rests on, as "its buffer has no other ID"; NULL: the owner was recorded. */
const char *assumed_text(const struct id_owner *o);
/* Prints one line for each kind of evidence that owners of @tu were assumed by. */
void assumed_report(const struct trace_units *tu);

#endif
