/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backlog.c - batches in chunks of memory: ranges in one byte or five, other elements as they are.
 */
#include "outputs/synth/backlog.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/large.h"
#include "machine/tasks/space.h"

/* Chunks are whole large pages of the processor. */
#define CHUNK ((size_t)2 << 20)

/*
 * Chunks after which a backlog is full, per thread that decodes. The trace of a fragment of 4 MB,
 * the buffer of perf record, takes 40 MB; two threads need half of that to run side by side.
 */
#define MAX_CHUNKS 12u

/* Maximum number of ranges in a record. */
#define MAX_RANGES 256u

/*
 * A range in a record: the number of instructions, and if its address is not that after the range
 * before.
 */
#define RANGE_INSNS 0x7fu
#define RANGE_JUMPED 0x80u

struct kept_chunk {
	struct kept_chunk *next;
	size_t used;		/* bytes, with this header */
};

struct backlog_room {
	pthread_mutex_t lock;
	struct kept_chunk *spare;	/* protected by the lock */
};

struct backlog {
	struct backlog_room *room;
	struct kept_chunk *first, *last;
	unsigned int nr;
};

/* The records of a chunk. Each begins at a multiple of 8 bytes, with its kind. */
enum kept {
	KEPT_BATCH,	/* the elements up to the next one are of this batch */
	KEPT_ELEMENT,
	KEPT_RANGES,	/* ranges that follow each other, without the last one of the sequence */
};

struct kept_batch {
	uint8_t kind;
	struct stream s;
};

struct kept_element {
	uint8_t kind;
	struct cst_generic g;
};

struct kept_ranges {
	uint8_t kind, isa, el;
	uint16_t nr;		/* of ranges */
	uint16_t jumps;		/* ranges with RANGE_JUMPED, at least the first one */
	uint32_t insns;		/* of all ranges */
	uint64_t high;		/* upper half of their addresses */
	/* the lower half, of each jump; after them the ranges, a byte each */
	uint32_t addr[];
};

/* ---- room ---------------------------------------------------------------------------------- */

struct backlog_room *backlog_room_new(void)
{
	struct backlog_room *room = mem_zeroed(1, sizeof(*room));

	pthread_mutex_init(&room->lock, NULL);
	return room;
}

static void free_chunks(struct kept_chunk *c)
{
	struct kept_chunk *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
}

void backlog_room_free(struct backlog_room *room)
{
	if (!room)
		return;
	free_chunks(room->spare);
	pthread_mutex_destroy(&room->lock);
	free(room);
}

static struct kept_chunk *take_chunk(struct backlog_room *room)
{
	struct kept_chunk *c;

	pthread_mutex_lock(&room->lock);
	c = room->spare;
	if (c)
		room->spare = c->next;
	pthread_mutex_unlock(&room->lock);
	return c ? c : large_new(CHUNK);
}

static void give_back(struct backlog_room *room, struct kept_chunk *c)
{
	pthread_mutex_lock(&room->lock);
	c->next = room->spare;
	room->spare = c;
	pthread_mutex_unlock(&room->lock);
}

struct backlog *backlog_new(struct backlog_room *room)
{
	struct backlog *b = mem_zeroed(1, sizeof(*b));

	b->room = room;
	return b;
}

/* Returns the first record of a chunk, or where the first one will be. */
static uint8_t *begin_of(struct kept_chunk *c)
{
	return (uint8_t *)c + sizeof(*c);
}

static uint8_t *end_of(struct kept_chunk *c)
{
	return (uint8_t *)c + c->used;
}

/* Rounds up to what records are aligned to. */
static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* ---- keeping ------------------------------------------------------------------------------- */

/* Returns room for a record of up to `size` bytes. */
static void *reserve(struct backlog *b, size_t size)
{
	struct kept_chunk *c;

	if (!b->last || CHUNK - b->last->used < size) {
		c = take_chunk(b->room);
		c->next = NULL;
		c->used = sizeof(*c);
		if (b->last)
			b->last->next = c;
		else
			b->first = c;
		b->last = c;
		b->nr++;
	}
	return end_of(b->last);
}

static void commit(struct backlog *b, size_t size)
{
	b->last->used += aligned(size);
}

