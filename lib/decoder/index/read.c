/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read.c - reads the bytes of a file into indexes (man page cstrace-index(5)); content against the rules is an error.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "decoder/index/file.h"

/* Minimum sizes of entries in bytes. */
#define SOURCE_LEAST 11
#define BLOCK_LEAST 4
#define RECORD_LEAST 2
#define STREAM_LEAST 17
#define INDEX_LEAST 24

/* Returns a + b; an overflow is an error. */
static uint64_t add(struct reader *r, uint64_t a, uint64_t b)
{
	if (b > UINT64_MAX - a)
		r->error = -CST_ERR_DAMAGED;
	return a + b;
}

static void expect(struct reader *r, int condition)
{
	if (!condition)
		r->error = -CST_ERR_DAMAGED;
}

static uint32_t get32(struct reader *r, int wanted)
{
	uint64_t v = wanted ? cst_get_number(r) : 0;

	/* a count whose flag is set must not be 0 */
	expect(r, v <= UINT32_MAX && (!wanted || v));
	return (uint32_t)v;
}

static void *array(struct reader *r, uint32_t n, size_t size)
{
	void *p;

	if (r->error)
		return NULL;
	p = calloc(n ? n : 1, size);
	if (!p)
		r->error = -CST_ERR_NOMEM;
	return p;
}

static void get_sources(struct reader *r, struct cst_index *ix)
{
	struct cst_index_source last = { 0 }, *s;
	uint32_t i, n = cst_get_count(r, SOURCE_LEAST);
	unsigned int flags;

	expect(r, n > 0);
	ix->sources = array(r, n, sizeof(*ix->sources));
	for (i = 0; i < n && !r->error; i++) {
		s = &ix->sources[i];
		flags = (unsigned int)cst_get_fixed(r, 1);
		expect(r, flags <= SOURCE_ALL);
		s->offset = add(r, last.offset, cst_get_number(r));
		expect(r, i ? s->offset > last.offset && s->offset <= ix->end : s->offset == ix->offset);
		s->frame_id = (uint8_t)cst_get_fixed(r, 1);
		expect(r, s->frame_id <= 0x7f || s->frame_id == CST_ID_UNKNOWN);
		s->digest = cst_get_fixed(r, 8);
		s->ids[0] = flags & SOURCE_IDS ? cst_get_number(r) : last.ids[0];
		s->ids[1] = flags & SOURCE_IDS ? cst_get_number(r) : last.ids[1];
		expect(r, !(flags & SOURCE_IDS) || s->ids[0] != last.ids[0] || s->ids[1] != last.ids[1]);
		s->triggers = get32(r, flags & SOURCE_TRIGGERS);
		s->barriers = get32(r, flags & SOURCE_BARRIERS);
		s->errors = get32(r, flags & SOURCE_ERRORS);
		s->syncs = get32(r, flags & SOURCE_SYNCS);
		last = *s;
	}
	ix->n_sources = ix->cap_sources = n;
}

static void get_times(struct reader *r, struct cst_index_block *b, unsigned int flags, uint64_t last)
{
	uint64_t less, more;

	b->time_first = last + (uint64_t)cst_get_signed(r);
	b->time_last = b->time_first + (uint64_t)cst_get_signed(r);
	b->time_min = b->time_first;
	b->time_max = b->time_last;
	if (flags & BLOCK_RANGE) {
		less = cst_get_number(r);
		more = cst_get_number(r);
		expect(r, less <= b->time_first && more <= UINT64_MAX - b->time_last && (less || more));
		b->time_min -= less;
		b->time_max += more;
	}
	expect(r, b->time_min <= b->time_max && b->time_min <= b->time_last && b->time_max >= b->time_first);
}

