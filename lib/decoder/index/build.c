/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build.c - builds the index of a buffer: splits it into source blocks and passes each stream's bytes to its indexer.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/digest.h"
#include "base/sized.h"
#include "bytes/frame/chunk.h"
#include "decoder/index/index_int.h"

#define MAX_BLOCKS 65536u
#define MAX_RECORDS (1u << 20)
/* Limit of source blocks. They cannot be merged when it is reached, since digests cannot; the last one then grows. */
#define MAX_SOURCES (1u << 20)

#define MIN_SOURCE 4096u

#define TRIGGER_ID 0x7d
#define FSYNC_WORD 0xffffff7fu

/* Digest of bytes that arrive in pieces: full 64-bit words, then the remaining bytes and the length. */
struct running {
	uint64_t digest, word, len;
	unsigned int fill;
};

struct cst_index_builder {
	struct cst_index_opts opts;
	uint8_t format, flags;
	struct stream_index *streams[128];
	struct cst_deframer df;
	struct chunk chunk;
	struct running sum;	/* digest of the open source block */
	struct cst_index_source *sources;
	uint32_t n_sources, cap_sources;
	uint64_t offset, end;
	uint32_t last_bytes;	/* FSYNC mode: the last bytes of the input, for patterns across calls */
	uint8_t begun;
	int error;
};

