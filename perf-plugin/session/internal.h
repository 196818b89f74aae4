/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - what the files of session/ share. */
#ifndef CSTRACE_SESSION_INTERNAL_H
#define CSTRACE_SESSION_INTERNAL_H

#include "base/error.h"
#include "buffers/owners.h"
#include "buffers/queues.h"
#include "buffers/units.h"
#include "clocks/clocks.h"
#include "filter/select.h"
#include "images/dso.h"
#include "images/kernel.h"
#include "images/perf_maps.h"
#include "indexes/index_book.h"
#include "losses/losses.h"
#include "perfdata/auxinfo.h"
#include "perfdata/decode.h"
#include "perfdata/reader.h"
#include "session/session.h"
#include "sideband/side_events.h"
#include "sideband/tracepoint.h"
#include "tasks/asid.h"
#include "tasks/learned.h"
#include "tasks/running.h"
#include "tasks/short_ids.h"
#include "tasks/space.h"
#include "tasks/threads.h"

/* Files that were mapped, and what is made of them. */
struct session_images {
	struct dso_table dsos;
	struct kernel_images kernel;
	struct perf_maps perf_maps;
	struct spaces spaces;
};

/* Who ran, and what decoding has found out about that. */
struct session_tasks {
	struct threads threads;
	struct running running;
	struct tracepoint *sched;	/* sched_switch, when the file has its format */
	struct asids asids;
	struct contextid contextid;
	struct own_world own;
	struct short_ids short_ids;
	bool only_process_reported;
};

/* What part of the recording is wanted. */
struct session_chosen {
	struct filter *filter;		/* NULL: everything */
	struct selection selection;	/* its view on whole fragments */
	bool matched;			/* the filter let something pass in this run */
	struct index_book *book;	/* NULL: no index can be used */
	bool unused_index_reported;
};

struct session {
	struct session_opts opts;
	struct perfdata *pd;
	enum session_recorder recorder;
	char *name;			/* of the input, as messages show it */
	struct queues queues;
	struct trace_units units;
	struct unit_list {
		const struct trace_unit **v;
		size_t nr, cap;
	} undecodable;			/* why they cannot be decoded was printed */
	struct clocks clocks;
	struct session_images images;
	struct side_events side;
	struct session_tasks tasks;
	struct session_chosen chosen;
	struct session_totals totals;
	struct losses losses;
	uint64_t unrouted_ids[2];	/* trace IDs in the data that no metadata describes */
	uint64_t bad_records;
	uint64_t lost_compressed;	/* records beyond opts.max_expand */
	uint64_t bytes_total, bytes_done;
	bool left_undone;		/* a piece ended with something that the next one would have counted */
};

/* index.c: the pass over all records. */
int session_index(struct session *ss);
/* Of a replica: threads, maps and code only; the rest is the session's. */
int session_index_side(struct session *ss);

/*
 * replica.c: another session over the same recording, to decode in another thread. It shares what nobody changes
 * after the index pass (metadata, trace units, buffers, switches, clocks) and has its own of all that decoding
 * changes (threads and maps over time, files, address spaces, losses). To be freed before the session.
 * NULL: no memory, or the files are not found in the same order.
 */
struct session *session_replica(const struct session *ss);
/* What is found out when it is first asked for is found out, before several threads ask. */
void session_before_replicas(struct session *ss);
void session_replica_free(struct session *rep);
/* What a replica found out about its files, for those that the session did not load. `rep` decodes no more. */
void session_adopt_files(struct session *ss, struct session *rep);

/* session.c: the parts of a session that a replica has, too. */
int session_init_own(struct session *ss);
/* Once the records were read. 0, or ERR_REPORTED. */
int session_make_filter(struct session *ss);
void session_free_own(struct session *ss);

/* file_losses.c: before a run, what the file itself lost counts, but for AUX records whose fragments a filter may skip. */
void session_start_losses(struct session *ss);
/* A fragment was not skipped: what its AUX record says was lost counts. */
void session_fragment_losses(struct session *ss, const struct fragment *f);

#endif
