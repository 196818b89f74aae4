/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.c - follows the threads of a stream and writes their branches and calls before samples.
 */
#include "outputs/synth/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/wide.h"
#include "outputs/synth/callstack.h"

#define NO_THREAD	UINT64_MAX

struct moment {
	uint64_t thread, time, ip;
};

struct history {
	struct moment *v;	/* by thread and time, once sorted */
	size_t nr, cap;
	unsigned int stack;
	bool calls;
	branch_read_fn read;
};

struct history_stream {
	const struct history *h;
	struct merge_lane *lane;
	struct branch_state br;
	uint64_t thread;	/* whose branches are in this piece; NO_THREAD: of none */
	bool runs;		/* the batch is of that thread */
	uint64_t date;		/* end of its last batch */
	size_t next, end;	/* its samples that were not reached yet */
	/* instructions of the batch before the next sample; UINT64_MAX: that is later */
	uint64_t due;
	uint64_t done;		/* instructions of the batch so far */
	uint64_t floor;		/* minimum time of the next piece, behind the last sample */
	bool stamped;		/* the last batch ended with a timestamp */
	bool broken;		/* trace was lost before the next range */
	/* return address of the exception after the thread's last instruction; 0: there was none */
	uint64_t left;
	bool stretch;		/* the piece begins a stretch at `begin` */
	uint64_t begin;
	struct ring ring;
	uint32_t nr_calls;
	uint32_t settled;	/* a return behind these calls may have ended any of them */
	uint64_t calls[HISTORY_CALLS];
};

/* ---- samples ------------------------------------------------------------------------------ */

struct history *history_new(unsigned int stack, bool calls, branch_read_fn read)
{
	struct history *h = mem_zeroed(1, sizeof(*h));

	h->stack = stack;
	h->calls = calls;
	h->read = read;
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->v);
	free(h);
}

void history_add(struct history *h, uint64_t thread, uint64_t time, uint64_t ip)
{
	*ARRAY_ADD(h->v, h->nr, h->cap) =
		(struct moment){ .thread = thread, .time = time, .ip = ip };
}

static int by_thread(const void *pa, const void *pb)
{
	const struct moment *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->ip < b->ip ? -1 : a->ip > b->ip;
}

void history_sort(struct history *h)
{
	ARRAY_SORT(h->v, h->nr, by_thread);
}

static bool in_kernel(uint64_t addr)
{
	return addr >> 63;
}

uint32_t history_late(const struct ring *r, uint64_t ip, uint64_t at)
{
	const struct ring_entry *e;
	uint32_t i;

	for (i = 0; i < r->count; i++) {
		e = ring_at(r, i);
		if (!in_kernel(e->to) ||
		    (in_kernel(ip) && (!in_kernel(e->from) || (ip >= e->to && ip <= at))))
			break;
		at = e->from;
	}
	return i;
}

/* ---- pieces ------------------------------------------------------------------------------- */

struct history_stream *history_stream_new(const struct history *h, struct merge_lane *lane)
{
	struct history_stream *t = mem_zeroed(1, sizeof(*t));

	t->h = h;
	t->lane = lane;
	t->thread = NO_THREAD;
	branch_init(&t->br);
	if (h->stack) {
		t->ring.size = h->stack + HISTORY_LATE;
		t->ring.e = mem_array(t->ring.size, sizeof(*t->ring.e));
	}
	return t;
}

void history_stream_free(struct history_stream *t)
{
	if (!t)
		return;
	free(t->ring.e);
	free(t);
}

struct merge_lane *history_lane(const struct history_stream *t)
{
	return t->lane;
}

static uint64_t begin_of(const struct stream *s)
{
	return session_time(s, s->time);
}

static uint64_t end_of(const struct stream *s)
{
	return session_time(s, s->time_end);
}

/* Returns the time of the batch after t->done instructions. */
static uint64_t time_now(const struct history_stream *t, const struct stream *s)
{
	const uint64_t begin = begin_of(s), end = end_of(s);

	if (t->done >= s->n_insn || end <= begin)
		return end;
	return begin + wide_mul_div(end - begin, t->done, s->n_insn);
}

static void clear(struct history_stream *t)
{
	ring_clear(&t->ring);
	t->nr_calls = t->settled = 0;
	t->stretch = false;
}

