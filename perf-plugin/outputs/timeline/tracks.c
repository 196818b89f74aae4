/* SPDX-License-Identifier: GPL-2.0-only */
/* tracks.c - what happened on each CPU, out of batches. */
#include "outputs/timeline/tracks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/longest.h"
#include "counting/calls/slices.h"

static uint64_t hash(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u >> 32;
}

static uint64_t hash_at(const void *array, uint32_t i)
{
	return hash(((const struct track_thread *)array)[i].key);
}

/* The thread in the slot of a key; NULL: the slot is free. */
static struct track_thread *find_thread(const struct tracks *t, uint64_t key, size_t *at)
{
	SLOTS_FIND(&t->by_key, *at, hash(key), t->threads[t->by_key.v[*at] - 1].key == key);
	return t->by_key.v[*at] ? &t->threads[t->by_key.v[*at] - 1] : NULL;
}

const struct track_thread *tracks_thread(const struct tracks *t, uint64_t key)
{
	size_t at;

	return t->nr_threads ? find_thread(t, key, &at) : NULL;
}

static void see_thread(struct tracks *t, uint64_t key, const struct stream *s)
{
	const bool guest = s->guest && s->tid >= 0;
	struct track_thread *th;
	size_t at;

	slots_reserve(&t->by_key, t->nr_threads, t->threads, hash_at);
	th = find_thread(t, key, &at);
	if (th) {
		th->cpu = s->cpu;
		/* a process may be known later than its thread */
		if (th->pid < 0)
			th->pid = guest ? s->pid : s->host.pid;
		return;
	}
	*ARRAY_ADD(t->threads, t->nr_threads, t->cap_threads) = (struct track_thread){
		.key = key,
		.pid = guest ? s->pid : s->host.pid,
		.tid = guest ? s->tid : s->host.tid,
		.machine = guest ? s->host.pid : -1,
		.vm = guest ? s->vm : 0,
		.cpu = s->cpu,
		.time = s->time
	};
	t->by_key.v[at] = (uint32_t)t->nr_threads;
}

/* Leaves out the shortest spans when there are too many; messages, which have no length, stay. */
static void leave_out(struct tracks *t)
{
	uint64_t *length = mem_array(t->nr_spans, sizeof(*length));
	size_t i, n;

	for (i = n = 0; i < t->nr_spans; i++)
		if (t->spans[i].kind != TRACK_MESSAGE)
			length[n++] = t->spans[i].end - t->spans[i].begin;
	t->min = longest_limit(length, n, t->max);
	free(length);
	for (i = n = 0; i < t->nr_spans; i++)
		if (t->spans[i].kind == TRACK_MESSAGE || t->spans[i].end - t->spans[i].begin >= t->min)
			t->spans[n++] = t->spans[i];
	t->left_out += t->nr_spans - n;
	t->nr_spans = n;
}

static void append(struct tracks *t, const struct track_span *span)
{
	struct track_span *p = ARRAY_ADD(t->spans, t->nr_spans, t->cap_spans);

	*p = *span;
	p->order = t->order++;
}

static void add(struct tracks *t, const struct track_span *span)
{
	if (span->end - span->begin < t->min) {
		t->left_out++;
		return;
	}
	append(t, span);
	if (t->max && t->nr_spans - t->nr_messages > 2 * t->max)
		leave_out(t);
}

/* Adds a message, unless there are too many: those that come first are kept. */
static void add_message(struct tracks *t, const struct track_span *span)
{
	if (t->max && t->nr_messages == t->max) {
		t->messages_left_out++;
		return;
	}
	t->nr_messages++;
	append(t, span);
}

/*
 * Takes an element of an STM. A message without a timestamp came after the one before it; before the first timestamp, and on an
 * axis of instructions, it has no place.
 */
