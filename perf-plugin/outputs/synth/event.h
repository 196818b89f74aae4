/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event.h - samples of what the trace reports beside instructions: transactions (TME),
 * instrumentation (ITE) and events of the trace unit, in events that perf synthesises of Intel PT.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_EVENT_H
#define CSTRACE_OUTPUTS_SYNTH_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/flow.h>

#include "session/decode/stream.h"

enum event_kind {
	EVENT_TRANSACTION,
	EVENT_PTWRITE,		/* instrumentation */
	EVENT_EVT,		/* of the trace unit */
	EVENT_KINDS,
};

struct event_sample {
	enum event_kind kind;
	uint64_t value;		/* PERF_TXN_x bits; value written; mask of events */
	uint64_t ip;		/* last instruction that is known to be executed before, 0: none */
	uint64_t time;
	int pid, tid;
	struct host_thread host;	/* as in struct stream ... */
	uint16_t guest, vm;		/* ... and these */
	uint8_t el;		/* of that instruction */
};

/* The event in a perf.data file. */
struct event_type {
	const char *name;
	uint32_t type;
	uint64_t config, sample_type;
};

extern const struct event_type event_types[EVENT_KINDS];

/* Sets kind and value of a sample of the element; false: it is none. */
bool event_sample_of(const struct cst_generic *g, struct event_sample *e);
/* Writes the field of event_type.sample_type, one or two words. Returns the word after it. */
uint64_t *event_sample_put(uint64_t *p, const struct event_sample *e);
/* Writes what perf script prints for it (perf 6.1), "" for a transaction. Returns the length. */
size_t event_sample_text(char *text, size_t size, const struct event_sample *e);
/* perf's PERF_IP_FLAG_x of a sample: the begin and the abort of a transaction. */
unsigned int event_sample_flags(const struct event_sample *e);

#endif
