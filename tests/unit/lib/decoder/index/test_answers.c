/* SPDX-License-Identifier: BSD-3-Clause */
/* test_answers.c - exact answers of an index that is made by hand. */
#include "unit/lib/index_made.h"

#define BEFORE { 1000, 1000 }
#define MIDDLE { 1200, 1250 }
#define LAST { 1400, 1410 }

/* The block, the offset and whether it is the very one, with all records, with those up to 1255, and with none. */
static void test_answers(void **state)
{
	static const struct {
		int records;		/* of the stream; -1: it has none, which is no full index */
		struct { uint8_t kind; uint64_t value, from; } q;
		uint64_t block[2], offset;
		uint8_t found, exact;
	} rows[] = {
		/* by offset: the last block that is valid there */
		{ -1, { CST_INDEX_KINDS, 0, 5 }, BEFORE, 1000, 1, 1 }, { -1, { CST_INDEX_KINDS, 0, 1249 }, BEFORE, 1249, 1, 1 },
		{ -1, { CST_INDEX_KINDS, 0, 1250 }, MIDDLE, 1250, 1, 1 }, { -1, { CST_INDEX_KINDS, 0, 1409 }, MIDDLE, 1409, 1, 1 },
		{ -1, { CST_INDEX_KINDS, 0, 1410 }, LAST, 1410, 1, 1 }, { 6, { CST_INDEX_KINDS, 0, 1411 }, LAST, 1411, 1, 1 },
		/* without records: the first block that has one of the kind, from the block of the lowest offset on */
		{ -1, { CST_INDEX_TIMESTAMP, 210, 0 }, BEFORE, 1000, 1, 0 }, { -1, { CST_INDEX_TIMESTAMP, 211, 0 }, LAST, 1410, 1, 0 },
		{ -1, { CST_INDEX_TIMESTAMP, 0, 1240 }, BEFORE, 1240, 1, 0 }, { -1, { CST_INDEX_TIMESTAMP, 0, 1300 }, LAST, 1410, 1, 0 },
		{ -1, { CST_INDEX_TIMESTAMP, 250, 1500 }, LAST, 1500, 1, 0 }, { -1, { CST_INDEX_TIMESTAMP, 251, 0 }, LAST, 2000, 0, 0 },
		{ -1, { CST_INDEX_EVENT, 0, 0 }, MIDDLE, 1250, 1, 0 }, { -1, { CST_INDEX_EVENT, 6, 0 }, MIDDLE, 1250, 1, 0 },
		{ -1, { CST_INDEX_EVENT, 1, 0 }, LAST, 2000, 0, 0 }, { -1, { CST_INDEX_EVENT, 0, 1410 }, LAST, 2000, 0, 0 },
		{ -1, { CST_INDEX_CONTEXT, 7, 0 }, BEFORE, 1000, 1, 0 }, { -1, { CST_INDEX_CONTEXT, 8, 0 }, MIDDLE, 1250, 1, 0 },
		{ -1, { CST_INDEX_CONTEXT, 1ull << 32 | 8, 0 }, MIDDLE, 1250, 1, 0 }, { -1, { CST_INDEX_CONTEXT, 9, 0 }, LAST, 2000, 0, 0 },
		{ -1, { CST_INDEX_LOSS, 0, 0 }, MIDDLE, 1250, 1, 0 }, { -1, { CST_INDEX_TRACE_ON, 0, 0 }, MIDDLE, 1250, 1, 0 },
		{ -1, { CST_INDEX_SYNC, 0, 0 }, MIDDLE, 1250, 1, 0 }, { -1, { CST_INDEX_SYNC, 0, 1410 }, LAST, 2000, 0, 0 },
		/* with all records: the very offset */
		{ 6, { CST_INDEX_TIMESTAMP, 100, 0 }, BEFORE, 1010, 1, 1 }, { 6, { CST_INDEX_TIMESTAMP, 100, 1010 }, BEFORE, 1010, 1, 1 },
		{ 6, { CST_INDEX_TIMESTAMP, 100, 1011 }, LAST, 1420, 1, 1 }, { 6, { CST_INDEX_TIMESTAMP, 101, 0 }, LAST, 1420, 1, 1 },
		{ 6, { CST_INDEX_EVENT, 0, 0 }, MIDDLE, 1250, 1, 1 }, { 6, { CST_INDEX_EVENT, 3, 0 }, MIDDLE, 1250, 1, 1 },
		{ 6, { CST_INDEX_CONTEXT, 1ull << 32 | 7, 0 }, BEFORE, 1000, 1, 1 }, { 6, { CST_INDEX_LOSS, 0, 0 }, MIDDLE, 1300, 1, 1 },
		{ 6, { CST_INDEX_TIMESTAMP, 251, 0 }, LAST, 2000, 0, 0 },
		/* with records up to 1255: what is not among them is behind that offset */
		{ 4, { CST_INDEX_TIMESTAMP, 100, 0 }, BEFORE, 1010, 1, 1 }, { 4, { CST_INDEX_TIMESTAMP, 101, 0 }, LAST, 1410, 1, 0 },
		{ 4, { CST_INDEX_LOSS, 0, 0 }, MIDDLE, 1255, 1, 0 }, { 4, { CST_INDEX_LOSS, 0, 1270 }, MIDDLE, 1270, 1, 0 },
		{ 4, { CST_INDEX_EVENT, 1, 0 }, LAST, 2000, 0, 0 },
	};
	struct cst_index *ix = handmade();
	struct cst_index_stream *s = ix->streams;
	struct cst_index_place p;
	size_t i;

	(void)state;
	s->contexts[0] |= 5ull << 32;	/* with a VMID, which no query has */
	s->records[0].value |= 5ull << 32;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s->n_records = rows[i].records > 0 ? (uint32_t)rows[i].records : 0;
		s->records_end = rows[i].records == 6 ? UINT64_MAX : rows[i].records == 4 ? 1255 : 0;
		memset(&p, 0xff, sizeof(p));
		cst_index_search(ix, s,
				 &(struct cst_index_query){ .kind = rows[i].q.kind,
							    .value = rows[i].q.value,
							    .from = rows[i].q.from },
				 &p);
		if (p.start != rows[i].block[0] || p.valid != rows[i].block[1] || p.offset != rows[i].offset ||
		    p.found != rows[i].found || p.exact != rows[i].exact)
			fail_msg("question %zu: start %llu, valid %llu, offset %llu, found %d, exact %d", i, (unsigned long long)p.start,
				 (unsigned long long)p.valid, (unsigned long long)p.offset, p.found, p.exact);
	}
	/* a context that had no room in the table may be the one that is searched for */
	s->n_records = 0;
	s->records_end = 0;
	s->blocks[2].contexts |= 1ull << CST_INDEX_CONTEXTS;
	cst_index_search(ix, s, &(struct cst_index_query){ .kind = CST_INDEX_CONTEXT, .value = 9 },
			 &p);
	assert_true(p.found && p.start == 1400 && p.offset == 1410 && !p.exact);
	assert_ptr_equal(cst_index_find_stream(ix, 0x20), &ix->streams[1]);
	assert_null(cst_index_find_stream(ix, 0x11));
	assert_null(cst_index_source_at(ix, 999));
	assert_ptr_equal(cst_index_source_at(ix, 1499), &ix->sources[0]);
	assert_ptr_equal(cst_index_source_at(ix, 1500), &ix->sources[1]);
	assert_ptr_equal(cst_index_source_at(ix, UINT64_MAX), &ix->sources[2]);
	cst_index_free(ix);
}

