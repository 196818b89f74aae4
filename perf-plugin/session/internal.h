/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - struct session, and the functions that the files of session/ share. */
#ifndef CSTRACE_SESSION_INTERNAL_H
#define CSTRACE_SESSION_INTERNAL_H

#include "base/error.h"
#include "machine/buffers/owners.h"
#include "machine/guests/guest.h"
#include "machine/images/perf_maps.h"
#include "machine/sideband/side_events.h"
#include "machine/tasks/space.h"
#include "perfdata/auxinfo.h"
#include "perfdata/decode.h"
#include "perfdata/reader.h"
#include "session/filter/select.h"
#include "session/parts.h"

/* The mapped files and what is derived from them. */
struct session_images {
	struct dso_table dsos;
	struct kernel_images kernel;
	struct perf_maps perf_maps;
	struct spaces spaces;
	struct guest_set guests;
};

/* The part of the recording to decode. */
struct session_chosen {
	struct filter *filter;		/* NULL: everything */
	struct selection selection;	/* the filter applied to whole fragments */
	bool matched;			/* part of this run's trace matched the filter */
};

struct session {
	struct session_opts opts;
	struct perfdata *pd;
	enum session_recorder recorder;
	char *name;			/* name of the input for messages */
	struct queues queues;
	struct trace_units units;
	struct unit_list {
		const struct trace_unit **v;
		size_t nr, cap;
	} undecodable;			/* trace units that cannot be decoded; the reason was printed */
	struct clocks clocks;
	struct session_images images;
	struct side_events side;
	struct session_tasks tasks;
	struct asids declared;		/* of tasks.asids, for replicas: the session may learn others meanwhile */
	struct session_chosen chosen;
	struct session_totals totals;
	struct losses losses;
	struct {
		uint64_t unrouted_ids[2];	/* trace IDs in the data without metadata, by bit */
		uint64_t bad_records;
		uint64_t lost_compressed;	/* compressed records beyond opts.max_expand */
		/* a decoded part ended in a state in which the next part would have counted more */
		bool left_undone;
	} lost;
	uint64_t bytes_total, bytes_done;
	struct {
		/* of a replica: the shard that it decodes (decode/jobs.c) */
		struct workers *workers;
		size_t job;
		bool first;	/* ... and no shard before has trace of the same buffer */
	} shard;
};

/* index.c: reads all records. */
int session_index(struct session *ss);
/* As session_index() for a replica: reads threads, maps and code only; the rest is shared with the session. */
int session_index_side(struct session *ss);

/*
 * replica.c: creates another session over the same recording, for decoding in another thread. It shares what no one
 * changes after the pass over the records (metadata, trace units, buffers, switches, clocks) and has its own copy of
 * what decoding changes (threads and maps over time, files, address spaces, losses). It must be freed before the
 * session. Returns NULL if the files are not found in the same order.
 */
struct session *session_replica(const struct session *ss);
/*
 * Computes values that are otherwise computed at their first use, before several threads use them.
 */
void session_before_replicas(struct session *ss);
void session_replica_free(struct session *rep);
/*
 * Moves to the session what a replica has read of files that the session did not load. `rep` must not decode
 * afterwards.
 */
void session_adopt_files(struct session *ss, struct session *rep);

/* session.c: initialises the parts of a session that a replica has, too. */
void session_init_own(struct session *ss);
/* Creates the filter, after the records were read. Returns 0 or ERR_REPORTED. */
int session_make_filter(struct session *ss);
/*
 * Opens the guests that the options name, after the host's records were read. `like`: another
 * session with the same guests, NULL: none. Returns 0 or ERR_REPORTED.
 */
int session_open_guests(struct session *ss, const struct session *like);
/* Frees address spaces and decoded code. */
void session_free_spaces(struct session *ss);
void session_free_own(struct session *ss);

/*
 * file_losses.c: at the begin of a run, counts the losses of the file, except those of AUX records whose fragments a
 * filter may skip.
 */
void session_start_losses(struct session *ss);
/* Counts the losses of a fragment's AUX record, when the fragment is not skipped. */
void session_fragment_losses(struct session *ss, const struct fragment *f);

#endif
