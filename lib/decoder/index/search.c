/* SPDX-License-Identifier: BSD-3-Clause */
/* search.c - searches in an index, and sets up a tree to decode from a position found. */
#include <string.h>

#include "decoder/index/index_int.h"
#include "base/digest.h"
#include "base/sized.h"

#define SAMPLES 64
#define SAMPLE_SIZE 256

const struct cst_index_stream *cst_index_find_stream(const struct cst_index *ix, uint8_t id)
{
	uint32_t i;

	for (i = 0; i < ix->n_streams; i++)
		if (ix->streams[i].trace_id == id)
			return &ix->streams[i];
	return NULL;
}

/* Returns the last block that begins at or before `offset`, or the first block. */
static uint32_t block_of(const struct cst_index_stream *s, uint64_t offset)
{
	uint32_t lo = 0, hi = s->n_blocks, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (s->blocks[mid].valid <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* True if the block has a match of the query, before or after query->from. */
static int block_has(const struct cst_index_stream *s, const struct cst_index_block *b,
		     const struct cst_index_query *q)
{
	uint32_t i;

	switch (q->kind) {
	case CST_INDEX_TIMESTAMP:
		return b->counts[CST_INDEX_TIMESTAMP] && b->time_max >= q->value;
	case CST_INDEX_EVENT:
		return b->counts[CST_INDEX_EVENT] && (!q->value || b->event_mask & q->value);
	case CST_INDEX_CONTEXT:
		for (i = 0; i < s->n_contexts; i++)
			if (b->contexts >> i & 1 && (uint32_t)s->contexts[i] == (uint32_t)q->value)
				return 1;
		return b->contexts >> CST_INDEX_CONTEXTS;
	case CST_INDEX_LOSS:
	case CST_INDEX_TRACE_ON:
	case CST_INDEX_SYNC:
		return b->counts[q->kind] != 0;
	default:
		return 1;
	}
}

static int record_is(const struct cst_index_record *r, const struct cst_index_query *q)
{
	if (r->kind != q->kind || r->offset < q->from)
		return 0;
	switch (q->kind) {
	case CST_INDEX_TIMESTAMP:
		return r->value >= q->value;
	case CST_INDEX_EVENT:
		return !q->value || r->value & q->value;
	case CST_INDEX_CONTEXT:
		return (uint32_t)r->value == (uint32_t)q->value;
	default:
		return 1;
	}
}

static void set_place(const struct cst_index_block *b, struct cst_index_place *p, uint64_t offset, int found,
		      int exact)
{
	p->start = b->start;
	p->valid = b->valid;
	p->offset = offset > b->valid ? offset : b->valid;
	p->found = (uint8_t)found;
	p->exact = (uint8_t)exact;
}

/* cst_index_search() of a query that was taken. */
static void search(const struct cst_index *ix, const struct cst_index_stream *s,
		   const struct cst_index_query *q, struct cst_index_place *p)
{
	uint64_t from = q->from;
	uint32_t i;

	if (q->kind < CST_INDEX_KINDS && s->records_end) {
		for (i = 0; i < s->n_records; i++)
			if (record_is(&s->records[i], q)) {
				from = s->records[i].offset;
				set_place(&s->blocks[block_of(s, from)], p, from, 1, 1);
				return;
			}
		/* a match, if any, is after the end of the records */
		from = s->records_end > from ? s->records_end : from;
	}
	for (i = block_of(s, from); i < s->n_blocks; i++)
		if (block_has(s, &s->blocks[i], q)) {
			set_place(&s->blocks[i], p, from, 1, q->kind >= CST_INDEX_KINDS);
			return;
		}
	set_place(&s->blocks[s->n_blocks - 1], p, ix->end, 0, 0);
}

int cst_index_search(const struct cst_index *ix, const struct cst_index_stream *s,
		     const struct cst_index_query *q, struct cst_index_place *p)
{
	struct cst_index_query own;

	q = TAKE(cst_index_query, q, own);
	if (!q)
		return -CST_ERR_INVAL;
	search(ix, s, q, p);
	return 0;
}

const struct cst_index_source *cst_index_source_at(const struct cst_index *ix, uint64_t offset)
{
	uint32_t lo = 0, hi = ix->n_sources, mid;

	if (!hi || offset < ix->sources[0].offset)
		return NULL;
	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (ix->sources[mid].offset <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return &ix->sources[lo];
}

uint64_t cst_index_start_tree(const struct cst_index *ix, const struct cst_index_place *places,
			      struct cst_tree *tree)
{
	int whole = ix->end - ix->trace_offset >= ix->trace_size;
	const struct cst_index_source *src;
	uint64_t start[128], first = ix->end;
	uint32_t i;

	for (i = 0; i < 128; i++)
		start[i] = UINT64_MAX;
	for (i = 0; i < ix->n_streams; i++) {
		/* the index covers the whole trace and has no match: the stream is not needed */
		if (!places[i].found && whole)
			continue;
		start[ix->streams[i].trace_id & 127] = places[i].start;
		first = places[i].start < first ? places[i].start : first;
	}
	for (i = 0; i < 128; i++)
		if (cst_tree_decoder(tree, (uint8_t)i))
			cst_decoder_start_at(cst_tree_decoder(tree, (uint8_t)i), start[i]);
	if (ix->format == CST_TREE_RAW)
		return first;
	src = cst_index_source_at(ix, ix->flags & CST_FRAME_DSTREAM ? cst_dstream_offset(first) : first);
	/* the first block begins like any buffer: its first frame boundary may not be known */
	if (!src || src == ix->sources)
		return ix->offset;
	cst_tree_start_at(tree, src->offset, src->frame_id);
	return src->offset;
}

/*
 * Size of struct cst_config when the first index files were written. Fields added later enter the
 * hash only if they are not 0, so that existing index files remain valid.
 */
#define CONFIG_FIRST 60

static uint32_t little_endian(uint32_t v)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(v) : v;
}

uint64_t cst_index_config(const struct cst_config *cfg)
{
	struct cst_config own, c;
	const uint8_t *const fields = (const uint8_t *)&c + sizeof(c.struct_size);
	/* without padding behind the last field, which is the caller's */
	size_t n = offsetof(struct cst_config, q_off) + sizeof(c.q_off) - sizeof(c.struct_size);

	_Static_assert(sizeof(c) - sizeof(c.struct_size) >= CONFIG_FIRST, "fields are only added");
	cfg = TAKE(cst_config, cfg, own);
	if (!cfg)
		return 0;
	/* the hash covers the padding of the struct, too */
	memset(&c, 0, sizeof(c));
	c = *cfg;
	c.quirks = 0;		/* made of as_reference */
	c.insn_ranges = 0;	/* does not change packets or their positions */
	if (!c.strict)
		c.q_off = 0;	/* adds findings, which are errors in strict mode only */
	if (c.protocol == CST_PROTO_ETMV4)
		c.hold_transactions = 0;	/* ETMv4 has no transactions */
	if ((c.protocol == CST_PROTO_ETMV4 || c.protocol == CST_PROTO_ETE) && !c.max_spec)
		c.as_reference = 0;	/* without speculation no Mispredict comes too late */
	c.cond_keys = little_endian(c.cond_keys);
	c.p0_keys = little_endian(c.p0_keys);
	c.max_spec = little_endian(c.max_spec);
	c.max_queue = little_endian(c.max_queue);
	while (n > CONFIG_FIRST && !fields[n - 1])
		n--;
	return cst_digest_bytes(DIGEST_START, fields, n);
}

uint64_t cst_index_sample(uint64_t digest, const uint8_t *data, size_t len)
{
	size_t i, step = len / SAMPLES;

	digest = digest_word(digest ? digest : DIGEST_START, len);
	if (len <= SAMPLES * SAMPLE_SIZE)
		return cst_digest_bytes(digest, data, len);
	for (i = 0; i < SAMPLES; i++)
		digest = cst_digest_bytes(digest, data + i * step, SAMPLE_SIZE);
	return cst_digest_bytes(digest, data + len - SAMPLE_SIZE, SAMPLE_SIZE);
}
