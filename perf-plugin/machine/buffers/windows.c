/* SPDX-License-Identifier: GPL-2.0-only */
/* windows.c - makes fragments of AUX windows, and finds what they have in common. */
#include "machine/buffers/windows.h"

#include <stdlib.h>
#include <string.h>

#include <cstrace/frame.h>

#include "base/array.h"
#include "base/time.h"
#include "base/workers.h"
#include "machine/buffers/queues.h"

#define FRAME 16
/* zeros at the begin of an A-sync packet */
#define ASYNC_ZEROS 11

/* Bytes that two windows must have in common at least. */
#define MIN_COMMON 32
/* Bytes at the begin of a window that decide whether the rest is compared. */
#define FIRST 16
/* Bytes that are compared for each byte of a window; more are those of periodic trace. */
#define MAX_COMPARED 8
/*
 * Bytes of trace before the new part of a window, if windows have that: two distances of A-sync
 * packets as Linux programs them (TRCSYNCPR 12), so that a decoder can begin in the first of them.
 */
#define LEAD_BYTES 8192u
#define MAX_LEAD_WINDOWS 16

/* IDs that the formatter reserves (IHI 0029): 0x70 to 0x7f but those of a flush and a trigger. */
#define RESERVED_IDS (0xffffull << (0x70 - 64) & ~(1ull << (0x7b - 64)) & ~(1ull << (0x7d - 64)))
/* Trace sources of one buffer; bytes that are no frames seem to have more. */
#define MAX_SOURCES 64

void windows_add(struct windows *ws, const struct pd_record *rec)
{
	const struct pd_sample_id *sid = &rec->sample.sid;
	struct window_counts *c = &ws->counts;
	struct window *w = ARRAY_ADD(ws->v, ws->nr, ws->cap);

	*w = (struct window){
		.data = rec->window.data,
		.time = sid->valid & PERF_SAMPLE_TIME ? sid->time : NO_TIME,
		.seq = rec->seq,
		.size = (uint32_t)rec->window.size,
		.cpu = sid->valid & PERF_SAMPLE_CPU ? (int)sid->cpu : -1,
		.tid = sid->valid & PERF_SAMPLE_TID ? (int)sid->tid : -1,
	};
	if (!rec->window.stable) {
		w->own = mem_new(w->size);
		memcpy(w->own, w->data, w->size);
		w->data = w->own;
	}
	c->smallest = c->nr && c->smallest < w->size ? c->smallest : w->size;
	c->largest = c->largest > w->size ? c->largest : w->size;
	c->bytes += w->size;
	c->nr++;
}

void windows_free(struct windows *ws)
{
	size_t i;

	for (i = 0; i < ws->nr; i++)
		free(ws->v[i].own);
	free(ws->v);
}

/* ---- what two windows have in common ------------------------------------------------- */

struct common {
	/* bytes at the begin of the window that the one before has, or that are older */
	size_t size;
	bool sure;	/* nothing else fits */
};

/*
 * True if the first `n` bytes of a window are the last ones of the one before, as far as that has
 * them; or `most` bytes of these.
 */
static bool repeats(const struct window *before, const struct window *w, size_t n, size_t most)
{
	size_t both = n < before->size ? n : before->size;

	return !memcmp(before->data + before->size - both, w->data + n - both,
		       both < most ? both : most);
}

/*
 * Returns where the last MIN_COMMON bytes of the window before occur last, after `from`, where they
 * do.
 */
static size_t last_place(const uint8_t *end, const struct window *w, size_t from)
{
	size_t at = w->size - MIN_COMMON;

	while (at > from && memcmp(w->data + at, end, MIN_COMMON))
		at--;
	return at;
}

/*
 * Finds what a window repeats. Of periodic trace several lengths fit: then it is the largest one,
 * with which nothing is counted twice, and not sure. Frames begin at multiples of 16 in both.
 */
static struct common find_common(const struct window *before, const struct window *w, bool raw)
{
	struct common c = { .size = 0, .sure = true };
	size_t n, at, compared = 0;
	const uint8_t *end, *p;

	if (before->size < MIN_COMMON || w->size < MIN_COMMON)
		return c;
	end = before->data + before->size - MIN_COMMON;
	for (at = 0; (p = memmem(w->data + at, w->size - at, end, MIN_COMMON)); at++) {
		at = (size_t)(p - w->data);
		n = at + MIN_COMMON;
		if ((!raw && n % FRAME) || !repeats(before, w, n, FIRST))
			continue;
		compared += n;
		if (compared > MAX_COMPARED * (size_t)w->size)
			return (struct common){ last_place(end, w, at) + MIN_COMMON, false };
		if (!repeats(before, w, n, n))
			continue;
		c.sure = !c.size;
		c.size = n;
	}
	return c;
}

