/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * side_order.c - merges the sources through a queue that is as long as the first pass found them
 * out of order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "machine/sideband/side_order.h"

/* A pass is divided into at most this many blocks, whatever its length. */
#define BLOCKS 1024u

/* Events without time in a recording with times, after the first with a time; beyond, they are held back. */
#define MAX_LATE 65536u

struct key {
	uint64_t time, seq, number;
};

static const struct key key_last = { UINT64_MAX, UINT64_MAX, UINT64_MAX };

struct side_reader {
	struct side_source *src;
	bool noted;		/* a first pass was made */
	uint64_t nr;		/* events of a pass, without the late ones */
	bool timed;		/* an event with a time came in this pass */
	/* The lowest key of a block; after the first pass, that of the block and all later ones. */
	struct key *low;
	unsigned int shift;	/* block of an event: its number >> shift */
	/* The recorder may describe what ran before at the end of the file: it comes first all the same. */
	struct side_event *late;
	size_t nr_late, cap_late, seen_late;

	struct side_event *heap; /* held back; with `kept`: all, in order */
	size_t nr_heap, cap_heap, pos;
	uint64_t read;		/* events of this pass, without the late ones */
	struct key bound;	/* of what the heap does not hold yet */
	bool kept, ended;
	bool has_head;
	struct side_event head;
};

void side_order_init(struct side_order *so)
{
	memset(so, 0, sizeof(*so));
	so->keep = SIDE_KEEP;
}

static void free_source(struct side_source *src)
{
	free(src);
}

static void rewind_source(struct side_source *src)
{
	src->pos = 0;
	if (src->rewind)
		src->rewind(src);
}

void side_order_free(struct side_order *so)
{
	size_t i;

	for (i = 0; i < so->nr; i++) {
		struct side_reader *r = so->readers[i];

		(r->src->free ? r->src->free : free_source)(r->src);
		free(r->low);
		free(r->late);
		free(r->heap);
		free(r);
	}
	free(so->readers);
	strings_free(&so->names);
	memset(so, 0, sizeof(*so));
}

struct side_reader *side_order_add(struct side_order *so, struct side_source *src)
{
	struct side_reader *r = mem_zeroed(1, sizeof(*r)), **slot = NULL;

	r->src = src;
	/* those of readers that came before may have been dropped */
	r->kept = side_order_kept(so);
	r->low = mem_zeroed(BLOCKS, sizeof(*r->low));
	slot = ARRAY_ADD(so->readers, so->nr, so->cap);
	*slot = r;
	return r;
}

static struct key key_of(const struct side_event *e)
{
	return (struct key){ e->time, e->seq, e->number };
}

static bool key_before(struct key a, struct key b)
{
	if (a.time != b.time)
		return a.time < b.time;
	return a.seq != b.seq ? a.seq < b.seq : a.number < b.number;
}

static bool has_comm(const struct side_event *e)
{
	return e->kind == SIDE_COMM || e->kind == SIDE_EXEC;
}

/* What outlives the source's next call. */
static void copy_event(struct side_order *so, struct side_event *to, const struct side_event *e)
{
	uint32_t name;

	*to = *e;
	if (!has_comm(e))
		return;
	name = strings_number(&so->names, e->comm);
	to->comm = so->names.v[name];
}

/* True for a late event; the result is the same on every pass. */
static bool is_late(struct side_reader *r, const struct side_event *e)
{
	r->timed |= e->time != 0;
	return r->timed && !e->time && r->seen_late < MAX_LATE;
}

/* Twice as many events in a block. */
static void fold(struct side_reader *r)
{
	unsigned int i;

	for (i = 0; i < BLOCKS / 2; i++)
		r->low[i] = key_before(r->low[2 * i], r->low[2 * i + 1]) ? r->low[2 * i] : r->low[2 * i + 1];
	r->shift++;
}

static void drop_kept(struct side_order *so)
{
	size_t i;

	for (i = 0; i < so->nr; i++) {
		struct side_reader *r = so->readers[i];

		if (!r->kept)
			continue;
		r->kept = false;
		free(r->heap);
		r->heap = NULL;
		r->nr_heap = r->cap_heap = 0;
	}
}

void side_order_note(struct side_order *so, struct side_reader *r, const struct side_event *event)
{
	struct side_event numbered = *event;
	const struct side_event *e = &numbered;
	uint64_t block;

	numbered.number = r->nr + r->nr_late;
	r->noted = true;
	if (so->events++ == so->keep)
		drop_kept(so);
	if (r->kept)
		copy_event(so, ARRAY_ADD(r->heap, r->nr_heap, r->cap_heap), e);
	if (is_late(r, e)) {
		copy_event(so, ARRAY_ADD(r->late, r->nr_late, r->cap_late), e);
		r->seen_late++;
		return;
	}
	if (r->nr >> r->shift == BLOCKS)
		fold(r);
	block = r->nr >> r->shift;
	if (!(r->nr & ((1ull << r->shift) - 1)) || key_before(key_of(e), r->low[block]))
		r->low[block] = key_of(e);
	r->nr++;
}