static void sum_add(struct running *r, const uint8_t *p, size_t len)
{
	r->len += len;
	while (len && r->fill) {
		r->word |= (uint64_t)*p++ << 8 * r->fill;
		len--;
		r->fill = (r->fill + 1) % 8;
		if (!r->fill) {
			r->digest = digest_word(r->digest, r->word);
			r->word = 0;
		}
	}
	for (; len >= 8; p += 8, len -= 8)
		r->digest = digest_word(r->digest, (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
					(uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
					(uint64_t)p[6] << 48 | (uint64_t)p[7] << 56);
	for (; len; len--)
		r->word |= (uint64_t)*p++ << 8 * r->fill++;
}

static uint64_t sum_end(const struct running *r)
{
	return digest_word(r->fill ? digest_word(r->digest, r->word) : r->digest, r->len);
}

static void sum_begin(struct running *r)
{
	memset(r, 0, sizeof(*r));
	r->digest = DIGEST_START;
}

uint64_t cst_index_digest(uint64_t digest, const void *data, size_t len)
{
	return cst_digest_bytes(digest ? digest : DIGEST_START, data, len);
}

int cst_index_builder_new(struct cst_index_builder **out, enum cst_tree_format format, unsigned flags,
			  const struct cst_index_opts *opts)
{
	static const struct cst_index_opts none;
	struct cst_index_builder *b;
	struct cst_index_opts own;

	opts = TAKE(cst_index_opts, opts ? opts : &none, own);
	if (!opts)
		return -CST_ERR_INVAL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -CST_ERR_NOMEM;
	b->opts = *opts;
	if (!b->opts.granularity)
		b->opts.granularity = CST_INDEX_GRANULARITY;
	/* the first block always exists, and coarser blocks must be fewer */
	if (b->opts.max_blocks < 2)
		b->opts.max_blocks = b->opts.max_blocks ? 2 : MAX_BLOCKS;
	if (!b->opts.max_records)
		b->opts.max_records = MAX_RECORDS;
	b->format = format;
	if (format == CST_TREE_FRAMES && cst_chunk_init(&b->chunk)) {
		cst_index_builder_free(b);
		return -CST_ERR_NOMEM;
	}
	flags &= ~(unsigned)(CST_FRAME_PACKED | CST_FRAME_FINDINGS);	/* these flags do not change the trace */
	b->flags = (uint8_t)flags;
	cst_deframer_init(&b->df, flags);
	*out = b;
	return 0;
}

void cst_index_builder_free(struct cst_index_builder *b)
{
	unsigned int i;

	if (!b)
		return;
	for (i = 0; i < 128; i++)
		if (b->streams[i]) {
			cst_stream_index_free(b->streams[i]);
			free(b->streams[i]);
		}
	cst_chunk_free(&b->chunk);
	free(b->sources);
	free(b);
}

int cst_index_builder_add(struct cst_index_builder *b, const struct cst_config *cfg)
{
	struct cst_config own;
	struct stream_index *s;
	unsigned int i, id;
	int err;

	cfg = TAKE(cst_config, cfg, own);
	if (!cfg)
		return -CST_ERR_INVAL;
	id = cfg->trace_id;
	if (id > 0x7f || b->streams[id] || b->begun)
		return -CST_ERR_INVAL;
	for (i = 0; i < 128 && b->format == CST_TREE_RAW; i++)
		if (b->streams[i])
			return -CST_ERR_INVAL;
	s = malloc(sizeof(*s));
	if (!s)
		return -CST_ERR_NOMEM;
	err = cst_stream_index_init(s, cfg, &b->opts);
	if (err) {
		free(s);
		return err;
	}
	s->ix.records_end = b->opts.full ? UINT64_MAX : 0;
	b->streams[id] = s;
	return 0;
}

static int add_source(struct cst_index_builder *b, uint64_t offset)
{
	struct cst_index_source *src;

	if (b->n_sources)
		b->sources[b->n_sources - 1].digest = sum_end(&b->sum);
	if (cst_index_grow(&b->sources, b->n_sources, &b->cap_sources, sizeof(*b->sources)))
		return -CST_ERR_NOMEM;
	src = &b->sources[b->n_sources++];
	memset(src, 0, sizeof(*src));
	src->offset = offset;
	src->frame_id = b->format == CST_TREE_FRAMES ? b->df.id : CST_ID_UNKNOWN;
	sum_begin(&b->sum);
	return 0;
}

static int begin(struct cst_index_builder *b, uint64_t offset)
{
	unsigned int i;
	int err = add_source(b, offset);

	b->begun = 1;
	b->offset = b->end = offset;
	for (i = 0; i < 128 && !err; i++)
		if (b->streams[i])
			err = cst_stream_index_begin(b->streams[i], offset);
	cst_deframer_start(&b->df, offset, CST_ID_UNKNOWN);
	b->df.synced = 0;
	return err;
}

static void reset_streams(struct cst_index_builder *b)
{
	unsigned int i;

	for (i = 0; i < 128; i++)
		if (b->streams[i])
			cst_stream_index_reset(b->streams[i]);
}

/* Source blocks have a minimum size: smaller ones would not reduce what a reader decodes. */
static uint64_t source_granularity(const struct cst_index_builder *b)
{
	return b->opts.granularity < MIN_SOURCE ? MIN_SOURCE : b->opts.granularity;
}

/* Passes the fragments of the chunk to their streams. */
static int route(struct cst_index_builder *b)
{
	struct cst_index_source *src = &b->sources[b->n_sources - 1];
	struct chunk *const c = &b->chunk;
	const struct cst_fragment *f;
	struct stream_index *s;
	uint32_t n;
	size_t len;
	int err;

	while (c->at < c->count) {
		f = &c->frag[c->at];
		if (f->kind != CST_FRAG_DATA) {
			src->barriers += f->kind == CST_FRAG_RESET;
			src->errors += f->kind == CST_FRAG_ERROR;
			if (cst_chunk_resets(f))
				reset_streams(b);
			c->at++;
			continue;
		}
		n = cst_chunk_run(c, &len);
		if (f->id > 0x7f)
			continue;
		src->ids[f->id >> 6] |= 1ull << (f->id & 63);
		src->triggers += f->id == TRIGGER_ID ? n : 0;
		s = b->streams[f->id];
		err = s ? cst_stream_index_feed(s, c->data + f->pos, len, c->seg, n) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* True if a source block may begin here: at a frame boundary, in another granule than the last block. */
static int at_block(const struct cst_index_builder *b)
{
	uint64_t last = b->sources[b->n_sources - 1].offset, g = source_granularity(b);

	if (b->n_sources >= MAX_SOURCES || b->end / g == last / g)
		return 0;
	if (b->format == CST_TREE_RAW)
		return 1;
	return !b->df.fill && (b->df.synced || !(b->flags & CST_FRAME_FSYNC));
}

/* Number of input bytes up to the next position where a source block may begin. */
static size_t piece(const struct cst_index_builder *b, size_t len)
{
	uint64_t last = b->sources[b->n_sources - 1].offset, g = source_granularity(b);
	uint64_t next = (last / g + 1) * g;

	if (b->format == CST_TREE_FRAMES)	/* up to the end of the frame */
		next = next > b->end ? next : b->end + 1;
	if (b->n_sources < MAX_SOURCES && next > b->end && next - b->end < len)
		len = (size_t)(next - b->end);
	return len < CHUNK_BYTES ? len : CHUNK_BYTES;
}

/* Counts synchronisation words between frames; a sound frame contains none (lib/bytes/frame/sync.c). */
static void count_syncs(struct cst_index_builder *b, const uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		b->last_bytes = b->last_bytes << 8 | data[i];
		b->sources[b->n_sources - 1].syncs += b->last_bytes == FSYNC_WORD;
	}
}

static int take(struct cst_index_builder *b, const uint8_t *data, size_t len, size_t *used)
{
	struct seg one = { 0, b->end };
	unsigned int i;

	if (b->format == CST_TREE_RAW) {
		*used = len;
		for (i = 0; i < 128; i++)
			if (b->streams[i])
				return cst_stream_index_feed(b->streams[i], data, len, &one, 1);
		return 0;
	}
	*used = cst_chunk_unpack(&b->chunk, &b->df, data, len, b->end);
	if (b->flags & CST_FRAME_FSYNC)
		count_syncs(b, data, *used);
	return route(b);
}

int cst_index_builder_feed(struct cst_index_builder *b, const uint8_t *data, size_t len, uint64_t offset)
{
	size_t used, n;

	if (!b->error && !b->begun)
		b->error = begin(b, offset);
	if (!b->error && offset != b->end)
		return -CST_ERR_INVAL;
	while (len && !b->error) {
		if (at_block(b))
			b->error = add_source(b, b->end);
		n = piece(b, len);
		if (!b->error)
			b->error = take(b, data, n, &used);
		if (b->error)
			break;
		sum_add(&b->sum, data, used);
		b->end += used;
		data += used;
		len -= used;
	}
	return b->error;
}

static int by_offset(const void *a, const void *b)
{
	const struct cst_index_record *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* Sorts the records by offset and removes those after the first one that exceeded the limit. */
static void sort_records(struct cst_index_stream *s)
{
	if (s->n_records)
		qsort(s->records, s->n_records, sizeof(*s->records), by_offset);
	while (s->n_records && s->records[s->n_records - 1].offset >= s->records_end)
		s->n_records--;
}

int cst_index_builder_take(struct cst_index_builder *b, struct cst_index **out)
{
	struct cst_index *ix;
	unsigned int i;

	if (b->error)
		return b->error;
	if (!b->begun && begin(b, 0))
		return -CST_ERR_NOMEM;
	b->sources[b->n_sources - 1].digest = sum_end(&b->sum);
	ix = calloc(1, sizeof(*ix));
	if (!ix)
		return -CST_ERR_NOMEM;
	ix->format = b->format;
	ix->flags = b->flags;
	ix->full = b->opts.full;
	ix->granularity = b->opts.granularity;
	ix->offset = ix->trace_offset = b->offset;
	ix->end = b->end;
	ix->trace_size = b->end - b->offset;
	ix->name = calloc(1, 1);
	ix->streams = calloc(128, sizeof(*ix->streams));
	ix->sources = malloc(b->n_sources * sizeof(*ix->sources));
	if (!ix->name || !ix->streams || !ix->sources)
		goto nomem;
	memcpy(ix->sources, b->sources, b->n_sources * sizeof(*ix->sources));
	ix->n_sources = ix->cap_sources = b->n_sources;
	for (i = 0; i < 128; i++) {
		if (!b->streams[i])
			continue;
		if (cst_stream_index_take(b->streams[i], &ix->streams[ix->n_streams]))
			goto nomem;
		sort_records(&ix->streams[ix->n_streams]);
		ix->n_streams++;
	}
	*out = ix;
	return 0;
nomem:
	cst_index_free(ix);
	return -CST_ERR_NOMEM;
}
