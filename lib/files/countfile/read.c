/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read.c - the bytes of a count file to records. Content against the rules is an error at its offset; in particular every
 * file has one form: no number is longer than needed, no block shorter than it could be, no record out of order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/digest.h"
#include "files/countfile/countfile_int.h"

#define BUFFER (BLOCK_HEADER + BLOCK_MAX + BLOCK_HEADER)

struct cst_count_reader {
	struct count_cursor c;		/* next record in `buf` */
	const uint8_t *end;		/* of the content of this block */
	int error;
	uint32_t table_binary;
	uint8_t table;			/* kind of the table; 0: none yet */
	uint8_t block_begins;		/* the next record is the first one of its block */
	uint8_t ended;
	struct count_state state;
	cst_count_read_fn read;
	void *data;
	size_t have;			/* bytes in `buf` */
	uint64_t base;			/* offset in the file of the first of them */
	uint64_t digest;		/* of all blocks up to this one */
	size_t last_block;		/* content of the block before this one; 0: there is none */
	uint64_t place;			/* of the error */
	const char *what;
	char name[CST_COUNT_NAME_MAX + 1];
	uint8_t buf[BUFFER + NUMBER_SLACK];
};

int cst_count_reader_new(struct cst_count_reader **out, cst_count_read_fn read, void *data)
{
	struct cst_count_reader *r;

	if (!read)
		return -CST_ERR_INVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -CST_ERR_NOMEM;
	r->read = read;
	r->data = data;
	r->digest = DIGEST_START;
	r->c.p = r->end = r->buf;
	r->what = "nothing";
	*out = r;
	return 0;
}

void cst_count_reader_free(struct cst_count_reader *r)
{
	if (!r)
		return;
	free(r->state.path);
	free(r);
}

uint64_t cst_count_reader_place(const struct cst_count_reader *r, const char **what)
{
	if (what)
		*what = r->what;
	return r->place;
}

static int fail(struct cst_count_reader *r, int error, const uint8_t *at, const char *what)
{
	r->error = error;
	r->place = r->base + (uint64_t)(at - r->buf);
	r->what = what;
	return error;
}

static int damaged(struct cst_count_reader *r, const uint8_t *at, const char *what)
{
	return fail(r, -CST_ERR_DAMAGED, at, what);
}

/* Moves what is not read yet to the front of the buffer. */
static void compact(struct cst_count_reader *r)
{
	size_t used = (size_t)(r->end - r->buf);

	r->have -= used;
	memmove(r->buf, r->end, r->have);
	r->base += used;
	r->c.p = r->end = r->buf;
}

/* Reads until the buffer holds `n` bytes. Returns 1, 0 if the file ends before, or an error of `read`. */
static int fill(struct cst_count_reader *r, size_t n)
{
	long got;

	while (r->have < n) {
		got = r->read(r->data, r->buf + r->have, BUFFER - r->have);
		if (got < 0)
			return fail(r, (int)got, r->buf + r->have, "reading failed");
		if (!got)
			return 0;
		if ((size_t)got > BUFFER - r->have)
			return fail(r, -CST_ERR_INVAL, r->buf + r->have, "the caller's function read too much");
		r->have += (size_t)got;
	}
	return 1;
}

static int cut(struct cst_count_reader *r, const char *what)
{
	return fail(r, -CST_ERR_INCOMPLETE, r->buf + r->have, what);
}

#define MARK (sizeof(CST_COUNT_MARK) - 1)

static int read_file_header(struct cst_count_reader *r)
{
	int rc = fill(r, FILE_HEADER);

	if (rc < 0)
		return rc;
	if (!r->have)
		return cut(r, "an empty file; expected a count file");
	if (memcmp(r->buf, cst_count_file_header, r->have < MARK ? r->have : MARK))
		return fail(r, -CST_ERR_SYNTAX, r->buf, "another kind of file; expected the mark of a count file");
	if (!rc)
		return cut(r, "the file ends inside its header");
	if (memcmp(r->buf + MARK, cst_count_file_header + MARK, 2))
		return fail(r, -CST_ERR_VERSION, r->buf + MARK, "another version of the format; expected 1");
	if (memcmp(r->buf, cst_count_file_header, FILE_HEADER))
		return damaged(r, r->buf + MARK + 2, "header of the file; expected 16, 0");
	r->c.p = r->end = r->buf + FILE_HEADER;
	return 1;
}