static void note_stm(struct tracks *t, struct track_stream *ts, const struct stream *s,
		     const struct cst_generic *g)
{
	struct track_span message = { .cpu = -1, .kind = TRACK_MESSAGE, .what = CST_GEN_SWTRACE, .value = g->payload,
				      .flags = (uint8_t)g->num };
	uint64_t time;

	if (g->kind != CST_GEN_SWTRACE || g->num & CST_SW_FREQ)
		return;
	if (!t->by_insns && g->flags & CST_GF_TS && session_trace_time(s, g->ts, &time)) {
		ts->stamped = true;
		ts->last = time;
	}
	if (!ts->stamped) {
		t->messages_untimed++;
		return;
	}
	message.begin = message.end = ts->last;
	message.key = g->num & CST_SW_ID ? TRACK_SENDER(g->master, g->channel) : TRACK_NO_SENDER;
	add_message(t, &message);
}

/* The moment of the stream; estimated times may go back, those of a stream do not. */
static uint64_t moment(const struct tracks *t, struct track_stream *ts, const struct stream *s, uint64_t time)
{
	uint64_t now = t->by_insns ? ts->insns : s->time_known ? session_time(s, time) : 0;

	if (now > ts->last)
		ts->last = now;
	return ts->last;
}

static void end_run(struct tracks *t, struct track_stream *ts, const struct stream *s, uint64_t now)
{
	const struct track_span run = { .begin = ts->begin, .end = now, .key = ts->key, .cpu = s->cpu, .kind = TRACK_RUN };

	if (ts->key == UINT64_MAX)
		return;
	ts->key = UINT64_MAX;
	add(t, &run);
}

/* Execution is known again. */
static void end_losses(struct tracks *t, struct track_stream *ts, const struct stream *s,
		       uint64_t now)
{
	if (ts->lost)
		add(t, &(struct track_span){ .begin = ts->lost_since, .end = now, .value = ts->loss,
					     .cpu = s->cpu,
						  .kind = TRACK_LOSS });
	if (ts->missing)
		add(t, &(struct track_span){ .begin = ts->missing_since, .end = now,
					     .value = ts->addr, .cpu = s->cpu,
						  .kind = TRACK_NO_CODE });
	ts->lost = ts->missing = false;
}

static void begin_loss(struct track_stream *ts, enum track_loss loss, uint64_t now)
{
	if (ts->lost)
		return;
	ts->lost = true;
	ts->loss = (uint8_t)loss;
	ts->lost_since = now;
}

static void note(struct tracks *t, struct track_stream *ts, const struct stream *s,
		 const struct cst_generic *g, uint64_t now)
{
	struct track_span message = { .begin = now, .end = now, .cpu = s->cpu, .kind = TRACK_MESSAGE, .what = g->kind };

	switch (g->kind) {
	case CST_GEN_NO_SYNC:
		if (g->num == CST_UNSYNC_OVERFLOW)
			begin_loss(ts, TRACK_LOST_OVERFLOW, now);
		else if (g->num == CST_UNSYNC_DISCARD)
			begin_loss(ts, TRACK_LOST_DISCARD, now);
		else if (g->num == CST_UNSYNC_BAD_IMAGE)
			begin_loss(ts, TRACK_LOST_IMAGE, now);
		else if (g->num == CST_UNSYNC_BAD_PACKET || g->error)
			begin_loss(ts, TRACK_LOST_PACKET, now);
		return;
	case CST_GEN_TRACE_ON:
		if (g->num == CST_ON_OVERFLOW)
			begin_loss(ts, TRACK_LOST_OVERFLOW, now);
		return;
	case CST_GEN_ADDR_UNKNOWN:
		begin_loss(ts, TRACK_LOST_ADDRESS, now);
		return;
	case CST_GEN_NACC:
		if (!ts->missing) {
			ts->missing = true;
			ts->missing_since = now;
			ts->addr = g->addr;
		}
		return;
	case CST_GEN_INSTRUMENTATION:
		message.value = g->addr;
		add_message(t, &message);
		return;
	case CST_GEN_EVENT:
		message.value = g->num;
		add_message(t, &message);
		return;
	}
}