static int compare_events(const void *a, const void *b)
{
	struct key x = key_of(a), y = key_of(b);

	return key_before(x, y) ? -1 : key_before(y, x);
}

static void first_pass(struct side_order *so, struct side_reader *r)
{
	struct side_event e;

	rewind_source(r->src);
	while (r->src->next(r->src, &e)) {
		/* Without times to compare with, the place in the file is all that is left. */
		if (!so->timed)
			e.time = 0;
		side_order_note(so, r, &e);
	}
}

void side_order_finish(struct side_order *so)
{
	size_t i, k;

	so->timed = so->nr && so->readers[0]->timed;
	for (i = 0; i < so->nr; i++) {
		struct side_reader *r = so->readers[i];

		if (!r->noted)
			first_pass(so, r);
	}
	for (i = 0; i < so->nr; i++) {
		struct side_reader *r = so->readers[i];

		for (k = r->nr ? (size_t)((r->nr - 1) >> r->shift) : 0; k; k--)
			if (key_before(r->low[k], r->low[k - 1]))
				r->low[k - 1] = r->low[k];
		if (r->kept && r->nr_heap)
			qsort(r->heap, r->nr_heap, sizeof(*r->heap), compare_events);
	}
	side_order_rewind(so);
}

bool side_order_kept(const struct side_order *so)
{
	return so->events <= so->keep;
}

static void heap_add(struct side_reader *r, const struct side_event *e)
{
	struct key key = key_of(e);
	size_t i;

	array_reserve(&r->heap, r->nr_heap, &r->cap_heap, sizeof(*r->heap));
	for (i = r->nr_heap++; i && key_before(key, key_of(&r->heap[(i - 1) / 2])); i = (i - 1) / 2)
		r->heap[i] = r->heap[(i - 1) / 2];
	r->heap[i] = *e;
}

static void heap_take(struct side_reader *r, struct side_event *e)
{
	const struct side_event *last = &r->heap[--r->nr_heap];
	size_t i = 0, child;

	*e = r->heap[0];
	while ((child = 2 * i + 1) < r->nr_heap) {
		if (child + 1 < r->nr_heap && key_before(key_of(&r->heap[child + 1]), key_of(&r->heap[child])))
			child++;
		if (!key_before(key_of(&r->heap[child]), key_of(last)))
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = *last;
}

void side_order_rewind(struct side_order *so)
{
	size_t i, k;

	for (i = 0; i < so->nr; i++) {
		struct side_reader *r = so->readers[i];

		r->pos = 0;
		r->has_head = r->ended = false;
		if (r->kept)
			continue;
		rewind_source(r->src);
		r->read = r->seen_late = r->nr_heap = 0;
		r->timed = false;
		r->bound = (struct key){ 0, 0, 0 };
		for (k = 0; k < r->nr_late; k++)
			heap_add(r, &r->late[k]);
	}
}

/* Reads up to the end of a block, since the lowest key of the events after it is known. */
static void read_block(struct side_order *so, struct side_reader *r)
{
	uint64_t block = r->read >> r->shift, end = (block + 1) << r->shift;
	struct side_event e, copy;

	while (r->read < end) {
		if (!r->src->next(r->src, &e)) {
			r->ended = true;
			break;
		}
		if (!so->timed)
			e.time = 0;
		e.number = r->read + r->seen_late;
		if (is_late(r, &e)) {
			r->seen_late++;
			continue;
		}
		copy_event(so, &copy, &e);
		heap_add(r, &copy);
		r->read++;
	}
	block++;
	r->bound = block << r->shift < r->nr ? r->low[block] : key_last;
}

static void reader_next(struct side_order *so, struct side_reader *r)
{
	if (r->kept) {
		r->has_head = r->pos < r->nr_heap;
		if (r->has_head)
			r->head = r->heap[r->pos++];
		return;
	}
	while (!r->ended && !(r->nr_heap && key_before(key_of(&r->heap[0]), r->bound)))
		read_block(so, r);
	r->has_head = r->nr_heap > 0;
	if (r->has_head)
		heap_take(r, &r->head);
}

bool side_order_next(struct side_order *so, struct side_event *e)
{
	struct side_reader *best = NULL;
	size_t i;

	for (i = 0; i < so->nr; i++) {
		struct side_reader *r = so->readers[i];

		if (!r->has_head && (!r->ended || r->nr_heap))
			reader_next(so, r);
		if (r->has_head && (!best || key_before(key_of(&r->head), key_of(&best->head))))
			best = r;
	}
	if (!best)
		return false;
	*e = best->head;
	best->has_head = false;
	return true;
}