/* The end mark: the number of records, and nothing behind it. */
static int read_end(struct cst_count_reader *r)
{
	const uint8_t *content = r->buf + BLOCK_HEADER;
	int rc;

	if (le_get(content, END_CONTENT) != r->state.records)
		return damaged(r, content, "number of records; expected that of the records before");
	r->end = content + END_CONTENT;
	compact(r);
	rc = fill(r, 1);
	if (rc < 0)
		return rc;
	if (rc)
		return damaged(r, r->buf, "bytes behind the end mark; expected the end of the file");
	r->ended = 1;
	return 0;
}

/* Returns 1 with the content of the next block in [c.p, end), 0 at the end mark, or an error. */
static int read_block(struct cst_count_reader *r)
{
	const uint8_t *p = r->buf;
	size_t len, content;
	int rc;

	if (!r->base && !r->have) {
		rc = read_file_header(r);
		if (rc < 0)
			return rc;
	}
	compact(r);
	rc = fill(r, BLOCK_HEADER);
	if (rc <= 0)
		return rc ? rc : cut(r, "the file ends before its end mark");
	len = (size_t)le_get(p, 2);
	if ((len ^ le_get(p + 2, 2)) != 0xffff)
		return damaged(r, p, "length of a block; expected it and its complement");
	if (len > BLOCK_MAX)
		return damaged(r, p, "length of a block; expected at most 32768");
	content = len ? len : END_CONTENT;
	rc = fill(r, BLOCK_HEADER + content);
	if (rc <= 0)
		return rc ? rc : cut(r, len ? "the file ends inside a block" : "the file ends inside its end mark");
	r->digest = cst_digest_bytes(r->digest, p + BLOCK_HEADER, content);
	if (r->digest != le_get(p + 4, 8))
		return damaged(r, p + 4, "digest of a block; expected that of its bytes and of the blocks before");
	if (!len)
		return read_end(r);
	r->c.p = p + BLOCK_HEADER;
	r->end = r->c.p + len;
	r->block_begins = 1;
	return 1;
}

/* A name of `len` bytes inside the block. */
static const char *get_name(struct cst_count_reader *r, size_t len)
{
	if (r->c.bad || r->c.p > r->end || len > (size_t)(r->end - r->c.p) || len > CST_COUNT_NAME_MAX) {
		r->c.bad = 1;
		len = 0;
	}
	memcpy(r->name, r->c.p, len);
	r->name[len] = 0;
	r->c.p += len;
	/* the checks of the name's length would see a shorter name */
	r->c.bad |= strlen(r->name) != len;
	return r->name;
}

/* Counts are written less one. */
static uint64_t get_count(struct count_cursor *c)
{
	uint64_t v = number_get(c);

	c->bad |= v == UINT64_MAX;
	return v + 1;
}

/* The place that a first number means, which is one more than the distance from the last one. */
static uint64_t get_place(struct count_cursor *c, uint64_t at, uint64_t first)
{
	c->bad |= !first || first - 1 > CST_COUNT_OUTSIDE - 1 - at;
	return at + first - 1;
}

static void get_total(struct cst_count_reader *r, struct cst_count_total *t)
{
	t->name = get_name(r, (size_t)number_get_most(&r->c, CST_COUNT_TOTAL_MAX));
	t->value = get_count(&r->c);
}