/* Where to feed a tree from: the first of the streams that are needed, at a block of the buffer. */
static void test_start_tree(void **state)
{
	static const struct {
		struct { uint64_t start; uint8_t found; } places[2];
		uint64_t trace_size, raw, framed;
	} rows[] = {
		{ { { 1550, 1 }, { 1700, 1 } }, 3000, 1550, 1500 }, { { { 1700, 1 }, { 1599, 1 } }, 3000, 1599, 1500 },
		{ { { 1700, 1 }, { 1600, 1 } }, 3000, 1600, 1600 },
		/* the first block begins as any buffer does */
		{ { { 1499, 1 }, { 1700, 1 } }, 3000, 1499, 1000 },
		/* a stream without a match is not needed if the index has the whole trace, up to 2000 */
		{ { { 1100, 0 }, { 1700, 1 } }, 1500, 1700, 1600 }, { { { 1700, 1 }, { 1100, 0 } }, 1500, 1700, 1600 },
		{ { { 1100, 0 }, { 1700, 1 } }, 1501, 1100, 1000 }, { { { 1700, 0 }, { 1600, 0 } }, 1500, 2000, 1600 },
	};
	struct cst_config cfg = etm_config(4, 0);
	struct cst_index *ix = handmade();
	struct cst_index_place p[2];
	struct cst_decoder *dec;
	struct cst_tree *t;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (k = 0; k < 2; k++) {
			ix->format = k ? CST_TREE_FRAMES : CST_TREE_RAW;
			ix->trace_size = rows[i].trace_size;
			p[0] = (struct cst_index_place){ .start = rows[i].places[0].start, .found = rows[i].places[0].found };
			p[1] = (struct cst_index_place){ .start = rows[i].places[1].start, .found = rows[i].places[1].found };
			assert_int_equal(cst_tree_new(&t, ix->format, 0), 0);
			assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
			assert_int_equal(cst_index_start_tree(ix, p, t), k ? rows[i].framed : rows[i].raw);
			cst_tree_free(t);
		}
	cst_index_free(ix);
}

