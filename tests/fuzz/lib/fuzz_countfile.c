/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_countfile.c - any bytes as a count file, with lengths and digests of the blocks put right so that the content is looked at.
 * What is read is written the same, byte for byte, in whatever pieces it was read; a file added to itself is a file with the
 * weight 2; two files are added in either order, or contradict each other in both.
 *
 * Input: choices (1); with bit 1 the length of the first file (2); files, or with bit 0 the contents of their blocks.
 */
#include "fuzz/fuzz_input.h"

#include "base/digest.h"
#include "files/countfile/countfile_int.h"

struct out {
	uint8_t *p;
	size_t len, cap;
};

static int put(void *data, const void *bytes, size_t size)
{
	struct out *o = data;

	if (!size)
		return 0;
	if (o->cap - o->len < size) {
		o->cap = 2 * o->cap + size;
		o->p = realloc(o->p, o->cap);
		CHECK(o->p);
	}
	memcpy(o->p + o->len, bytes, size);
	o->len += size;
	return 0;
}

struct in {
	const struct out *file;
	size_t at;
	uint32_t random;	/* 0: all at once */
};

static long get(void *data, void *buf, size_t size)
{
	struct in *in = data;
	size_t n = in->file->len - in->at;

	n = n < size ? n : size;
	if (!n)
		return 0;
	if (in->random)
		n = 1 + next_random(&in->random, (uint32_t)n);
	memcpy(buf, in->file->p + in->at, n);
	in->at += n;
	return (long)n;
}

static void put_fixed(uint8_t *p, uint64_t v, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* A file with this content, in blocks that are as long as they can be. */
static struct out framed(const uint8_t *p, size_t len, uint64_t records)
{
	uint64_t digest = DIGEST_START;
	struct out o = { 0 };
	uint8_t head[BLOCK_HEADER], end[END_CONTENT];
	size_t n, size;

	put(&o, cst_count_file_header, FILE_HEADER);
	put_fixed(end, records, END_CONTENT);
	for (;; p += n, len -= n) {
		n = len < BLOCK_MAX ? len : BLOCK_MAX;
		size = n ? n : END_CONTENT;
		digest = cst_digest_bytes(digest, n ? p : end, size);
		put_fixed(head, n, 2);
		put_fixed(head + 2, ~(uint64_t)n, 2);
		put_fixed(head + 4, digest, 8);
		put(&o, head, sizeof(head));
		put(&o, n ? p : end, size);
		if (!n)
			return o;
	}
}

/* Reads and writes. Returns the reader's result; `n`: records that were read. */
static int copy(const struct out *file, uint32_t random, struct out *to, uint64_t *n)
{
	struct in in = { file, 0, random };
	struct cst_count_record rec;
	struct cst_count_reader *r;
	struct cst_count_writer *w;
	const char *what;
	int rc;

	memset(to, 0, sizeof(*to));
	CHECK(!cst_count_reader_new(&r, get, &in));
	CHECK(!cst_count_writer_new(&w, put, to));
	for (*n = 0; (rc = cst_count_read(r, &rec)) == 1; ++*n)
		CHECK(!cst_count_write(w, &rec));
	CHECK(cst_count_read(r, &rec) == rc);
	if (rc)
		CHECK(cst_count_reader_place(r, &what) <= file->len && what);
	CHECK(!cst_count_writer_end(w));
	cst_count_reader_free(r);
	cst_count_writer_free(w);
	return rc;
}

static int add(const struct out *a, const struct out *b, uint64_t weight, struct out *sum)
{
	struct in in[2] = { { a, 0, 0 }, { b, 0, 77 } };
	struct cst_count_input inputs[2] = { { NULL, weight, 0 }, { NULL, weight, 0 } };
	struct cst_count_writer *w;
	size_t failed, n = b ? 2 : 1;
	char name[64];
	int rc;

	memset(sum, 0, sizeof(*sum));
	CHECK(!cst_count_reader_new(&inputs[0].reader, get, &in[0]));
	CHECK(!b || !cst_count_reader_new(&inputs[1].reader, get, &in[1]));
	CHECK(!cst_count_writer_new(&w, put, sum));
	rc = cst_count_merge(inputs, n, cst_count_write_record, w, &failed, name, sizeof(name));
	CHECK(!rc || (failed < n && rc == -CST_ERR_CONFLICT && strlen(name)));
	if (!rc)
		CHECK(!cst_count_writer_end(w));
	cst_count_writer_free(w);
	cst_count_reader_free(inputs[0].reader);
	cst_count_reader_free(inputs[1].reader);
	return rc;
}

static void same(const struct out *a, const struct out *b)
{
	CHECK(a->len == b->len && !memcmp(a->p, b->p, a->len));
}

static void check_sums(const struct out *a, const struct out *b)
{
	struct out x, y;
	int rc;

	CHECK(!add(a, NULL, 1, &x));
	same(a, &x);
	free(x.p);
	CHECK(!add(a, a, 1, &x));
	CHECK(!add(a, NULL, 2, &y));
	same(&x, &y);
	free(x.p);
	free(y.p);
	rc = add(a, b, 3, &x);
	CHECK(rc == add(b, a, 3, &y));
	if (!rc)
		same(&x, &y);
	free(x.p);
	free(y.p);
}

/* True if the file is good. */
static int check_file(struct out *file, const uint8_t *p, size_t len, unsigned int choices)
{
	struct out again;
	uint64_t n;
	int rc;

	memset(file, 0, sizeof(*file));
	if (choices & 1)
		*file = framed(p, len, 0);
	else
		put(file, p, len);
	rc = copy(file, 0, &again, &n);
	free(again.p);
	/* now the number of records is known, if it was that */
	if (rc && (choices & 1)) {
		free(file->p);
		*file = framed(p, len, n);
	}
	rc = copy(file, choices | 1, &again, &n);
	if (!rc)
		same(file, &again);
	free(again.p);
	return !rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	unsigned int choices = take8(&in);
	size_t first = choices & 2 ? take16(&in) : left(&in);
	struct out a, b;
	int good;

	first = first < left(&in) ? first : left(&in);
	good = check_file(&a, in.p, first, choices);
	if (good && choices & 2) {
		if (check_file(&b, in.p + first, left(&in) - first, choices))
			check_sums(&a, &b);
		free(b.p);
	} else if (good) {
		check_sums(&a, &a);
	}
	free(a.p);
	return 0;
}
