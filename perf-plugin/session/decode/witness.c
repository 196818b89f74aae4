/* SPDX-License-Identifier: GPL-2.0-only */
/* witness.c - pairs of traced IDs and threads, from contexts, timestamps and switches. */
#include "session/decode/witness.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/buffers/owners.h"
#include "session/decode/stream_state.h"

/* bytes searched at the begin of a fragment and, for the context at the time of its AUX record, at its end */
#define HEAD		(16u << 10)
#define TAIL		(8u << 10)
/* bytes searched in all */
#define BUDGET		(256u << 10)
/* witnesses, all of one opinion, that end the search */
#define ENOUGH		64u
#define ELEMENTS	1024

/* State of a stream. */
struct watch {
	struct trace_unit *unit;	/* NULL: no stream */
	const struct trace_clock *clock;
	uint64_t error;		/* bound of its error in ns */
	int cpu;
	bool dated;		/* `since` is known */
	uint64_t since;		/* perf time of the last timestamp, or of the fragment's begin */
	uint32_t id;		/* ID of the current context at EL0; 0: none */
	uint32_t last;		/* the last one in this fragment */
	uint32_t seen;		/* the only ID since `since`; 0: none */
	bool many;		/* there were several since then */
};

struct search {
	struct session *ss;
	struct queue *q;
	const struct fragment *f;
	struct joined joined;
	struct cst_tree *tree;
	struct watch watch[128];
	unsigned int nr_watched;
	uint64_t bytes;
	struct cst_generic elements[ELEMENTS];
};

/* The thread's number in a traced ID, 0 if there is none. */
static uint32_t thread_bits(const struct session *ss, uint32_t id)
{
	const struct contextid *c = &ss->tasks.contextid;

	if (c->forced == CONTEXTID_TID_ASID || (!c->forced && c->arch == ARCH_ARM))
		return id >> 8;
	return id;
}

/* A context at EL0 of the recorded system. */
static void user_context(struct search *s, struct watch *w, const struct cst_generic *g)
{
	struct identity *ids = &s->ss->tasks.identity;
	const struct aux_pid_source *src = &w->unit->pid;
	uint32_t cid = g->flags & CST_GF_CID ? g->context_id : 0, vmid = g->flags & CST_GF_VMID ? g->vmid : 0;

	w->id = thread_bits(s->ss, src->contextidr_el2 && vmid ? vmid : cid);
	ids->absent += !cid && !vmid && (src->contextidr_el1 || src->contextidr_el2);
	ids->traced += cid || vmid;
	w->unit->pid_seen.contextidr_el1 |= cid != 0;
	w->unit->pid_seen.contextidr_el2 |= vmid != 0;
	if (!w->id)
		return;
	ids->strangers += !identity_knows(ids, w->id);
	w->last = w->id;
	w->many |= w->seen && w->seen != w->id;
	w->seen = w->id;
}

static void take_context(struct search *s, struct watch *w, const struct cst_generic *g)
{
	w->id = 0;
	if (g->flags & CST_GF_EL && !g->el)
		user_context(s, w, g);
}

/* Ends an interval of known times, and begins the next one. */
static void end_interval(struct search *s, struct watch *w, uint64_t time)
{
	struct session *ss = s->ss;
	const uint64_t error = w->error == UINT64_MAX ? 0 : w->error, from = w->since < error ? 0 : w->since - error;
	int tids[2];
	bool all;

	if (w->dated && w->seen && !w->many && time >= w->since && running_known(&ss->tasks.running, w->cpu) &&
	    running_between(&ss->tasks.running, w->cpu, from, time + error, ZERO_OUTSIDER, tids, 2, &all) == 1 && all)
		identity_add(&ss->tasks.identity, w->seen, tids[0], true);
	w->dated = true;
	w->since = time;
	w->seen = w->id;
	w->many = false;
}