/* Puts 14 bytes of a trace ID into a frame. */
static void one_frame(uint8_t *f, uint8_t id, const uint8_t *p)
{
	unsigned int j;

	f[0] = (uint8_t)(id << 1 | 1);
	f[15] = 0;
	for (j = 1; j < 15; j++) {
		f[j] = p[j - 1];
		if (j & 1)
			continue;
		f[15] |= (uint8_t)((f[j] & 1) << j / 2);
		f[j] &= 0xfe;
	}
}

/* A decoder of an ID that the index does not have is not fed; a stream without a match is not, either. */
static void test_other_ids(void **state)
{
	enum { ROUNDS = 14 * 4, FRAMES = ROUNDS * ROUND / 14 };
	static uint8_t bytes[ROUNDS * ROUND], framed[2 * FRAMES * 16];
	struct cst_config cfg[2] = { etm_config(4, 0), etm_config(4, 0) };
	struct gen_space none = { NULL, NULL };
	struct check_buffer b = { .format = CST_TREE_FRAMES, .cfg = cfg, .data = framed, .len = sizeof(framed), .space = one_space,
				  .ctx = &none };
	const struct cst_index_opts opts = { .granularity = 1 };
	struct cst_index_query q = { .kind = CST_INDEX_KINDS, .from = sizeof(framed) / 2 };
	struct cst_index_place places[2];
	struct cst_generic g[512];
	struct cst_index *ix;
	struct cst_tree *t;
	unsigned int way, k, n[2];
	uint64_t from;
	int i, got;

	(void)state;
	cfg[1].trace_id++;
	rounds(bytes, 1, ROUNDS + 1);
	for (k = 0; k < FRAMES; k++) {
		one_frame(framed + 32 * k, cfg[0].trace_id, bytes + 14 * k);
		one_frame(framed + 32 * k + 16, cfg[1].trace_id, bytes + 14 * k);
	}
	/* an index of the first ID; of both; of both without a match for the second */
	for (way = 0; way < 3; way++) {
		b.n_cfg = way ? 2 : 1;
		ix = check_build(&b, &opts, 0, 0);
		b.n_cfg = 2;
		for (k = 0; k < ix->n_streams; k++)
			cst_index_search(ix, &ix->streams[k], &q, &places[k]);
		places[1].found = way == 1;
		t = check_tree(&b);
		from = cst_index_start_tree(ix, places, t);
		assert_true(from > sizeof(framed) / 2 - 4 * ROUND && from <= sizeof(framed) / 2);
		assert_int_equal(cst_tree_feed(t, framed + from, sizeof(framed) - from, from), 0);
		memset(n, 0, sizeof(n));
		while ((got = cst_tree_pull(t, g, 512, NULL)) > 0)
			for (i = 0; i < got; i++)
				n[g[i].trace_id - cfg[0].trace_id]++;
		assert_int_equal(got, 0);
		assert_true(n[0] > 10);
		assert_int_equal(n[1], way == 1 ? n[0] : 0);
		cst_tree_free(t);
		cst_index_free(ix);
	}
}

