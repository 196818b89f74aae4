/* SPDX-License-Identifier: BSD-3-Clause */
/* write.c - indexes to the bytes of a file (man page cstrace-index(5)). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "decoder/index/file.h"

static void put_source(struct writer *w, const struct cst_index_source *s, const struct cst_index_source *last)
{
	int same_ids = s->ids[0] == last->ids[0] && s->ids[1] == last->ids[1];
	unsigned int flags = (same_ids ? 0 : SOURCE_IDS) | (s->triggers ? SOURCE_TRIGGERS : 0) |
			     (s->barriers ? SOURCE_BARRIERS : 0) | (s->errors ? SOURCE_ERRORS : 0) |
			     (s->syncs ? SOURCE_SYNCS : 0);

	cst_put_fixed(w, flags, 1);
	cst_put_number(w, s->offset - last->offset);
	cst_put_fixed(w, s->frame_id, 1);
	cst_put_fixed(w, s->digest, 8);
	if (flags & SOURCE_IDS) {
		cst_put_number(w, s->ids[0]);
		cst_put_number(w, s->ids[1]);
	}
	if (s->triggers)
		cst_put_number(w, s->triggers);
	if (s->barriers)
		cst_put_number(w, s->barriers);
	if (s->errors)
		cst_put_number(w, s->errors);
	if (s->syncs)
		cst_put_number(w, s->syncs);
}

static void put_block(struct writer *w, const struct cst_index_block *b, const struct cst_index_block *last)
{
	int timed = b->counts[CST_INDEX_TIMESTAMP] != 0;
	unsigned int flags = b->contexts != last->contexts ? BLOCK_CONTEXTS : 0, i;

	if (timed && (b->time_min != b->time_first || b->time_max != b->time_last))
		flags |= BLOCK_RANGE;
	for (i = 0; i < CST_INDEX_KINDS; i++)
		flags |= b->counts[i] ? 1u << i : 0;
	cst_put_fixed(w, flags, 1);
	cst_put_number(w, b->start - last->start);
	cst_put_number(w, b->valid - b->start);
	cst_put_number(w, b->bytes);
	for (i = 0; i < CST_INDEX_KINDS; i++)
		if (b->counts[i])
			cst_put_number(w, b->counts[i]);
	if (b->counts[CST_INDEX_EVENT])
		cst_put_number(w, b->event_mask);
	if (timed) {
		cst_put_signed(w, (int64_t)(b->time_first - last->time_last));
		cst_put_signed(w, (int64_t)(b->time_last - b->time_first));
	}
	if (flags & BLOCK_RANGE) {
		cst_put_number(w, b->time_first - b->time_min);
		cst_put_number(w, b->time_max - b->time_last);
	}
	if (flags & BLOCK_CONTEXTS)
		cst_put_number(w, b->contexts);
}

static void put_stream(struct writer *w, const struct cst_index_stream *s)
{
	struct cst_index_record last_record = { 0 };
	struct cst_index_block last = { 0 };
	uint64_t time = 0;
	uint32_t i;

	cst_put_fixed(w, s->trace_id, 1);
	cst_put_fixed(w, s->protocol, 1);
	cst_put_fixed(w, s->config, 8);
	cst_put_fixed(w, s->worlds, 1);
	cst_put_number(w, s->granularity);
	cst_put_number(w, s->n_contexts);
	for (i = 0; i < s->n_contexts; i++)
		cst_put_number(w, s->contexts[i]);
	cst_put_number(w, s->n_blocks);
	for (i = 0; i < s->n_blocks; i++) {
		uint64_t last_time = last.time_last;

		put_block(w, &s->blocks[i], &last);
		last = s->blocks[i];
		if (!last.counts[CST_INDEX_TIMESTAMP])
			last.time_last = last_time;
	}
	cst_put_number(w, s->records_end);
	cst_put_number(w, s->n_records);
	for (i = 0; i < s->n_records; i++) {
		const struct cst_index_record *r = &s->records[i];

		cst_put_fixed(w, r->kind, 1);
		cst_put_number(w, r->offset - last_record.offset);
		if (r->kind == CST_INDEX_TIMESTAMP) {
			cst_put_signed(w, (int64_t)(r->value - time));
			time = r->value;
		} else if (r->kind != CST_INDEX_SYNC) {
			cst_put_number(w, r->value);
		}
		last_record = *r;
	}
}

static void put_index(struct writer *w, const struct cst_index *ix)
{
	struct cst_index_source last = { 0 };
	uint32_t i;

	cst_put_number(w, strlen(ix->name));
	cst_put_bytes(w, ix->name, strlen(ix->name));
	cst_put_fixed(w, ix->format, 1);
	cst_put_fixed(w, ix->flags, 1);
	cst_put_fixed(w, ix->full, 1);
	cst_put_number(w, ix->granularity);
	cst_put_number(w, ix->trace_offset);
	cst_put_number(w, ix->trace_size);
	cst_put_fixed(w, ix->trace_digest, 8);
	cst_put_number(w, ix->offset);
	cst_put_number(w, ix->end - ix->offset);
	cst_put_number(w, ix->n_sources);
	for (i = 0; i < ix->n_sources; i++) {
		put_source(w, &ix->sources[i], &last);
		last = ix->sources[i];
	}
	cst_put_number(w, ix->n_streams);
	for (i = 0; i < ix->n_streams; i++)
		put_stream(w, &ix->streams[i]);
}

int cst_index_write(const struct cst_index *const *indexes, uint32_t n, uint8_t **data, size_t *len)
{
	struct writer w = { 0 };
	uint32_t i;

	cst_put_fixed(&w, INDEX_MAGIC, 8);
	cst_put_fixed(&w, INDEX_VERSION, 2);
	cst_put_fixed(&w, INDEX_HEADER, 2);
	cst_put_fixed(&w, 0, 4);
	cst_put_fixed(&w, 0, 8);	/* length of the file, set at the end */
	cst_put_fixed(&w, 0, 8);	/* checksum, set at the end */
	cst_put_fixed(&w, n, 4);
	cst_put_fixed(&w, 0, 4);
	for (i = 0; i < n; i++)
		put_index(&w, indexes[i]);
	if (w.error) {
		free(w.data);
		return w.error;
	}
	le_put(w.data + INDEX_LENGTH_AT, w.len, 8);
	le_put(w.data + INDEX_SUM_AT, cst_index_sum(w.data, w.len), 8);
	*data = w.data;
	*len = w.len;
	return 0;
}