static void take_time(struct search *s, struct watch *w, uint64_t ticks)
{
	const uint64_t floor = fragment_floor(s->f), end = s->f->pub.time;
	uint64_t time;

	/* if the error is not known, the interval is the fragment */
	if (!ticks || !w->clock || w->error == UINT64_MAX || !clock_ns(w->clock, ticks, end, &time))
		return;
	end_interval(s, w, time < floor ? floor : time > end ? end : time);
}

static void take_elements(struct search *s, struct watch *w, int n)
{
	const struct cst_generic *g;

	for (g = s->elements; g < s->elements + n; g++) {
		switch (g->kind) {
		case CST_GEN_PE_CONTEXT:
			take_context(s, w, g);
			break;
		case CST_GEN_TIMESTAMP:
			take_time(s, w, g->addr);
			break;
		case CST_GEN_TRACE_ON:
		case CST_GEN_NO_SYNC:
		case CST_GEN_EXCEPTION:
			w->id = 0;
			break;
		}
	}
}

static void take_trace(struct search *s)
{
	struct cst_pull p;
	int n;

	while ((n = mem_code(cst_tree_pull(s->tree, s->elements, ELEMENTS, &p))) > 0)
		if (p.dec)
			take_elements(s, cst_decoder_cookie(p.dec), n);
}

static void add_watch(struct search *s, struct trace_unit *u, uint8_t id)
{
	struct cst_config cfg = { 0 };
	struct cst_decoder *dec;
	struct watch *w = &s->watch[id];

	if (!u || u->config_error || unit_cpu(u) < 0)
		return;
	cfg = u->config;
	cfg.trace_id = id;
	/* what else is wrong is reported when it is decoded */
	if (mem_code(cst_tree_add(s->tree, &cfg, &dec)))
		return;
	cst_decoder_set_cookie(dec, w);
	w->unit = u;
	w->cpu = unit_cpu(u);
	w->clock = clocks_of_cpu(&s->ss->clocks, w->cpu);
	w->error = w->clock ? clock_error(w->clock) : 0;
	s->nr_watched++;
}

/* Makes the decoders of the fragment. */
static void prepare(struct search *s)
{
	const struct trace_units *tu = &s->ss->units;
	const bool raw = s->f->pub.raw;
	const struct id_owner *o;
	struct trace_unit *u;
	unsigned int id;

	cst_tree_free(s->tree);
	s->tree = NULL;
	memset(s->watch, 0, sizeof(s->watch));
	s->nr_watched = 0;
	if (cst_tree_new(&s->tree, raw ? CST_TREE_RAW : CST_TREE_FRAMES,
			 raw ? 0 : CST_FRAME_RESET_4X))
		mem_refused(0);
	if (raw) {
		u = units_of_raw(tu, s->q, s->f);
		if (u)
			add_watch(s, u, u->config.trace_id);
		return;
	}
	queue_find_ids(s->q);
	for (id = 1; id < 0x70; id++) {
		if (!(s->q->ids[id >> 6] >> (id & 63) & 1))
			continue;
		o = owners_at(tu, s->q, (uint8_t)id, s->f->pub.time, s->f->seq);
		add_watch(s, units_of_owner(tu, o, (uint8_t)id), (uint8_t)id);
	}
}

/* Searches bytes [from, to) of the fragment. */
static void look_in(struct search *s, uint64_t from, uint64_t to)
{
	const struct session_fragment *f = &s->f->pub;
	const struct trace_start *start;
	struct watch *w;

	cst_tree_reset(s->tree);
	for (w = s->watch; w < s->watch + 128; w++) {
		w->id = w->last = w->seen = 0;
		w->many = false;
		w->dated = !from && f->time != NO_TIME;
		w->since = fragment_floor(s->f);
		start = w->unit ? clocks_start(&s->ss->clocks, w->cpu) : NULL;
		if (start && start->itrace && start->time > w->since)
			w->since = start->time;
	}
	if (from)
		cst_tree_start_at(s->tree, f->offset + from, CST_ID_UNKNOWN);
	s->bytes += to - from;
	if (cst_tree_feed(s->tree, f->data + from, to - from, f->offset + from))
		mem_refused(0);
	take_trace(s);
	if (to == f->size) {
		cst_tree_end(s->tree);
		take_trace(s);
	}
}

