/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * state.h - the traced system at a moment of its event log: the processes, threads, libraries, patched code, ASIDs and
 * trace sources that exist then. Events move a state forwards or backwards in time.
 *
 * Backwards, END creates an entity, START removes it and CURRENT asserts it. This gives the same states as forwards if the
 * log is complete: every entity that disappears has its END, before that of its process unless it is a thread, and every
 * entity alive at the end has a CURRENT there. cst_state_apply() completes a log: it adds the events that are implied by
 * an exec, an exit, a fork, or a map or a patch over another one.
 *
 * The rules are those of section 5.5 of Arm's CoreSight trace decode metadata requirements, the states
 * those of its section 5.6. A state belongs to one thread at a time.
 */
#ifndef CSTRACE_FILES_STATE_H
#define CSTRACE_FILES_STATE_H

#include <cstrace/files/event.h>

CST_BEGIN

struct cst_state;

struct cst_state_limits {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	size_t memory;		/* bytes of everything alive (256 MiB when 0) */
	uint64_t inherited;	/* libraries and patches that inherit= may copy in all (16 Mi when 0) */
};

struct cst_state_counts {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint64_t events;
	uint64_t implied;	/* events added by cst_state_apply() */
	uint64_t unknown_ends;	/* END (backwards: START) of an entity that did not exist */
	uint64_t contradictions; /* CURRENT of an entity that differs from the existing one, which the event replaces */
	uint64_t dropped;	/* events dropped for want of memory */
	size_t alive;		/* entities that exist now */
	size_t memory;		/* bytes in use */
};

/*
 * Receives an event; `implied`: the caller did not pass it, but it follows from one. A negative result stops and is
 * returned.
 */
typedef int (*cst_state_fn)(void *ctx, const struct cst_event *ev, int implied);

/* Creates an empty state; `limits` NULL: defaults. -CST_ERR_NOMEM. */
CST_API int cst_state_new(struct cst_state **st, const struct cst_state_limits *limits);
CST_API void cst_state_free(struct cst_state *st);
/*
 * Applies one event forwards. `emit` (may be NULL) receives the implied events and the event itself in the order of a
 * complete log, with inherited= in place of inherit=. -CST_ERR_LIMIT or _NOMEM: the event was counted as dropped and
 * not applied.
 */
CST_EXPERIMENTAL
CST_API int cst_state_apply(struct cst_state *st, const struct cst_event *ev, cst_state_fn emit,
			    void *ctx);
/* Applies one event backwards: the state is then that before the event. */
CST_EXPERIMENTAL
CST_API int cst_state_unapply(struct cst_state *st, const struct cst_event *ev);

/*
 * Lists all living entities as events with the given state and time, in an order that can be applied: each process by
 * pid, with its threads, libraries and patches, then the trace sources; with END in reverse. `implied` is 0.
 */
CST_API int cst_state_list(const struct cst_state *st, enum cst_event_state state, uint64_t time,
			   cst_state_fn fn, void *ctx);
CST_API int cst_state_counts(const struct cst_state *st, struct cst_state_counts *counts);

/*
 * Lookups: return 1 and *ev (state CURRENT, valid until the next change), or 0 and leave *ev as it is. For an address a
 * patch has precedence over a library, and that over the image of the process; an entity of unknown size extends to the
 * next one.
 */
CST_EXPERIMENTAL
CST_API int cst_state_process(const struct cst_state *st, int64_t pid, struct cst_event *ev);
CST_EXPERIMENTAL
CST_API int cst_state_thread(const struct cst_state *st, int64_t tid, struct cst_event *ev);
CST_EXPERIMENTAL
CST_API int cst_state_asid(const struct cst_state *st, uint32_t asid, struct cst_event *ev);
CST_EXPERIMENTAL
CST_API int cst_state_trace(const struct cst_state *st, struct cst_str source,
			    struct cst_event *ev);
CST_EXPERIMENTAL
CST_API int cst_state_code(const struct cst_state *st, int64_t pid, uint64_t address,
			   struct cst_event *ev);

/*
 * Reconstructs, backwards from the end of the log, the state before its first event or after its last event with a time
 * <= `until`. `st` must be empty. An event without a time has that of the next event with one. Malformed lines are
 * skipped and counted in *bad (may be NULL).
 */
CST_API int cst_state_before(struct cst_state *st, struct cst_event_reader *r, uint64_t *bad);
CST_EXPERIMENTAL
CST_API int cst_state_at(struct cst_state *st, struct cst_event_reader *r, uint64_t until, uint64_t *bad);

/*
 * Rewrites a log so that it can be read in both directions: sorted by time, with the events that follow from others
 * (implied=1), END with all its parameters, and CURRENT for everything alive at the end (implied=1). Events without a
 * time stay after the event before them. `st` must be the state before the log, usually an empty one, and becomes the
 * state after it. Comments and malformed lines are left out; the latter are counted in *bad (may be NULL).
 */
CST_API int cst_state_complete(struct cst_state *st, struct cst_event_reader *r, const struct cst_sink *out,
			       uint64_t *bad);

CST_END

#endif