static void get_binary(struct cst_count_reader *r, struct cst_count_binary *b, uint64_t first)
{
	struct count_cursor *c = &r->c;
	size_t len;

	first -= ENTRY_BINARY;
	c->bad |= first >= 4 * CST_COUNT_ID_MAX;
	b->id_kind = first & 3;
	b->id_len = (uint8_t)((first >> 2) + 1);
	memset(b->id, 0, sizeof(b->id));
	if (c->bad || b->id_len > (size_t)(r->end - c->p)) {
		c->bad = 1;
		b->id_len = 0;
	}
	memcpy(b->id, c->p, b->id_len);
	c->p += b->id_len;
	b->type = *c->p++;
	b->machine = (uint16_t)number_get_most(c, UINT16_MAX);
	len = (size_t)number_get_most(c, CST_COUNT_NAME_MAX);
	b->name = get_name(r, len);
}

static void get_segment(struct cst_count_reader *r, struct cst_count_segment *g)
{
	const struct cst_count_segment *last = &r->state.segment;
	uint64_t distance = number_get(&r->c);

	r->c.bad |= distance > UINT64_MAX - last->offset;
	g->offset = last->offset + distance;
	g->size = number_get(&r->c);
	g->vaddr = g->offset + number_to_signed(number_get(&r->c));
	g->exec = *r->c.p++;
}

static void get_range(struct cst_count_reader *r, struct cst_count_range *g, uint64_t at)
{
	struct count_cursor *c = &r->c;
	uint64_t v, bytes;

	g->binary = r->table_binary;
	g->start = get_place(c, at, number_get(c));
	v = number_get(c);
	g->flags = v & 3;
	v >>= 2;
	c->bad |= v >= UINT32_MAX;
	bytes = 4 * (v & UINT32_MAX);
	if (g->flags & CST_COUNT_T32)
		bytes = bytes / 2 + 2 * number_get_most(c, UINT32_MAX);
	g->insns = (uint32_t)v + 1;
	c->bad |= bytes > UINT64_MAX - g->start;
	g->last = g->start + bytes;
	g->count = get_count(c);
}

static void get_not_taken(struct cst_count_reader *r, struct cst_count_not_taken *n, uint64_t at)
{
	unsigned int small;
	uint64_t first = number_get_tagged(&r->c, 1, &small);

	n->binary = r->table_binary;
	n->size = small ? 2 : 4;
	n->offset = get_place(&r->c, at, first);
	n->count = get_count(&r->c);
}

static void get_edge(struct cst_count_reader *r, struct cst_count_edge *e, uint64_t at)
{
	struct count_cursor *c = &r->c;
	unsigned int outside;
	uint64_t distance;

	e->binary = r->table_binary;
	e->from = get_place(c, at, number_get(c));
	distance = number_get_tagged(c, 1, &outside);
	e->to = outside ? CST_COUNT_OUTSIDE : e->from + number_to_signed(distance);
	c->bad |= outside ? distance != 0 : e->to == CST_COUNT_OUTSIDE;
	e->count = get_count(c);
}

static void get_entry(struct cst_count_reader *r, struct cst_count_entry *e, uint64_t at)
{
	e->binary = r->table_binary;
	e->offset = get_place(&r->c, at, number_get(&r->c));
	e->count = get_count(&r->c);
}

static uint32_t get_node_binary(struct count_cursor *c, uint32_t other)
{
	uint32_t binary = (uint32_t)number_get_most(c, UINT32_MAX) - 1;

	c->bad |= binary == other;
	return binary;
}

static uint64_t get_node_place(struct count_cursor *c, uint64_t base)
{
	uint64_t place = base + number_to_signed(number_get(c));

	c->bad |= place == CST_COUNT_OUTSIDE;
	return place;
}

static void get_node(struct cst_count_reader *r, struct cst_count_node *n)
{
	uint64_t up = number_get(&r->c);
	const struct count_node *parent;
	struct count_cursor *c = &r->c;
	unsigned int flags = *c->p++;

	c->bad |= flags > NODE_ALL || !up || up > (uint64_t)r->state.levels + 1;
	if (c->bad)
		return;
	n->depth = (uint32_t)(r->state.levels + 1 - up);
	n->kind = flags & NODE_KIND;
	parent = cst_count_parent(&r->state, n->depth);
	n->from_binary = flags & NODE_FROM_BINARY ? get_node_binary(c, parent->binary) : parent->binary;
	n->from = flags & NODE_FROM_OUTSIDE ? CST_COUNT_OUTSIDE : get_node_place(c, count_from_base(flags, parent));
	n->binary = flags & NODE_BINARY ? get_node_binary(c, n->from_binary) : n->from_binary;
	n->entry = flags & NODE_ENTRY_OUTSIDE ? CST_COUNT_OUTSIDE : get_node_place(c, count_entry_base(flags, n->from));
	n->calls = number_get(c);
	n->insns = number_get(c);
}

