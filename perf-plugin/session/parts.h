/* SPDX-License-Identifier: GPL-2.0-only */
/* parts.h - access to the objects of other rooms that a session consists of, for reports. */
#ifndef CSTRACE_SESSION_PARTS_H
#define CSTRACE_SESSION_PARTS_H

#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"
#include "machine/clocks/clocks.h"
#include "machine/images/dso_table.h"
#include "machine/images/kernel.h"
#include "machine/tasks/asid.h"
#include "machine/tasks/contextid.h"
#include "machine/tasks/identity.h"
#include "machine/tasks/running.h"
#include "machine/tasks/threads.h"
#include "session/losses/losses.h"
#include "session/session.h"

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
