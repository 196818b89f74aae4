/* SPDX-License-Identifier: BSD-3-Clause */
/* index_made.h - traces and indexes that are made for tests of their files: random ones, regular ones, one by hand. */
#ifndef TESTS_INDEX_MADE_H
#define TESTS_INDEX_MADE_H

#include "decoder/index/file.h"
#include "decoder/index/index_int.h"
#include "index_gen.h"

#define INSNS 5000	/* in the trace of a random index */

struct bytes {
	uint8_t *p;
	size_t n;
};

static inline struct bytes written(const struct cst_index *ix)
{
	struct bytes b;

	assert_int_equal(cst_index_write(&ix, 1, &b.p, &b.n), 0);
	return b;
}

/*
 * An index made by hand, at offset 1000 to 2000 of a trace of 500 to 3500: three source blocks, of which the last two have the
 * same IDs; a stream of ID 0x10 with three blocks, of which the second has no times and the last two have the same contexts,
 * and with records; a stream of ID 0x20 with one block.
 */
static inline struct cst_index *handmade(void)
{
	static const struct cst_index_source sources[] = {
		{ 1000, { 1ull << 0x10, 0 }, 1, 0, 0, 0, 0, CST_ID_UNKNOWN }, { 1500, { 1ull << 0x10 | 1ull << 0x20, 1 }, 2, 1, 2, 3, 4, 0x10 },
		{ 1600, { 1ull << 0x10 | 1ull << 0x20, 1 }, 3, 0, 0, 0, 0, 0x20 },
	};
	static const struct cst_index_block blocks[] = {
		{ .start = 1000, .valid = 1000, .bytes = 100, .counts = { 2, 0, 1 }, .time_first = 100, .time_last = 200,
		  .time_min = 90, .time_max = 210, .contexts = 1 },
		{ .start = 1200, .valid = 1250, .bytes = 50, .counts = { 0, 1, 1, 1, 1, 1 }, .event_mask = 2, .contexts = 2 },
		{ .start = 1400, .valid = 1410, .bytes = 50, .counts = { 1 }, .time_first = 250, .time_last = 250, .time_min = 250,
		  .time_max = 250, .contexts = 2 },
	};
	static const struct cst_index_record records[] = {
		{ 1000, 7, CST_INDEX_CONTEXT }, { 1010, 100, CST_INDEX_TIMESTAMP }, { 1250, 0, CST_INDEX_SYNC },
		{ 1250, 2, CST_INDEX_EVENT }, { 1300, 1, CST_INDEX_LOSS }, { 1420, 250, CST_INDEX_TIMESTAMP },
	};
	struct cst_index *ix = calloc(1, sizeof(*ix));
	struct cst_index_stream *s;
	unsigned int i;

	assert_non_null(ix);
	*ix = (struct cst_index){ .name = strdup("made"), .format = CST_TREE_FRAMES, .full = 1, .granularity = 64, .offset = 1000,
				  .end = 2000, .trace_offset = 500, .trace_size = 3000, .trace_digest = 5, .n_sources = 3,
				  .cap_sources = 3, .n_streams = 2 };
	ix->sources = malloc(sizeof(sources));
	ix->streams = calloc(129, sizeof(*ix->streams));
	assert_true(ix->name && ix->sources && ix->streams);
	memcpy(ix->sources, sources, sizeof(sources));
	for (i = 0; i < 2; i++) {
		s = &ix->streams[i];
		s->trace_id = i ? 0x20 : 0x10;
		s->protocol = CST_PROTO_ETMV4;
		s->config = 3 + i;
		s->granularity = 64;
		s->blocks = malloc(sizeof(blocks));
		s->records = malloc(sizeof(records));
		assert_true(s->blocks && s->records);
		memcpy(s->blocks, blocks, sizeof(blocks));
		memcpy(s->records, records, sizeof(records));
		s->n_blocks = s->cap_blocks = i ? 1 : 3;
		s->n_records = s->cap_records = i ? 0 : 6;
		s->contexts[0] = 7;
		s->contexts[1] = 8;
		s->n_contexts = 2;
		s->records_end = UINT64_MAX;
	}
	return ix;
}

/* A file of two indexes, with all that there is in one. */
static inline struct bytes two_indexes(void)
{
	const struct cst_index_opts opts = { .granularity = 2048, .full = 1 };
	const struct cst_index *ix[2];
	struct cst_index *made[2];
	struct gen_buffer g;
	struct bytes b;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		gen_open(&g, 4 + i, i, INSNS);
		g.b.len = g.b.len < 4096 ? g.b.len : 4096;
		made[i] = check_build(&g.b, &opts, g.b.offset, 0);
		free(made[i]->name);
		made[i]->name = strdup(i ? "second" : "first");
		made[i]->trace_digest = cst_index_sample(0, g.b.data, g.b.len);
		ix[i] = made[i];
		gen_close(&g);
	}
	assert_int_equal(cst_index_write(ix, 2, &b.p, &b.n), 0);
	cst_index_free(made[0]);
	cst_index_free(made[1]);
	return b;
}

/* Rounds of a synchronisation with a context of its own and many atoms, as long as the smallest part of a buffer. */
#define ROUND 4096

static inline void rounds(uint8_t *p, unsigned int from, unsigned int to)
{
	memset(p, 0xf7, ROUND * (to - from));
	for (; from < to; from++, p += ROUND)
		memcpy(p, BYTES(SYNC, 0x81, 0xb0, (uint8_t)from, 0x11, 0x22, 0x33, 0x95, 0x00));
}

#endif