/* ---- fragments ----------------------------------------------------------------------- */

/* The windows of one buffer in order of time, and where each one stands in its trace. */
struct row {
	struct queues *qs;
	struct queue *q;
	const struct window *v;
	size_t nr;
	bool raw;
	size_t floor;	/* windows that end before the bytes of the last fragment begin */
	struct place {
		uint64_t offset;
		uint64_t fresh;	/* offset of the first byte that no window before has */
		bool follows;	/* repeats the end of the window before, surely */
	} *places;
};

static uint64_t end_of(const struct row *r, size_t i)
{
	return r->places[i].offset + r->v[i].size;
}

static void note_common(struct window_counts *n, const struct common *c, size_t older)
{
	n->continued += c->size && c->sure;
	*(c->sure ? &n->repeated : &n->doubtful) += c->size - older;
	n->older += older;
}

/*
 * True if the `n` bytes at the begin of window `i`, which are older than the one before it, are in
 * the windows before that.
 */
static bool known_older(const struct row *r, size_t i, size_t n)
{
	const struct window *w = r->v + i;
	uint64_t end = r->places[i - 1].offset;
	size_t k = i - 1, have, tried;

	for (tried = 0; n && r->places[k].follows && tried < MAX_LEAD_WINDOWS; tried++) {
		k--;
		/* windows may begin at the same byte */
		if (r->places[k].offset >= end)
			continue;
		have = end - r->places[k].offset < n ? (size_t)(end - r->places[k].offset) : n;
		if (memcmp(w->data + n - have, r->v[k].data + (end - have - r->places[k].offset),
			   have))
			return false;
		n -= have;
		end -= have;
	}
	return !n;
}

/* Offsets count the bytes of trace that are known, in whole frames. */
static void find_place(struct row *r, size_t i)
{
	const struct window *w = &r->v[i];
	struct place *p = &r->places[i];
	struct common c = { .size = 0 };
	uint64_t end = i ? end_of(r, i - 1) : 0;
	size_t older = 0;

	if (i) {
		c = find_common(w - 1, w, r->raw);
		/* another thread executed something, at least */
		if (c.size == w->size && w->tid != w[-1].tid)
			c.size = 0;
		older = c.size > w[-1].size ? c.size - w[-1].size : 0;
		older = older && known_older(r, i, older) ? 0 : older;
		note_common(&r->qs->windows.counts, &c, older);
	}
	/* bytes that are older than the window before, and in no other one, are left out */
	p->follows = c.size && c.sure && !older;
	if (p->follows)
		p->offset = end - c.size;
	else
		p->offset = (end + FRAME - 1) / FRAME * FRAME;
	p->fresh = p->offset + c.size;
	r->qs->windows.leads |= c.size != 0;
}

/* Returns the first window whose bytes are decoded before those of window `i`. */
static size_t lead_of(const struct row *r, size_t i)
{
	const uint64_t fresh = r->places[i].fresh;
	size_t k = i;

	while (r->places[k].follows && r->places[k - 1].offset < r->places[k].offset &&
	       fresh - r->places[k].offset < LEAD_BYTES && i - k < MAX_LEAD_WINDOWS)
		k--;
	return k;
}

static void add_part(struct queue *q, struct fragment *f, const uint8_t *data, uint64_t size)
{
	struct fragment_part *p;

	if (!size)
		return;
	p = ARRAY_ADD(q->found.parts, q->found.nr_parts, q->found.cap_parts);
	*p = (struct fragment_part){ data, size };
	f->nr_parts++;
	f->pub.size += size;
}

/*
 * Trace is not older than the last window that ends before it. What of a lead may be older is not
 * counted.
 */
static void set_since(struct row *r, struct fragment *f, size_t first)
{
	const struct window *before;

	while (r->floor < first && end_of(r, r->floor) <= f->pub.offset)
		r->floor++;
	if (!r->floor)
		return;
	before = &r->v[r->floor - 1];
	f->since = before->time != NO_TIME ? before->time : 0;
	f->since_seq = before->seq;
}

static void add_window(struct row *r, size_t i)
{
	struct queue *q = r->q;
	const struct window *w = &r->v[i];
	const struct place *p = &r->places[i];
	size_t first = lead_of(r, i), k;
	struct fragment *f = fragment_add(q, r->places[first].offset);

	for (k = first; k < i; k++)
		add_part(q, f, r->v[k].data, r->places[k + 1].offset - r->places[k].offset);
	add_part(q, f, w->data, w->size);
	f->pub.lead = p->fresh - f->pub.offset;
	f->pub.window = true;
	f->pub.raw = r->raw;
	f->pub.time = w->time;
	f->pub.tid = q->tid;
	f->aux_cpu = w->cpu;
	f->aux_tid = w->tid;
	f->seq = w->seq;
	set_since(r, f, first);
}