static void keep_batch(struct backlog *b, const struct stream *s)
{
	struct kept_batch *k = reserve(b, sizeof(*k));

	k->kind = KEPT_BATCH;
	k->s = *s;
	version_hold(s->own.code);
	version_hold(s->own.other);
	commit(b, sizeof(*k));
}

static void keep_element(struct backlog *b, const struct cst_generic *g)
{
	struct kept_element *k = reserve(b, sizeof(*k));

	k->kind = KEPT_ELEMENT;
	k->g = *g;
	commit(b, sizeof(*k));
}

/* Kind, trace ID, exception level and security state of an element. */
static inline uint32_t head_of(const struct cst_generic *g)
{
	uint32_t head;

	_Static_assert(offsetof(struct cst_generic, security) ==
			       offsetof(struct cst_generic, kind) + 3,
		       "the four fields follow each other");
	memcpy(&head, &g->kind, sizeof(head));
	return head;
}

/* True if all instructions have STEP bytes, so that the end of a range needs not be kept. */
#define STEP 4u
static bool has_step(uint8_t isa)
{
	return isa == CST_ISA_A64 || isa == CST_ISA_A32;
}

static size_t ranges_size(uint32_t nr, uint32_t jumps)
{
	return sizeof(struct kept_ranges) + jumps * sizeof(uint32_t) + nr;
}

/* True if the range can be the next one of a record with `first`. */
static inline bool is_alike(const struct cst_generic *g, const struct cst_generic *first)
{
	return !((g->addr ^ first->addr) >> 32 | (g->isa ^ first->isa) |
		 g->n_insn / (RANGE_INSNS + 1));
}

/*
 * Keeps ranges from `g` on that can be in one record, but for the last one of the sequence. Returns
 * the first element that is not kept, which may be `g`.
 */
static const struct cst_generic *keep_ranges(struct backlog *b, const struct cst_generic *g,
					     const struct cst_generic *end)
{
	struct kept_ranges *k = reserve(b, ranges_size(MAX_RANGES, MAX_RANGES));
	const struct cst_generic *const first = g;
	const uint32_t head = head_of(g), unknown = !has_step(g->isa);
	uint64_t next = g->addr + 1;
	uint32_t insns = 0, i = 0, jumps = 0, jumped;
	uint8_t v[MAX_RANGES];

	if (end - g > (ptrdiff_t)MAX_RANGES)
		end = g + MAX_RANGES + 1;
	for (; g + 1 < end && head_of(g + 1) == head && is_alike(g, first); g++) {
		jumped = (g->addr != next) | unknown;
		next = g->end;
		k->addr[jumps] = (uint32_t)g->addr;
		jumps += jumped;
		v[i++] = (uint8_t)(g->n_insn | jumped * RANGE_JUMPED);
		insns += g->n_insn;
	}
	if (!i)
		return g;
	k->kind = KEPT_RANGES;
	k->isa = first->isa;
	k->el = first->el;
	k->nr = (uint16_t)i;
	k->jumps = (uint16_t)jumps;
	k->insns = insns;
	k->high = first->addr >> 32 << 32;
	memcpy(k->addr + jumps, v, i);
	commit(b, ranges_size(i, jumps));
	return g;
}

bool backlog_keep(struct backlog *b, const struct stream *s, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n, *next;

	if (b->nr >= MAX_CHUNKS)
		return false;
	keep_batch(b, s);
	while (g < end) {
		next = g->kind == CST_GEN_RANGE ? keep_ranges(b, g, end) : g;
		if (next == g)
			keep_element(b, g++);
		else
			g = next;
	}
	return true;
}

/* ---- passing on ---------------------------------------------------------------------------- */

/* A batch that is made again. */
struct replay {
	const struct backlog_use *use;
	int rc;		/* of the batches before; not 0: further ones are dropped */
	bool open;
	struct stream s;
	struct cst_generic *v;
	size_t n, cap;
	uint32_t skipped, insns; /* ranges, and their instructions, that v does not have yet */
	uint64_t left;	/* instructions up to the next sample */
};

/* Adds an element, after one for the ranges that were skipped. */
static void add(struct replay *r, const struct cst_generic *g)
{
	if (r->n + 2 > r->cap) {
		r->cap = r->cap ? 2 * r->cap : 4096;
		r->v = mem_more(r->v, r->cap, sizeof(*r->v));
	}
	if (r->skipped)
		r->v[r->n++] = (struct cst_generic){ .kind = CST_GEN_SKIPPED, .n_insn = r->insns,
						     .runs = r->skipped };
	r->skipped = r->insns = 0;
	r->v[r->n++] = *g;
}

