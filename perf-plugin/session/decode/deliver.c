/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deliver.c - delivers batches to the consumer: pending ones (pending.h) when their times are known, without those that
 * a filter excludes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/wide.h"
#include "session/decode/cycles.h"
#include "session/decode/stream.h"
#include "session/decode/run.h"

/*
 * How times are determined. A listing has packets between elements, so it needs times from the packets at once. The time
 * of an AUX record is always known.
 */
static enum deliver_mode mode_of(const struct run *r)
{
	if (!r->con->wants.times && !filter_has_time(r->ss->chosen.filter))
		return DELIVER_UNTIMED;
	return r->con->wants.record_times || r->con->wants.packet ? DELIVER_AT_ONCE : DELIVER_PENDING;
}

void deliver_open(struct run *r)
{
	struct pending *p = &r->pending;
	const uint32_t times = r->con->wants.cycles ? PENDING_CYCLES : 1;

	r->mode = mode_of(r);
	p->cap = r->mode == DELIVER_PENDING ? times * PENDING_ELEMENTS : BATCH;
	p->max = times * PENDING_BATCHES;
	p->limit = UINT64_MAX;
	p->el = mem_array(p->cap, sizeof(*p->el));
	if (r->mode == DELIVER_PENDING)
		p->b = mem_array(p->max, sizeof(*p->b));
}

static void release_spaces(struct batch *b)
{
	version_put(b->code);
	version_put(b->other);
}

void deliver_drop(struct run *r)
{
	struct pending *p = &r->pending;

	for (; p->nr; p->nr--)
		release_spaces(pending_nth(p, p->head++));
	p->at = 0;
	p->limit = UINT64_MAX;
}

void deliver_close(struct run *r)
{
	struct pending *p = &r->pending;

	deliver_drop(r);
	free(p->el);
	free(p->b);
	memset(p, 0, sizeof(*p));
}

/* ---- to the consumer --------------------------------------------------------------------------- */

/*
 * True if the rest of the stream's fragment is after the filter's times and no branch of before is
 * open.
 */
static bool is_past(const struct run *r, const struct stream_state *st, const struct cst_generic *g,
		    size_t n)
{
	size_t i;

	if (st->given.time <= filter_last(r->ss->chosen.filter))
		return false;
	for (i = 0; i < n; i++)
		if (g[i].kind == CST_GEN_RANGE)
			return true;
	return false;
}

/* Marks the files whose code is in the filter's times, and the file of the last branch's target. */
static void note_files(struct run *r, struct stream_state *st, const struct cst_generic *g, size_t n)
{
	bool use = !st->given.selected.excluded || st->out.next_used;
	struct cst_section *sec;
	uint32_t last = 0;
	struct dso *d;
	size_t i;

	for (i = 0; i < n && use; i++) {
		if (g[i].kind != CST_GEN_RANGE || !g[i].section || g[i].section == last)
			continue;
		last = g[i].section;
		sec = cst_image_section(r->ss->images.spaces.image, last);
		d = sec ? cst_section_cookie(sec) : NULL;
		if (d)
			d->counts.shown = true;
	}
	st->out.next_used = !st->given.selected.excluded;
}

/* True if the elements are more than a fragment begins with: before its first timestamp, that has no time of its own. */
static bool shows_more(const struct cst_generic *g, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		switch (g[i].kind) {
		case CST_GEN_NO_SYNC:
			if (g[i].num == CST_UNSYNC_RESET)
				continue;
			return true;
		case CST_GEN_TRACE_ON:
		case CST_GEN_PE_CONTEXT:
		case CST_GEN_TIMESTAMP:
		case CST_GEN_CYCLE_COUNT:
			continue;
		default:
			return true;
		}
	}
	return false;
}

/* Instructions of the elements. */
static uint64_t insns_of(const struct cst_generic *g, size_t n)
{
	uint64_t insns = 0;
	size_t i;

	for (i = 0; i < n; i++)
		switch (g[i].kind) {
		case CST_GEN_RANGE:
		case CST_GEN_NOPATH:
		case CST_GEN_SKIPPED:
		case CST_GEN_LISTED:
			insns += g[i].n_insn;
			break;
		default:
			break;
		}
	return insns;
}

/* Delivers elements, which a filter selects as it does `moment`. */
static int deliver_piece(struct run *r, struct stream_state *st, const struct cst_generic *g,
			 size_t n, uint64_t moment)
{
	struct filter *f = r->ss->chosen.filter;
	struct stream *s = &st->given;
	int rc = 0;

	s->selected.excluded =
		s->selected.lead ||
		(f && !filter_wants(f, s->cpu, s->host.pid, s->host.tid, moment));
	if (!s->selected.excluded && !r->ss->chosen.matched)
		r->ss->chosen.matched = shows_more(g, n);
	if (f && !s->selected.excluded)
		r->ss->totals.chosen_insns += insns_of(g, n);
	if (filter_has_time(f))
		note_files(r, st, g, n);
	if (r->con->batch && (!s->selected.excluded || r->con->wants.excluded))
		rc = r->con->batch(r->con->data, s, g, n);
	s->fragment_start = false;
	st->out.past = st->out.past || (f && is_past(r, st, g, n));
	return rc;
}

