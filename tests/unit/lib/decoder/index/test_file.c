/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_index_file.c - how indexes are built, joined, asked, written and read; and that no damaged file is read.
 */
#include "unit/lib/index_made.h"

/* ---- how it is built ---------------------------------------------------------------------------- */

static void assert_same_index(const struct cst_index *a, const struct cst_index *b)
{
	struct bytes x = written(a), y = written(b);

	assert_int_equal(x.n, y.n);
	assert_memory_equal(x.p, y.p, x.n);
	free(x.p);
	free(y.p);
}

/* However the buffer comes: byte by byte, in pieces, at once. */
static void test_pieces(void **state)
{
	static const size_t pieces[] = { 1, 7, 16, 1000, 20000 };
	const struct cst_index_opts opts = { .granularity = 300, .full = 1 };
	struct cst_index *whole, *other;
	struct gen_buffer g;
	unsigned int seed, i, sources = 0;

	(void)state;
	for (seed = 0; seed < 40; seed++) {
		gen_open(&g, seed, seed & 1, INSNS);
		/* of every fourth buffer no frame begins where a source block could */
		g.b.offset += seed % 4 == 3 ? 8 : 0;
		whole = check_build(&g.b, &opts, g.b.offset, 0);
		sources += seed % 4 == 3 ? whole->n_sources : 0;
		for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			other = check_build(&g.b, &opts, g.b.offset, pieces[i]);
			assert_same_index(whole, other);
			cst_index_free(other);
		}
		cst_index_free(whole);
		gen_close(&g);
	}
	assert_true(sources > 15);
}

/* IDs that have bytes in a frame (CoreSight formatter: an even byte with bit 0 set is an ID, the last byte delays it). */
static void frame_ids(const uint8_t *f, uint8_t *id, uint64_t ids[2])
{
	uint8_t was;
	int j;

	for (j = 0; j < 8; j++) {
		was = *id;
		if (f[2 * j] & 1)
			*id = f[2 * j] >> 1;
		else if (*id < 128)
			ids[*id >> 6] |= 1ull << (*id & 63);
		if (!(f[2 * j] & 1) || !(f[15] >> j & 1))
			was = *id;
		if (j < 7 && was < 128)
			ids[was >> 6] |= 1ull << (was & 63);
	}
}

/* The parts of a buffer: one after the other without a gap, with the digest of their bytes and the IDs in them. */
static void test_sources(void **state)
{
	static const size_t pieces[] = { 0, 1, 1000 };
	const struct cst_index_opts opts = { .granularity = 1 };
	const struct cst_index_source *s;
	unsigned int seed, parts = 0;
	struct cst_index *ix;
	struct gen_buffer g;
	uint64_t end, at, ids[2], bytes;
	uint8_t id;
	uint32_t i;

	(void)state;
	for (seed = 0; seed < 12; seed++) {
		gen_open(&g, seed, seed & 1, 4 * INSNS);
		ix = check_build(&g.b, &opts, g.b.offset, pieces[seed % 3]);
		assert_int_equal(ix->sources[0].offset, g.b.offset);
		for (i = 0, bytes = 0; i < ix->streams[0].n_blocks; i++)
			bytes += ix->streams[0].blocks[i].bytes;
		assert_int_equal(bytes, seed & 1 ? g.c.len : g.b.len);
		assert_null(cst_index_source_at(ix, g.b.offset - 1));
		id = CST_ID_UNKNOWN;
		for (i = 0; i < ix->n_sources; i++) {
			s = &ix->sources[i];
			end = i + 1 < ix->n_sources ? s[1].offset : g.b.offset + g.b.len;
			assert_true(end > s->offset && end <= ix->end);
			assert_ptr_equal(cst_index_source_at(ix, s->offset), s);
			assert_ptr_equal(cst_index_source_at(ix, end - 1), s);
			assert_true(s->digest == cst_index_digest(0, g.b.data + (s->offset - g.b.offset), end - s->offset));
			parts++;
			if (!(seed & 1))
				continue;
			assert_int_equal(s->frame_id, id);
			memset(ids, 0, sizeof(ids));
			for (at = s->offset; at < end; at += 16)
				frame_ids(g.b.data + (at - g.b.offset), &id, ids);
			assert_memory_equal(s->ids, ids, sizeof(ids));
			assert_int_equal(s->triggers + s->barriers + s->errors + s->syncs, 0);
		}
		cst_index_free(ix);
		gen_close(&g);
	}
	assert_true(parts > 40);
}

