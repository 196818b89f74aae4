/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - the blocks of a stream in its index and, in a full index, its records. */
#include <string.h>

#include <cstrace/error.h>

#include "decoder/index/index_int.h"

#define OTHERS 63	/* bit for contexts that did not fit into the table */

static uint64_t slot_of(const struct cst_index_stream *ix, uint64_t offset)
{
	return offset / ix->granularity;
}

/* Merges block `next` into the block before it. */
static void join(struct cst_index_block *b, const struct cst_index_block *next)
{
	unsigned int i;

	b->bytes += next->bytes;
	b->event_mask |= next->event_mask;
	b->contexts |= next->contexts;
	if (next->counts[CST_INDEX_TIMESTAMP]) {
		if (!b->counts[CST_INDEX_TIMESTAMP]) {
			b->time_first = next->time_first;
			b->time_min = next->time_min;
			b->time_max = next->time_max;
		}
		b->time_last = next->time_last;
		b->time_min = next->time_min < b->time_min ? next->time_min : b->time_min;
		b->time_max = next->time_max > b->time_max ? next->time_max : b->time_max;
	}
	for (i = 0; i < CST_INDEX_KINDS; i++)
		b->counts[i] = next->counts[i] > UINT32_MAX - b->counts[i] ? UINT32_MAX :
			       b->counts[i] + next->counts[i];
}

/* Doubles the granularity. The blocks left are those that a builder with this granularity would have made. */
void cst_blocks_coarsen(struct cst_index_stream *ix)
{
	uint32_t i, n = 1;

	ix->granularity *= 2;
	for (i = 1; i < ix->n_blocks; i++) {
		if (slot_of(ix, ix->blocks[i].start) == slot_of(ix, ix->blocks[n - 1].start))
			join(&ix->blocks[n - 1], &ix->blocks[i]);
		else
			ix->blocks[n++] = ix->blocks[i];
	}
	ix->n_blocks = n;
}

int cst_blocks_wanted(const struct stream_index *s, uint64_t start)
{
	const struct cst_index_block *last = &s->ix.blocks[s->ix.n_blocks - 1];

	return start > last->start && slot_of(&s->ix, start) != slot_of(&s->ix, last->start);
}

int cst_blocks_add(struct stream_index *s, uint64_t start, uint64_t valid)
{
	struct cst_index_stream *ix = &s->ix;
	struct cst_index_block *b;

	while (ix->n_blocks >= s->max_blocks && ix->granularity < 1u << 31)
		cst_blocks_coarsen(ix);
	if (ix->n_blocks && !cst_blocks_wanted(s, start))
		return 0;
	if (cst_index_grow(&ix->blocks, ix->n_blocks, &ix->cap_blocks, sizeof(*ix->blocks)))
		return -CST_ERR_NOMEM;
	b = &ix->blocks[ix->n_blocks++];
	memset(b, 0, sizeof(*b));
	b->start = start;
	b->valid = valid;
	return 0;
}

/* Returns the block that contains `index`. */
static struct cst_index_block *block_at(struct cst_index_stream *ix, uint64_t index)
{
	uint32_t i = ix->n_blocks - 1;

	while (i && index < ix->blocks[i].valid)
		i--;
	return &ix->blocks[i];
}

void cst_blocks_bytes(struct stream_index *s, uint64_t index, uint32_t n)
{
	block_at(&s->ix, index)->bytes += n;
}

static void count(struct cst_index_block *b, unsigned int kind)
{
	if (b->counts[kind] != UINT32_MAX)
		b->counts[kind]++;
}

/*
 * Adds a record. Records are only nearly in order, since a synchronisation is recorded before elements that wait for
 * their commit; sort_records() in build.c sorts them.
 */
static void record(struct stream_index *s, unsigned int kind, uint64_t offset, uint64_t value)
{
	struct cst_index_stream *ix = &s->ix;

	if (!s->full)
		return;
	if (ix->n_records == s->max_records) {
		ix->records_end = offset < ix->records_end ? offset : ix->records_end;
		return;
	}
	if (cst_index_grow(&ix->records, ix->n_records, &ix->cap_records, sizeof(*ix->records))) {
		s->error = -CST_ERR_NOMEM;
		return;
	}
	ix->records[ix->n_records].offset = offset;
	ix->records[ix->n_records].value = value;
	ix->records[ix->n_records++].kind = (uint8_t)kind;
}