/* How the times of an element stand to those of a filter. */
enum timed {
	TIMED_OUT,
	TIMED_LATER,	/* it has instructions that are selected, but begins before */
	TIMED_IN,
};

/*
 * Compares an element with the filter's times; *moment is a time for which the filter decides as
 * for the element.
 */
static enum timed timed(const struct run *r, const struct stream *s, const struct cst_generic *g,
			uint64_t done, uint64_t *moment)
{
	const struct filter *f = r->ss->chosen.filter;
	const bool range = g->kind == CST_GEN_RANGE, insns = range && r->con->wants.insn_times;
	uint64_t edge;

	*moment = session_time(s, stream_insn_time(s, done + insns));
	if (filter_overlaps(f, *moment, *moment))
		return TIMED_IN;
	edge = filter_edge(f, *moment);
	if (!insns || session_time(s, stream_insn_time(s, done + g->n_insn)) < edge)
		return TIMED_OUT;
	*moment = edge;
	return TIMED_LATER;
}

/* Delivers a batch in pieces that are divided where the filter's times begin and end. */
static int deliver_timed(struct run *r, const struct batch *b)
{
	const struct cst_generic *g = b->g, *const end = g + b->n, *first;
	struct stream *s = &b->st->given;
	const struct stream whole = *s;
	uint64_t moment, other, done = 0, before;
	enum timed as;
	int rc = 0;

	while (g < end && !rc) {
		first = g;
		before = done;
		as = timed(r, &whole, g, done, &moment);
		do {
			done += insns_of(g, 1);
			g++;
		} while (g < end && timed(r, &whole, g, done, &other) == as);
		s->time = stream_insn_time(&whole, before);
		s->time_end = stream_insn_time(&whole, done);
		s->n_insn = (uint32_t)(done - before);
		s->stretch.done = (uint32_t)before;
		rc = deliver_piece(r, b->st, first, (size_t)(g - first), moment);
	}
	return rc;
}

/* Delivers a batch with its times, in pieces if the consumer limits their size. */
static int deliver_pieces(struct run *r, const struct batch *b)
{
	uint64_t start = b->s.time, whole = b->s.time_end - start, insns = b->s.n_insn;
	size_t i, n = b->n, step = r->con->wants.step;
	const struct filter *f = r->ss->chosen.filter;
	struct stream *s = &b->st->given;
	int rc = 0;

	*s = b->s;
	if (!step && whole && filter_has_time(f) &&
	    filter_edge(f, session_time(s, start)) <= session_time(s, s->time_end))
		return deliver_timed(r, b);
	if (!step || n <= step || !whole)
		return deliver_piece(r, b->st, b->g, n, session_time(s, start));
	for (i = 0; i < n && !rc; i += step) {
		size_t end = n - i < step ? n : i + step;

		s->time = start + wide_mul_div(whole, i, n);
		s->time_end = start + wide_mul_div(whole, end, n);
		s->n_insn = (uint32_t)(insns * end / n - insns * i / n);
		rc = deliver_piece(r, b->st, b->g + i, end - i, s->time);
	}
	return rc;
}

int deliver_gap(struct run *r, struct stream_state *st)
{
	struct cst_generic gap = { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_RESET,
				   .trace_id = st->stream.trace_id };
	struct stream *s = stream_as_given(st);

	st->out.open_end = false;
	s->selected.excluded = true;
	if (!r->con->batch || !r->con->wants.excluded)
		return 0;
	return r->con->batch(r->con->data, s, &gap, 1);
}

/* ---- waiting ----------------------------------------------------------------------------------- */

/* Finds the timestamp after all elements of the stream so far in its packets. */
static void set_next(struct stream_state *st, struct batch *b)
{
	uint64_t ticks;

	b->known = ahead_time(st, &ticks) && stream_time(st, ticks, &b->next) ? NEXT_TIME : NEXT_NONE;
}

/* Sets the next timestamp of all pending batches of the stream, and the work up to it if the last one ends with it. */
static void set_waiting(struct pending *p, struct stream_state *st, enum next_time known, uint64_t next)
{
	bool whole = known == NEXT_TIME && st->out.last_pending != NO_BATCH &&
		     pending_nth(p, st->out.last_pending)->why == CST_STOP_TIMESTAMP;
	uint64_t insns = 0, cycles = 0;
	struct batch *b;

	for (; st->out.last_pending != NO_BATCH; st->out.last_pending = b->link) {
		b = pending_nth(p, st->out.last_pending);
		whole = whole && b->why != CST_STOP_TRACE_ON;
		b->known = (uint8_t)known;
		b->next = next;
		b->whole = whole;
		b->left_insns = insns += b->s.n_insn;
		b->left_cycles = cycles += b->cycles;
	}
}

