/* SPDX-License-Identifier: BSD-3-Clause */
/* countfile_build.c - count files in memory: written, read, added, and random ones of runs of the same programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "unit/countfile_build.h"

void bytes_put(struct bytes *b, const void *data, size_t len)
{
	if (!len)
		return;
	if (b->cap - b->len < len) {
		b->cap = 2 * b->cap + len + 64;
		b->p = realloc(b->p, b->cap);
		assert_non_null(b->p);
	}
	memcpy(b->p + b->len, data, len);
	b->len += len;
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

int bytes_write(void *data, const void *p, size_t len)
{
	bytes_put(data, p, len);
	return 0;
}

long piecewise_read(void *data, void *buf, size_t size)
{
	struct piecewise *s = data;
	size_t n = s->len - s->at;

	n = n < size ? n : size;
	n = s->piece && s->piece < n ? s->piece : n;
	if (!n)
		return 0;
	memcpy(buf, s->p + s->at, n);
	s->at += n;
	return (long)n;
}

struct bytes file_of(const struct cst_count_record *recs, size_t n)
{
	struct cst_count_writer *w;
	struct bytes b = { 0 };
	size_t i;

	assert_int_equal(cst_count_writer_new(&w, bytes_write, &b), 0);
	for (i = 0; i < n; i++)
		if (cst_count_write(w, &recs[i]))
			fail_msg("record %zu was refused: %s", i, cst_count_writer_refused(w));
	assert_int_equal(cst_count_writer_end(w), 0);
	cst_count_writer_free(w);
	return b;
}

int refused(const struct cst_count_record *recs, size_t n, const struct cst_count_record *rec, const char **why)
{
	struct cst_count_writer *w;
	struct bytes b = { 0 };
	size_t i;
	int rc;

	assert_int_equal(cst_count_writer_new(&w, bytes_write, &b), 0);
	for (i = 0; i < n; i++)
		assert_int_equal(cst_count_write(w, &recs[i]), 0);
	rc = cst_count_write(w, rec);
	*why = cst_count_writer_refused(w);
	cst_count_writer_free(w);
	bytes_free(&b);
	return rc;
}

int read_all(const struct bytes *b, size_t piece, struct cst_count_record *last, uint64_t *place, const char **what)
{
	struct piecewise s = { b->p, b->len, 0, piece };
	struct cst_count_record rec;
	struct cst_count_reader *r;
	int rc;

	assert_int_equal(cst_count_reader_new(&r, piecewise_read, &s), 0);
	while ((rc = cst_count_read(r, &rec)) == 1)
		if (last)
			*last = rec;
	/* it stays so */
	assert_int_equal(cst_count_read(r, &rec), rc);
	if (place)
		*place = cst_count_reader_place(r, what);
	cst_count_reader_free(r);
	return rc;
}

void assert_canonical(const struct bytes *b, size_t piece)
{
	struct piecewise s = { b->p, b->len, 0, piece };
	struct cst_count_record rec;
	struct cst_count_reader *r;
	struct cst_count_writer *w;
	struct bytes again = { 0 };
	int rc;

	assert_int_equal(cst_count_reader_new(&r, piecewise_read, &s), 0);
	assert_int_equal(cst_count_writer_new(&w, bytes_write, &again), 0);
	while ((rc = cst_count_read(r, &rec)) == 1)
		assert_int_equal(cst_count_write(w, &rec), 0);
	assert_int_equal(rc, 0);
	assert_int_equal(cst_count_writer_end(w), 0);
	assert_int_equal(again.len, b->len);
	assert_memory_equal(again.p, b->p, b->len);
	cst_count_reader_free(r);
	cst_count_writer_free(w);
	bytes_free(&again);
}