/* Barriers reset the decoders of all streams; what a block of the buffer has of them, of errors and of triggers. */
static void test_barriers(void **state)
{
	enum { PART = 140 };
	static const uint8_t fsync[4] = { 0xff, 0xff, 0xff, 0x7f };
	const struct cst_index_opts opts = { .granularity = 4096, .full = 1 };
	struct cst_config cfg = etm_config(4, 0);
	struct gen_space none = { NULL, NULL };
	uint8_t framed[2 * PART / 14 * 16 + 16 + 16] = { 0 }, *to = framed;
	struct check_buffer b = { .format = CST_TREE_FRAMES, .flags = CST_FRAME_RESET_4X, .cfg = &cfg, .n_cfg = 1, .data = framed,
				  .len = sizeof(framed), .space = one_space, .ctx = &none };
	static uint8_t bytes[ROUND];
	const struct cst_index_stream *s;
	struct cst_index *ix;
	unsigned int i, k;

	(void)state;
	rounds(bytes, 1, 2);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < PART; i += 14, to += 16)
			one_frame(to, cfg.trace_id, bytes + i);
		/* a barrier, and behind the second part a trigger */
		if (!k)
			for (i = 0; i < 4; i++, to += 4)
				memcpy(to, fsync, 4);
	}
	one_frame(to, 0x7d, bytes);
	ix = check_build(&b, &opts, 0, 0);
	assert_int_equal(ix->n_sources, 1);
	assert_int_equal(ix->sources->barriers, 1);
	assert_int_equal(ix->sources->errors, 0);
	assert_int_equal(ix->sources->syncs, 0);
	assert_int_equal(ix->sources->triggers, 1);
	assert_int_equal(ix->sources->ids[0], 1ull << cfg.trace_id);
	assert_int_equal(ix->sources->ids[1], 1ull << (0x7d - 64));
	s = ix->streams;
	/* the first synchronisation, and that behind the barrier */
	assert_int_equal(s->blocks[0].counts[CST_INDEX_SYNC], 2);
	assert_int_equal(s->blocks[0].counts[CST_INDEX_LOSS], 2);
	for (i = k = 0; i < s->n_records; i++)
		if (s->records[i].kind == CST_INDEX_LOSS) {
			assert_int_equal(s->records[i].value, k ? CST_UNSYNC_RESET : CST_UNSYNC_INIT);
			assert_int_equal(s->records[i].offset, k ? PART / 14 * 16 + 16 : 0);
			k++;
		}
	assert_int_equal(k, 2);
	cst_index_free(ix);
	/* with FSYNC the same words are synchronisations, and the bytes after them are found again */
	b.flags = CST_FRAME_FSYNC;
	for (i = 0; i < 8; i += 3) {
		ix = check_build(&b, &opts, 0, i);
		assert_int_equal(ix->sources->syncs, 4);
		assert_int_equal(ix->sources->barriers, 0);
		/* frames are known from the first of these words on */
		assert_int_equal(ix->streams->blocks[0].bytes, PART);
		cst_index_free(ix);
	}
	b.data += 3;
	b.len -= 3;
	ix = check_build(&b, &opts, 0, 0);
	assert_int_equal(ix->streams->blocks[0].bytes, PART);
	cst_index_free(ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers), cmocka_unit_test(test_start_tree),
		cmocka_unit_test(test_other_ids), cmocka_unit_test(test_barriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
