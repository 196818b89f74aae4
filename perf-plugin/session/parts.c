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

struct comms *session_comms(const struct session *ss)
{
	struct comms *c = comms_new(ss->pd);
	size_t i;

	for (i = 0; i < ss->images.guests.nr; i++) {
		const struct guest *g = ss->images.guests.v[i];

		if (g->pd)
			comms_add_guest(c, g->pd, (uint16_t)g->number, g->offset);
	}
	return c;
}

const struct guest *session_guest(const struct session *ss, unsigned int number)
{
	return number && number <= ss->images.guests.nr ? ss->images.guests.v[number - 1] : NULL;
}

/* True if a trace unit has the host's threads in place of VMIDs. */
static bool traces_threads(const struct session *ss)
{
	uint32_t i;

	for (i = 0; i < ss->units.info.nr_cpu; i++)
		if (ss->units.v[i].pid.contextidr_el2)
			return true;
	return false;
}

int session_guest_pid(const struct session *ss, const struct guest *g)
{
	if (g->o.pid >= 0 || g->o.any || !traces_threads(ss))
		return g->o.pid;
	return threads_pid(&ss->tasks.threads, (int)g->o.id, UINT64_MAX);
}
