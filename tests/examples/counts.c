/* SPDX-License-Identifier: BSD-3-Clause */
/* counts.c - writes the counts of two runs of a program, each into a buffer, adds them, the second one twice, and prints the sum. */
#include <stdio.h>
#include <string.h>
#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

struct buffer {
	unsigned char bytes[512];
	size_t size, at;
};

static int put(void *data, const void *bytes, size_t size)
{
	struct buffer *b = (struct buffer *)data;

	if (size > sizeof(b->bytes) - b->size)
		return -CST_ERR_LIMIT;
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
	return 0;
}

static long get(void *data, void *bytes, size_t size)
{
	struct buffer *b = (struct buffer *)data;

	if (size > b->size - b->at)
		size = b->size - b->at;
	memcpy(bytes, b->bytes + b->at, size);
	b->at += size;
	return (long)size;
}

/* A program whose loop of three instructions at 0x100 ran `turns` times. */
static int write_run(struct buffer *b, unsigned int turns)
{
	struct cst_count_record total, binary, range, edge;
	struct cst_count_writer *w;
	int err = cst_count_writer_new(&w, put, b);

	if (err)
		return err;
	memset(&total, 0, sizeof(total));
	memset(&binary, 0, sizeof(binary));
	memset(&range, 0, sizeof(range));
	memset(&edge, 0, sizeof(edge));
	total.kind = CST_COUNT_TOTAL;
	total.total.name = "instructions";
	total.total.value = 3 * turns;
	binary.kind = CST_COUNT_BINARY;
	binary.binary.id_kind = CST_COUNT_ID_BUILD;
	binary.binary.id_len = 4;
	memcpy(binary.binary.id, "\1\2\3\4", 4);
	binary.binary.machine = 183; /* EM_AARCH64 */
	binary.binary.name = "/bin/loop";
	range.kind = CST_COUNT_RANGE;
	range.range.start = 0x100;
	range.range.last = 0x108;
	range.range.insns = 3;
	range.range.count = turns;
	edge.kind = CST_COUNT_EDGE;
	edge.edge.from = 0x108;
	edge.edge.to = 0x100;
	edge.edge.count = turns - 1; /* 0 is left out */
	if ((err = cst_count_write(w, &total)) || (err = cst_count_write(w, &binary)) || (err = cst_count_write(w, &range)) ||
	    (err = cst_count_write(w, &edge)) || (err = cst_count_writer_end(w)))
		fprintf(stderr, "%s: %s\n", cst_strerror(err), cst_count_writer_refused(w));
	cst_count_writer_free(w);
	return err;
}

static int add(struct buffer *a, struct buffer *b, struct buffer *sum)
{
	struct cst_count_input in[2];
	struct cst_count_writer *w;
	size_t failed;
	char name[64];
	int err;

	memset(in, 0, sizeof(in));
	in[0].weight = 1;
	in[1].weight = 2;
	if (cst_count_reader_new(&in[0].reader, get, a) || cst_count_reader_new(&in[1].reader, get, b) ||
	    cst_count_writer_new(&w, put, sum))
		return -CST_ERR_NOMEM;
	err = cst_count_merge(in, 2, cst_count_write_record, w, &failed, name, sizeof(name));
	if (!err)
		err = cst_count_writer_end(w);
	cst_count_writer_free(w);
	cst_count_reader_free(in[0].reader);
	cst_count_reader_free(in[1].reader);
	return err;
}

static void print(const struct cst_count_record *rec)
{
	if (rec->kind == CST_COUNT_TOTAL)
		printf("%s: %llu\n", rec->total.name, (unsigned long long)rec->total.value);
	else if (rec->kind == CST_COUNT_BINARY)
		printf("%s\n", rec->binary.name);
	else if (rec->kind == CST_COUNT_RANGE)
		printf("  0x%llx to 0x%llx: %llu times\n", (unsigned long long)rec->range.start, (unsigned long long)rec->range.last,
		       (unsigned long long)rec->range.count);
	else if (rec->kind == CST_COUNT_EDGE)
		printf("  0x%llx -> 0x%llx: %llu times\n", (unsigned long long)rec->edge.from, (unsigned long long)rec->edge.to,
		       (unsigned long long)rec->edge.count);
}

int main(void)
{
	static struct buffer one, two, sum;
	struct cst_count_record rec;
	struct cst_count_reader *r;
	int rc;

	if (write_run(&one, 10) || write_run(&two, 1) || add(&one, &two, &sum) || cst_count_reader_new(&r, get, &sum))
		return 1;
	while ((rc = cst_count_read(r, &rec)) == 1)
		print(&rec);
	cst_count_reader_free(r);
	return rc != 0;
}
