/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * who.h - which thread a stream executes. The best source that there is decides: the buffer's thread, the
 * context ID, an ASID's owner, context switches, the thread of the AUX record, the file's only process. What
 * cannot be decided is unknown, with its cause, and nothing is decoded for it.
 */
#ifndef CSTRACE_DECODE_WHO_H
#define CSTRACE_DECODE_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tasks/contextid.h"
#include "tasks/world.h"

struct stream_state;
struct cst_generic;
struct session;

enum who_how {
	WHO_KNOWN,
	WHO_LAST,	/* of several threads that may have run the last one was taken */
	WHO_ONLY,	/* only one process has code */
};

/* Part of a stream's state. */
struct who {
	uint32_t id;		/* last context ID, or CONTEXTIDR_EL2 ... */
	uint8_t id_bits;	/* ... traced in so many bits; 0: none since the fragment began */
	uint64_t passed;	/* perf time of the last timestamp in this fragment, or of its beginning */
	bool aux_asked, aux_only; /* only the AUX record's thread ran in the fragment */
	uint64_t began;		/* when the fragment began at the earliest */
	struct world_state world;
	uint8_t cause;		/* enum loss: why the thread of user code is not known */
	uint8_t how;		/* enum who_how */
	bool id_new;		/* `id` is of here; else of a stretch before this one, and may come again */
	bool by_id;		/* the context ID names the thread: nothing else can change it */
	uint64_t counted;	/* instructions when `how` was counted; UINT64_MAX: never */
	uint64_t stamped;	/* instructions when `passed` came, no Trace On since; UINT64_MAX: none */
	uint64_t gaps;		/* places where trace was lost, when the thread was settled */
};

/* Before a run: what was learned in one before is forgotten. */
void who_restart(struct session *ss);
/* After a run: say on stderr what was taken for granted. */
void who_report(struct session *ss);

/* 0, or negative. */
int who_begin(struct stream_state *st);
int who_context(struct stream_state *st, const struct cst_generic *g);
/* Trace On: another thread may run now. */
int who_trace_on(struct stream_state *st);
/* A timestamp was passed: `time` is its perf time. */
int who_time(struct stream_state *st, uint64_t time);

#endif