/* ---- buffers ------------------------------------------------------------------------- */

static bool of_thread(const struct windows *ws, const struct window *w)
{
	return w->cpu < 0 || (ws->of_threads && !ws->of_cpus);
}

static int number_of(const struct windows *ws, const struct window *w)
{
	return of_thread(ws, w) ? w->tid : w->cpu;
}

static int compare_windows(const void *a, const void *b, void *windows)
{
	const struct window *x = a, *y = b;
	bool tx = of_thread(windows, x), ty = of_thread(windows, y);
	int nx = number_of(windows, x), ny = number_of(windows, y);

	if (tx != ty)
		return tx - ty;
	if (nx != ny)
		return nx < ny ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static bool same_buffer(const struct windows *ws, const struct window *a, const struct window *b)
{
	return of_thread(ws, a) == of_thread(ws, b) && number_of(ws, a) == number_of(ws, b);
}

/* AUX records of the group name the format of the trace, not all of them have a window. */
static bool format_recorded(const struct queues *qs, bool *raw)
{
	size_t i;

	*raw = false;
	for (i = 0; i < qs->nr_aux; i++)
		*raw |= (qs->aux[i].flags & AUX_FORMAT_MASK) == AUX_FORMAT_RAW;
	return qs->nr_aux;
}

/* True if the bytes are no frames: as such they would name IDs that no source has. */
static bool looks_raw(const struct window *w, size_t nr)
{
	uint64_t ids[2] = { 0, 0 };
	size_t i, skip;

	for (i = 0; i < nr; i++) {
		skip = w[i].size % FRAME;
		cst_frame_ids(w[i].data + skip, w[i].size - skip, 0, ids);
		if (ids[1] & RESERVED_IDS ||
		    __builtin_popcountll(ids[0]) + __builtin_popcountll(ids[1]) > MAX_SOURCES)
			return true;
	}
	return false;
}

/*
 * The formatter is flushed when the buffer is read, so a window ends with a whole frame. Its size
 * is a multiple of 8 only, and it may begin inside a frame, which is left out.
 */
static void align_frames(struct window *w, size_t nr, struct window_counts *c)
{
	size_t i, skip;

	for (i = 0; i < nr; i++) {
		skip = w[i].size % FRAME;
		w[i].data += skip;
		w[i].size -= (uint32_t)skip;
		c->cut += skip;
	}
}

/* A buffer that is not full yet is read from before its begin, where it has zeros. */
static void skip_blank(struct window *w, size_t nr, bool raw)
{
	size_t i, n;

	for (i = 0; i < nr; i++) {
		for (n = 0; n < w[i].size && !w[i].data[n]; n++)
			;
		if (raw && n < w[i].size)
			n -= n < ASYNC_ZEROS ? n : ASYNC_ZEROS;
		if (!raw)
			n -= n % FRAME;
		w[i].data += n;
		w[i].size -= (uint32_t)n;
	}
}

static void take_row(struct queues *qs, struct window *w, size_t nr)
{
	bool thread = of_thread(&qs->windows, w);
	struct row r = {
		.qs = qs, .v = w, .nr = nr,
		.q = queue_add(qs, (uint32_t)qs->nr, thread ? -1 : w->cpu, thread ? w->tid : -1),
	};
	size_t i;

	if (!format_recorded(qs, &r.raw))
		r.raw = looks_raw(w, nr);
	if (!r.raw)
		align_frames(w, nr, &qs->windows.counts);
	skip_blank(w, nr, r.raw);
	r.q->any_raw = r.raw;
	r.q->any_frames = !r.raw;
	r.places = mem_array(nr, sizeof(*r.places));
	for (i = 0; i < nr; i++) {
		find_place(&r, i);
		add_window(&r, i);
	}
	free(r.places);
	r.q->ids_search = workers_new(0, r.q->nr_frags, r.q->nr_frags);
}

void windows_finish(struct queues *qs)
{
	struct windows *ws = &qs->windows;
	size_t i, k;

	if (!ws->nr)
		return;
	qsort_r(ws->v, ws->nr, sizeof(*ws->v), compare_windows, ws);
	for (i = 0; i < ws->nr; i = k) {
		for (k = i + 1; k < ws->nr && same_buffer(ws, &ws->v[i], &ws->v[k]); k++)
			;
		take_row(qs, ws->v + i, k - i);
	}
}
