/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * who.h - the thread that a stream executes, by the best evidence available: the buffer's thread, the context ID, as
 * far as it is a thread of the records (tasks/identity.h), an ASID's owner, context switches, the thread of the AUX
 * record, the file's only process. What the metadata says of IDs is one witness: a context at EL0 without an ID has none,
 * because a Trace Info makes it 0 and Linux has no thread 0 there. A thread that cannot be determined is unknown, with
 * the cause, and its code is not decoded; of several processes none is taken for another one.
 */
#ifndef CSTRACE_SESSION_DECODE_WHO_H
#define CSTRACE_SESSION_DECODE_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/tasks/contextid.h"
#include "machine/tasks/world.h"

struct stream_state;
struct cst_generic;
struct guest;
struct session;

enum who_how {
	WHO_KNOWN,
	WHO_ONLY,	/* only one process has code */
	WHO_LEARNED,	/* its ID is of another PID namespace, and was found with this thread */
};

/* The virtual machine of the last context, if that is a guest's. */
struct who_guest {
	struct guest *files;	/* NULL: none are given */
	int pid, tid;		/* the host's process and thread that run it; -1: unknown */
	int context_id;		/* the guest's own; -1: not traced */
};

/* Part of a stream's state. */
struct who {
	uint32_t id;		/* last context ID, or CONTEXTIDR_EL2 ... */
	uint8_t id_bits;	/* ... with this number of traced bits; 0: none in this fragment */
	bool absent;		/* the last context at EL0 has no ID although the metadata says that IDs are traced */
	bool traced;		/* a context in this fragment has an ID other than 0 ... */
	bool zero;		/* ... has an ID that is 0: the kernel does not write the register */
	uint64_t passed;	/* perf time of the last timestamp in this fragment, or of its begin */
	bool aux_asked, aux_only; /* only the AUX record's thread ran in the fragment; valid with aux_asked */
	uint64_t began;		/* earliest time of the fragment */
	struct world_state world;
	struct who_guest guest;
	int host_tid;	/* thread of the last context of the host in this fragment; -1: unknown */
	uint8_t cause;		/* enum loss: why the thread of user code is unknown */
	uint8_t how;		/* enum who_how */
	bool several;		/* threads of several processes ran, according to switches */
	bool id_new;		/* `id` was traced here; otherwise in an earlier stretch, and it may be repeated */
	bool by_id;		/* the context ID identifies the thread, which nothing else can change */
	uint64_t counted;	/* instructions when a stretch was counted; UINT64_MAX: never */
	enum who_how counted_as;
	uint64_t stamped;	/* instructions at `passed`, without a Trace On since; UINT64_MAX: none */
	uint64_t gaps;		/* losses in the trace when the thread was determined */
};

/* Before a run: drops what an earlier run has learned. */
void who_restart(struct session *ss);
/* After a run: reports assumptions on stderr. */
void who_report(struct session *ss);

void who_begin(struct stream_state *st);
void who_context(struct stream_state *st, const struct cst_generic *g);
/* Handles Trace On: another thread may run. */
void who_trace_on(struct stream_state *st);
/* Handles a timestamp with perf time `time`. */
void who_time(struct stream_state *st, uint64_t time);

#endif