/* Two parts of a buffer, each indexed without knowing the other: together they are what one index is. */
static void test_merge(void **state)
{
	const struct cst_index_opts opts = { .granularity = 200, .full = 1 };
	struct cst_index *whole, *first, *second, *kept;
	unsigned int seed, merged = 0, refused = 0;
	struct check_buffer part;
	struct gen_buffer g;
	uint64_t from;
	int err;

	(void)state;
	for (seed = 0; seed < 100; seed++) {
		gen_open(&g, seed, seed & 1, 10 * INSNS);
		whole = check_build(&g.b, &opts, g.b.offset, 0);
		part = g.b;
		part.len = part.len * 7 / 10 & ~(size_t)15;
		first = check_build(&part, &opts, g.b.offset, 0);
		kept = check_build(&part, &opts, g.b.offset, 0);
		from = g.b.offset + (g.b.len / 4 & ~(size_t)15);
		second = check_build(&g.b, &opts, from, 0);
		err = cst_index_merge(first, second);
		if (err) {
			assert_int_equal(err, -CST_ERR_CONFLICT);
			assert_same_index(first, kept);
			refused++;
		} else {
			assert_same_index(first, whole);
			merged++;
		}
		/* no part of this one, or not joined to it */
		assert_int_equal(cst_index_merge(second, kept), -CST_ERR_CONFLICT);
		cst_index_free(whole);
		cst_index_free(first);
		cst_index_free(second);
		cst_index_free(kept);
		gen_close(&g);
	}
	print_message("%u merged, %u without a common block\n", merged, refused);
	assert_true(merged > refused);
}

/* Contexts that only one part has; more than have a bit of their own; streams that differ; records that ended before. */
static void test_merge_contexts(void **state)
{
	enum { ROUNDS = 80 };
	struct cst_index_opts opts = { .granularity = 1, .full = 1 }, few = opts;
	struct cst_config cfg = etm_config(4, 0), other = cfg;
	struct cst_index *whole, *first, *second;
	struct gen_space none = { NULL, NULL };
	static uint8_t bytes[ROUNDS * ROUND];
	struct check_buffer b = { .format = CST_TREE_RAW, .cfg = &cfg, .n_cfg = 1, .data = bytes, .space = one_space, .ctx = &none };
	static const unsigned int firsts[] = { 6, 10, 64, 70 };
	uint64_t end;
	size_t i;

	(void)state;
	rounds(bytes, 1, ROUNDS + 1);
	for (i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		b.len = sizeof(bytes);
		whole = check_build(&b, &opts, 0, 0);
		assert_true(whole->streams[0].n_blocks > ROUNDS - 3);
		assert_int_equal(whole->streams[0].n_contexts, CST_INDEX_CONTEXTS);
		assert_int_equal(whole->streams[0].blocks[whole->streams[0].n_blocks - 2].contexts, 1ull << 63);
		second = check_build(&b, &opts, ROUND, 0);
		b.len = firsts[i] * ROUND;
		first = check_build(&b, &opts, 0, 0);
		assert_int_equal(cst_index_merge(first, second), 0);
		assert_same_index(first, whole);
		cst_index_free(first);
		/* records that end before the second part cannot be continued by its own; others are */
		for (few.max_records = 3; few.max_records <= 12; few.max_records += 9) {
			first = check_build(&b, &few, 0, 0);
			end = first->streams[0].records_end;
			assert_int_equal(first->streams[0].n_records, few.max_records);
			assert_int_equal(cst_index_merge(first, second), 0);
			assert_int_equal(first->streams[0].n_blocks, whole->streams[0].n_blocks);
			assert_int_equal(first->streams[0].n_records, few.max_records == 3 ? 3 : whole->streams[0].n_records);
			assert_int_equal(first->streams[0].records_end, few.max_records == 3 ? end : UINT64_MAX);
			cst_index_free(first);
		}
		other = cfg;
		if (i & 1)
			other.trace_id++;
		else
			other.strict = 1;
		b.cfg = &other;
		first = check_build(&b, &opts, 0, 0);
		assert_int_equal(cst_index_merge(first, second), -CST_ERR_CONFLICT);
		b.cfg = &cfg;
		cst_index_free(first);
		cst_index_free(second);
		cst_index_free(whole);
	}
}