int merge(const struct bytes *files, const uint64_t *weights, size_t n, struct bytes *sum, size_t *failed, char *name,
	  size_t size)
{
	struct cst_count_input *in = calloc(n + 1, sizeof(*in));
	struct piecewise *s = calloc(n + 1, sizeof(*s));
	struct cst_count_writer *w;
	size_t i, which;
	int rc;

	assert_non_null(in);
	assert_non_null(s);
	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < n; i++) {
		s[i] = (struct piecewise){ files[i].p, files[i].len, 0, i % 3 ? 0 : 1000 };
		assert_int_equal(cst_count_reader_new(&in[i].reader, piecewise_read, &s[i]), 0);
		in[i].weight = weights ? weights[i] : 1;
	}
	assert_int_equal(cst_count_writer_new(&w, bytes_write, sum), 0);
	rc = cst_count_merge(in, n, cst_count_write_record, w, failed ? failed : &which, name, size);
	if (rc == -CST_ERR_INVAL && (failed ? *failed : which) == n)
		fail_msg("the sum was refused: %s", cst_count_writer_refused(w));
	if (!rc)
		assert_int_equal(cst_count_writer_end(w), 0);
	cst_count_writer_free(w);
	for (i = 0; i < n; i++)
		cst_count_reader_free(in[i].reader);
	free(in);
	free(s);
	return rc;
}

uint32_t next_random(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(*state >> 4) * below) >> 28);
}

static uint64_t random_count(uint32_t *run)
{
	unsigned int kind = next_random(run, 40);

	return kind == 0 ? UINT64_MAX : kind == 1 ? UINT64_MAX - 5 : kind < 20 ? 1 + next_random(run, 200) :
	       1 + ((uint64_t)next_random(run, 1u << 28) << next_random(run, 30));
}

/* What the file is made with. */
struct making {
	struct cst_count_writer *w;
	uint32_t world, run;
	unsigned int size;
	uint32_t binaries;	/* of the file */
	uint32_t nodes;
};

static void put(struct making *m, const struct cst_count_record *rec)
{
	if (cst_count_write(m->w, rec))
		fail_msg("a random record was refused: %s", cst_count_writer_refused(m->w));
}

static void put_totals(struct making *m)
{
	static const char *const names[] = { "a", "a.b", "b-of-a-name-with-more-than-24-bytes, first",
					     "b-of-a-name-with-more-than-24-bytes, second", "loss.x", "recordings" };
	struct cst_count_record rec = { .kind = CST_COUNT_TOTAL };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		rec.total.name = names[i];
		rec.total.value = random_count(&m->run);
		if (next_random(&m->run, 2))
			put(m, &rec);
	}
}

/* A binary of the world, whose id has its place in the order. Its machine is not known to every file. */
static void put_binary(struct making *m, uint32_t *world, unsigned int i)
{
	struct cst_count_record rec = { .kind = CST_COUNT_BINARY };
	unsigned int known = next_random(&m->run, 4), segments = next_random(world, 3), k;
	char name[32];

	rec.binary.id_kind = (uint8_t)(i / 6);
	rec.binary.id_len = (uint8_t)(1 + i);
	for (k = 0; k < rec.binary.id_len; k++)
		rec.binary.id[k] = (uint8_t)next_random(world, 256);
	rec.binary.type = (uint8_t)next_random(world, 5);
	rec.binary.machine = (uint16_t)(1 + next_random(world, 300));
	snprintf(name, sizeof(name), "/lib/%u.so.%u", i, next_random(&m->run, 3));
	rec.binary.name = name;
	if (!known)
		rec.binary.machine = 0;
	put(m, &rec);
	rec.kind = CST_COUNT_SEGMENT;
	rec.segment = (struct cst_count_segment){ 0, 0, 0, 0 };
	for (k = 0; k < segments; k++) {
		rec.segment.offset += 1 + next_random(world, 100000);
		rec.segment.size = next_random(world, 100000);
		rec.segment.vaddr = (uint64_t)next_random(world, 1u << 28) << next_random(world, 36);
		rec.segment.exec = (uint8_t)next_random(world, 2);
		if (known)
			put(m, &rec);
	}
}

