/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mutate_perf.c - changes a perf.data file record by record: what is put in or taken out moves the sections behind it,
 * whose offsets are put right, so that the file can be read up to the record that is odd.
 */
#include <string.h>

#include "fuzz/command/mutate.h"
#include "fuzz/fuzz_input.h"
#include "perfdata/records.h"

#define MAX_RECORDS 4096u
#define DATA_AT 40		/* pd_file_header.data */
#define FEATURES_AT 72

struct records {
	size_t at[MAX_RECORDS], size[MAX_RECORDS];	/* with the AUX data behind the record */
	unsigned int n;
	bool pipe;
	size_t start, end;	/* of the data section */
};

static size_t record_size(const struct blob *b, size_t at)
{
	size_t size = (size_t)blob_get(b, at + 6, 2);

	if (blob_get(b, at, 4) == PERF_RECORD_AUXTRACE && blob_get(b, at + 8, 8) < b->len)
		size += (size_t)blob_get(b, at + 8, 8);
	return size;
}

static bool find_records(const struct blob *b, struct records *r)
{
	size_t at, size;

	if (blob_get(b, 0, 8) != PD_MAGIC || b->len > UINT32_MAX)
		return false;
	r->pipe = blob_get(b, 8, 8) == PD_PIPE_HEADER_SIZE;
	r->start = r->pipe ? PD_PIPE_HEADER_SIZE : (size_t)blob_get(b, DATA_AT, 8);
	r->end = r->pipe ? b->len : r->start + (size_t)blob_get(b, DATA_AT + 8, 8);
	if (r->start > b->len || r->end > b->len || r->start > r->end)
		return false;
	for (r->n = 0, at = r->start; at + 8 <= r->end && r->n < MAX_RECORDS; at += size) {
		size = record_size(b, at);
		if (size < 8 || size > r->end - at)
			break;
		r->at[r->n] = at;
		r->size[r->n++] = size;
	}
	return r->n > 0;
}

static unsigned int nr_features(const struct blob *b)
{
	unsigned int n = 0, i;

	for (i = 0; i < PD_FEATURE_BITS; i++)
		n += b->p[FEATURES_AT + i / 8] >> i % 8 & 1;
	return n;
}

static void shift(struct blob *b, size_t field, size_t behind, int64_t by)
{
	uint64_t v = blob_get(b, field, 8);

	if (v >= behind)
		blob_put(b, field, 8, v + (uint64_t)by);
}

/* Replaces bytes of the data section. */
static void replace(struct blob *b, const struct records *r, size_t at, size_t remove, const uint8_t *from, size_t add)
{
	int64_t by = (int64_t)add - (int64_t)remove;
	size_t table;
	unsigned int i;

	if (!blob_splice(b, at, remove, from, add) || r->pipe)
		return;
	blob_put(b, DATA_AT + 8, 8, r->end - r->start + (uint64_t)by);
	shift(b, 24, r->end, by);
	table = (size_t)((int64_t)r->end + by);
	for (i = nr_features(b); i; i--, table += 16)
		shift(b, table, r->end, by);
}

static size_t grain(struct blob *b, size_t size)
{
	return size < 8 ? 0 : blob_random(b, (uint32_t)(size / 8)) * 8;
}

/* AUX data: bytes in frames of 16, or frames that are missing or come twice. */
static void mutate_aux(struct blob *b, const struct records *r, unsigned int i)
{
	size_t head = (size_t)blob_get(b, r->at[i] + 6, 2), size = r->size[i] - head, at = r->at[i] + head, frame;
	uint8_t copy[16];

	if (size < 32 || blob_random(b, 3)) {
		if (blob_random(b, 2))
			blob_bytes(b, at, size);
		else
			blob_number(b, at, size);
		return;
	}
	frame = at + blob_random(b, (uint32_t)(size / 16)) * 16;
	memcpy(copy, b->p + frame, 16);
	blob_put(b, r->at[i] + 8, 8, blob_random(b, 2) ? size - 16 : size + 16);
	if (blob_get(b, r->at[i] + 8, 8) < size)
		replace(b, r, frame, 16, NULL, 0);
	else
		replace(b, r, frame, 0, copy, 16);
}