/* Streams whose packets make elements one by one: software trace and the data trace of an ETMv4. */
#define LOSS_FIRST { 0, CST_UNSYNC_INIT, CST_INDEX_LOSS }

static void test_ready(void **state)
{
	static const struct {
		enum cst_protocol protocol;
		uint8_t bytes[40], len;
		struct cst_index_record records[8];
		unsigned int n;
		struct cst_index_block block;
	} rows[] = {
		/* times, events 0 and 2, a packet without events, which counts as event 0; a marker */
		{ CST_PROTO_ETMV4_DATA,
		  { ASYNC, 0x00, 0x01, 0x00, 0x02, 0x05, 0x04, 0x05, 0x01, 0x02, 0x85, 0x01, 0x04, 0x00 }, 25,
		  { LOSS_FIRST, { 0, 0, CST_INDEX_SYNC }, { 15, 0x05, CST_INDEX_TIMESTAMP }, { 17, 5, CST_INDEX_EVENT },
		    { 20, 0x85, CST_INDEX_TIMESTAMP }, { 23, 1, CST_INDEX_EVENT } }, 6,
		  { .time_first = 5, .time_last = 0x85, .time_min = 5, .time_max = 0x85, .event_mask = 5 } },
		/* D4 without a time, a trigger with one and one without */
		{ CST_PROTO_STM,
		  { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0f, 0x30, 0xcc, 0x7c,
		    0x0f, 0xa7, 0x15, 0x03, 0x0f, 0xa6, 0x05 }, 22,
		  { LOSS_FIRST, { 0, 0, CST_INDEX_SYNC }, { 15, 3, CST_INDEX_TIMESTAMP }, { 15, 1, CST_INDEX_EVENT },
		    { 19, 1, CST_INDEX_EVENT } }, 5,
		  { .time_first = 3, .time_last = 3, .time_min = 3, .time_max = 3, .event_mask = 1 } },
		/* local times of 0x10 and 8 ticks between them and, after an overflow, 4: they begin anew then */
		{ CST_PROTO_ITM,
		  { 0, 0, 0, 0, 0, 0x80, 0x01, 0xaa, 0xc0, 0x10, 0xc0, 0x08, 0x70, 0x09, 0xbb, 0xc0, 0x04 }, 17,
		  { LOSS_FIRST, { 0, 0, CST_INDEX_SYNC }, { 8, 0x10, CST_INDEX_TIMESTAMP }, { 10, 0x18, CST_INDEX_TIMESTAMP },
		    { 13, CST_UNSYNC_OVERFLOW, CST_INDEX_LOSS }, { 15, 4, CST_INDEX_TIMESTAMP } }, 6,
		  { .time_first = 0x10, .time_last = 4, .time_min = 4, .time_max = 0x18 } },
	};
	const struct cst_index_opts opts = { .granularity = 4096, .full = 1 };
	const struct cst_index_stream *s;
	struct gen_space none = { NULL, NULL };
	struct cst_index *ix;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t counts[CST_INDEX_KINDS] = { 0 };
		struct cst_config cfg = { .protocol = rows[i].protocol, .trace_id = 0x20, .ts_prescale = 1 };
		struct check_buffer b = { .format = CST_TREE_RAW, .cfg = &cfg, .n_cfg = 1, .data = rows[i].bytes,
					  .len = rows[i].len, .space = one_space, .ctx = &none };

		ix = check_build(&b, &opts, 0, 0);
		s = ix->streams;
		assert_int_equal(s->n_records, rows[i].n);
		for (k = 0; k < rows[i].n; k++) {
			assert_int_equal(s->records[k].offset, rows[i].records[k].offset);
			assert_int_equal(s->records[k].kind, rows[i].records[k].kind);
			assert_int_equal(s->records[k].value, rows[i].records[k].value);
			counts[rows[i].records[k].kind]++;
		}
		assert_int_equal(s->n_blocks, 1);
		assert_memory_equal(s->blocks[0].counts, counts, sizeof(counts));
		assert_int_equal(s->blocks[0].event_mask, rows[i].block.event_mask);
		assert_int_equal(s->blocks[0].time_first, rows[i].block.time_first);
		assert_int_equal(s->blocks[0].time_last, rows[i].block.time_last);
		assert_int_equal(s->blocks[0].time_min, rows[i].block.time_min);
		assert_int_equal(s->blocks[0].time_max, rows[i].block.time_max);
		cst_index_free(ix);
	}
}

