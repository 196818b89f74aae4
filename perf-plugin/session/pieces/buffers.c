/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffers.c - finds which AUX records have their trace, and divides chunks where the last one of
 * them ends.
 */
#include "session/pieces/buffers.h"

#include <string.h>

#include "base/array.h"
#include "base/time.h"
#include "machine/buffers/queues.h"

/* Chunks that are looked at for the end of an AUX record; those of more are damaged. */
#define MAX_LOOK 4096u

static uint64_t end_of(const struct piece_chunk *c)
{
	return c->head.offset + c->head.size;
}

/* Numbers of CPUs and of threads do not meet. */
static int64_t owner_key(int cpu, int tid)
{
	return cpu >= 0 ? cpu : -2 - (int64_t)tid;
}

static struct piece_buffer *get_buffer(struct piece_buffers *bs, const struct pd_auxtrace *a)
{
	const int tid = a->cpu >= 0 ? -1 : a->tid;
	struct piece_buffer *b = intmap_get(&bs->by_owner, owner_key(a->cpu, tid));

	if (b) {
		bs->ambiguous |= b->idx != a->idx;
		return b;
	}
	b = intmap_add(&bs->by_owner, owner_key(a->cpu, tid), sizeof(*b));
	b->idx = a->idx;
	b->cpu = a->cpu;
	b->tid = tid;
	*ARRAY_ADD(bs->v, bs->nr, bs->cap) = b;
	return b;
}

void buffers_add_chunk(struct piece_buffers *bs, const struct pd_record *rec)
{
	struct piece_buffer *b = get_buffer(bs, &rec->aux);
	struct piece_chunk *c;

	b->ended = false;
	if (!rec->aux.avail || rec->aux.offset > UINT64_MAX - rec->aux.avail)
		return;
	if (b->nr && b->chunks[b->nr - 1].rest) {
		c = &b->chunks[b->nr - 1];
		c->rest = false;
		b->nr -= rec->aux.offset < end_of(c);
	}
	c = ARRAY_ADD(b->chunks, b->nr, b->cap);
	*c = (struct piece_chunk){ .head = rec->ev->auxtrace, .at = rec->aux.data_offset };
	c->head.size = rec->aux.avail;
}

void buffers_add_aux(struct piece_buffers *bs, const struct pd_record *rec, struct kept *k)
{
	const struct perf_record_aux *r = (const void *)rec->ev;

	*ARRAY_ADD(bs->aux, bs->nr_aux, bs->cap_aux) = (struct piece_aux){
		.record = k,
		.offset = r->aux_offset,
		.size = r->aux_size,
		.flags = r->flags,
		.cpu = rec->sid.valid & PERF_SAMPLE_CPU ? (int)rec->sid.cpu : -1,
		.tid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid : -1,
	};
}

void buffers_end_thread(struct piece_buffers *bs, int tid)
{
	struct piece_buffer *b = intmap_get(&bs->by_owner, owner_key(-1, tid));

	if (b)
		b->ended = true;
}

/* The buffer that an AUX record is about; NULL: no trace of it has come. */
static struct piece_buffer *buffer_of(const struct piece_buffers *bs, struct piece_aux *a)
{
	if (!a->of && a->cpu >= 0)
		a->of = intmap_get(&bs->by_owner, owner_key(a->cpu, -1));
	if (!a->of)
		a->of = intmap_get(&bs->by_owner, owner_key(-1, a->tid));
	return a->of;
}

/*
 * True if a chunk from the last one that was chosen on has the end of the record's trace: then the
 * piece has the buffer up to there. A record of trace that was chosen is of a later time that the
 * buffer was open, when its offsets begin again.
 */
static bool find_end(struct piece_buffer *b, const struct piece_aux *a)
{
	const uint64_t last = a->offset + a->size - 1;
	size_t i;

	for (i = b->whole; i < b->nr && i - b->whole < MAX_LOOK; i++) {
		const struct piece_chunk *c = &b->chunks[i];

		if (c->rest || last < c->head.offset || last - c->head.offset >= c->head.size)
			continue;
		if (i == b->whole && last - c->head.offset < b->part)
			continue;
		b->whole = i;
		b->part = last - c->head.offset + 1;
		return true;
	}
	return false;
}

static void choose_all(struct piece_buffers *bs)
{
	size_t i;

	for (i = 0; i < bs->nr_aux; i++)
		bs->aux[i].ready = true;
	for (i = 0; i < bs->nr; i++) {
		struct piece_buffer *b = bs->v[i];

		b->whole = b->nr - (b->nr && b->chunks[b->nr - 1].rest);
	}
}

