/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_list_read.c - reads branch lists: files of both forms, compressed or not, and the section
 * of perf.data.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/files/input.h"
#include "perfdata/branch_list.h"
#include "perfdata/decomp.h"
#include "perfdata/reader.h"
#include "perfdata/source.h"
#include "perfdata/wire.h"

#define MAGIC_LEN (sizeof(BRANCH_LIST_MAGIC) - 1)
#define HEAD_LEN (MAGIC_LEN + 5)
/* Tag and length of the magic in the old form. */
#define OLD_HEAD "\x0a\x18"
#define OLD_LEN (sizeof(OLD_HEAD) - 1)
#define ZSTD_MARK "\x28\xb5\x2f\xfd"
/* The largest block of zstd, and what is before it. */
#define PEEK_SIZE ((128u << 10) + 64)

enum { LISTS_BINARY = 2, LISTS_THIRD = 3 }; /* THIRD: samples, or the address of the kernel */
enum { BINARY_PATH = 1, BINARY_ID, BINARY_ADDRESSES, BINARY_TYPE, BINARY_KERNEL };
enum { KERNEL_START = 1 };
enum { ADDRESS = 1, ADDRESS_BRANCHES };
enum { BRANCHES_BITS = 1, BRANCHES_NUMBER, BRANCHES_COUNT };
enum { RECORDS_SAMPLE = 1 };

/* The input, and the message that is read. */
struct reading {
	struct branch_lists *l;
	uint64_t weight;
	const char *name;
	struct error *err;
	uint64_t room;	/* bytes that may still be unpacked */
	size_t first;	/* the first binary of this message */
	const uint8_t *message;	/* its begin */
	uint64_t at;	/* where it is in the input */
	bool packed;
};

static uint32_t le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#define ADVICE "copy the file again, or have the recorder write it again"

