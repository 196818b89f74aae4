/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - ring of the last N taken branches of a stream. It is filled from high to low indices, so that its entries
 * are newest first, as in a branch stack, in at most two pieces.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_RING_H
#define CSTRACE_OUTPUTS_SYNTH_RING_H

#include <stdint.h>
#include <string.h>

struct ring_entry {		/* laid out as struct perf_branch_entry */
	uint64_t from, to;
	uint64_t flags;
};

#define RING_PREDICTED		(1ull << 1)
#define RING_CYCLES_SHIFT	4
#define RING_CYCLES_MAX		0xffffu
#define RING_TYPE_SHIFT		20

struct ring {
	struct ring_entry *e;
	struct ring_entry *spare; /* as many entries, for ring_replace() */
	uint32_t size;
	uint32_t head;		/* index of the newest entry */
	uint32_t count;
	uint32_t fresh;		/* entries since the last ring_report() */
};

static inline void ring_clear(struct ring *r)
{
	r->head = 0;
	r->count = 0;
	r->fresh = 0;
}

static inline uint64_t ring_flags(unsigned int type)
{
	return RING_PREDICTED | (uint64_t)type << RING_TYPE_SHIFT;
}

static inline uint64_t ring_cycles(uint32_t cycles)
{
	return (uint64_t)(cycles < RING_CYCLES_MAX ? cycles : RING_CYCLES_MAX) << RING_CYCLES_SHIFT;
}

static inline void ring_push_flags(struct ring *r, uint64_t from, uint64_t to, uint64_t flags)
{
	uint32_t head = r->head ? r->head - 1 : r->size - 1;
	struct ring_entry *e = &r->e[head];

	e->from = from;
	e->to = to;
	e->flags = flags;
	r->head = head;
	r->count += r->count < r->size;
	r->fresh++;
}

static inline void ring_push(struct ring *r, uint64_t from, uint64_t to, unsigned int type,
			     uint32_t cycles)
{
	ring_push_flags(r, from, to, ring_flags(type) | ring_cycles(cycles));
}

/* Fields that change with each push, for consecutive pushes. */
struct ring_writer {
	struct ring_entry *e, *newest;	/* the ring's first entry, and the newest one */
	uint32_t size, n;
};

static inline void ring_write(const struct ring *r, struct ring_writer *w)
{
	w->e = r->e;
	w->newest = r->e + r->head;
	w->size = r->size;
	w->n = 0;
}

static inline void ring_next(struct ring_writer *w, uint64_t from, uint64_t to, uint64_t flags)
{
	struct ring_entry *e = w->newest == w->e ? w->e + w->size : w->newest;

	w->newest = --e;
	e->from = from;
	e->to = to;
	e->flags = flags;
	w->n++;
}

static inline void ring_written(struct ring *r, const struct ring_writer *w)
{
	r->head = (uint32_t)(w->newest - w->e);
	r->count = w->n < r->size - r->count ? r->count + w->n : r->size;
	r->fresh += w->n;
}

/* Entry `i`, 0 being the newest. */
static inline const struct ring_entry *ring_at(const struct ring *r, uint32_t i)
{
	const uint32_t at = r->head + i;

	return &r->e[at < r->size ? at : at - r->size];
}

static inline uint32_t ring_cycles_of(const struct ring_entry *e)
{
	return e->flags >> RING_CYCLES_SHIFT & RING_CYCLES_MAX;
}

/*
 * Replaces the entries by the n newest ones in `spare`, which are newest first. Older entries stay as far as there is
 * room for them.
 */
static inline void ring_replace(struct ring *r, uint32_t n)
{
	struct ring_entry *e = r->spare;
	uint32_t i, old = r->count < r->size - n ? r->count : r->size - n;

	for (i = 0; i < old; i++)
		e[n + i] = *ring_at(r, i);
	r->spare = r->e;
	r->e = e;
	r->head = 0;
	r->count = n + old;
	r->fresh += n;
}

/* Copies all entries, newest first, to `dst` (room for `size`). Returns their number. */
static inline uint32_t ring_copy(const struct ring *r, struct ring_entry *dst)
{
	uint32_t first = r->size - r->head;

	if (first > r->count)
		first = r->count;
	memcpy(dst, r->e + r->head, first * sizeof(*dst));
	memcpy(dst + first, r->e, (r->count - first) * sizeof(*dst));
	return r->count;
}

#endif
