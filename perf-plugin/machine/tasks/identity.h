/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * identity.h - whether the IDs in the trace are the thread IDs of the records. A recorder inside a PID namespace (a
 * container) writes the numbers that its threads have there, while CONTEXTIDR holds those of the machine; Linux since 5.18
 * traces no context ID there, although the metadata says so. Witnesses are threads that ran, by other evidence, while an
 * ID was traced. They are collected before decoding, so that the result does not depend on what is decoded, or in how
 * many threads.
 */
#ifndef CSTRACE_MACHINE_TASKS_IDENTITY_H
#define CSTRACE_MACHINE_TASKS_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

enum id_space {
	IDS_UNDECIDED,	/* no witness: taken as the records' thread IDs */
	IDS_SAME,	/* the records' thread IDs */
	IDS_OTHER,	/* of another PID namespace */
};

/* An ID in the trace and the thread that ran with it. */
struct id_pair {
	uint32_t id;
	int tid;
	bool proof;	/* the witness proves the thread; otherwise it only hints at the ID's kind */
	bool several;	/* different threads ran with this ID: it identifies none */
	bool shared;	/* its thread ran with other IDs, too */
};

struct identity {
	bool collected;		/* the witnesses were collected */
	enum id_space space;
	struct intmap by_id;	/* struct id_pair */
	struct intmap by_tid;	/* the first struct id_pair of a thread whose witness proves it */
	struct intmap known;	/* threads that have a record, a set: identity_knows() */
	uint64_t equal, different;	/* witnesses by whether the ID is the thread's own */
	uint64_t absent;	/* contexts at EL0 without an ID in a trace that should have them, as far as witnesses were searched */
	uint64_t traced;	/* contexts at EL0 with an ID, as far as witnesses were searched ... */
	uint64_t strangers;	/* ... that is no thread of the records */
};

/* The counts of witnesses, for another session over the same machine. */
struct identity_seen {
	uint64_t equal, different, absent, traced, strangers;
};

void identity_free(struct identity *id);
/* What witnesses have shown so far; the pairs are for free(). */
struct id_pair *identity_save(const struct identity *id, struct identity_seen *seen, size_t *nr);
/* Begins with what they have shown before. */
void identity_restore(struct identity *id, const struct identity_seen *seen,
		      const struct id_pair *v, size_t nr);
/* Notes that the records have a thread. */
void identity_know(struct identity *id, int tid);
/* True if a thread has a record. */
bool identity_knows(const struct identity *id, uint32_t tid);
/* Adds a witness. */
void identity_add(struct identity *id, uint32_t traced, int tid, bool proof);
/*
 * Decides whose IDs they are. Hints alone prove nothing if each ID is a thread of the records, unless the trace is that of
 * tasks (`of_tasks`), which are what stops when an AUX record is written, and the hints are several.
 */
void identity_decide(struct identity *id, bool of_tasks);

/* Returns the thread of the records that has an ID of another namespace; -1: it is not known, or contradictory. */
int identity_thread(const struct identity *id, uint32_t traced);
/* True if another ID than this one belongs to the thread. */
bool identity_has_other(const struct identity *id, int tid, uint32_t traced);
/* True if the ID was traced with different threads, so that it identifies none. */
bool identity_is_common(const struct identity *id, uint32_t traced);
/* Numbers of IDs that have a thread, and of those that are contradictory. */
void identity_count(const struct identity *id, size_t *known, size_t *contradictory);

#endif