/* What is wrong at `p` in the message. */
static int refuse(const struct reading *r, const uint8_t *p, const char *what)
{
	return error_set(r->err, ERR_FORMAT,
			 "%s: offset %#" PRIx64 "%s, byte %zu of the message: %s; " ADVICE, r->name,
			 r->at, r->packed ? " (compressed)" : "", (size_t)(p - r->message), what);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static uint64_t times(uint64_t count, uint64_t weight)
{
	return count && weight > UINT64_MAX / count ? UINT64_MAX : count * weight;
}

static int read_branches(struct reading *r, struct branch_list_binary *b, uint64_t addr,
			 struct pd_cursor c)
{
	struct pd_cursor bits = { .p = NULL };
	uint64_t number = 0, count = 0;
	const uint8_t *begin = c.p;
	struct wire_field f;

	while (wire_next(&c, &f)) {
		if (f.number == BRANCHES_BITS && f.wire == WIRE_BYTES)
			bits = f.bytes;
		else if (f.number == BRANCHES_NUMBER && f.wire == WIRE_VARINT)
			number = f.value;
		else if (f.number == BRANCHES_COUNT && f.wire == WIRE_VARINT)
			count = f.value;
	}
	if (c.bad)
		return refuse(r, c.p, "found a damaged field, expected branches");
	if (number > UINT32_MAX || (number + 7) / 8 > (uint64_t)(bits.end - bits.p))
		return refuse(r, begin, "found fewer bits than branches, expected one for each");
	branch_list_add(b, addr, bits.p, (uint32_t)number, times(count, r->weight));
	return 0;
}

static int read_address(struct reading *r, struct branch_list_binary *b, struct pd_cursor c)
{
	struct pd_cursor again = c;
	struct wire_field f;
	uint64_t addr = 0;
	int rc = 0;

	/* the address may stand behind its branches */
	while (wire_next(&c, &f))
		if (f.number == ADDRESS && f.wire == WIRE_VARINT)
			addr = f.value;
	if (c.bad)
		return refuse(r, c.p,
			      "found a damaged field, expected an address and its branches");
	while (!rc && wire_next(&again, &f))
		if (f.number == ADDRESS_BRANCHES && f.wire == WIRE_BYTES)
			rc = read_branches(r, b, addr, f.bytes);
	return rc;
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal digits, with or without 0x. Recorders pad short build-ids with zeroes. */
static int read_id(struct reading *r, struct branch_list_binary *b, struct pd_cursor c)
{
	const uint8_t *p = c.p;
	size_t n = 0;

	if (c.end - p >= 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (; c.end - p >= 2 && n < sizeof(b->id) && digit(p[0]) >= 0 && digit(p[1]) >= 0; p += 2)
		b->id[n++] = (uint8_t)(digit(p[0]) << 4 | digit(p[1]));
	if (p != c.end)
		return refuse(
			r, p,
			"found another text, expected a build-id of at most 40 hexadecimal digits");
	while (n && !b->id[n - 1])
		n--;
	b->id_len = (uint8_t)n;
	return 0;
}

static int read_kernel(struct reading *r, struct branch_list_binary *b, struct pd_cursor c)
{
	struct wire_field f;

	while (wire_next(&c, &f))
		if (f.number == KERNEL_START && f.wire == WIRE_VARINT)
			b->kernel_start = f.value;
	return c.bad ? refuse(r, c.p, "found a damaged field, expected the address of the kernel") :
		       0;
}

static int read_path(struct reading *r, struct branch_list_binary *b, struct pd_cursor c)
{
	const size_t len = (size_t)(c.end - c.p);

	if (memchr(c.p, 0, len))
		return refuse(r, c.p, "found a byte 0 in a path, expected a text");
	free(b->path);
	b->path = mem_text_part((const char *)c.p, len);
	return 0;
}

static int read_field(struct reading *r, struct branch_list_binary *b, const struct wire_field *f)
{
	if (f->number == BINARY_TYPE && f->wire == WIRE_VARINT) {
		if (f->value > BRANCH_LIST_MODULE)
			return error_set(
				r->err, ERR_FORMAT,
				"%s: %s: found a binary of type %" PRIu64
				", expected 0 (ELF file), "
				"1 (kernel) or 2 (kernel module); take a perf-cstrace that reads "
				"it",
				r->name, b->path, f->value);
		b->type = (uint8_t)f->value;
	}
	if (f->wire != WIRE_BYTES)
		return 0;
	switch (f->number) {
	case BINARY_PATH:
		return read_path(r, b, f->bytes);
	case BINARY_ID:
		return read_id(r, b, f->bytes);
	case BINARY_ADDRESSES:
		return read_address(r, b, f->bytes);
	case BINARY_KERNEL:
		return read_kernel(r, b, f->bytes);
	}
	return 0;
}

static int read_binary(struct reading *r, struct pd_cursor c)
{
	struct branch_list_binary *b = branch_lists_add_binary(r->l, "", 0);
	struct wire_field f;
	int rc = 0;

	while (!rc && wire_next(&c, &f))
		rc = read_field(r, b, &f);
	if (!rc && c.bad)
		rc = refuse(r, c.p, "found a damaged field, expected those of a binary");
	return rc;
}

static int count_samples(struct reading *r, struct pd_cursor c)
{
	struct wire_field f;

	while (wire_next(&c, &f))
		r->l->samples += f.number == RECORDS_SAMPLE;
	return c.bad ? refuse(r, c.p, "found a damaged field, expected samples of branch records") :
		       0;
}

static int read_message(struct reading *r, const uint8_t *p, size_t len)
{
	struct pd_cursor c = { .p = p, .end = p + len };
	struct wire_field f;
	uint64_t kernel = 0;
	int rc = 0;
	size_t i;

	r->message = p;
	r->first = r->l->nr;
	while (!rc && wire_next(&c, &f)) {
		if (f.number == LISTS_BINARY && f.wire == WIRE_BYTES)
			rc = read_binary(r, f.bytes);
		else if (f.number == LISTS_THIRD && f.wire == WIRE_BYTES)
			rc = count_samples(r, f.bytes);
		else if (f.number == LISTS_THIRD && f.wire == WIRE_VARINT)
			kernel = f.value;
	}
	if (!rc && c.bad)
		rc = refuse(r, c.p, "found a damaged field, expected those of branch lists");
	for (i = r->first; kernel && i < r->l->nr; i++)
		if (r->l->v[i].type == BRANCH_LIST_KERNEL)
			r->l->v[i].kernel_start = kernel;
	return rc;
}

/* ---- compressed messages --------------------------------------------------------------------- */

static int unpack_error(const struct reading *r, const char *what)
{
	return error_set(r->err, ERR_FORMAT,
			 "%s: offset %#" PRIx64
			 ": a compressed message cannot be unpacked: %s; " ADVICE,
			 r->name, r->at, what);
}

/* Unpacks a zstd frame, and reads what it has as one message. */
static int read_packed(struct reading *r, const uint8_t *p, size_t len)
{
	uint8_t *bytes = NULL, *more;
	size_t n = 0, cap = 0, got;
	struct pd_decomp *d;
	const char *error;
	int rc = 0;

	if (!pd_decomp_available())
		return error_set(
			r->err, ERR_FORMAT,
			"%s: is compressed with zstd, and this program was made without it: unpack "
			"it with simpleperf, or take a perf-cstrace with zstd",
			r->name);
	d = pd_decomp_new();
	pd_decomp_feed(d, p, len);
	while (!rc && (got = pd_decomp_peek(d, 1, &more, &error)) != 0) {
		if (got > r->room) {
			rc = unpack_error(
				r, "it has more than 200 times the size of the file, and 64 MiB");
			break;
		}
		array_room(&bytes, n, got, &cap, 1);
		memcpy(bytes + n, more, got);
		n += got;
		r->room -= got;
		pd_decomp_consume(d, got);
	}
	if (!rc && error)
		rc = unpack_error(r, error);
	pd_decomp_free(d);
	r->packed = true;
	if (!rc)
		rc = read_message(r, bytes ? bytes : (const uint8_t *)"", n);
	free(bytes);
	return rc;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool begins(const uint8_t *p, size_t len, const char *bytes, size_t n)
{
	return len >= n && !memcmp(p, bytes, n);
}

static bool is_old(const uint8_t *p, size_t len)
{
	return begins(p, len, OLD_HEAD BRANCH_LIST_MAGIC, OLD_LEN + MAGIC_LEN);
}

bool branch_lists_begin(const uint8_t *p, size_t len)
{
	return begins(p, len, BRANCH_LIST_MAGIC, MAGIC_LEN) || is_old(p, len);
}

static int read_new(struct reading *r, const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len, *at = p + HEAD_LEN;
	uint32_t size, version;
	int rc = 0;

	if (len < HEAD_LEN)
		return error_set(r->err, ERR_CUT,
				 "%s: is cut at %#zx, inside of the head of branch lists; " ADVICE,
				 r->name, len);
	version = le32(p + MAGIC_LEN);
	if (version != 1 || p[HEAD_LEN - 1] > 1)
		return error_set(
			r->err, ERR_FORMAT,
			"%s: offset %#zx: found version %" PRIu32 ", compression %u of the format, "
			"expected 1 and 0 or 1; take a perf-cstrace that reads it, or the "
			"simpleperf that wrote it",
			r->name, MAGIC_LEN, version, p[HEAD_LEN - 1]);
	for (; !rc && at < end; at += size) {
		r->at = (uint64_t)(at - p);
		if (end - at < 4 || (size = le32(at)) > (size_t)(end - at) - 4)
			return error_set(
				r->err, ERR_CUT,
				"%s: is cut at %#zx, inside of the message that begins at %#" PRIx64
				"; " ADVICE,
				r->name, len, r->at);
		at += 4;
		r->at += 4;
		rc = p[HEAD_LEN - 1] ? read_packed(r, at, size) : read_message(r, at, size);
	}
	return rc;
}

int branch_lists_read_memory(struct branch_lists *l, const void *bytes, size_t len,
			     const char *name, uint64_t weight, struct error *err)
{
	const uint64_t room = (uint64_t)len * BRANCH_LIST_RATIO;
	struct reading r = { .l = l,
			     .weight = weight,
			     .name = name,
			     .err = err,
			     .room = room > BRANCH_LIST_FLOOR ? room : BRANCH_LIST_FLOOR };
	const uint8_t *p = bytes;

	if (begins(p, len, BRANCH_LIST_MAGIC, MAGIC_LEN))
		return read_new(&r, p, len);
	if (begins(p, len, ZSTD_MARK, sizeof(ZSTD_MARK) - 1))
		return read_packed(&r, p, len);
	if (is_old(p, len))
		return read_message(&r, p, len);
	return error_set(err, ERR_FORMAT,
			 "%s: offset 0x0: found other bytes, expected \"" BRANCH_LIST_MAGIC
			 "\"; " ADVICE,
			 name);
}

/* Reads the lists in perf.data. */
static int read_section(struct branch_lists *l, const char *path, uint64_t weight,
			struct error *err)
{
	struct perfdata *pd = perfdata_open(path, err);
	const struct pd_feature_bytes *section;
	int rc;

	if (!pd)
		return err->code;
	section = &perfdata_env(pd)->raw[PD_FEAT_SP_BRANCH_LIST];
	if (section->ptr)
		rc = branch_lists_read_memory(l, section->ptr, section->len, path, weight, err);
	else
		rc = error_set(err, ERR_FORMAT,
			       "%s: its section of branch lists is outside of the file; " ADVICE,
			       path);
	perfdata_close(pd);
	return rc;
}

/* True for perf.data whose header says that it has lists. */
static bool has_section(const uint8_t *p, size_t len)
{
	const size_t map = offsetof(struct pd_file_header, features), bit = PD_FEAT_SP_BRANCH_LIST;

	return len >= PD_FILE_HEADER_SIZE && !memcmp(p, "PERFILE2", 8) &&
	       p[map + bit / 8] >> bit % 8 & 1;
}

int branch_lists_read(struct branch_lists *l, const char *path, uint64_t weight, struct error *err)
{
	struct pd_source s;
	int rc = pd_source_open(&s, path, err);

	if (rc)
		return rc;
	pd_source_fill(&s, UINT64_MAX);
	if (has_section(s.base, s.size))
		rc = read_section(l, path, weight, err);
	else
		rc = branch_lists_read_memory(l, s.base, s.size, path, weight, err);
	pd_source_close(&s);
	return rc;
}

/* True if a zstd frame begins with the magic of the old form. */
static bool unpacks_to_old(const uint8_t *p, size_t len)
{
	struct pd_decomp *d;
	const char *error;
	uint8_t *first;
	size_t n;
	bool is;

	if (!pd_decomp_available())
		return false;
	d = pd_decomp_new();
	pd_decomp_feed(d, p, len);
	n = pd_decomp_peek(d, OLD_LEN + MAGIC_LEN, &first, &error);
	is = n && is_old(first, n);
	pd_decomp_free(d);
	return is;
}

static bool is_packed_old(int fd)
{
	uint8_t *block = mem_new(PEEK_SIZE);
	const ssize_t n = pread(fd, block, PEEK_SIZE, 0);
	const bool is = n > 0 && unpacks_to_old(block, (size_t)n);

	free(block);
	return is;
}

bool branch_lists_are(const char *path)
{
	uint8_t head[PD_FILE_HEADER_SIZE];
	struct stat st;
	int fd = input_peek(path, &st);
	bool are = false;
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head), 0);
	if (n > 0 && begins(head, (size_t)n, ZSTD_MARK, sizeof(ZSTD_MARK) - 1))
		are = is_packed_old(fd);
	else if (n > 0)
		are = branch_lists_begin(head, (size_t)n) || has_section(head, (size_t)n);
	close(fd);
	return are;
}