static uint64_t total(const struct cst_index_stream *s, unsigned int kind)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < s->n_blocks; i++)
		n += s->blocks[i].counts[kind];
	return n;
}

/* With few blocks allowed the index is what a coarser one is; with few records it is exact up to their end. */
static void test_limits(void **state)
{
	struct cst_index_opts opts = { .granularity = 64, .full = 1 };
	struct cst_index *fine, *few, *coarse;
	unsigned int seed, kind, records = 0;
	struct gen_buffer g;
	uint32_t i;

	(void)state;
	for (seed = 0; seed < 60; seed++) {
		gen_open(&g, seed, seed & 1, INSNS);
		opts.granularity = 64;
		opts.max_blocks = opts.max_records = 0;
		fine = check_build(&g.b, &opts, g.b.offset, 0);
		opts.max_blocks = 5;
		opts.max_records = 20;
		few = check_build(&g.b, &opts, g.b.offset, 0);
		assert_true(few->streams[0].n_blocks <= 5);
		assert_int_equal(few->streams[0].blocks[0].start, g.b.offset);
		opts.granularity = few->streams[0].granularity;
		opts.max_blocks = opts.max_records = 0;
		coarse = check_build(&g.b, &opts, g.b.offset, 0);
		for (kind = 0; kind < CST_INDEX_KINDS; kind++) {
			assert_int_equal(total(fine->streams, kind), total(few->streams, kind));
			assert_int_equal(total(fine->streams, kind), total(coarse->streams, kind));
		}
		for (i = 0; i < few->streams[0].n_records; i++) {
			assert_int_equal(few->streams[0].records[i].offset, fine->streams[0].records[i].offset);
			assert_int_equal(few->streams[0].records[i].value, fine->streams[0].records[i].value);
			assert_int_equal(few->streams[0].records[i].kind, fine->streams[0].records[i].kind);
		}
		if (fine->streams[0].n_records > 20) {
			assert_true(few->streams[0].records_end != UINT64_MAX);
			assert_true(few->streams[0].n_records <= 20);
			assert_true(fine->streams[0].records[few->streams[0].n_records].offset >=
				    few->streams[0].records_end);
			records++;
		}
		cst_index_free(fine);
		cst_index_free(few);
		cst_index_free(coarse);
		gen_close(&g);
	}
	assert_true(records > 20);
}

/* Streams without a decoder, options that cannot be, nothing fed. */
static void test_refused(void **state)
{
	struct cst_config cfg = etm_config(4, 0), other = cfg;
	const uint8_t byte = 0;
	struct cst_index_builder *b;
	struct cst_index *ix;

	(void)state;
	assert_int_equal(cst_index_builder_new(&b, CST_TREE_RAW, 0, NULL), 0);
	other.protocol = CST_PROTO_CUSTOM;
	assert_int_equal(cst_index_builder_add(b, &other), -CST_ERR_PROTOCOL);
	assert_int_equal(cst_index_builder_add(b, &cfg), 0);
	assert_int_equal(cst_index_builder_add(b, &cfg), -CST_ERR_INVAL);
	other = cfg;
	other.trace_id++;
	assert_int_equal(cst_index_builder_add(b, &other), -CST_ERR_INVAL);
	assert_int_equal(cst_index_builder_feed(b, &byte, 1, 100), 0);
	assert_int_equal(cst_index_builder_feed(b, &byte, 1, 102), -CST_ERR_INVAL);
	assert_int_equal(cst_index_builder_feed(b, &byte, 1, 101), 0);
	assert_int_equal(cst_index_builder_take(b, &ix), 0);
	assert_int_equal(ix->offset, 100);
	assert_int_equal(ix->end, 102);
	cst_index_free(ix);
	cst_index_builder_free(b);
	assert_int_equal(cst_index_builder_new(&b, CST_TREE_FRAMES, 0, NULL), 0);
	assert_int_equal(cst_index_builder_take(b, &ix), 0);
	assert_int_equal(ix->n_streams, 0);
	assert_int_equal(ix->end, 0);
	cst_index_free(ix);
	cst_index_builder_free(b);
}