static void skip(struct replay *r, uint32_t ranges, uint32_t insns)
{
	r->skipped += ranges;
	r->insns += insns;
}

/* Passes the batch on, and releases what it refers to. */
static void end_batch(struct replay *r)
{
	if (!r->open)
		return;
	if (!r->rc)
		r->rc = r->use->batch(r->use->data, &r->s, r->v, r->n);
	version_put(r->s.own.code);
	version_put(r->s.own.other);
	r->open = false;
	r->n = 0;
}

static void begin_batch(struct replay *r, const struct stream *s)
{
	r->s = *s;
	r->open = true;
	if (!r->rc)
		r->left = r->use->next(r->use->data, &r->s);
}

/* Returns the instructions from the end of a range to the next sample; from its begin: `left`. */
static uint64_t next_left(const struct replay *r, uint32_t insns, uint64_t left)
{
	for (; insns >= left; left = r->rc ? UINT64_MAX : r->use->further(r->use->data))
		insns -= (uint32_t)left;
	return left - insns;
}

static void add_element(struct replay *r, const struct cst_generic *g)
{
	if (g->kind == CST_GEN_RANGE)
		r->left = next_left(r, g->n_insn, r->left);
	add(r, g);
}

/* Adds ranges of which at least one has a sample. */
static void add_ranges(struct replay *r, const struct kept_ranges *k)
{
	const uint32_t *jump = k->addr;
	const uint8_t *v = (const uint8_t *)(k->addr + k->jumps);
	struct cst_generic g = { .kind = CST_GEN_RANGE, .isa = k->isa, .el = k->el };
	uint32_t i, n, jumped, low = 0, done = 0, added = 0, added_insns = 0;
	uint64_t left = r->left;

	for (i = 0; i < k->nr && k->insns - done >= left; i++) {
		n = v[i] & RANGE_INSNS;
		jumped = v[i] / RANGE_JUMPED;
		/* without a branch, which could not be predicted; ranges are after the addresses */
		low += (*jump - low) * jumped;
		jump += jumped;
		if (__builtin_expect(n >= left, 0)) {
			skip(r, i - added, done - added_insns);
			g.addr = k->high | low;
			g.n_insn = n;
			add(r, &g);
			added = i + 1;
			added_insns = done + n;
			left = next_left(r, n, left);
		} else {
			left -= n;
		}
		done += n;
		low += n * STEP;
	}
	r->left = left - (k->insns - done);
	skip(r, k->nr - added, k->insns - added_insns);
}

/* Takes a record. Returns its size. */
static size_t take_record(struct replay *r, const void *at)
{
	const struct kept_batch *b = at;
	const struct kept_element *e = at;
	const struct kept_ranges *k = at;

	switch ((enum kept)b->kind) {
	case KEPT_BATCH:
		end_batch(r);
		begin_batch(r, &b->s);
		return aligned(sizeof(*b));
	case KEPT_ELEMENT:
		add_element(r, &e->g);
		return aligned(sizeof(*e));
	case KEPT_RANGES:
		break;
	}
	if (k->insns >= r->left) {
		add_ranges(r, k);
	} else {
		r->left -= k->insns;
		skip(r, k->nr, k->insns);
	}
	return aligned(ranges_size(k->nr, k->jumps));
}

/* Takes all batches out. */
static int empty(struct backlog *b, struct replay *r)
{
	const uint8_t *at;
	struct kept_chunk *c;

	while ((c = b->first)) {
		for (at = begin_of(c); at < end_of(c);)
			at += take_record(r, at);
		b->first = c->next;
		give_back(b->room, c);
	}
	end_batch(r);
	b->last = NULL;
	b->nr = 0;
	free(r->v);
	return r->rc;
}

int backlog_replay(struct backlog *b, const struct backlog_use *use)
{
	struct replay r = { .use = use };

	return empty(b, &r);
}

void backlog_free(struct backlog *b)
{
	struct replay r = { .use = NULL, .rc = 1, .left = UINT64_MAX };

	if (!b)
		return;
	empty(b, &r);
	free(b);
}