/* The begin of a table: its kind, and for counts how much higher the number of its binary is. */
static int get_table(struct cst_count_reader *r)
{
	const uint8_t *at = r->c.p;
	unsigned int kind = *r->c.p++;
	uint64_t more = 0;

	if (!kind || kind > CST_COUNT_NODE || kind == CST_COUNT_SEGMENT)
		return damaged(r, at, "kind of a table; expected 1, 2 or 4 to 8");
	if (count_of_binary(kind))
		more = number_get_most(&r->c, UINT32_MAX);
	if (r->c.bad || more > UINT32_MAX - r->table_binary)
		return damaged(r, at, "number of a binary; expected one of this file");
	if (kind == r->table && !more)
		return damaged(r, at, "the same table again");
	r->table = (uint8_t)kind;
	r->table_binary += (uint32_t)more;
	return 0;
}

static void get_record(struct cst_count_reader *r, struct cst_count_record *rec, uint64_t at)
{
	uint64_t first;

	rec->kind = r->table;
	switch (r->table) {
	case CST_COUNT_TOTAL:
		get_total(r, &rec->total);
		break;
	case CST_COUNT_BINARY:
		first = number_get(&r->c);
		if (first != ENTRY_SEGMENT) {
			get_binary(r, &rec->binary, first);
			break;
		}
		rec->kind = CST_COUNT_SEGMENT;
		get_segment(r, &rec->segment);
		break;
	case CST_COUNT_RANGE:
		get_range(r, &rec->range, at);
		break;
	case CST_COUNT_NOT_TAKEN:
		get_not_taken(r, &rec->not_taken, at);
		break;
	case CST_COUNT_EDGE:
		get_edge(r, &rec->edge, at);
		break;
	case CST_COUNT_ENTRY:
		get_entry(r, &rec->entry, at);
		break;
	default:
		get_node(r, &rec->node);
		break;
	}
}

/* A block may end only where the next record does not fit in. */
static int check_block(struct cst_count_reader *r, const uint8_t *begin)
{
	if (r->last_block && r->last_block + (size_t)(r->c.p - begin) <= BLOCK_MAX)
		return damaged(r, begin, "a record that fits into the block before");
	r->block_begins = 0;
	r->last_block = (size_t)(r->end - begin);
	return 0;
}

static int read_record(struct cst_count_reader *r, struct cst_count_record *rec)
{
	const uint8_t *begin = r->c.p;
	uint64_t at = r->state.at;
	int err;

	if (!r->table || !*begin) {
		r->c.p += r->table != 0;
		err = get_table(r);
		if (err)
			return err;
		at = 0;
	}
	get_record(r, rec, at);
	if (r->c.bad || r->c.p > r->end)
		return damaged(r, begin, r->c.bad ? "a number of a record; expected one in its shortest form and in its limits" :
				  "a record beyond the end of its block");
	if (r->block_begins) {
		err = check_block(r, begin);
		if (err)
			return err;
	}
	err = cst_count_check(&r->state, rec);
	if (err)
		return fail(r, err == -CST_ERR_INVAL ? -CST_ERR_DAMAGED : err, begin,
			    err == -CST_ERR_INVAL ? r->state.what : "no memory for the path of calls");
	cst_count_advance(&r->state, rec);
	return 1;
}

int cst_count_read(struct cst_count_reader *r, struct cst_count_record *rec)
{
	int rc;

	if (r->error || r->ended)
		return r->error;
	if (r->c.p == r->end) {
		rc = read_block(r);
		if (rc <= 0)
			return rc;
	}
	return read_record(r, rec);
}