/* ---- what it is asked ---------------------------------------------------------------------------- */

#define MAX_KEPT 200000

/* What a question asks for, among the elements themselves: the offset, or UINT64_MAX. */
static uint64_t first_of(const struct cst_generic *g, size_t n, const struct cst_index_query *q)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (g[i].index < q->from)
			continue;
		switch (q->kind) {
		case CST_INDEX_TIMESTAMP:
			if (g[i].kind == CST_GEN_TIMESTAMP && g[i].addr && g[i].addr >= q->value)
				return g[i].index;
			break;
		case CST_INDEX_EVENT:
			if (g[i].kind == CST_GEN_EVENT && (!q->value || g[i].num & q->value))
				return g[i].index;
			break;
		case CST_INDEX_CONTEXT:
			if (g[i].kind == CST_GEN_PE_CONTEXT && g[i].context_id == q->value)
				return g[i].index;
			break;
		case CST_INDEX_LOSS:
			if (g[i].kind == CST_GEN_NO_SYNC)
				return g[i].index;
			break;
		case CST_INDEX_TRACE_ON:
			if (g[i].kind == CST_GEN_TRACE_ON)
				return g[i].index;
			break;
		}
	}
	return UINT64_MAX;
}

static size_t elements_of(const struct check_buffer *b, struct cst_generic *g)
{
	struct cst_tree *t = check_tree(b);
	size_t n = 0;
	int end, got;

	for (end = 0; end < 2; end++) {
		if (end)
			cst_tree_end(t);
		else
			assert_int_equal(cst_tree_feed(t, b->data, b->len, b->offset), 0);
		while ((got = cst_tree_pull(t, g + n, MAX_KEPT - n, NULL))) {
			assert_true(got > 0);
			n += g[n].kind != CST_GEN_BARRIER ? (size_t)got : 0;
			assert_true(n + 512 < MAX_KEPT);
		}
	}
	cst_tree_free(t);
	return n;
}

static void ask(const struct cst_index *ix, const struct cst_index_query *q, uint64_t want, bool full,
		unsigned int *exact)
{
	struct cst_index_place p;

	cst_index_search(ix, ix->streams, q, &p);
	assert_true(p.start <= p.valid && p.valid <= p.offset);
	if (want == UINT64_MAX)
		return;
	/* never too late */
	assert_true(p.found);
	assert_true(p.offset <= want);
	assert_true(!p.exact || full);
	/* a packet whose element was dropped, or repeats a state, may be there before */
	*exact += p.exact && p.offset == want;
}

