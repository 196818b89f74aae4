/* SPDX-License-Identifier: GPL-2.0-only */
/* join.c - puts the segments of each thread in order of time. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "counting/calls/internal.h"

/* Returns the index of the first thread whose key is not less. */
static size_t find_thread(const struct calls *c, uint64_t key)
{
	size_t lo = 0, hi = c->who.nr_threads;

	BISECT(lo, hi, mid, c->who.threads[mid]->key < key);
	return lo;
}

struct thread_calls *thread_get(struct calls *c, uint64_t key)
{
	const size_t lo = find_thread(c, key);
	struct thread_calls *t;

	if (lo < c->who.nr_threads && c->who.threads[lo]->key == key)
		return c->who.threads[lo];
	array_reserve(&c->who.threads, c->who.nr_threads, &c->who.cap_threads,
		      sizeof(*c->who.threads));
	t = mem_zeroed(1, sizeof(*t));
	t->key = key;
	memmove(c->who.threads + lo + 1, c->who.threads + lo,
		(c->who.nr_threads - lo) * sizeof(*c->who.threads));
	c->who.threads[lo] = t;
	c->who.nr_threads++;
	return t;
}

/* A segment for which there is no room: what precedes it in its own stretch is its stack. */
static void take_orphan(struct calls *c, struct thread_calls *orphan, const struct segment *seg)
{
	if (seg->begin.cause == CAUSE_JOIN || orphan->key != seg->key) {
		c->totals.unjoined++;
		thread_end(c, orphan, CALLS_END_LOST);
	}
	orphan->key = seg->key;
	segment_apply(c, orphan, seg, false);
}

void join_orphans(struct calls *c)
{
	size_t i;

	for (i = 0; i < c->keep.nr_rooms; i++)
		thread_end(c, &c->keep.rooms[i].orphan, CALLS_STILL_OPEN);
}

/*
 * Returns the room of a stream. Each stream has an equal share of limits.kept, so that it does not
 * matter which streams are decoded in one shard.
 */
static struct room *room_of(struct calls *c, uint64_t stream)
{
	struct room *r;

	if (c->keep.room < c->keep.nr_rooms && c->keep.rooms[c->keep.room].stream == stream)
		return &c->keep.rooms[c->keep.room];
	for (c->keep.room = 0; c->keep.room < c->keep.nr_rooms; c->keep.room++)
		if (c->keep.rooms[c->keep.room].stream == stream)
			return &c->keep.rooms[c->keep.room];
	r = ARRAY_ADD(c->keep.rooms, c->keep.nr_rooms, c->keep.cap_rooms);
	*r = (struct room){ .stream = stream, .left = c->limits.kept / c->keep.streams };
	return r;
}

/* Takes room for a segment. False: there is none, and will be none. */
static bool take_room(struct room *r, uint64_t bytes)
{
	bool fits = bytes <= r->left;

	r->left = fits ? r->left - bytes : 0;
	return fits;
}

static void *copy_of(const void *p, size_t size)
{
	void *copy = mem_new(size);

	return size ? memcpy(copy, p, size) : copy;
}

/* Keeps a copy of a segment. */
static void keep(struct calls *c, const struct segment *seg)
{
	size_t counted = seg->made.nr_counted * sizeof(*seg->made.counted),
	       frames = seg->made.nr_frames * sizeof(*seg->made.frames);
	struct room *room = room_of(c, seg->stream);
	struct segment *k;

	if (!take_room(room, sizeof(*seg) + counted + frames)) {
		take_orphan(c, &room->orphan, seg);
		return;
	}
	k = ARRAY_ADD(c->keep.kept, c->keep.nr_kept, c->keep.cap_kept);
	*k = *seg;
	k->made.counted = copy_of(seg->made.counted, counted);
	k->made.frames = copy_of(seg->made.frames, frames);
	k->sliced.slices = NULL;
	k->sliced.frame_begins = NULL;
	if (!c->slices)
		return;
	k->sliced.slices =
		copy_of(seg->sliced.slices, seg->sliced.nr_slices * sizeof(*k->sliced.slices));
	k->sliced.frame_begins = copy_of(seg->sliced.frame_begins,
					 seg->made.nr_frames * sizeof(*k->sliced.frame_begins));
	c->slices->nr_parts += seg->sliced.nr_slices;
}