/* By time; records without times are in the order of the pipe. */
static int compare_aux(const void *a, const void *b)
{
	const struct piece_aux *const *x = a, *const *y = b;

	if ((*x)->record->time != (*y)->record->time)
		return (*x)->record->time < (*y)->record->time ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/*
 * Records of one buffer are chosen in the order of time, in which they come of one CPU, but the
 * buffer of a thread has them of several. Those before a chosen one whose trace has not come will
 * not get it any more.
 */
static void choose_until(struct piece_buffers *bs, uint64_t until)
{
	struct piece_aux **v = mem_array(bs->nr_aux + 1, sizeof(struct piece_aux *));
	struct piece_buffer *b;
	size_t i;

	for (i = 0; i < bs->nr_aux; i++)
		v[i] = &bs->aux[i];
	ARRAY_SORT(v, bs->nr_aux, compare_aux);
	for (i = 0; i < bs->nr_aux; i++) {
		b = buffer_of(bs, v[i]);
		if (!b || (v[i]->record->time != NO_TIME && v[i]->record->time > until))
			continue;
		if (v[i]->size)
			b->lacks = !find_end(b, v[i]);
		/* a record without trace only says that something is missing */
		if (!b->lacks)
			b->chosen = i + 1;
	}
	for (i = 0; i < bs->nr_aux; i++) {
		v[i]->ready = v[i]->of && i < v[i]->of->chosen;
		if (v[i]->of)
			v[i]->of->awaited |= !v[i]->ready;
	}
	free(v);
}

static uint64_t chosen_bytes(const struct piece_buffer *b)
{
	uint64_t sum = b->part;
	size_t i;

	for (i = 0; i < b->whole; i++)
		sum += b->chunks[i].head.size;
	return sum;
}

/* Chooses whole chunks of before an offset, of a buffer for which no record waits. */
static uint64_t choose_old(struct piece_buffer *b, uint64_t old)
{
	uint64_t sum = 0;

	while (!b->awaited && b->whole < b->nr && b->chunks[b->whole].at < old &&
	       b->chunks[b->whole].head.size <= old - b->chunks[b->whole].at) {
		sum += b->chunks[b->whole].head.size - b->part;
		b->whole++;
		b->part = 0;
	}
	return sum;
}

uint64_t buffers_ready(struct piece_buffers *bs, uint64_t until, uint64_t old, uint64_t *last)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < bs->nr_aux; i++)
		bs->aux[i].ready = false;
	for (i = 0; i < bs->nr; i++) {
		bs->v[i]->lacks = bs->v[i]->awaited = false;
		bs->v[i]->chosen = bs->v[i]->whole = 0;
		bs->v[i]->part = 0;
	}
	if (until == NO_TIME)
		choose_all(bs);
	else
		choose_until(bs, until);
	bs->old = 0;
	for (i = 0; i < bs->nr; i++)
		bs->old += choose_old(bs->v[i], old);
	*last = 0;
	for (i = 0; i < bs->nr_aux; i++) {
		const uint64_t time = bs->aux[i].record->time;

		if (bs->aux[i].ready && time != NO_TIME && time > *last)
			*last = time;
	}
	for (i = 0; i < bs->nr; i++)
		sum += chosen_bytes(bs->v[i]);
	return sum;
}

/* ---- what was chosen ------------------------------------------------------------------------- */

struct passed {
	uint64_t at, size;
	const struct perf_record_auxtrace *head;
};

void buffers_pass(const struct piece_buffers *bs,
		  void (*pass)(void *data, const struct perf_record_auxtrace *head, uint64_t at,
			       uint64_t size),
		  void *data)
{
	struct passed *v = NULL;
	size_t nr = 0, cap = 0, i, k;

	for (i = 0; i < bs->nr; i++) {
		const struct piece_buffer *b = bs->v[i];

		for (k = 0; k < b->whole + (b->part != 0); k++) {
			const struct piece_chunk *c = &b->chunks[k];
			const uint64_t size = k < b->whole ? c->head.size : b->part;

			*ARRAY_ADD(v, nr, cap) = (struct passed){ c->at, size, &c->head };
		}
	}
	ARRAY_SORT(v, nr, array_compare_u64);
	for (i = 0; i < nr; i++)
		pass(data, v[i].head, v[i].at, v[i].size);
	free(v);
}