static void test_search(void **state)
{
	struct cst_generic *g = malloc(MAX_KEPT * sizeof(*g));
	struct cst_index_opts opts = { .granularity = 200 };
	unsigned int seed, exact = 0, asked = 0, kind;
	struct gen_buffer b;
	struct cst_index *ix;
	size_t n, i;

	(void)state;
	assert_non_null(g);
	for (seed = 0; seed < 80; seed++) {
		gen_open(&b, seed, seed & 1, INSNS);
		opts.full = seed >> 1 & 1;
		opts.max_records = seed & 4 ? 30 : 0;
		ix = check_build(&b.b, &opts, b.b.offset, 0);
		n = elements_of(&b.b, g);
		for (i = 0; i < n; i += 1 + n / 300)
			for (kind = CST_INDEX_TIMESTAMP; kind <= CST_INDEX_TRACE_ON; kind++) {
				struct cst_index_query q = { .kind = (uint8_t)kind, .from = i & 1 ? g[i].index : 0 };

				if (kind == CST_INDEX_TIMESTAMP)
					q.value = g[i].kind == CST_GEN_TIMESTAMP ? g[i].addr : g[i].addr >> 3;
				else if (kind == CST_INDEX_EVENT)
					q.value = i % 5;
				else if (kind == CST_INDEX_CONTEXT)
					q.value = g[i].context_id;
				ask(ix, &q, first_of(g, n, &q), opts.full, &exact);
				asked++;
			}
		cst_index_free(ix);
		gen_close(&b);
	}
	print_message("%u questions, %u answered with the very place\n", asked, exact);
	assert_true(exact > asked / 20);
	free(g);
}

/* ---- files --------------------------------------------------------------------------------------- */

static void test_file(void **state)
{
	struct bytes b = two_indexes(), again;
	struct cst_index_problem problem;
	struct cst_index_file *f;

	(void)state;
	assert_int_equal(cst_index_read(&f, b.p, b.n, &problem), 0);
	assert_int_equal(f->n, 2);
	assert_ptr_equal(cst_index_by_name(f, "second"), f->indexes[1]);
	assert_null(cst_index_by_name(f, "third"));
	assert_int_equal(cst_index_write((const struct cst_index *const *)f->indexes, 2, &again.p, &again.n), 0);
	assert_int_equal(again.n, b.n);
	assert_memory_equal(again.p, b.p, b.n);
	free(again.p);
	/* a block with all that a block can have */
	f->indexes[0]->sources[0].ids[0] |= 1;
	f->indexes[0]->sources[0].triggers = f->indexes[0]->sources[0].barriers = 3;
	f->indexes[0]->sources[0].errors = f->indexes[0]->sources[0].syncs = 4;
	assert_int_equal(cst_index_write((const struct cst_index *const *)f->indexes, 2, &again.p, &again.n), 0);
	cst_index_file_free(f);
	assert_int_equal(cst_index_read(&f, again.p, again.n, &problem), 0);
	assert_true(f->indexes[0]->sources[0].triggers == 3 && f->indexes[0]->sources[0].barriers == 3);
	assert_true(f->indexes[0]->sources[0].errors == 4 && f->indexes[0]->sources[0].syncs == 4);
	free(again.p);
	cst_index_file_free(f);
	/* an index of nothing */
	assert_int_equal(cst_index_write(NULL, 0, &again.p, &again.n), 0);
	assert_int_equal(cst_index_read(&f, again.p, again.n, NULL), 0);
	assert_int_equal(f->n, 0);
	cst_index_file_free(f);
	free(again.p);
	free(b.p);
}