static void change_size(struct blob *b, const struct records *r, unsigned int i)
{
	size_t size = (size_t)blob_get(b, r->at[i] + 6, 2), to = 8 + grain(b, size + 64);

	if (to > size) {
		replace(b, r, r->at[i] + size, 0, NULL, to - size);
	} else {
		replace(b, r, r->at[i] + to, size - to, NULL, 0);
	}
	blob_put(b, r->at[i] + 6, 2, to);
}

static void copy_record(struct blob *b, const struct records *r, unsigned int i, size_t to)
{
	static uint8_t copy[1u << 16];

	if (r->size[i] > sizeof(copy))
		return;
	memcpy(copy, b->p + r->at[i], r->size[i]);
	replace(b, r, to, 0, copy, r->size[i]);
}

/* A name in a record, or what stands at its place. */
static void change_text(struct blob *b, const struct records *r, unsigned int i)
{
	static const char *const texts[] = { "\x1b[2J", "a\nb", "//anon", "[vdso]", "[kernel.kallsyms]_text", "\xc2\x9b", "\xff\xfe",
					     "/opt/one", "../../x", "/tmp/jit-1000.dump", "[first]", "/SYSV0", "[heap]", "" };
	const char *text = texts[blob_random(b, sizeof(texts) / sizeof(texts[0]))];
	size_t size = (size_t)blob_get(b, r->at[i] + 6, 2), at, run;

	for (at = 8; at + 4 < size; at++) {
		for (run = 0; at + run < size && b->p[r->at[i] + at + run] >= 0x20 && b->p[r->at[i] + at + run] < 0x7f; run++)
			;
		if (run < 4)
			continue;
		run = run < strlen(text) + 1 ? run : strlen(text) + 1;
		memcpy(b->p + r->at[i] + at, text, run);
		return;
	}
}

static void mutate_record(struct blob *b, const struct records *r)
{
	static const uint16_t types[] = { 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 14, 15, 16, 17, 18, 20, 21, 64, 65, 66, 67, 68, 69, 70, 71, 72,
					  73, 74, 75, 79, 80, 81, 82, 83 };
	unsigned int i = blob_random(b, r->n), k = blob_random(b, r->n);
	size_t size = (size_t)blob_get(b, r->at[i] + 6, 2);

	if (r->size[i] > size && blob_random(b, 4)) {
		mutate_aux(b, r, i);
		return;
	}
	switch (blob_random(b, 11)) {
	case 0:
		replace(b, r, r->at[i], r->size[i], NULL, 0);
		break;
	case 1:
		copy_record(b, r, i, r->at[k]);
		break;
	case 2:
		copy_record(b, r, i, r->at[i]);
		break;
	case 3:
		change_size(b, r, i);
		break;
	case 4:
		blob_put(b, r->at[i], 4, types[blob_random(b, sizeof(types) / sizeof(types[0]))]);
		break;
	case 5:
		change_text(b, r, i);
		break;
	case 6:
		blob_number(b, r->at[i] + 4, 2);
		break;
	case 7:
		blob_bytes(b, r->at[i] + 8, size - 8);
		break;
	default:
		blob_number(b, r->at[i] + 8, size - 8);
	}
}

/* Header, attributes, and the table and content of features. */
static void mutate_head(struct blob *b, const struct records *r)
{
	unsigned int n = nr_features(b), i = blob_random(b, n);
	size_t entry = r->end + i * 16u, at = (size_t)blob_get(b, entry, 8), size = (size_t)blob_get(b, entry + 8, 8);
	size_t attrs = (size_t)blob_get(b, 24, 8);

	switch (blob_random(b, 8)) {
	case 0:
		blob_number(b, 8, PD_FILE_HEADER_SIZE - 8);
		break;
	case 1:
		if (n && entry + 16 <= b->len)
			blob_number(b, entry, 16);
		break;
	case 2: case 3:
		if (attrs < b->len)
			blob_number(b, attrs, b->len - attrs < 128 ? b->len - attrs : 128);
		break;
	default:
		if (!n || at > b->len || size > b->len - at)
			break;
		if (blob_random(b, 2))
			blob_bytes(b, at, size);
		else
			blob_number(b, at, size);
	}
}

bool mutate_perf(struct blob *b)
{
	static struct records r;

	if (b->len < PD_FILE_HEADER_SIZE || !find_records(b, &r))
		return false;
	if (r.pipe || blob_random(b, 5))
		mutate_record(b, &r);
	else
		mutate_head(b, &r);
	return true;
}