/* Writes the piece so far, with up to `max` branches. */
static void write_piece(struct history_stream *t, uint64_t time, uint32_t max, uint16_t flags,
			uint64_t at)
{
	const uint32_t n = t->ring.count < max ? t->ring.count : max;
	struct history_piece *p;
	struct ring_entry *e;
	uint32_t i;

	time = time > t->floor ? time : t->floor;
	time = time > t->lane->time ? time : t->lane->time;
	p = merge_reserve(t->lane, time);
	*p = (struct history_piece){
		.header = { .type = HISTORY_RECORD,
			    .misc = flags | (t->stretch ? HISTORY_STRETCH : 0) },
		.thread = t->thread, .begin = t->begin, .resume = t->left, .at = at,
		.nr_branches = n, .nr_calls = t->nr_calls };
	e = (struct ring_entry *)(p + 1);
	for (i = 0; i < n; i++)
		*e++ = *ring_at(&t->ring, i);
	memcpy(e, t->calls, t->nr_calls * sizeof(*t->calls));
	p->header.size = (uint16_t)(sizeof(*p) + n * sizeof(*e) + t->nr_calls * sizeof(*t->calls));
	merge_commit(t->lane, p->header.size);
	clear(t);
}

/* Ends the piece where there is no sample. Branches that no sample follows are dropped. */
static void flush(struct history_stream *t, const struct stream *s, uint16_t flags)
{
	/* before its first instruction the thread may not have run for long; a loss is now */
	const bool now = flags & HISTORY_LOST || (t->runs && t->done);
	const uint64_t time = now ? time_now(t, s) : t->date;

	if (t->next < t->end && (t->ring.count || t->nr_calls || t->stretch || t->left || flags))
		write_piece(t, time, t->h->stack, flags, 0);
	else
		clear(t);
}

/* Sets how far the next sample of the running thread is. */
static void arm(struct history_stream *t, const struct stream *s)
{
	const uint64_t begin = begin_of(s), end = end_of(s);
	uint64_t time;

	t->due = UINT64_MAX;
	if (!t->runs || t->next == t->end)
		return;
	time = t->h->v[t->next].time;
	/*
	 * a batch all of which has the time of a timestamp is before it, or behind the last one
	 * that the trace has
	 */
	if (time < begin || (time == begin && (begin < end || t->stamped)))
		t->due = 0;
	else if (time < end)
		t->due = wide_mul_div(time - begin, s->n_insn, end - begin);
}

/*
 * Writes the pieces for samples that the range `g` contains, or that the thread reached before
 * it.
 */
static void reach(struct history_stream *t, const struct stream *s, const struct cst_generic *g)
{
	const struct moment *w;
	uint64_t at = g->end - g->last_size;

	while (t->due < t->done + g->n_insn) {
		w = &t->h->v[t->next++];
		write_piece(t, w->time, history_late(&t->ring, w->ip, at) + t->h->stack, 0, at);
		t->floor = w->time + 1;
		arm(t, s);
	}
}

/* ---- elements ----------------------------------------------------------------------------- */

/* Makes room where no piece can end, by the oldest callers, which matter least. */
static void drop_callers(struct history_stream *t)
{
	const uint32_t drop = HISTORY_CALLS / 2;

	t->nr_calls -= drop;
	memmove(t->calls, t->calls + drop, t->nr_calls * sizeof(*t->calls));
	t->settled = t->settled > drop ? t->settled - drop : 0;
}

static void push_call(struct history_stream *t, const struct stream *s, const struct branch *b)
{
	uint32_t depth = t->nr_calls - t->settled;
	bool is_call = branch_is_call(b->kind);

	if (!is_call && !branch_is_return(b->kind))
		return;
	if (!is_call && callstack_unwind(t->calls + t->settled, &depth, b->to)) {
		t->nr_calls = t->settled + depth;
		return;
	}
	if (t->nr_calls == HISTORY_CALLS && s->aux.window)
		drop_callers(t);
	else if (t->nr_calls == HISTORY_CALLS)
		flush(t, s, 0);
	t->calls[t->nr_calls++] = is_call ? b->from + b->size : b->to | HISTORY_RETURN;
	if (!is_call)
		t->settled = t->nr_calls;
}

static void push(struct history_stream *t, const struct stream *s, const struct branch *b)
{
	if (!b->from || !b->to)
		return;
	if (t->ring.size)
		ring_push(&t->ring, b->from, b->to, branch_perf_type(b->kind), b->cycles);
	if (t->h->calls)
		push_call(t, s, b);
}

/*
 * Finds the samples of the thread from the begin of the batch on; those before it have their
 * history. An AUX window is the history of its own sample alone.
 */