static void take_chunks(struct piece_buffer *b)
{
	struct piece_chunk *c;

	if (b->part) {
		c = &b->chunks[b->whole];
		c->rest = c->head.size - b->part <= MAX_PADDING;
		c->at += b->part;
		c->head.offset += b->part;
		c->head.size -= b->part;
		b->whole += !c->head.size;
	}
	memmove(b->chunks, b->chunks + b->whole, (b->nr - b->whole) * sizeof(*b->chunks));
	b->nr -= b->whole;
	b->whole = 0;
	b->part = 0;
}

/* What is left of the last AUX record of a buffer takes its place. */
static void become_before(struct kept_list *l, struct piece_buffer *b, struct kept *k)
{
	const struct pd_record_cst_aux_before r = {
		.header = { PD_RECORD_CST_AUX_BEFORE, 0, sizeof(r) },
		.idx = b->idx,
		.cpu = b->cpu,
		.tid = b->tid,
		.time = k->time,
	};

	if (b->before && k->time < b->before->time) {
		k->keep = KEEP_NOT;
		return;
	}
	if (b->before)
		b->before->keep = KEEP_NOT;
	b->before = k;
	kept_replace(l, k, &r, sizeof(r), KEEP_BEFORE);
}

/*
 * True if trace of the buffer may be older than a time; that of a thread is not older than it is.
 */
static bool is_older(const struct piece_buffer *b, uint64_t time)
{
	return time && (b->before ? b->before->time < time : b->cpu >= 0);
}

/* Frees buffers of threads that have ended, of which nothing waits. */
static void drop_ended(struct piece_buffers *bs)
{
	struct piece_buffer *b;
	size_t i, n = 0;

	for (i = 0; i < bs->nr; i++)
		bs->v[i]->awaited = false;
	for (i = 0; i < bs->nr_aux; i++)
		if (bs->aux[i].of)
			bs->aux[i].of->awaited = true;
	for (i = 0; i < bs->nr; i++) {
		b = bs->v[i];
		if (!b->ended || b->awaited || b->nr) {
			bs->v[n++] = b;
			continue;
		}
		if (b->before)
			b->before->keep = KEEP_NOT;
		intmap_remove(&bs->by_owner, owner_key(b->cpu, b->tid));
		free(b->chunks);
		free(b);
	}
	bs->nr = n;
}

void buffers_take(struct piece_buffers *bs, struct kept_list *l)
{
	struct piece_buffer *b;
	size_t i, n = 0;

	for (i = 0; i < bs->nr_aux; i++) {
		struct piece_aux *a = &bs->aux[i];

		if (!a->ready) {
			bs->aux[n++] = *a;
			continue;
		}
		b = buffer_of(bs, a);
		if (b && a->size) {
			bs->reach += is_older(b, l->dropped);
			become_before(l, b, a->record);
		} else {
			a->record->keep = KEEP_NOT;
		}
	}
	bs->nr_aux = n;
	for (i = 0; i < bs->nr; i++)
		take_chunks(bs->v[i]);
	drop_ended(bs);
}

uint64_t buffers_lowest(const struct piece_buffers *bs, uint64_t end)
{
	size_t i;

	for (i = 0; i < bs->nr; i++)
		if (bs->v[i]->nr && bs->v[i]->chunks[0].at < end)
			end = bs->v[i]->chunks[0].at;
	return end;
}

/* Trace that comes for the buffer is not older; NO_TIME: none comes. */
static uint64_t since_of(const struct piece_buffer *b)
{
	if (b->ended && !b->nr)
		return NO_TIME;
	return b->before && b->before->time != NO_TIME ? b->before->time : 0;
}

static uint64_t least(const struct piece_buffers *bs, int cpu)
{
	uint64_t since = NO_TIME, one;
	size_t i;

	for (i = 0; i < bs->nr; i++) {
		one = since_of(bs->v[i]);
		if (one < since && (cpu < 0 || bs->v[i]->cpu < 0 || bs->v[i]->cpu == cpu))
			since = one;
	}
	/* the first trace of a CPU may be as old as the recording */
	return since == NO_TIME ? 0 : since;
}

uint64_t buffers_since(const void *bs, int cpu)
{
	return least(bs, cpu);
}

uint64_t buffers_floor(const struct piece_buffers *bs)
{
	return least(bs, -1);
}

void buffers_free(struct piece_buffers *bs)
{
	size_t i;

	for (i = 0; i < bs->nr; i++) {
		free(bs->v[i]->chunks);
		free(bs->v[i]);
	}
	free(bs->v);
	free(bs->aux);
	intmap_free(&bs->by_owner);
}