void join_take(struct calls *c, const struct segment *seg)
{
	if (c->keep.deferred)
		keep(c, seg);
	else
		segment_apply(c, thread_get(c, seg->key), seg, false);
}

void join_forest(struct calls *c, struct cct *t)
{
	struct cct *f;
	size_t i;

	for (i = c->keep.nr_kept; i > 0 && c->keep.kept[i - 1].made.tree != t; i--)
		;
	if (!i) {
		cct_free(t);
		return;
	}
	f = mem_zeroed(1, sizeof(*f));
	*f = *t;
	*ARRAY_ADD(c->keep.forests, c->keep.nr_forests, c->keep.cap_forests) = f;
	/* those of a tree that was kept before have been changed */
	for (i = c->keep.nr_kept; i-- > 0;)
		if (c->keep.kept[i].made.tree == t)
			c->keep.kept[i].made.tree = f;
	memset(t, 0, sizeof(*t));
}

static int by_place(const void *pa, const void *pb)
{
	const struct segment *a = pa, *b = pb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_thread_and_place(const void *pa, const void *pb)
{
	const struct segment *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return by_place(a, b);
}

/* A timestamp is before all that follows in its stream, also in later fragments. The segments are in order of place. */
static void spread_times(struct segment *v, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++) {
		if (v[i].stream != v[i - 1].stream)
			continue;
		if (v[i].when.after < v[i - 1].when.after)
			v[i].when.after = v[i - 1].when.after;
		v[i].when.timed |= v[i].when.after != 0;
	}
}

/* The segments of a thread on one stream that are still to be applied. */
struct lineup {
	size_t at, end;
};

/* True if a handler that is open interrupted the thread at this address. */
static bool interrupted_at(const struct thread_calls *t, uint64_t addr)
{
	size_t i;

	for (i = t->nr; i-- > 1;)
		if (t->f[i].kind == CST_COUNT_SIGNAL && t->f[i].ret == addr)
			return true;
	return false;
}

/* True if the missing code that a thread executes was called, and returns to this address. */
static bool returns_to(const struct thread_calls *t, uint64_t addr)
{
	size_t i = t->nr - 1;

	while (i && t->f[i].kind == CST_COUNT_TAIL)
		i--;
	return t->end.missing && t->f[i].kind == CST_COUNT_CALL && t->f[i].ret == addr;
}

/* How well a stretch continues a thread. */
enum fit {
	FIT_NO,
	FIT_MAYBE,	/* the stack is unknown, a signal handler begins, or the kernel continues the function elsewhere */
	FIT_YES,	/* it begins where the thread was interrupted */
};

static enum fit fit(const struct thread_calls *t, const struct segment *seg)
{
	if (!t->nr || t->end.lost || seg->gap.lost)
		return FIT_MAYBE;
	if ((t->end.expect && seg->begin.addr == t->end.expect) || returns_to(t, seg->begin.addr))
		return FIT_YES;
	if (!t->end.kernel && !t->end.missing)
		return FIT_NO;
	if (interrupted_at(t, seg->begin.addr))
		return FIT_YES;
	return seg->begin.place == seg->begin.entry ||
			       seg->begin.addr - t->f[t->nr - 1].lo < t->f[t->nr - 1].span ?
		       FIT_MAYBE :
		       FIT_NO;
}

/* The stretch that is taken for the next one of a thread. */
struct choice {
	size_t stream;
	bool estimated;		/* by its estimated time */
	bool unordered;		/* it is not known to follow */
};

