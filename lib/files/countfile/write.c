/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write.c - records to the bytes of a count file. A block ends where the next record does not fit in, so that the bytes depend
 * on the records alone, not on how they were made.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/digest.h"
#include "files/countfile/countfile_int.h"

struct cst_count_writer {
	cst_count_write_fn write;
	void *data;
	struct count_state state;
	uint8_t table;			/* kind of the table of the last record, 0: none yet */
	uint8_t begun;			/* the file's header was written */
	uint8_t ended;
	int error;			/* of `write` */
	uint64_t digest;		/* of all blocks before this one */
	size_t len;			/* content of this block */
	uint8_t block[BLOCK_HEADER + BLOCK_MAX + RECORD_MAX];
};

int cst_count_writer_new(struct cst_count_writer **out, cst_count_write_fn write, void *data)
{
	struct cst_count_writer *w;

	if (!write)
		return -CST_ERR_INVAL;
	w = malloc(sizeof(*w));
	if (!w)
		return -CST_ERR_NOMEM;
	memset(w, 0, offsetof(struct cst_count_writer, block));
	w->write = write;
	w->data = data;
	w->digest = DIGEST_START;
	*out = w;
	return 0;
}

void cst_count_writer_free(struct cst_count_writer *w)
{
	if (!w)
		return;
	free(w->state.path);
	free(w);
}

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

static uint8_t *put_binary(uint8_t *p, const struct cst_count_binary *b)
{
	size_t len = strlen(b->name);

	p = number_put(p, ENTRY_BINARY + (b->id_kind | (b->id_len - 1u) << 2));
	p = put_bytes(p, b->id, b->id_len);
	*p++ = b->type;
	p = number_put(p, b->machine);
	p = number_put(p, len);
	return put_bytes(p, b->name, len);
}

static uint8_t *put_segment(uint8_t *p, const struct cst_count_segment *g, const struct count_state *s)
{
	p = number_put(p, ENTRY_SEGMENT);
	p = number_put(p, g->offset - s->segment.offset);
	p = number_put(p, g->size);
	p = number_put(p, number_of_signed(g->vaddr - g->offset));
	*p++ = g->exec;
	return p;
}

static uint8_t *put_range(uint8_t *p, const struct cst_count_range *r, uint64_t at)
{
	uint64_t before = (uint64_t)r->insns - 1;

	p = number_put(p, 1 + (r->start - at));
	p = number_put(p, before << 2 | r->flags);
	if (r->flags & CST_COUNT_T32)
		p = number_put(p, (r->last - r->start - 2 * before) / 2);
	return number_put(p, r->count - 1);
}

static uint8_t *put_edge(uint8_t *p, const struct cst_count_edge *e, uint64_t at)
{
	p = number_put(p, 1 + (e->from - at));
	if (e->to == CST_COUNT_OUTSIDE)
		p = number_put_tagged(p, 0, 1, 1);
	else
		p = number_put_tagged(p, number_of_signed(e->to - e->from), 1, 0);
	return number_put(p, e->count - 1);
}

static uint8_t *put_node(uint8_t *p, const struct cst_count_node *n, const struct count_state *s)
{
	const struct count_node *parent = cst_count_parent(s, n->depth);
	unsigned int flags = n->kind;

	flags |= n->from_binary != parent->binary ? NODE_FROM_BINARY : 0;
	flags |= n->binary != n->from_binary ? NODE_BINARY : 0;
	flags |= n->from == CST_COUNT_OUTSIDE ? NODE_FROM_OUTSIDE : 0;
	flags |= n->entry == CST_COUNT_OUTSIDE ? NODE_ENTRY_OUTSIDE : 0;
	p = number_put(p, 1 + s->levels - n->depth);
	*p++ = (uint8_t)flags;
	if (flags & NODE_FROM_BINARY)
		p = number_put(p, (uint32_t)(n->from_binary + 1));
	if (!(flags & NODE_FROM_OUTSIDE))
		p = number_put(p, number_of_signed(n->from - count_from_base(flags, parent)));
	if (flags & NODE_BINARY)
		p = number_put(p, (uint32_t)(n->binary + 1));
	if (!(flags & NODE_ENTRY_OUTSIDE))
		p = number_put(p, number_of_signed(n->entry - count_entry_base(flags, n->from)));
	p = number_put(p, n->calls);
	return number_put(p, n->insns);
}