static void get_blocks(struct reader *r, const struct cst_index *ix, struct cst_index_stream *s)
{
	struct cst_index_block last = { 0 }, *b;
	uint32_t i, n = cst_get_count(r, BLOCK_LEAST);
	uint64_t known = s->n_contexts < CST_INDEX_CONTEXTS ? (1ull << s->n_contexts) - 1 : UINT64_MAX;
	unsigned int flags, k;

	expect(r, n > 0);
	s->blocks = array(r, n, sizeof(*s->blocks));
	for (i = 0; i < n && !r->error; i++) {
		b = &s->blocks[i];
		flags = (unsigned int)cst_get_fixed(r, 1);
		b->start = add(r, last.start, cst_get_number(r));
		b->valid = add(r, b->start, cst_get_number(r));
		expect(r, i ? b->start > last.start && b->valid > b->start && b->valid > last.valid :
			      b->start == ix->offset && b->valid == ix->offset);
		expect(r, b->valid <= ix->end);
		b->bytes = cst_get_number(r);
		for (k = 0; k < CST_INDEX_KINDS; k++)
			b->counts[k] = get32(r, flags >> k & 1);
		b->event_mask = get32(r, flags >> CST_INDEX_EVENT & 1);
		if (flags >> CST_INDEX_TIMESTAMP & 1) {
			get_times(r, b, flags, last.time_last);
		} else {
			expect(r, !(flags & BLOCK_RANGE));
		}
		b->contexts = flags & BLOCK_CONTEXTS ? cst_get_number(r) : last.contexts;
		expect(r, !(b->contexts & ~known) && (!(flags & BLOCK_CONTEXTS) || b->contexts != last.contexts));
		k = b->counts[CST_INDEX_TIMESTAMP] != 0;
		last = (struct cst_index_block){ .start = b->start, .valid = b->valid, .contexts = b->contexts,
						 .time_last = k ? b->time_last : last.time_last };
	}
	s->n_blocks = s->cap_blocks = n;
}

static void get_records(struct reader *r, const struct cst_index *ix, struct cst_index_stream *s)
{
	uint64_t offset = 0, time = 0;
	struct cst_index_record *rec;
	uint32_t i, n;

	s->records_end = cst_get_number(r);
	n = cst_get_count(r, RECORD_LEAST);
	expect(r, ix->full ? s->records_end > 0 : !s->records_end && !n);
	s->records = array(r, n, sizeof(*s->records));
	for (i = 0; i < n && !r->error; i++) {
		rec = &s->records[i];
		rec->kind = (uint8_t)cst_get_fixed(r, 1);
		expect(r, rec->kind < CST_INDEX_KINDS);
		rec->offset = offset = add(r, offset, cst_get_number(r));
		expect(r, offset >= ix->offset && offset <= ix->end && offset < s->records_end);
		if (rec->kind == CST_INDEX_TIMESTAMP)
			rec->value = time += (uint64_t)cst_get_signed(r);
		else if (rec->kind != CST_INDEX_SYNC)
			rec->value = cst_get_number(r);
	}
	s->n_records = s->cap_records = n;
}

static void get_stream(struct reader *r, const struct cst_index *ix, struct cst_index_stream *s)
{
	uint64_t granularity, coarser = ix->granularity;
	uint32_t i;

	s->trace_id = (uint8_t)cst_get_fixed(r, 1);
	s->protocol = (uint8_t)cst_get_fixed(r, 1);
	s->config = cst_get_fixed(r, 8);
	s->worlds = (uint8_t)cst_get_fixed(r, 1);
	granularity = cst_get_number(r);
	/* the granularity of a stream is that of the index times a power of 2, which merging relies on */
	while (coarser < granularity && coarser <= UINT32_MAX)
		coarser *= 2;
	expect(r, s->trace_id <= 0x7f && s->protocol < CST_PROTOCOLS && granularity == coarser &&
		  granularity <= UINT32_MAX);
	s->granularity = (uint32_t)granularity;
	s->n_contexts = cst_get_count(r, 1);
	expect(r, s->n_contexts <= CST_INDEX_CONTEXTS);
	for (i = 0; i < s->n_contexts && !r->error; i++)
		s->contexts[i] = cst_get_number(r);
	if (!r->error)
		get_blocks(r, ix, s);
	if (!r->error)
		get_records(r, ix, s);
}

static void get_head(struct reader *r, struct cst_index *ix)
{
	uint32_t len = cst_get_count(r, 1);
	uint64_t granularity;

	expect(r, len <= INDEX_NAME_MAX);
	ix->name = array(r, len + 1, 1);
	if (r->error)
		return;
	memcpy(ix->name, r->p, len);
	expect(r, strlen(ix->name) == len);
	r->p += len;
	ix->format = (uint8_t)cst_get_fixed(r, 1);
	ix->flags = (uint8_t)cst_get_fixed(r, 1);
	ix->full = (uint8_t)cst_get_fixed(r, 1);
	granularity = cst_get_number(r);
	expect(r, ix->format <= CST_TREE_FRAMES && ix->full <= 1 && granularity && granularity <= UINT32_MAX);
	ix->granularity = (uint32_t)granularity;
	ix->trace_offset = cst_get_number(r);
	ix->trace_size = cst_get_number(r);
	ix->trace_digest = cst_get_fixed(r, 8);
	ix->offset = cst_get_number(r);
	ix->end = add(r, ix->offset, cst_get_number(r));
	expect(r, ix->offset >= ix->trace_offset && ix->end - ix->trace_offset <= ix->trace_size);
}