void cst_blocks_sync(struct stream_index *s, uint64_t index)
{
	count(block_at(&s->ix, index), CST_INDEX_SYNC);
	record(s, CST_INDEX_SYNC, index, 0);
}

/* Not called for a timestamp of program flow or data trace that is 0, which says that the time is unknown. */
static void note_time(struct stream_index *s, uint64_t index, uint64_t time)
{
	struct cst_index_block *b = block_at(&s->ix, index);

	if (!b->counts[CST_INDEX_TIMESTAMP])
		b->time_first = b->time_min = b->time_max = time;
	b->time_last = time;
	b->time_min = time < b->time_min ? time : b->time_min;
	b->time_max = time > b->time_max ? time : b->time_max;
	count(b, CST_INDEX_TIMESTAMP);
	record(s, CST_INDEX_TIMESTAMP, index, time);
}

static void note_event(struct stream_index *s, uint64_t index, uint32_t mask)
{
	struct cst_index_block *b = block_at(&s->ix, index);

	mask = mask ? mask : 1;
	b->event_mask |= mask;
	count(b, CST_INDEX_EVENT);
	record(s, CST_INDEX_EVENT, index, mask);
}

static void note_context(struct stream_index *s, uint64_t index, uint64_t context)
{
	struct cst_index_block *b = block_at(&s->ix, index);
	struct cst_index_stream *ix = &s->ix;
	uint32_t i;

	for (i = 0; i < ix->n_contexts && ix->contexts[i] != context; i++)
		;
	if (i == ix->n_contexts && i < CST_INDEX_CONTEXTS)
		ix->contexts[ix->n_contexts++] = context;
	b->contexts |= 1ull << (i < CST_INDEX_CONTEXTS ? i : OTHERS);
	count(b, CST_INDEX_CONTEXT);
	record(s, CST_INDEX_CONTEXT, index, context);
}

static void note_ready(struct stream_index *s, const struct cst_element *e)
{
	const struct cst_generic *g = e->ready;

	switch (g->kind) {
	case CST_GEN_TIMESTAMP:
		if (g->addr)
			note_time(s, g->index, g->addr);
		break;
	case CST_GEN_EVENT:
		note_event(s, g->index, g->num);
		break;
	case CST_GEN_SWTRACE:
		if (g->num & CST_SW_TRIGGER)
			note_event(s, g->index, 1);
		/* fall through */
	case CST_GEN_ITMTRACE:
		if (g->flags & CST_GF_TS)
			note_time(s, g->index, g->ts);
		if (g->num & CST_SW_OVERFLOW) {
			count(block_at(&s->ix, g->index), CST_INDEX_LOSS);
			record(s, CST_INDEX_LOSS, g->index, CST_UNSYNC_OVERFLOW);
		}
		break;
	}
}

void cst_blocks_element(struct stream_index *s, const struct cst_element *e)
{
	switch (e->kind) {
	case CST_EL_TIMESTAMP:
		if (e->value)
			note_time(s, e->index, e->value);
		break;
	case CST_EL_EVENT:
		note_event(s, e->index, e->num);
		break;
	case CST_EL_CONTEXT:
		if (e->ctx.flags & CST_CTX_KNOWN)
			s->ix.worlds |= CST_INDEX_EL(e->ctx.el & 3) | CST_INDEX_SECURITY(e->ctx.security & 3);
		note_context(s, e->index, e->ctx.context_id | (uint64_t)e->ctx.vmid << 32);
		break;
	case CST_EL_NO_SYNC:
		count(block_at(&s->ix, e->index), CST_INDEX_LOSS);
		record(s, CST_INDEX_LOSS, e->index, e->num);
		break;
	case CST_EL_TRACE_ON:
		count(block_at(&s->ix, e->index), CST_INDEX_TRACE_ON);
		record(s, CST_INDEX_TRACE_ON, e->index, e->num);
		break;
	case CST_EL_READY:
		note_ready(s, e);
		break;
	}
}