/*
 * Finds the stream whose next stretch is the next one of the thread. Timestamps exclude a stretch that began after the
 * end of another one. Of the others it is the one that fits best, and of several the earliest by the estimated times. It is
 * unordered if, without timestamps, none continues where the thread was interrupted, or several do; or if timestamps do not
 * order all of them, and none can follow: an estimate was wrong.
 */
static struct choice next_stretch(const struct calls *c, const struct lineup *v, size_t n, const struct thread_calls *t)
{
	uint64_t limit = UINT64_MAX;
	unsigned int possible = 0, equal = 0;
	enum fit best_fit = FIT_NO, f;
	const struct segment *seg, *best = NULL;
	struct choice choice = { .stream = 0 };
	bool timed = true;
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].at < v[i].end && c->keep.kept[v[i].at].when.before < limit)
			limit = c->keep.kept[v[i].at].when.before;
	for (i = 0; i < n; i++) {
		seg = &c->keep.kept[v[i].at];
		if (v[i].at == v[i].end || seg->when.after > limit)
			continue;
		possible++;
		timed &= seg->when.timed;
		f = fit(t, seg);
		equal += f == FIT_YES;
		if (best && (f < best_fit || (f == best_fit && seg->when.time >= best->when.time)))
			continue;
		best = seg;
		best_fit = f;
		choice.stream = i;
	}
	choice.estimated = possible > 1 && (best_fit != FIT_YES || equal > 1);
	choice.unordered = t->nr && (timed ? best_fit == FIT_NO && (choice.estimated || t->estimated) : choice.estimated);
	return choice;
}

/* Applies a kept segment. Its calls in time are those of the thread from now on. */
static void apply_kept(struct calls *c, struct thread_calls *t, struct segment *k, bool unordered)
{
	const struct segment seg = *k;

	if (c->slices) {
		c->slices->nr_parts -= k->sliced.nr_slices;
		k->sliced.nr_slices = 0;
	}
	segment_apply(c, t, &seg, unordered);
}

/* Applies a stretch: up to the next place where the thread may have been elsewhere. */
static void join_stretch(struct calls *c, struct thread_calls *t, struct lineup *from,
			 const struct choice *choice)
{
	apply_kept(c, t, &c->keep.kept[from->at++], choice->unordered);
	t->estimated |= choice->estimated;
	c->totals.estimated +=
		choice->estimated && !choice->unordered && c->keep.kept[from->at - 1].when.timed;
	while (from->at < from->end && c->keep.kept[from->at].begin.cause != CAUSE_JOIN)
		apply_kept(c, t, &c->keep.kept[from->at++], false);
}

/* Applies the segments [first, end) of one thread. */
static void join_thread(struct calls *c, struct lineup *v, size_t first, size_t end)
{
	struct thread_calls *t = thread_get(c, c->keep.kept[first].key);
	struct choice choice;
	size_t n = 0, i, begin;

	for (i = first; i < end; i++) {
		if (i == first || c->keep.kept[i].stream != c->keep.kept[i - 1].stream)
			v[n++] = (struct lineup){ i, i };
		v[n - 1].end = i + 1;
	}
	for (i = first; i < end; i += v[choice.stream].at - begin) {
		choice = next_stretch(c, v, n, t);
		begin = v[choice.stream].at;
		join_stretch(c, t, &v[choice.stream], &choice);
	}
	thread_end(c, t, CALLS_STILL_OPEN);
	cct_free(&t->tree);
}

void join_shard(struct calls *c, const struct calls *shard)
{
	const struct segment *k = shard->keep.kept, *end;

	for (end = k + shard->keep.nr_kept; k < end; k++)
		segment_apply(c, thread_get(c, k->key), k, false);
}

/* False if the shard has more segments than it may keep. */
static bool is_complete(const struct calls *shard)
{
	size_t i;

	for (i = 0; i < shard->keep.nr_rooms && shard->keep.rooms[i].left; i++)
		;
	return i == shard->keep.nr_rooms;
}

