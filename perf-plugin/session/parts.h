/* SPDX-License-Identifier: GPL-2.0-only */
/* parts.h - access to the objects of other rooms that a session consists of, for reports. */
#ifndef CSTRACE_SESSION_PARTS_H
#define CSTRACE_SESSION_PARTS_H

#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"
#include "machine/clocks/clocks.h"
#include "machine/images/dso_table.h"
#include "machine/images/kernel.h"
#include "machine/sideband/tracepoint.h"
#include "machine/tasks/asid.h"
#include "machine/tasks/comms.h"
#include "machine/tasks/contextid.h"
#include "machine/tasks/identity.h"
#include "machine/tasks/learned.h"
#include "machine/tasks/running.h"
#include "machine/tasks/short_ids.h"
#include "machine/tasks/threads.h"
#include "session/losses/losses.h"
#include "session/session.h"

/* What the trace events were opened for. */
enum trace_scope {
	SCOPE_UNKNOWN,
	SCOPE_TASKS,	/* threads: whatever else runs on a CPU is not traced */
	SCOPE_CPUS,	/* CPUs, or a cgroup on CPUs: the trace of a CPU is that of several tasks */
};

/* The tasks that ran, and what decoding has found out about them. */
struct session_tasks {
	struct threads threads;
	struct running running;
	struct tracepoint
		*sched; /* parser of sched_switch samples; NULL if the file has no format for it */
	struct asids asids;
	struct contextid contextid;
	struct identity identity;	/* of the whole file; replicas share it */
	enum trace_scope scope;
	bool inherited;			/* events of tasks follow their children, too */
	struct own_world own;
	struct short_ids short_ids;
	bool only_process_reported;
};

struct guest;

const struct session_opts *session_opts(const struct session *ss);
enum session_recorder session_recorder(const struct session *ss);
const struct trace_units *session_units(const struct session *ss);
const struct queues *session_queues(const struct session *ss);
const struct clocks *session_clocks(const struct session *ss);
const struct dso_table *session_dsos(const struct session *ss);
const struct kernel_images *session_kernel(const struct session *ss);
/* The caller moves it to a time before use; the next run of decoding starts from the beginning. */
struct threads *session_threads(struct session *ss);
/* Returns a guest whose files are given by its number, from 1 on; NULL: there is none. */
const struct guest *session_guest(const struct session *ss, unsigned int number);
/*
 * Returns the host's process that runs a guest, if that is known without decoding; -1: it is not.
 */
int session_guest_pid(const struct session *ss, const struct guest *g);
/* Returns new names of threads over time, of the host and of guests by their numbers. */
struct comms *session_comms(const struct session *ss);
const struct session_tasks *session_tasks(const struct session *ss);
const struct losses *session_losses(const struct session *ss);

#endif
