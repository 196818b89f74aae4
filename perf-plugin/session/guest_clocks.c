/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest_clocks.c - collects the changes of guests' threads in the trace, and sets the offsets of
 * guests' clocks.
 */
#include "session/guest_clocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/messages.h"
#include "machine/clocks/scan.h"
#include "session/internal.h"

#define ELEMENTS 1024
/* Bytes of trace that are searched, and changes of a guest that are enough. */
#define BUDGET (64ull << 20)
#define ENOUGH 1024u

/* Changes of the threads of one guest. */
struct changes {
	struct guest_turn *v;
	size_t nr, cap;
};

/* State of a stream. */
struct watch {
	const struct guest *guest;	/* of the last context of a guest; NULL: none */
	uint32_t vcpu;			/* its VMID field */
	int tid;			/* and context ID */
	bool dated;			/* `time` is known */
	uint64_t time;			/* of the last timestamp */
	struct {
		unsigned int guest;	/* its number */
		int tid;
	} waiting[8];			/* changes since then */
	unsigned int nr_waiting;
};

struct search {
	struct session *ss;
	struct changes *of;	/* by guest.number - 1 */
	const struct fragment *f;
	struct clock_scan scan;
	struct watch watch[128];
	uint64_t bytes;
	struct cst_generic elements[ELEMENTS];
};

/* Returns the guest of a context, NULL: the host's, or a guest without files. */
static const struct guest *guest_of(const struct search *s, const struct trace_unit *u,
				    const struct cst_generic *g)
{
	const bool el2 = u->pid.contextidr_el2;
	int pid;

	if (!(g->flags & CST_GF_EL) || !(g->flags & CST_GF_VMID) || !(g->flags & CST_GF_CID) ||
	    g->el > 1 || (el2 && !g->el))
		return NULL;
	if (!el2)
		return g->vmid ? guests_find(&s->ss->images.guests, true, g->vmid, -1, -1) : NULL;
	pid = threads_pid(&s->ss->tasks.threads, (int)g->vmid, UINT64_MAX);
	return guests_find(&s->ss->images.guests, false, 0, pid, (int)g->vmid);
}

static void take_context(struct search *s, struct watch *w, const struct trace_unit *u,
			 const struct cst_generic *g)
{
	const struct guest *guest = guest_of(s, u, g);
	const int tid = (int)g->context_id;

	if (!guest)
		return;
	if (w->guest == guest && w->vcpu == g->vmid && w->tid != tid && tid > 0 && w->dated &&
	    w->nr_waiting < sizeof(w->waiting) / sizeof(w->waiting[0]))
		w->waiting[w->nr_waiting].guest = guest->number,
		w->waiting[w->nr_waiting++].tid = tid;
	w->guest = guest;
	w->vcpu = g->vmid;
	w->tid = tid;
}

/* Dates the changes since the last timestamp in the middle between both. */
static void take_time(struct search *s, struct watch *w, const struct trace_unit *u, uint64_t ticks)
{
	const struct trace_clock *clock = clocks_of_cpu(&s->ss->clocks, unit_cpu(u));
	struct changes *c;
	uint64_t time;
	unsigned int i;

	if (!ticks || !clock || !clock_ns(clock, ticks, s->f->pub.time, &time))
		return;
	for (i = 0; i < w->nr_waiting; i++) {
		c = &s->of[w->waiting[i].guest - 1];
		if (time >= w->time && c->nr < ENOUGH)
			*ARRAY_ADD(c->v, c->nr, c->cap) = (struct guest_turn){
				.time = w->time + (time - w->time) / 2, .tid = w->waiting[i].tid };
	}
	w->nr_waiting = 0;
	w->dated = true;
	w->time = time;
}

static void take_elements(struct search *s, unsigned int id, int n)
{
	struct watch *w = &s->watch[id];
	const struct cst_generic *g;

	for (g = s->elements; g < s->elements + n; g++) {
		switch (g->kind) {
		case CST_GEN_PE_CONTEXT:
			take_context(s, w, s->scan.unit[id], g);
			break;
		case CST_GEN_TIMESTAMP:
			take_time(s, w, s->scan.unit[id], g->addr);
			break;
		case CST_GEN_NO_SYNC:
			w->guest = NULL;
			w->nr_waiting = 0;
			break;
		}
	}
}

static unsigned int id_of(const struct search *s, const struct cst_decoder *dec)
{
	unsigned int id = 0;

	while (id < 127 && s->scan.dec[id] != dec)
		id++;
	return id;
}