/* Ends the last table and begins the record's, if that is another one. */
static uint8_t *put_table(uint8_t *p, const struct cst_count_writer *w, const struct cst_count_record *rec)
{
	unsigned int table = count_table(rec);

	if (table == w->table && (!count_of_binary(table) || rec->range.binary == w->state.binary))
		return p;
	if (w->table)
		*p++ = 0;
	*p++ = (uint8_t)table;
	if (count_of_binary(table))
		p = number_put(p, rec->range.binary - w->state.binary);
	return p;
}

static uint8_t *put_record(uint8_t *p, const struct cst_count_writer *w, const struct cst_count_record *rec)
{
	const struct count_state *s = &w->state;
	uint8_t *begin = p;
	uint64_t at;

	p = put_table(p, w, rec);
	at = p == begin ? s->at : 0;
	switch (rec->kind) {
	case CST_COUNT_TOTAL:
		p = number_put(p, strlen(rec->total.name));
		p = put_bytes(p, rec->total.name, strlen(rec->total.name));
		return number_put(p, rec->total.value - 1);
	case CST_COUNT_BINARY:
		return put_binary(p, &rec->binary);
	case CST_COUNT_SEGMENT:
		return put_segment(p, &rec->segment, s);
	case CST_COUNT_RANGE:
		return put_range(p, &rec->range, at);
	case CST_COUNT_NOT_TAKEN:
		p = number_put_tagged(p, 1 + (rec->not_taken.offset - at), 1, rec->not_taken.size == 2);
		return number_put(p, rec->not_taken.count - 1);
	case CST_COUNT_EDGE:
		return put_edge(p, &rec->edge, at);
	case CST_COUNT_ENTRY:
		p = number_put(p, 1 + (rec->entry.offset - at));
		return number_put(p, rec->entry.count - 1);
	default:
		return put_node(p, &rec->node, s);
	}
}

static int write_bytes(struct cst_count_writer *w, const void *bytes, size_t size)
{
	w->error = w->write(w->data, bytes, size);
	return w->error;
}

/* Writes `content` bytes with a header that says `len`; before the first block the file's header. */
static int write_block(struct cst_count_writer *w, size_t len, size_t content)
{
	uint8_t *p = w->block;

	if (!w->begun && write_bytes(w, cst_count_file_header, FILE_HEADER))
		return w->error;
	w->begun = 1;
	w->digest = cst_digest_bytes(w->digest, p + BLOCK_HEADER, content);
	p = le_put(p, len, 2);
	p = le_put(p, ~(uint64_t)len, 2);
	le_put(p, w->digest, 8);
	return write_bytes(w, w->block, BLOCK_HEADER + content);
}

int cst_count_write(struct cst_count_writer *w, const struct cst_count_record *rec)
{
	const uint64_t *value;
	uint8_t *begin, *end;
	size_t size;
	int err;

	if (w->error)
		return w->error;
	if (w->ended) {
		w->state.what = "a record behind the end";
		return -CST_ERR_INVAL;
	}
	err = cst_count_check(&w->state, rec);
	if (err)
		return err;
	value = count_value(rec);
	if (value && !*value)
		return 0;
	begin = w->block + BLOCK_HEADER + w->len;
	end = put_record(begin, w, rec);
	size = (size_t)(end - begin);
	if (w->len + size > BLOCK_MAX) {
		if (write_block(w, w->len, w->len))
			return w->error;
		memmove(w->block + BLOCK_HEADER, begin, size);
		w->len = 0;
	}
	w->len += size;
	w->table = count_table(rec);
	cst_count_advance(&w->state, rec);
	return 0;
}

const char *cst_count_writer_refused(const struct cst_count_writer *w)
{
	return w->state.what ? w->state.what : "nothing";
}

int cst_count_writer_end(struct cst_count_writer *w)
{
	if (w->error)
		return w->error;
	if (w->ended)
		return -CST_ERR_INVAL;
	w->ended = 1;
	if (w->len && write_block(w, w->len, w->len))
		return w->error;
	le_put(w->block + BLOCK_HEADER, w->state.records, END_CONTENT);
	return write_block(w, 0, END_CONTENT);
}