static struct cst_index *get_index(struct reader *r)
{
	struct cst_index *ix = array(r, 1, sizeof(*ix));
	uint32_t i, n = 0;

	if (!ix)
		return NULL;
	get_head(r, ix);
	if (!r->error)
		get_sources(r, ix);
	if (!r->error)
		n = cst_get_count(r, STREAM_LEAST);
	expect(r, n <= 128);
	ix->streams = array(r, r->error ? 0 : n, sizeof(*ix->streams));
	for (i = 0; i < n && !r->error; i++) {
		ix->n_streams = i + 1;
		get_stream(r, ix, &ix->streams[i]);
		expect(r, !i || ix->streams[i].trace_id > ix->streams[i - 1].trace_id);
	}
	if (!r->error)
		return ix;
	cst_index_free(ix);
	return NULL;
}

static int refuse(struct cst_index_problem *p, int error, const char *text, uint64_t found, uint64_t expected)
{
	if (p) {
		p->error = error;
		p->text = text;
		p->found = found;
		p->expected = expected;
	}
	return error;
}

/* Checks header and checksum, and reads the number of indexes. */
static int check_file(struct reader *r, size_t len, uint32_t *n, struct cst_index_problem *p)
{
	const uint8_t *data = r->p;
	uint64_t v, sum;

	if (len < INDEX_HEADER)
		return refuse(p, len < 8 || cst_get_fixed(r, 8) != INDEX_MAGIC ? -CST_ERR_SYNTAX : -CST_ERR_INCOMPLETE,
			      "bytes in the file", len, INDEX_HEADER);
	v = cst_get_fixed(r, 8);
	if (v != INDEX_MAGIC)
		return refuse(p, -CST_ERR_SYNTAX, "mark at the beginning", v, INDEX_MAGIC);
	v = cst_get_fixed(r, 2);
	if (v != INDEX_VERSION)
		return refuse(p, -CST_ERR_VERSION, "version", v, INDEX_VERSION);
	v = cst_get_fixed(r, 2);
	if (v != INDEX_HEADER)
		return refuse(p, -CST_ERR_DAMAGED, "size of the header", v, INDEX_HEADER);
	cst_get_fixed(r, 4);
	v = cst_get_fixed(r, 8);
	if (v != len)
		return refuse(p, v > len ? -CST_ERR_INCOMPLETE : -CST_ERR_DAMAGED, "bytes in the file", len, v);
	v = cst_get_fixed(r, 8);
	sum = cst_index_sum(data, len);
	if (v != sum)
		return refuse(p, -CST_ERR_DAMAGED, "checksum", sum, v);
	*n = (uint32_t)cst_get_fixed(r, 4);
	cst_get_fixed(r, 4);
	if (*n > (uint64_t)(r->end - r->p) / INDEX_LEAST)
		return refuse(p, -CST_ERR_DAMAGED, "number of indexes", *n, 0);
	return 0;
}

int cst_index_read(struct cst_index_file **out, const uint8_t *data, size_t len, struct cst_index_problem *p)
{
	struct reader r = { data, data + len, 0 };
	struct cst_index_file *file;
	uint32_t i, n = 0;
	int err = check_file(&r, len, &n, p);

	if (err)
		return err;
	file = calloc(1, sizeof(*file));
	if (file)
		file->indexes = calloc(n ? n : 1, sizeof(*file->indexes));
	if (!file || !file->indexes) {
		free(file);
		return refuse(p, -CST_ERR_NOMEM, "memory", 0, 0);
	}
	for (i = 0; i < n && !r.error; i++) {
		file->indexes[i] = get_index(&r);
		file->n += !r.error;
	}
	expect(&r, r.error || r.p == r.end);
	if (!r.error) {
		*out = file;
		return 0;
	}
	cst_index_file_free(file);
	return refuse(p, r.error, "content", (uint64_t)(r.p - data), len);
}

void cst_index_file_free(struct cst_index_file *file)
{
	uint32_t i;

	if (!file)
		return;
	for (i = 0; i < file->n; i++)
		cst_index_free(file->indexes[i]);
	free(file->indexes);
	free(file);
}

const struct cst_index *cst_index_by_name(const struct cst_index_file *file, const char *name)
{
	uint32_t i;

	for (i = 0; i < file->n; i++)
		if (!strcmp(file->indexes[i]->name, name))
			return file->indexes[i];
	return NULL;
}