static int look_at(struct search *s, struct queue *q, const struct fragment *f, const uint8_t *data)
{
	struct cst_pull p;
	int n, rc = clock_scan_begin(&s->scan, &s->ss->units, q, f, data, f->pub.size);

	s->f = f;
	s->bytes += f->pub.size;
	memset(s->watch, 0, sizeof(s->watch));
	while (!rc && s->scan.nr &&
	       (n = mem_code(cst_tree_pull(s->scan.tree, s->elements, ELEMENTS, &p))) > 0)
		if (p.dec)
			take_elements(s, id_of(s, p.dec), n);
	cst_tree_free(s->scan.tree);
	return rc;
}

static void look_at_all(struct search *s)
{
	const struct queues *qs = &s->ss->queues;
	struct joined joined = { NULL, 0 };
	const struct fragment *f;
	size_t i, k;

	for (i = 0; i < qs->nr; i++)
		for (k = 0; k < qs->q[i]->nr_frags && s->bytes < BUDGET; k++) {
			f = &qs->q[i]->frags[k];
			/* what is wrong is reported when it is decoded */
			if (f->nr_parts &&
			    look_at(s, qs->q[i], f, fragment_bytes(&joined, qs->q[i], f)))
				break;
		}
	joined_free(&joined);
}

/* ---- results --------------------------------------------------------------------------------- */

/* Reads the switches to threads of the guest's recording. */
static void read_switches(const struct guest *g, struct changes *c)
{
	struct pd_record rec;
	int rc;

	perfdata_rewind(g->pd);
	while ((rc = perfdata_next(g->pd, &rec))) {
		const unsigned int type = rc > 0 ? rec.ev->header.type : 0;

		if ((type != PERF_RECORD_SWITCH && type != PERF_RECORD_SWITCH_CPU_WIDE) ||
		    rec.ev->header.misc & PERF_RECORD_MISC_SWITCH_OUT ||
		    !(rec.sid.valid & PERF_SAMPLE_TIME) || !(rec.sid.valid & PERF_SAMPLE_TID) ||
		    (int)rec.sid.tid <= 0)
			continue;
		*ARRAY_ADD(c->v, c->nr, c->cap) =
			(struct guest_turn){ .time = rec.sid.time, .tid = (int)rec.sid.tid };
	}
}

/* Nothing can be compared: the clocks are taken for equal. */
static void warn_unknown(const struct guest *g, bool has_switches)
{
	fprintf(message_stream(),
		"cstrace: %s: warning: nothing shows by how much its clock is ahead of the host's "
		"(%s): taken as 0; give offset=NS\n", g->name, has_switches ?
		"no change of its threads has a time in the trace" :
		"no context switches in its recording, as perf record --switch-events writes");
}

static int take_fit(struct guest *g, const struct guest_fit *fit)
{
	if (!guest_fit_is_sure(fit)) {
		fprintf(message_stream(),
			"cstrace: %s: it is not clear by how much its clock is ahead of the "
			"host's: the best offset explains %zu of %zu changes of its threads in "
			"the trace, another one %zu; give offset=NS\n", g->name, fit->fitting,
			fit->changes, fit->other);
		return ERR_REPORTED;
	}
	g->offset = fit->offset;
	fprintf(message_stream(),
		"cstrace: %s: its clock is %" PRId64 " ns ahead of the host's, by %zu of %zu "
		"changes of its threads in the trace (%zu with the next best offset)\n", g->name,
		fit->offset, fit->fitting, fit->changes, fit->other);
	return 0;
}

static int set_offset(struct guest *g, const struct changes *in_trace)
{
	struct changes switches = { .v = NULL };
	struct guest_fit fit;
	int rc = 0;

	read_switches(g, &switches);
	guest_clock_fit(in_trace->v, in_trace->nr, switches.v, switches.nr, &fit);
	if (!switches.nr || !in_trace->nr)
		warn_unknown(g, switches.nr > 0);
	else
		rc = take_fit(g, &fit);
	free(switches.v);
	return rc;
}

static bool needs_offset(const struct guest *g)
{
	return g->pd && !g->o.has_offset && g->threads.have_time;
}

int session_guest_clocks(struct session *ss)
{
	const struct guest_set *gs = &ss->images.guests;
	struct search *s;
	size_t i, n = 0;
	int rc = 0;

	for (i = 0; i < gs->nr; i++)
		n += needs_offset(gs->v[i]);
	if (!n)
		return 0;
	s = mem_zeroed(1, sizeof(*s));
	s->ss = ss;
	s->of = mem_zeroed(gs->nr, sizeof(*s->of));
	look_at_all(s);
	for (i = 0; i < gs->nr && !rc; i++)
		rc = needs_offset(gs->v[i]) ? set_offset(gs->v[i], &s->of[i]) : 0;
	for (i = 0; i < gs->nr; i++)
		free(s->of[i].v);
	free(s->of);
	free(s);
	return rc;
}