void tracks_batch(struct tracks *t, struct track_stream *ts, const struct stream *s,
		  const struct cst_generic *g, size_t n)
{
	const uint64_t key = calls_thread_of(s);
	uint64_t now;
	bool runs = false;
	size_t i;

	if (s->config->protocol == CST_PROTO_STM) {
		for (i = 0; i < n && !s->selected.excluded; i++)
			note_stm(t, ts, s, &g[i]);
		return;
	}
	now = moment(t, ts, s, s->time);
	if (s->fragment_start || s->selected.excluded || key != ts->key)
		end_run(t, ts, s, now);
	if (s->selected.excluded) {
		ts->lost = ts->missing = false;
		return;
	}
	for (i = 0; i < n; i++) {
		if (g[i].kind != CST_GEN_RANGE && g[i].kind != CST_GEN_NOPATH) {
			note(t, ts, s, &g[i], moment(t, ts, s, runs ? s->time_end : s->time));
			continue;
		}
		if (!runs && ts->key != key) {
			see_thread(t, key, s);
			ts->key = key;
			ts->begin = now;
		}
		runs = true;
		if (ts->lost | ts->missing)
			end_losses(t, ts, s, now);
		ts->insns += g[i].n_insn;
	}
	moment(t, ts, s, s->time_end);
}

void tracks_stream_end(struct tracks *t, struct track_stream *ts, const struct stream *s)
{
	end_losses(t, ts, s, ts->last);
	end_run(t, ts, s, ts->last);
}

static int by_track(const void *pa, const void *pb)
{
	const struct track_span *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The threads of a guest have keys that follow each other. */
static void number_guests(struct tracks *t)
{
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < t->nr_threads; i++) {
		if (t->threads[i].machine < 0)
			continue;
		nr += !i || t->threads[i - 1].machine != t->threads[i].machine;
		t->threads[i].guest = nr;
	}
}

void tracks_sort(struct tracks *t)
{
	size_t i;

	ARRAY_SORT_BY(t->threads, t->nr_threads, key);
	number_guests(t);
	slots_rebuild(&t->by_key, t->nr_threads, t->threads, hash_at);
	ARRAY_SORT(t->spans, t->nr_spans, by_track);
	/* times between timestamps are estimates: of threads with buffers of their own, the CPU ran one at a time */
	for (i = 1; i < t->nr_spans; i++)
		if (t->spans[i].cpu == t->spans[i - 1].cpu && t->spans[i].kind == t->spans[i - 1].kind &&
		    t->spans[i - 1].end > t->spans[i].begin)
			t->spans[i - 1].end = t->spans[i].begin;
}

static int by_thread_and_begin(const void *pa, const void *pb)
{
	const struct track_span *a = *(const struct track_span *const *)pa,
				*b = *(const struct track_span *const *)pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

void track_runs_init(struct track_runs *r, const struct tracks *t)
{
	size_t i;

	r->nr = 0;
	r->v = mem_array(t->nr_spans + 1, sizeof(*r->v));
	for (i = 0; i < t->nr_spans && !t->by_insns; i++)
		if (t->spans[i].kind == TRACK_RUN)
			r->v[r->nr++] = &t->spans[i];
	ARRAY_SORT(r->v, r->nr, by_thread_and_begin);
}

void track_runs_free(struct track_runs *r)
{
	free(r->v);
}

int track_runs_cpu(const struct track_runs *r, uint64_t key, uint64_t time)
{
	size_t lo = 0, hi = r->nr;

	BISECT(lo, hi, mid,
	       r->v[mid]->key < key || (r->v[mid]->key == key && r->v[mid]->begin <= time));
	return lo && r->v[lo - 1]->key == key && time <= r->v[lo - 1]->end ? r->v[lo - 1]->cpu : -1;
}

const char *track_loss_text(uint64_t loss)
{
	static const char *const text[] = { "trace unit overflow", "trace discarded", "bytes that are no packets",
					    "code that contradicts the trace", "unknown address" };

	return text[loss];
}

void tracks_free(struct tracks *t)
{
	free(t->threads);
	slots_free(&t->by_key);
	free(t->spans);
}