/* The AUX record was written by the thread that ran last. That is no proof: it may not have come to EL0. */
static void at_the_end(struct search *s)
{
	const struct fragment *f = s->f;
	struct watch *w;

	for (w = s->watch; w < s->watch + 128; w++) {
		if (!w->unit)
			continue;
		if (f->pub.time != NO_TIME)
			end_interval(s, w, f->pub.time);
		if (s->nr_watched == 1 && f->aux_tid > 0 && w->last &&
		    !running_known(&s->ss->tasks.running, w->cpu))
			identity_add(&s->ss->tasks.identity, w->last, f->aux_tid, false);
	}
}

static void look_at(struct search *s, struct queue *q, struct fragment *f, bool whole)
{
	const uint64_t size = f->pub.size;

	if (!size || !f->nr_parts)
		return;
	s->q = q;
	s->f = f;
	f->pub.data = fragment_bytes(&s->joined, q, f);
	prepare(s);
	if (!s->nr_watched)
		return;
	if (whole || size <= HEAD + TAIL) {
		look_in(s, 0, size);
	} else {
		look_in(s, 0, HEAD);
		look_in(s, (size - TAIL) & ~(uint64_t)15, size);
	}
	at_the_end(s);
}

static bool enough(const struct search *s)
{
	const struct identity *ids = &s->ss->tasks.identity;

	return (ids->equal >= ENOUGH && !ids->different) || (ids->absent >= ENOUGH && !ids->traced) || s->bytes >= BUDGET;
}

/* Searches the fragments of all buffers in turn. The buffer of a thread has no other thread, whatever the IDs are. */
static void look_at_all(struct search *s, bool whole)
{
	const struct queues *qs = &s->ss->queues;
	bool more = true;
	size_t i, k;

	for (k = 0; more; k++) {
		more = false;
		for (i = 0; i < qs->nr; i++) {
			struct queue *q = qs->q[i];

			if (k >= q->nr_frags || (q->cpu < 0 && q->tid > 0))
				continue;
			if (!whole && enough(s))
				return;
			more = true;
			look_at(s, q, &q->frags[k], whole);
		}
	}
}

/* Takes the ID that the trace has where the metadata names another one, or none. */
static void correct_units(struct search *s)
{
	struct trace_units *tu = &s->ss->units;
	uint32_t i;

	for (i = 0; i < tu->info.nr_cpu; i++) {
		struct trace_unit *u = &tu->v[i];

		if (u->pid.contextidr_el2 ? !u->pid_seen.contextidr_el2 && u->pid_seen.contextidr_el1 :
		    !u->pid.contextidr_el1 && u->pid_seen.contextidr_el1)
			u->pid = (struct aux_pid_source){ .contextidr_el1 = true };
	}
}

/* True if IDs in the trace are thread IDs, as far as anything is known before. */
static bool may_be_threads(const struct session *ss)
{
	const struct contextid *c = &ss->tasks.contextid;

	if (c->forced)
		return c->forced == CONTEXTID_TID || c->forced == CONTEXTID_TID_ASID;
	return c->arch != ARCH_UNKNOWN && !ss->tasks.asids.map.used;
}

void witness_collect(struct session *ss)
{
	struct identity *ids = &ss->tasks.identity;
	struct search *s;

	if (ids->collected)
		return;
	ids->collected = true;
	/* samples of sched_switch have proved it */
	if (!may_be_threads(ss) || ids->space == IDS_SAME)
		return;
	s = mem_new(sizeof(*s));
	memset(s, 0, offsetof(struct search, elements));
	s->ss = ss;
	if (ids->space != IDS_OTHER)
		look_at_all(s, false);
	identity_decide(ids, ss->tasks.scope == SCOPE_TASKS);
	if (ids->space == IDS_OTHER)
		look_at_all(s, true);
	identity_decide(ids, ss->tasks.scope == SCOPE_TASKS);
	correct_units(s);
	cst_tree_free(s->tree);
	joined_free(&s->joined);
	free(s);
}