/*
 * Returns the index of the frame in which a segment of a shard begins in one thread: below frame
 * `i`, which the segment before it has left. `i`: that one ends there in one thread, too.
 */
static size_t frame_below(const struct thread_calls *t, size_t i, const struct segment *k)
{
	const size_t head = stack_head(t, i);

	switch (k->begin.cause) {
	case CAUSE_PART:
		return i ? i - 1 : i;
	case CAUSE_RETURN:
	case CAUSE_ERET:
		if (head && t->f[head].ret == k->begin.addr && t->f[head].kind != CST_COUNT_SIGNAL)
			return head - 1;
	}
	return i;
}

/* True if a segment that begins in frame `to` behind frame `from` is the same in one thread. */
static bool fits_frame(const struct thread_calls *t, size_t from, size_t to,
		       const struct segment *k)
{
	if (k->begin.cause == CAUSE_PART && t->f[from].kind != CST_COUNT_TAIL)
		return false;
	if (from == to)
		return true;
	if (k->begin.cause == CAUSE_ERET && t->f[to + 1].kind != CST_COUNT_EXCEPTION)
		return false;
	return t->f[to].lo == k->begin.lo && t->f[to].span == k->begin.span;
}

/* True if a function that the segment has called is open at its end, not only tails of its base. */
static bool has_open_call(const struct segment *k)
{
	uint32_t i;

	for (i = 0; i < k->made.nr_frames; i++)
		if (k->made.frames[i].kind != CST_COUNT_TAIL)
			return true;
	return false;
}

/*
 * One thread does not end a segment where a call returns that was made before the shard. It
 * continues with the caller as that was when it called. The shard finds the function at the return
 * address, if its lead does not have the call. These differ if the call was made in another part of
 * the function, and if the caller is the tail of another function. From the first segment on that
 * ends for another reason, both are the same.
 */
static bool fits_stack(const struct thread_calls *t, const struct segment *k,
		       const struct segment *end)
{
	size_t i = t->nr - 1, below;

	for (;; i = below) {
		if (k->begin.base_left && t->f[i].kind == CST_COUNT_TAIL)
			return false;
		if (has_open_call(k) || ++k == end || k->key != t->key)
			return true;
		below = frame_below(t, i, k);
		if (!fits_frame(t, i, below, k))
			return false;
		if (below == i)
			return true;
	}
}

bool calls_shard_fits(const struct calls *c, const struct calls *shard)
{
	const struct segment *k = shard->keep.kept;
	size_t i;

	if (!is_complete(shard))
		return false;
	if (!shard->keep.nr_kept || k->begin.cause != CAUSE_CONTINUE)
		return true;
	i = find_thread(c, k->key);
	if (i == c->who.nr_threads || c->who.threads[i]->key != k->key)
		return false;
	/* a very deep stack is cut where it has MAX_FRAMES frames in one segment */
	return c->who.threads[i]->nr && c->who.threads[i]->nr < MAX_FRAMES / 2 &&
	       fits_stack(c->who.threads[i], k, k + shard->keep.nr_kept);
}

void join_all(struct calls *c)
{
	struct lineup *v;
	size_t i, first = 0;

	if (!c->keep.nr_kept)
		return;
	v = mem_array(c->keep.nr_kept, sizeof(*v));
	qsort(c->keep.kept, c->keep.nr_kept, sizeof(*c->keep.kept), by_place);
	spread_times(c->keep.kept, c->keep.nr_kept);
	qsort(c->keep.kept, c->keep.nr_kept, sizeof(*c->keep.kept), by_thread_and_place);
	for (i = 1; i <= c->keep.nr_kept; i++) {
		if (i < c->keep.nr_kept && c->keep.kept[i].key == c->keep.kept[first].key)
			continue;
		join_thread(c, v, first, i);
		first = i;
	}
	free(v);
}
