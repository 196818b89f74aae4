/* SPDX-License-Identifier: GPL-2.0-only */
/* parts.c - access to the objects that a session consists of. */
#include "session/internal.h"
#include "session/parts.h"

const struct session_opts *session_opts(const struct session *ss)
{
	return &ss->opts;
}

enum session_recorder session_recorder(const struct session *ss)
{
	return ss->recorder;
}

const struct trace_units *session_units(const struct session *ss)
{
	return &ss->units;
}

const struct queues *session_queues(const struct session *ss)
{
	return &ss->queues;
}

const struct clocks *session_clocks(const struct session *ss)
{
	return &ss->clocks;
}

const struct dso_table *session_dsos(const struct session *ss)
{
	return &ss->images.dsos;
}

const struct kernel_images *session_kernel(const struct session *ss)
{
	return &ss->images.kernel;
}

struct threads *session_threads(struct session *ss)
{
	return &ss->tasks.threads;
}

const struct session_tasks *session_tasks(const struct session *ss)
{
	return &ss->tasks;
}

const struct losses *session_losses(const struct session *ss)
{
	return &ss->losses;
}