static void seek(struct history_stream *t, const struct stream *s)
{
	const uint64_t begin = begin_of(s);
	const struct moment *v = t->h->v;
	size_t lo = 0, hi = t->h->nr;

	if (s->aux.window)
		return;
	BISECT(lo, hi, mid,
	       v[mid].thread < t->thread || (v[mid].thread == t->thread && v[mid].time < begin));
	t->next = lo;
	hi = t->h->nr;
	BISECT(lo, hi, mid, v[mid].thread == t->thread);
	t->end = lo;
	arm(t, s);
}

static void enter(struct history_stream *t, const struct stream *s)
{
	t->thread = history_thread(s->host.tid, s->cpu);
	t->runs = true;
	t->date = begin_of(s);
	t->floor = 0;
}

static void take_range(struct history_stream *t, const struct stream *s,
		       const struct cst_generic *g)
{
	const bool other = !t->runs;
	bool begins = false;
	struct branch b;

	if (branch_range(&t->br, s, g, &b)) {
		push(t, s, &b);
		begins = !b.from && (other || t->broken || t->left != g->addr);
	}
	if (other || begins)
		flush(t, s, 0);
	if (other)
		enter(t, s);
	if (other || begins)
		seek(t, s);
	if (begins) {
		t->stretch = true;
		t->begin = t->broken ? 0 : g->addr;
	}
	t->broken = false;
	t->left = 0;
	reach(t, s, g);
	t->done += g->n_insn;
	branch_range_end(&t->br, s, g);
}

/* True for an element after which branches are unknown, not because nothing was traced. */
static bool is_loss(const struct cst_generic *g)
{
	return g->kind == CST_GEN_NACC || g->kind == CST_GEN_NOPATH ||
	       g->kind == CST_GEN_ADDR_UNKNOWN ||
	       (g->kind == CST_GEN_NO_SYNC && g->num != CST_UNSYNC_RESET);
}

static void take_other(struct history_stream *t, const struct stream *s,
		       const struct cst_generic *g)
{
	struct branch b;

	if (branch_other(&t->br, s, g, t->h->read, &b))
		push(t, s, &b);
	if (g->kind == CST_GEN_EXCEPTION && t->runs)
		t->left = t->br.resume;
	if (is_loss(g)) {
		t->broken = true;
		t->left = 0;
		flush(t, s, HISTORY_LOST);
	}
}

/* Ends the piece of the thread that ran; no trace follows. */
static void leave(struct history_stream *t, const struct stream *s)
{
	flush(t, s, 0);
	branch_init(&t->br);
	t->thread = NO_THREAD;
	t->runs = false;
	t->next = t->end = 0;
	t->left = 0;
}

/* Takes a batch that is not to be shown, but for a branch that is open before it. */
static void pass(struct history_stream *t, const struct stream *s, const struct cst_generic *g)
{
	struct branch b;

	if (g->kind == CST_GEN_RANGE && branch_range(&t->br, s, g, &b))
		push(t, s, &b);
	leave(t, s);
}

/*
 * Ends the piece of a thread that runs again after a while, in which it may have been on another
 * CPU.
 */
static void away(struct history_stream *t, const struct stream *s)
{
	flush(t, s, 0);
	if (t->next < t->end && t->h->v[t->next].time > t->date)
		seek(t, s);
}

/*
 * True if no sample has the batch in its history. The lead of an AUX window is in that of its own.
 */
static bool is_excluded(const struct stream *s)
{
	if (s->aux.window)
		return s->selected.excluded && !s->selected.lead;
	return s->selected.excluded || !s->time_known;
}

void history_batch(struct history_stream *t, const struct stream *s, const struct cst_generic *g,
		   size_t n)
{
	const struct cst_generic *end = g + n;

	t->done = 0;
	if (is_excluded(s)) {
		if (n)
			pass(t, s, g);
		return;
	}
	t->runs = t->thread == history_thread(s->host.tid, s->cpu);
	if (t->runs && !s->aux.window && t->date < begin_of(s))
		away(t, s);
	arm(t, s);
	for (; g < end; g++) {
		if (g->kind == CST_GEN_RANGE)
			take_range(t, s, g);
		else
			take_other(t, s, g);
	}
	if (t->runs)
		t->date = end_of(s);
	t->stamped = n && end[-1].kind == CST_GEN_TIMESTAMP;
}

void history_fragment_end(struct history_stream *t, const struct stream *s)
{
	t->done = 0;
	leave(t, s);
}

void history_window_end(struct history_stream *t, const struct stream *s, uint64_t record,
			uint64_t time)
{
	t->thread = history_window(record);
	t->stretch = true;
	t->begin = 0;
	t->floor = 0;
	write_piece(t, time, t->ring.size, 0, t->br.last);
	history_fragment_end(t, s);
}