/* Cut anywhere, one bit changed anywhere, bytes behind it: refused, and it is said why. */
static void test_damage(void **state)
{
	struct bytes b = two_indexes();
	struct cst_index_problem p;
	struct cst_index_file *f;
	uint8_t *copy;
	size_t i;
	int err;

	(void)state;
	for (i = 0; i < b.n; i++) {
		copy = malloc(i ? i : 1);	/* so that a byte too far is found */
		assert_non_null(copy);
		memcpy(copy, b.p, i);
		err = cst_index_read(&f, copy, i, &p);
		assert_int_equal(err, i < 8 ? -CST_ERR_SYNTAX : -CST_ERR_INCOMPLETE);
		assert_int_equal(p.error, err);
		assert_non_null(p.text);
		free(copy);
	}
	for (i = 0; i < b.n * 8; i++) {
		b.p[i / 8] ^= (uint8_t)(1u << i % 8);
		err = cst_index_read(&f, b.p, b.n, &p);
		b.p[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_true(err == -CST_ERR_DAMAGED || err == -CST_ERR_SYNTAX || err == -CST_ERR_VERSION ||
			    err == -CST_ERR_INCOMPLETE);
		assert_true(p.found != p.expected);
	}
	copy = calloc(1, b.n + 1);
	assert_non_null(copy);
	memcpy(copy, b.p, b.n);
	assert_int_equal(cst_index_read(&f, copy, b.n + 1, &p), -CST_ERR_DAMAGED);
	free(copy);
	print_message("%zu bytes, %zu bits\n", b.n, b.n * 8);
	free(b.p);
}

/*
 * The same with a checksum that fits: what no index has is refused, and what is taken is an index that is written as
 * these bytes.
 */
static void test_content(void **state)
{
	struct bytes b = two_indexes();
	unsigned int bit, taken = 0, refused = 0;
	struct cst_index_problem problem;
	struct cst_index_file *f;
	struct bytes again;
	uint64_t sum;
	size_t i, k;

	(void)state;
	/* from the number of indexes on; the four bytes behind it are not read */
	for (i = INDEX_SUM_AT + 8; i < b.n; i = i + 1 == INDEX_SUM_AT + 12 ? INDEX_HEADER : i + 1)
		for (bit = 0; bit < 8; bit++) {
			b.p[i] ^= (uint8_t)(1u << bit);
			sum = cst_index_sum(b.p, b.n);
			for (k = 0; k < 8; k++)
				b.p[INDEX_SUM_AT + k] = (uint8_t)(sum >> (8 * k));
			if (cst_index_read(&f, b.p, b.n, &problem)) {
				if (i > INDEX_SUM_AT + 8 && i < INDEX_HEADER)
					assert_string_equal(problem.text, "number of indexes");
				refused++;
			} else {
				taken++;
				assert_int_equal(cst_index_write((const struct cst_index *const *)f->indexes, f->n, &again.p,
								 &again.n), 0);
				if (again.n != b.n || memcmp(again.p, b.p, b.n))
					fail_msg("byte %zu, bit %u: taken, and written as something else", i, bit);
				free(again.p);
				cst_index_file_free(f);
			}
			b.p[i] ^= (uint8_t)(1u << bit);
		}
	print_message("%u taken, %u refused\n", taken, refused);
	assert_true(taken > 0 && refused > 0);
	free(b.p);
}

/* What stands for a trace and a configuration changes with them. */
static void test_identity(void **state)
{
	struct cst_config cfg = etm_config(4, 0), other;
	uint8_t *data = calloc(1, 1 << 20);
	uint64_t sum, sample;
	size_t i;

	(void)state;
	assert_non_null(data);
	sum = cst_index_digest(0, data, 1 << 20);
	sample = cst_index_sample(0, data, 1 << 20);
	assert_true(sample != cst_index_sample(0, data, (1 << 20) - 1));
	for (i = 0; i < 1 << 20; i += 997) {
		data[i] ^= 1;
		assert_true(cst_index_digest(0, data, 1 << 20) != sum);
		data[i] ^= 1;
		i += i ? 30000 : 0;
	}
	data[0] ^= 1;
	assert_true(cst_index_sample(0, data, 1 << 20) != sample);
	free(data);
	other = cfg;
	assert_true(cst_index_config(&cfg) == cst_index_config(&other));
	/* makes no difference without speculation */
	other.as_reference = 1;
	assert_true(cst_index_config(&cfg) == cst_index_config(&other));
	other.strict = 1;
	assert_true(cst_index_config(&cfg) != cst_index_config(&other));
	/* ETMv4 has no transactions, ETE has; ranges of single instructions are made of the same packets */
	other = cfg;
	other.hold_transactions = !other.hold_transactions;
	assert_true(cst_index_config(&cfg) == cst_index_config(&other));
	other = cfg;
	other.insn_ranges = 1;
	other.quirks = 0xff;
	assert_true(cst_index_config(&cfg) == cst_index_config(&other));
	/* forms of Q elements that are off make packets bad in strict mode only */
	other = cfg;
	other.q_off = 3;
	assert_true(cst_index_config(&cfg) == cst_index_config(&other));
	other.strict = 1;
	other.q_off = 0;
	cfg.strict = 1;
	assert_true(cst_index_config(&cfg) == cst_index_config(&other));
	other.q_off = 3;
	assert_true(cst_index_config(&cfg) != cst_index_config(&other));
	cfg.strict = 0;
	cfg.max_spec = 4;
	other = cfg;
	other.as_reference = 1;
	assert_true(cst_index_config(&cfg) != cst_index_config(&other));
	cfg = other = ete_config(1, 0);
	other.hold_transactions = !other.hold_transactions;
	assert_true(cst_index_config(&cfg) != cst_index_config(&other));
	other = cfg;
	other.as_reference = 1;
	assert_true(cst_index_config(&cfg) == cst_index_config(&other));
	other.protocol = cfg.protocol = CST_PROTO_PTM;
	assert_true(cst_index_config(&cfg) != cst_index_config(&other));
}

/* Files of earlier versions have these numbers: the same configuration and the same trace must give them again. */
static void test_numbers_in_files(void **state)
{
	static uint8_t data[64 * 256 + 65];
	struct cst_config cfg = { .protocol = CST_PROTO_ETE, .version = 0x51, .trace_id = 0x10, .ia64 = 1, .cond_keys = 0x01020304,
				  .p0_keys = 0x05060708, .max_spec = 3, .max_queue = 65536, .hold_transactions = 1, .insn_ranges = 1 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + (i >> 8));
	assert_int_equal(cst_index_config(&cfg), 0x4982cb68264f5534);
	cfg.strict = 1;
	assert_int_equal(cst_index_config(&cfg), 0x29b80b93209f437);
	assert_int_equal(cst_index_digest(0, data, 100), 0xb1c0882ded262081);
	/* all bytes up to 16 KiB; of more, 64 samples of 256 bytes and the last 256 bytes */
	assert_int_equal(cst_index_sample(0, data, 64 * 256), 0xa30f900c3f5e43b1);
	assert_int_equal(cst_index_sample(0, data, sizeof(data)), 0xd57fa756c1ecee86);
	data[sizeof(data) - 1] ^= 1;
	assert_true(cst_index_sample(0, data, sizeof(data)) != 0xd57fa756c1ecee86);
}

/* A part with few blocks is coarser than the other: together they are what one coarse index is. */
static void test_merge_coarse(void **state)
{
	const struct cst_index_opts fine = { .granularity = 64, .full = 1 };
	const struct cst_index_opts few = { .granularity = 64, .full = 1, .max_blocks = 16 };
	struct cst_index_opts coarse = fine;
	struct cst_index *whole, *first, *second;
	unsigned int seed, merged[2] = { 0, 0 };
	struct check_buffer part;
	struct gen_buffer g;

	(void)state;
	for (seed = 0; seed < 60; seed++) {
		gen_open(&g, seed, 0, 10 * INSNS);
		part = g.b;
		part.len = part.len * 8 / 10;
		first = check_build(&part, seed & 1 ? &few : &fine, g.b.offset, 0);
		second = check_build(&g.b, seed & 1 ? &fine : &few, g.b.offset + g.b.len / 8, 0);
		coarse.granularity = (seed & 1 ? first : second)->streams[0].granularity;
		if (coarse.granularity > 64 && !cst_index_merge(first, second)) {
			whole = check_build(&g.b, &coarse, g.b.offset, 0);
			whole->granularity = first->granularity;
			assert_int_equal(first->streams[0].granularity, coarse.granularity);
			assert_int_equal(first->streams[0].n_blocks, whole->streams[0].n_blocks);
			assert_memory_equal(first->streams[0].blocks, whole->streams[0].blocks,
				    whole->streams[0].n_blocks * sizeof(*whole->streams[0].blocks));
			merged[seed & 1]++;
			cst_index_free(whole);
		}
		cst_index_free(first);
		cst_index_free(second);
		gen_close(&g);
	}
	print_message("%u and %u merged\n", merged[0], merged[1]);
	assert_true(merged[0] > 5 && merged[1] > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge_coarse),
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_sources), cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_contexts), cmocka_unit_test(test_ready),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_refused), cmocka_unit_test(test_search),
		cmocka_unit_test(test_file), cmocka_unit_test(test_damage), cmocka_unit_test(test_content),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_numbers_in_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
