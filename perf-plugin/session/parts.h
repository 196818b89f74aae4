/* SPDX-License-Identifier: GPL-2.0-only */
/* parts.h - access to the objects of other rooms that a session consists of, for reports. */
#ifndef CSTRACE_SESSION_PARTS_H
#define CSTRACE_SESSION_PARTS_H

#include "buffers/queues.h"
#include "buffers/units.h"
#include "clocks/clocks.h"
#include "images/dso_table.h"
#include "images/kernel.h"
#include "losses/losses.h"
#include "session/session.h"
#include "tasks/asid.h"
#include "tasks/contextid.h"
#include "tasks/identity.h"
#include "tasks/running.h"
#include "tasks/threads.h"

const struct session_opts *session_opts(const struct session *ss);
enum session_recorder session_recorder(const struct session *ss);
const struct trace_units *session_units(const struct session *ss);
const struct queues *session_queues(const struct session *ss);
const struct clocks *session_clocks(const struct session *ss);
const struct dso_table *session_dsos(const struct session *ss);
const struct kernel_images *session_kernel(const struct session *ss);
/* The caller moves it to a time before use; the next run of decoding starts from the beginning. */
struct threads *session_threads(struct session *ss);
const struct contextid *session_contextid(const struct session *ss);
const struct asids *session_asids(const struct session *ss);
const struct running *session_running(const struct session *ss);
const struct identity *session_identity(const struct session *ss);
/* True if there are samples of sched:sched_switch. */
bool session_sched_switch(const struct session *ss);
const struct losses *session_losses(const struct session *ss);

#endif
