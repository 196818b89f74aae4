/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.c - merges the indexes of two neighbouring parts of a buffer. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "decoder/index/index_int.h"

/*
 * Finds a block a[*i] and b[*j] with the same begin in both streams. From there on both decoders agree, and the first
 * index proves the time before. It must not be the last block of `a`, which may lack elements that were not committed
 * yet, nor the first block of `b`, which began without a proof.
 */
static int common_block(const struct cst_index_stream *a, const struct cst_index_stream *b, uint32_t *i,
			uint32_t *j)
{
	*i = *j = 1;
	while (*i + 1 < a->n_blocks && *j < b->n_blocks) {
		const struct cst_index_block *x = &a->blocks[*i], *y = &b->blocks[*j];

		if (x->start == y->start && x->valid == y->valid)
			return 1;
		if (x->start <= y->start)
			++*i;
		else
			++*j;
	}
	return 0;
}

/* Renumbers the context bits of `from` for the context table of `to`. */
static uint64_t renumber(struct cst_index_stream *to, const struct cst_index_stream *from, uint64_t bits)
{
	uint64_t out = bits >> CST_INDEX_CONTEXTS << CST_INDEX_CONTEXTS;
	uint32_t i, k;

	for (i = 0; i < from->n_contexts; i++) {
		if (!(bits >> i & 1))
			continue;
		for (k = 0; k < to->n_contexts && to->contexts[k] != from->contexts[i]; k++)
			;
		if (k == to->n_contexts && k < CST_INDEX_CONTEXTS)
			to->contexts[to->n_contexts++] = from->contexts[i];
		out |= 1ull << k;
	}
	return out;
}

static int append_records(struct cst_index_stream *s, const struct cst_index_stream *next, uint64_t valid)
{
	uint32_t i;

	if (s->records_end < valid)
		return 0;
	while (s->n_records && s->records[s->n_records - 1].offset >= valid)
		s->n_records--;
	for (i = 0; i < next->n_records; i++) {
		if (next->records[i].offset < valid)
			continue;
		if (cst_index_grow(&s->records, s->n_records, &s->cap_records, sizeof(*s->records)))
			return -CST_ERR_NOMEM;
		s->records[s->n_records++] = next->records[i];
	}
	s->records_end = next->records_end;
	return 0;
}

static int append_stream(struct cst_index_stream *s, struct cst_index_stream *next)
{
	uint32_t i, j;

	while (s->granularity < next->granularity)
		cst_blocks_coarsen(s);
	while (next->granularity < s->granularity)
		cst_blocks_coarsen(next);
	if (!common_block(s, next, &i, &j))
		/* the stream has no trace in `next` */
		return next->n_blocks == 1 && !next->blocks[0].bytes ? 0 : -CST_ERR_CONFLICT;
	if (append_records(s, next, s->blocks[i].valid))
		return -CST_ERR_NOMEM;
	s->worlds |= next->worlds;
	for (s->n_blocks = i; j < next->n_blocks; j++) {
		if (cst_index_grow(&s->blocks, s->n_blocks, &s->cap_blocks, sizeof(*s->blocks)))
			return -CST_ERR_NOMEM;
		s->blocks[s->n_blocks] = next->blocks[j];
		s->blocks[s->n_blocks++].contexts = renumber(s, next, next->blocks[j].contexts);
	}
	return 0;
}

/* Appends the source blocks of `next` from a block on that both have, not the last one of `ix`, which is incomplete. */
static int append_sources(struct cst_index *ix, const struct cst_index *next)
{
	struct cst_index_source *p;
	uint32_t i = 0, j = 1;

	while (i + 1 < ix->n_sources && j < next->n_sources &&
	       (ix->sources[i].offset != next->sources[j].offset ||
		ix->sources[i].frame_id != next->sources[j].frame_id)) {
		if (ix->sources[i].offset <= next->sources[j].offset)
			i++;
		else
			j++;
	}
	if (i + 1 >= ix->n_sources || j >= next->n_sources)
		return -CST_ERR_CONFLICT;
	p = malloc((i + next->n_sources - j) * sizeof(*p));
	if (!p)
		return -CST_ERR_NOMEM;
	memcpy(p, ix->sources, i * sizeof(*p));
	memcpy(p + i, next->sources + j, (next->n_sources - j) * sizeof(*p));
	free(ix->sources);
	ix->sources = p;
	ix->n_sources = ix->cap_sources = i + next->n_sources - j;
	return 0;
}

static int fits(const struct cst_index *a, const struct cst_index *b)
{
	uint32_t i;

	if (a->format != b->format || a->flags != b->flags || a->full != b->full || a->granularity != b->granularity ||
	    a->n_streams != b->n_streams || b->offset < a->offset || b->offset > a->end || b->end < a->end)
		return 0;
	for (i = 0; i < a->n_streams; i++)
		if (a->streams[i].trace_id != b->streams[i].trace_id ||
		    a->streams[i].config != b->streams[i].config)
			return 0;
	return 1;
}

/* Merges copies of all streams, so that `ix` is unchanged if one of them does not fit. */
static int append_streams(struct cst_index_stream *to, const struct cst_index *ix, const struct cst_index *next)
{
	struct cst_index_stream own;
	uint32_t i;
	int err = 0;

	for (i = 0; i < ix->n_streams && !err; i++) {
		err = cst_index_copy_stream(&to[i], &ix->streams[i]);
		if (!err)
			err = cst_index_copy_stream(&own, &next->streams[i]);
		if (err)
			break;
		err = append_stream(&to[i], &own);
		cst_index_free_stream(&own);
	}
	return err;
}

int cst_index_merge(struct cst_index *ix, const struct cst_index *next)
{
	struct cst_index_stream *streams;
	uint32_t i;
	int err;

	if (!fits(ix, next))
		return -CST_ERR_CONFLICT;
	streams = calloc(128, sizeof(*streams));
	if (!streams)
		return -CST_ERR_NOMEM;
	err = append_streams(streams, ix, next);
	if (!err)
		err = append_sources(ix, next);
	if (err) {
		for (i = 0; i < ix->n_streams; i++)
			cst_index_free_stream(&streams[i]);
		free(streams);
		return err;
	}
	for (i = 0; i < ix->n_streams; i++)
		cst_index_free_stream(&ix->streams[i]);
	free(ix->streams);
	ix->streams = streams;
	ix->end = next->end;
	if (ix->trace_size < ix->end - ix->trace_offset)
		ix->trace_size = ix->end - ix->trace_offset;
	return 0;
}