/* The fields of a range or branch depend on its place alone. */
static void put_places(struct making *m, uint32_t binary, uint32_t key, unsigned int kind)
{
	struct cst_count_record rec = { .kind = (uint8_t)kind };
	unsigned int i, n = next_random(&m->run, 4) ? next_random(&m->run, m->size) : 0;
	uint64_t at = 0, count;
	uint32_t place;

	for (i = 0; i < n; i++) {
		at += 2 + 2 * next_random(&m->run, 12);
		place = key ^ (uint32_t)at * 2654435761u;
		count = random_count(&m->run);
		switch (kind) {
		case CST_COUNT_RANGE:
			rec.range = (struct cst_count_range){ binary, (uint8_t)(place >> 28 & 3), 1 + (place >> 8 & 15), at, 0, count };
			rec.range.last = at + 4 * (rec.range.insns - 1);
			if (rec.range.flags & CST_COUNT_T32)
				rec.range.last -= 2 * (place % rec.range.insns);
			break;
		case CST_COUNT_NOT_TAKEN:
			rec.not_taken = (struct cst_count_not_taken){ binary, place & 4 ? 2 : 4, at, count };
			break;
		case CST_COUNT_EDGE:
			rec.edge = (struct cst_count_edge){ binary, at, next_random(&m->run, 3) ? next_random(&m->run, 4) * 64 :
							    CST_COUNT_OUTSIDE, count };
			break;
		default:
			rec.entry = (struct cst_count_entry){ binary, at, count };
			break;
		}
		put(m, &rec);
	}
}

static void put_nodes(struct making *m, uint32_t depth, uint32_t parent_binary)
{
	struct cst_count_record rec = { .kind = CST_COUNT_NODE };
	unsigned int kind, place;

	for (kind = depth ? CST_COUNT_CALL : CST_COUNT_ROOT; kind <= CST_COUNT_CUT; kind++)
		for (place = 0; place < 24; place++) {
			uint32_t callee = place % 6 < m->binaries ? place % 6 : CST_COUNT_NO_BINARY;
			uint32_t caller = kind == CST_COUNT_ROOT || place >= 18 ? CST_COUNT_NO_BINARY : parent_binary;

			if (next_random(&m->run, 8 + m->nodes / 4) || (!depth && kind != CST_COUNT_ROOT && kind != CST_COUNT_CUT))
				continue;
			if ((kind == CST_COUNT_ROOT && place >= 6) || (kind == CST_COUNT_CUT && place % 6) ||
			    (caller == CST_COUNT_NO_BINARY && kind != CST_COUNT_ROOT && place < 18) ||
			    (callee == CST_COUNT_NO_BINARY && place % 6 != 5 && kind != CST_COUNT_CUT))
				continue;
			if (kind == CST_COUNT_CUT)
				callee = CST_COUNT_NO_BINARY;
			rec.node = (struct cst_count_node){ depth, (uint8_t)kind, caller, callee, CST_COUNT_OUTSIDE, CST_COUNT_OUTSIDE,
							    random_count(&m->run), next_random(&m->run, 2) ? random_count(&m->run) : 0 };
			if (caller != CST_COUNT_NO_BINARY)
				rec.node.from = 4096 * (place / 6 + 1);
			if (callee != CST_COUNT_NO_BINARY && next_random(&m->run, 10))
				rec.node.entry = 128;
			m->nodes++;
			put(m, &rec);
			if (kind != CST_COUNT_CUT && depth < 12)
				put_nodes(m, depth + 1, callee);
		}
}

struct bytes random_file(uint32_t world, uint32_t run, unsigned int size)
{
	struct making m = { .world = world, .run = run * 2654435761u + 1, .size = size };
	unsigned int i, in_world = 1 + next_random(&world, 9);
	uint32_t keys[16], key;
	struct bytes b = { 0 };

	assert_int_equal(cst_count_writer_new(&m.w, bytes_write, &b), 0);
	put_totals(&m);
	for (i = 0; i < in_world; i++) {
		key = next_random(&world, 1u << 28);
		if (next_random(&m.run, 4)) {
			keys[m.binaries++] = key;
			put_binary(&m, &key, i);
		}
	}
	for (i = 0; i < m.binaries; i++) {
		unsigned int kind;

		for (kind = CST_COUNT_RANGE; kind <= CST_COUNT_ENTRY; kind++)
			put_places(&m, i, keys[i], kind);
	}
	put_nodes(&m, 0, CST_COUNT_NO_BINARY);
	assert_int_equal(cst_count_writer_end(m.w), 0);
	cst_count_writer_free(m.w);
	return b;
}