/* Delivers pending batches in order, up to the first one whose times or cycles are not known. */
static int drain(struct run *r)
{
	struct pending *p = &r->pending;
	struct batch *b;
	int rc = 0;

	while (p->nr && !rc) {
		b = pending_nth(p, p->head);
		if (b->known == NEXT_OPEN || cycles_await(b->st, p->head))
			return 0;
		stream_batch_time(b, r->con);
		rc = deliver_pieces(r, b);
		release_spaces(b);
		p->head++;
		p->nr--;
	}
	if (!p->nr) {
		p->at = 0;
		p->limit = UINT64_MAX;
	}
	return rc;
}

/*
 * Delivers the oldest batch, with the timestamp from the packets, and without cycles that are not
 * counted yet.
 */
static int force(struct run *r)
{
	struct batch *b = pending_nth(&r->pending, r->pending.head);

	if (cycles_await(b->st, r->pending.head))
		cycles_give_up(&r->pending, b->st);
	if (b->known == NEXT_OPEN) {
		set_next(b->st, b);
		set_waiting(&r->pending, b->st, b->known, b->next);
	}
	return drain(r);
}

int deliver_flush(struct run *r)
{
	struct pending *p = &r->pending;
	uint32_t i;

	for (i = 0; i < p->nr; i++) {
		cycles_give_up(p, pending_nth(p, p->head + i)->st);
		set_waiting(p, pending_nth(p, p->head + i)->st, NEXT_NONE, 0);
	}
	return drain(r);
}

/* True if the ring has room for a batch, after the last one or at its begin. */
static bool find_room(struct pending *p)
{
	size_t first;

	if (!p->nr)
		return true;
	first = (size_t)(pending_nth(p, p->head)->g - p->el);
	if (p->at < first)
		return first - p->at >= BATCH;
	if (p->cap - p->at >= BATCH)
		return true;
	if (first < BATCH)
		return false;
	p->at = 0;
	return true;
}

int deliver_room(struct run *r, struct cst_generic **out)
{
	struct pending *p = &r->pending;
	int rc = 0;

	if (r->mode == DELIVER_UNTIMED && r->con->room) {
		*out = r->con->room(r->con->data, BATCH);
		return 0;
	}
	while (!rc && (p->nr == p->max || !find_room(p)))
		rc = force(r);
	*out = p->el + p->at;
	return rc;
}

/* Adds the batch in the next place of the ring to the pending ones. */
static int add_pending(struct run *r, struct batch *b)
{
	struct pending *p = &r->pending;
	struct stream_state *st = b->st;
	uint32_t number = p->head + p->nr++;
	uint64_t ticks;

	b->code = b->s.own.code;
	b->other = b->s.own.other;
	version_hold(b->code);
	version_hold(b->other);
	b->link = st->out.last_pending;
	st->out.last_pending = number;
	p->at = (size_t)(b->g - p->el) + b->n;
	p->limit = b->limit < p->limit ? b->limit : p->limit;
	if (r->con->wants.cycles)
		cycles_take(p, st, number);
	if (b->why == CST_STOP_TIMESTAMP)
		set_waiting(p, st, b->closed == NO_TIME ? NEXT_NONE : NEXT_TIME, b->closed);
	/* otherwise the timestamp is waited for, also if it is known: the work up to it is not */
	else if (ahead_known(st) && !ahead_time(st, &ticks))
		set_waiting(p, st, NEXT_NONE, 0);
	return drain(r);
}

int deliver_batch(struct run *r, struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why)
{
	struct pending *p = &r->pending;
	struct batch one, *b = &one;

	if (r->mode == DELIVER_UNTIMED) {
		stream_as_given(st)->fragment_start = st->stream.fragment_start;
		st->stream.fragment_start = false;
		return deliver_piece(r, st, g, n, st->given.time);
	}
	if (r->mode == DELIVER_PENDING)
		b = pending_nth(p, p->head + p->nr);
	stream_batch(st, g, n, why, b);
	if (r->mode == DELIVER_PENDING &&
	    (p->nr || b->why != CST_STOP_TIMESTAMP || r->con->wants.cycles))
		return add_pending(r, b);
	if (b->why == CST_STOP_TIMESTAMP) {
		b->known = b->closed == NO_TIME ? NEXT_NONE : NEXT_TIME;
		b->next = b->closed;
	} else if (!r->con->wants.record_times) {
		set_next(st, b);
	}
	stream_batch_time(b, r->con);
	return deliver_pieces(r, b);
}
