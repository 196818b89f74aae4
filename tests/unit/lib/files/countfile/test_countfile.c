/* SPDX-License-Identifier: BSD-3-Clause */
/* test_countfile.c - count files: every field at its limits, every byte changed, every cut; forms that the writer does not make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "base/digest.h"
#include "files/countfile/countfile_int.h"
#include "unit/countfile_build.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX UINT64_MAX
#define OUTSIDE CST_COUNT_OUTSIDE
#define NONE CST_COUNT_NO_BINARY

#define TOTAL(...) { .kind = CST_COUNT_TOTAL, .total = { __VA_ARGS__ } }
#define SEGMENT(...) { .kind = CST_COUNT_SEGMENT, .segment = { __VA_ARGS__ } }
#define RANGE(...) { .kind = CST_COUNT_RANGE, .range = { __VA_ARGS__ } }
#define NOT_TAKEN(...) { .kind = CST_COUNT_NOT_TAKEN, .not_taken = { __VA_ARGS__ } }
#define EDGE(...) { .kind = CST_COUNT_EDGE, .edge = { __VA_ARGS__ } }
#define ENTRY(...) { .kind = CST_COUNT_ENTRY, .entry = { __VA_ARGS__ } }
#define NODE(...) { .kind = CST_COUNT_NODE, .node = { __VA_ARGS__ } }
#define BINARY(kind_, len_, first, type_, machine_, name_) { .kind = CST_COUNT_BINARY, \
	.binary = { .id_kind = kind_, .id_len = len_, .id = { first }, .type = type_, .machine = machine_, .name = name_ } }

static char long_total[257], long_name[4097];

/* A record of each kind with the least, and of each kind with the largest values. */
static const struct cst_count_record limits[] = {
	TOTAL("\1", 1), TOTAL("a", MAX), TOTAL("a ", 2), TOTAL(long_total, MAX),
	BINARY(0, 1, 0, CST_COUNT_FILE, 0, "\1"), SEGMENT(0, 0, 0, 0), SEGMENT(0, 0, 0, 1), SEGMENT(0, 0, MAX, 0), SEGMENT(0, MAX, 0, 0),
	SEGMENT(5, 1, 4, 1), SEGMENT(MAX - 1, 1, 0, 1),
	BINARY(0, 1, 255, CST_COUNT_KERNEL, 183, "b"), BINARY(0, 20, 0, CST_COUNT_MODULE, 40, "c"),
	BINARY(1, 1, 7, CST_COUNT_JIT, 1, "d"), BINARY(2, 20, 255, CST_COUNT_MEMORY, 65535, long_name),
	RANGE(0, 0, 1, 0, 0, 1), RANGE(0, 1, 1, 0, 0, 2), RANGE(0, 2, 1, 0, 0, 3), RANGE(0, 3, 1, 0, 0, MAX), RANGE(0, 0, 2, 0, 4, 1),
	RANGE(0, 1, 3, 0, 6, 1), RANGE(0, 1, 3, 0, 8, 1), RANGE(0, 1, UINT32_MAX, 1, 1 + 4ull * (UINT32_MAX - 1), 1),
	RANGE(0, 0, UINT32_MAX, 2, 2 + 4ull * (UINT32_MAX - 1), 1), RANGE(0, 0, 1, MAX - 1, MAX - 1, 1),
	NOT_TAKEN(0, 2, 0, 1), NOT_TAKEN(0, 4, 1, MAX), NOT_TAKEN(0, 2, 1ull << 63, 1), NOT_TAKEN(0, 4, MAX - 1, MAX),
	EDGE(0, 0, 0, 1), EDGE(0, 0, 1, 1), EDGE(0, 0, MAX - 1, 1), EDGE(0, 0, OUTSIDE, MAX), EDGE(0, MAX - 1, 0, 1),
	EDGE(0, MAX - 1, MAX - 1, MAX), EDGE(0, MAX - 1, OUTSIDE, 1),
	ENTRY(0, 0, 1), ENTRY(0, MAX - 1, MAX),
	EDGE(2, 1ull << 62, 1, 1),
	RANGE(4, 0, 1, MAX - 1, MAX - 1, MAX),
	NODE(0, CST_COUNT_ROOT, NONE, 0, OUTSIDE, 0, 0, 0),
	NODE(1, CST_COUNT_CALL, 0, 0, 0, 0, MAX, MAX), NODE(2, CST_COUNT_CALL, 0, 4, MAX - 1, 0, 1, 2),
	NODE(3, CST_COUNT_TAIL, 4, 4, 5, MAX - 1, 1, 2), NODE(4, CST_COUNT_CUT, 4, NONE, MAX - 1, OUTSIDE, 1, 2),
	NODE(2, CST_COUNT_CALL, 0, 4, MAX - 1, 1, 1, 2), NODE(2, CST_COUNT_CALL, 0, 4, MAX - 1, OUTSIDE, 1, 2),
	NODE(2, CST_COUNT_CALL, 0, NONE, MAX - 1, OUTSIDE, 1, 2), NODE(2, CST_COUNT_CALL, 0, 0, OUTSIDE, 0, 1, 2),
	NODE(2, CST_COUNT_CALL, 3, 3, 0, 0, 1, 2), NODE(2, CST_COUNT_CALL, NONE, 0, OUTSIDE, 7, 1, 2),
	NODE(2, CST_COUNT_EXCEPTION, 1, 2, 100, 200, 1, 2), NODE(2, CST_COUNT_SIGNAL, 0, 0, MAX - 1, 0, 1, 2),
	NODE(0, CST_COUNT_ROOT, NONE, NONE, OUTSIDE, OUTSIDE, MAX, MAX), NODE(1, CST_COUNT_CUT, NONE, NONE, OUTSIDE, OUTSIDE, 0, 0),
	NODE(0, CST_COUNT_CUT, NONE, NONE, OUTSIDE, OUTSIDE, 1, 1),
};

static int set_up(void **state)
{
	(void)state;
	memset(long_total, 255, 255);
	memset(long_name, 'n', 4095);
	return 0;
}

static int same_record(const struct cst_count_record *a, const struct cst_count_record *b)
{
	struct bytes x, y;
	int same;

	if (a->kind != b->kind)
		return 0;
	switch (a->kind) {
	case CST_COUNT_TOTAL:
		return !strcmp(a->total.name, b->total.name) && a->total.value == b->total.value;
	case CST_COUNT_BINARY:
		x = file_of(a, 1);
		y = file_of(b, 1);
		same = x.len == y.len && !memcmp(x.p, y.p, x.len) && !strcmp(a->binary.name, b->binary.name);
		bytes_free(&x);
		bytes_free(&y);
		return same;
	case CST_COUNT_SEGMENT:
		return a->segment.offset == b->segment.offset && a->segment.size == b->segment.size &&
		       a->segment.vaddr == b->segment.vaddr && a->segment.exec == b->segment.exec;
	case CST_COUNT_RANGE:
		return a->range.binary == b->range.binary && a->range.flags == b->range.flags && a->range.insns == b->range.insns &&
		       a->range.start == b->range.start && a->range.last == b->range.last && a->range.count == b->range.count;
	case CST_COUNT_NOT_TAKEN:
		return a->not_taken.binary == b->not_taken.binary && a->not_taken.size == b->not_taken.size &&
		       a->not_taken.offset == b->not_taken.offset && a->not_taken.count == b->not_taken.count;
	case CST_COUNT_EDGE:
		return a->edge.binary == b->edge.binary && a->edge.from == b->edge.from && a->edge.to == b->edge.to &&
		       a->edge.count == b->edge.count;
	case CST_COUNT_ENTRY:
		return a->entry.binary == b->entry.binary && a->entry.offset == b->entry.offset && a->entry.count == b->entry.count;
	default:
		return a->node.depth == b->node.depth && a->node.kind == b->node.kind && a->node.from_binary == b->node.from_binary &&
		       a->node.binary == b->node.binary && a->node.from == b->node.from && a->node.entry == b->node.entry &&
		       a->node.calls == b->node.calls && a->node.insns == b->node.insns;
	}
}

static void test_limits(void **state)
{
	struct bytes b = file_of(limits, COUNT(limits));
	struct piecewise s = { b.p, b.len, 0, 7 };
	struct cst_count_record rec;
	struct cst_count_reader *r;
	size_t i;

	(void)state;
	assert_int_equal(cst_count_reader_new(&r, piecewise_read, &s), 0);
	for (i = 0; i < COUNT(limits); i++) {
		assert_int_equal(cst_count_read(r, &rec), 1);
		if (!same_record(&rec, &limits[i]))
			fail_msg("record %zu is another one", i);
	}
	assert_int_equal(cst_count_read(r, &rec), 0);
	cst_count_reader_free(r);
	for (i = 0; i < 20; i++)
		assert_canonical(&b, i);
	bytes_free(&b);
}

/* Beyond the limits: refused by the writer, which is as before. */
static void test_refused(void **state)
{
	static char longer_total[258], longer_name[4098];
	const struct cst_count_record base[] = {
		TOTAL("m", 1), BINARY(0, 4, 9, 0, 183, "b"), SEGMENT(10, 10, 10, 1), BINARY(1, 4, 9, 0, 183, "c"),
	};
	const struct cst_count_record counts[] = {
		BINARY(0, 4, 9, 0, 183, "b"), BINARY(1, 4, 9, 0, 183, "c"), RANGE(0, 1, 2, 100, 102, 1), EDGE(1, 50, 60, 1),
	};
	const struct cst_count_record nodes[] = {
		BINARY(0, 4, 9, 0, 183, "b"), NODE(0, CST_COUNT_ROOT, NONE, 0, OUTSIDE, 5, 1, 1), NODE(1, CST_COUNT_CALL, 0, 0, 8, 5, 1, 1),
		NODE(1, CST_COUNT_CUT, NONE, NONE, OUTSIDE, OUTSIDE, 1, 1),
	};
	const struct cst_count_record early[] = {
		TOTAL("", 1), TOTAL(NULL, 1), TOTAL("m", 1), TOTAL("a", 1), TOTAL(longer_total, 1), { .kind = 0 }, { .kind = 9 },
		{ .kind = 255 }, SEGMENT(0, 0, 0, 0), RANGE(0, 0, 1, 0, 0, 1),
	};
	const struct cst_count_record binaries[] = {
		TOTAL("z", 1), BINARY(3, 1, 1, 0, 0, "x"), BINARY(2, 0, 1, 0, 0, "x"), BINARY(2, 21, 1, 0, 0, "x"),
		BINARY(2, 1, 1, 5, 0, "x"), BINARY(2, 1, 1, 0, 0, ""), BINARY(2, 1, 1, 0, 0, NULL), BINARY(2, 1, 1, 0, 0, longer_name),
		BINARY(1, 4, 9, 0, 0, "x"), BINARY(1, 4, 8, 0, 0, "x"), BINARY(1, 3, 99, 0, 0, "x"), BINARY(0, 20, 99, 0, 0, "x"),
		RANGE(2, 0, 1, 0, 0, 1), RANGE(NONE, 0, 1, 0, 0, 1), RANGE(0, 4, 1, 0, 0, 1), RANGE(0, 0, 0, 0, 0, 1),
		RANGE(0, 0, 2, 4, 0, 1), RANGE(0, 0, 1, 0, 4, 1), RANGE(0, 0, 2, 0, 6, 1), RANGE(0, 1, 2, 0, 6, 1), RANGE(0, 1, 2, 0, 3, 1),
		RANGE(0, 1, 3, 0, 2, 1), RANGE(0, 0, 1, OUTSIDE, OUTSIDE, 1), NOT_TAKEN(0, 3, 0, 1), NOT_TAKEN(0, 0, 0, 1),
		NOT_TAKEN(0, 4, OUTSIDE, 1), NOT_TAKEN(2, 4, 0, 1), EDGE(0, OUTSIDE, 0, 1), EDGE(2, 0, 0, 1), ENTRY(0, OUTSIDE, 1),
		ENTRY(2, 0, 1), NODE(0, CST_COUNT_CALL, NONE, 0, OUTSIDE, 0, 1, 1), NODE(1, CST_COUNT_CALL, 0, 0, 0, 0, 1, 1),
		NODE(0, CST_COUNT_ROOT, 0, 0, 0, 0, 1, 1), NODE(0, CST_COUNT_ROOT, NONE, 0, 0, 0, 1, 1),
		NODE(0, CST_COUNT_ROOT, NONE, NONE, OUTSIDE, 0, 1, 1), NODE(0, CST_COUNT_ROOT, NONE, 2, OUTSIDE, 0, 1, 1),
		NODE(0, CST_COUNT_CUT, NONE, 0, OUTSIDE, 0, 1, 1), NODE(0, 6, NONE, NONE, OUTSIDE, OUTSIDE, 1, 1),
	};
	const struct cst_count_record segments[] = {
		SEGMENT(10, 10, 10, 1), SEGMENT(10, 10, 10, 0), SEGMENT(10, 10, 9, 1), SEGMENT(10, 9, 11, 1), SEGMENT(9, 11, 11, 1),
		SEGMENT(20, 0, 0, 2), SEGMENT(OUTSIDE, 0, 0, 0), SEGMENT(11, MAX - 10, 0, 0),
	};
	const struct cst_count_record later[] = {
		BINARY(2, 1, 1, 0, 0, "x"), SEGMENT(0, 0, 0, 0), RANGE(0, 1, 2, 100, 102, 1), EDGE(0, 50, 60, 1), EDGE(1, 50, 60, 1),
		EDGE(1, 50, 59, 1), EDGE(1, 49, 70, 1), NOT_TAKEN(1, 4, 99, 1),
	};
	const struct cst_count_record more_nodes[] = {
		NODE(2, CST_COUNT_CALL, NONE, 0, OUTSIDE, 5, 1, 1), NODE(1, CST_COUNT_CUT, NONE, NONE, OUTSIDE, OUTSIDE, 1, 1),
		NODE(1, CST_COUNT_CALL, 0, 0, 9, 5, 1, 1), NODE(0, CST_COUNT_ROOT, NONE, 0, OUTSIDE, 5, 1, 1),
		NODE(0, CST_COUNT_ROOT, NONE, 0, OUTSIDE, 4, 1, 1), NODE(1, CST_COUNT_ROOT, NONE, 0, OUTSIDE, 5, 1, 1),
		NODE(3, CST_COUNT_CALL, 0, 0, 8, 5, 1, 1), ENTRY(0, 5, 1),
	};
	const struct {
		const struct cst_count_record *before;
		size_t n_before;
		const struct cst_count_record *bad;
		size_t n;
	} groups[] = {
		{ base, 1, early, COUNT(early) }, { base, COUNT(base), binaries, COUNT(binaries) }, { base, 3, segments, COUNT(segments) },
		{ counts, COUNT(counts), later, COUNT(later) }, { nodes, COUNT(nodes), more_nodes, COUNT(more_nodes) },
	};
	const char *why;
	size_t i, k;

	(void)state;
	memset(longer_total, 'x', 256);
	memset(longer_name, 'x', 4096);
	for (i = 0; i < COUNT(groups); i++)
		for (k = 0; k < groups[i].n; k++) {
			if (refused(groups[i].before, groups[i].n_before, &groups[i].bad[k], &why) != -CST_ERR_INVAL)
				fail_msg("group %zu, record %zu was taken", i, k);
			assert_true(strlen(why) > 10);
		}
}

static void assert_bad(const struct bytes *b, size_t changed, int cut)
{
	const char *what = NULL;
	uint64_t place = MAX;
	int rc = read_all(b, 0, NULL, &place, &what);

	if (rc >= 0)
		fail_msg("a file that was %s at %zu was read", cut ? "cut" : "changed", changed);
	assert_true(place <= b->len && what && strlen(what) > 10);
	assert_true(rc == -CST_ERR_DAMAGED || rc == -CST_ERR_INCOMPLETE || (changed < 8 && rc == -CST_ERR_SYNTAX) ||
		    (changed < 10 && rc == -CST_ERR_VERSION));
	if (cut)
		assert_int_equal(rc, -CST_ERR_INCOMPLETE);
	if (cut)
		assert_int_equal(place, b->len);
}

/* Each byte gets each other value; each byte is the last one; a byte more. */
static void test_damage(void **state)
{
	struct bytes b = file_of(limits, COUNT(limits)), cut;
	size_t i, all = b.len;
	unsigned int v;
	uint8_t was;

	(void)state;
	for (i = 0; i < all; i++) {
		was = b.p[i];
		/* names are long, and each of their bytes is like the others */
		for (v = 1; v < 256; v += i > 700 && i + 700 < all ? 51 : 1) {
			b.p[i] = was ^ (uint8_t)v;
			assert_bad(&b, i, 0);
		}
		b.p[i] = was;
	}
	cut = b;
	for (cut.len = 0; cut.len < all; cut.len++)
		assert_bad(&cut, cut.len, 1);
	bytes_put(&b, "", 1);
	assert_bad(&b, all, 0);
	bytes_free(&b);
}

/* A file with this content, whatever it is, and right digests. */
static struct bytes framed(const struct bytes *contents, size_t n, uint64_t records)
{
	static const uint8_t header[16] = { 'C', 'S', 'T', 'C', 'N', 'T', '\r', '\n', 1, 0, 16 };
	uint64_t digest = DIGEST_START;
	struct bytes b = { 0 };
	uint8_t head[12], end[8];
	unsigned int k;
	size_t i;

	bytes_put(&b, header, sizeof(header));
	for (k = 0; k < 8; k++)
		end[k] = (uint8_t)(records >> 8 * k);
	for (i = 0; i <= n; i++) {
		const uint8_t *p = i < n ? contents[i].p : end;
		size_t len = i < n ? contents[i].len : 0, size = i < n ? len : 8;

		digest = cst_digest_bytes(digest, p, size);
		head[0] = (uint8_t)len;
		head[1] = (uint8_t)(len >> 8);
		head[2] = (uint8_t)~len;
		head[3] = (uint8_t)(~len >> 8);
		for (k = 0; k < 8; k++)
			head[4 + k] = (uint8_t)(digest >> 8 * k);
		bytes_put(&b, head, sizeof(head));
		bytes_put(&b, p, size);
	}
	return b;
}

/* Content with right digests, in another form than the writer's. */
static void test_forms(void **state)
{
#define BIN "\2" "\2" "i" "\0" "\xb7\1" "\1" "n"
	static const struct {
		const char *bytes;
		size_t len;
		unsigned int records;
		int good;
	} forms[] = {
#define FORM(text, records, good) { text, sizeof(text) - 1, records, good }
		FORM("\1" "\1a\0", 1, 1), FORM("\1" "\1a\0", 2, 0), FORM("\1" "\1a\0", 0, 0),
		FORM("\1" "\1a\x80\0", 1, 0), FORM("\1" "\x81\0a\0", 1, 0), FORM("\1" "\1a", 1, 0), FORM("\1" "\2a", 1, 0),
		FORM("\1" "\2a\0\0", 1, 0), FORM("\1" "\1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 1, 0),
		FORM("\1" "\1a\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1", 1, 1), FORM("\1" "\1a\xfe\xff\xff\xff\xff\xff\xff\xff\xff\2", 1, 0),
		FORM("\1" "\1a\0" "\1b\0", 2, 1), FORM("\1" "\1a\0" "\0\1" "\1b\0", 2, 0), FORM("\1" "\1a\0" "\0", 1, 0),
		FORM("\1" "\1a\0" "\0\0", 1, 0), FORM("\1" "\1a\0" "\1a\0", 2, 0), FORM("\1" "\1b\0" "\1a\0", 2, 0),
		FORM("\1", 0, 0), FORM("\1\0", 0, 0), FORM("\0", 0, 0), FORM("\3", 0, 0), FORM("\x09", 0, 0), FORM("\xff", 0, 0),
		FORM(BIN, 1, 1), FORM("\2" "\0", 1, 0), FORM("\2" "\1\0\0\0\0", 1, 0), FORM("\2" "\5" "i" "\0\0\1n", 1, 0),
		FORM("\2" "\x52" "i" "\0\0\1n", 1, 0), FORM("\2" "\2" "i" "\5\0\1n", 1, 0), FORM("\2" "\2" "i" "\0\x80\x80\4\1n", 1, 0),
		FORM("\2" "\2" "i" "\0\0\0", 1, 0), FORM("\2" "\2" "i" "\0\0\x80\x20n", 1, 0), FORM("\2" "\2" "i" "\0\0\1\0", 1, 0),
		FORM(BIN "\1\0\0\0\0", 2, 1), FORM(BIN "\1\0\0\0\2", 2, 0), FORM(BIN "\1\0\0\0\0\1\0\0\0\0", 3, 0),
		FORM(BIN "\0\4\0" "\1\0\0", 2, 1), FORM(BIN "\0\4\1" "\1\0\0", 2, 0), FORM(BIN "\0\4\x80\0" "\1\0\0", 2, 0),
		FORM(BIN "\0\4\0" "\1\0\0" "\1\1\0\0", 3, 1), FORM(BIN "\0\4\0" "\1\0\0" "\1\0\0", 3, 0),
		FORM(BIN "\0\4\0" "\1\0\0" "\0\4\0" "\1\4\0", 3, 0), FORM(BIN "\0\4\0" "\0\5\0" "\2\0", 2, 0),
		FORM(BIN "\0\4\0" "\1\5\2\0", 2, 0), FORM(BIN "\0\4\0" "\1\5\1\0", 2, 1), FORM(BIN "\0\4\0" "\1\xff\xff\xff\xff\x7f\0", 2, 0),
		FORM(BIN "\0\4\0" "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" "\4\0", 2, 0),
		FORM(BIN "\0\4\0" "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" "\0\0", 2, 1),
		FORM(BIN "\0\5\0" "\2\0", 2, 1), FORM(BIN "\0\5\0" "\1\0", 2, 0), FORM(BIN "\0\5\0" "\3\0" "\5\0", 3, 1), FORM(BIN "\0\5\0" "\3\0" "\3\0", 3, 0),
		FORM(BIN "\0\5\0" "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\3" "\0", 2, 1),
		FORM(BIN "\0\5\0" "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\7" "\0", 2, 0),
		FORM(BIN "\0\6\0" "\1\0\0", 2, 1), FORM(BIN "\0\6\0" "\1\1\0", 2, 1), FORM(BIN "\0\6\0" "\1\3\0", 2, 0),
		FORM(BIN "\0\6\0" "\1\2\0", 2, 0), FORM(BIN "\0\6\0" "\1\x80\0\0", 2, 0),
		FORM(BIN "\0\7\0" "\1\0", 2, 1), FORM(BIN "\0\7\0" "\1\0" "\1\0", 3, 0), FORM(BIN "\0\7\0" "\1\0" "\0\6\0" "\1\0\0", 3, 0),
		FORM("\x08" "\1\x60\0\0", 1, 1), FORM("\x08" "\2\x60\0\0", 1, 0), FORM("\x08" "\1\xe0\0\0", 1, 0),
		FORM("\x08" "\1\x70\0\0\0", 1, 0), FORM("\x08" "\1\x68\0\0\0", 1, 0), FORM("\x08" "\1\x70\1\0\0", 1, 0),
		FORM("\x08" "\1\x20\0\0\0", 1, 0), FORM("\x08" "\1\x40\0\0\0", 1, 0), FORM("\x08" "\1\x65\0\0" "\1\x65\0\0", 2, 0),
		FORM("\x08" "\1\x60\0\0" "\1\x65\0\0" "\1\x61\0\0", 3, 0), FORM("\x08" "\1\x60\0\0" "\1\x61\0\0" "\1\x61\0\0", 3, 1),
		FORM("\x08" "\1\x60\0\0" "\1\x61\0\0" "\2\x61\0\0", 3, 0), FORM("\x08" "\1\x60\0\0" "\1\x61\0\0" "\2\x62\0\0", 3, 1),
		FORM("\x08" "\1\x60\0\0" "\1\x61\0\0" "\4\x65\0\0", 3, 0), FORM("\x08" "\1\x60\0\0" "\1\x61\0\0" "\3\x65\0\0", 3, 1),
		FORM(BIN "\0\x08" "\1\x30\1\4\0\0", 2, 1), FORM(BIN "\0\x08" "\1\x30\2\4\0\0", 2, 0),
		FORM(BIN "\0\x08" "\1\x30\1\1\0\0", 2, 0), FORM(BIN "\0\x08" "\1\x30\1\4\0\0\0\1\1a\0", 3, 0),
	};
	struct bytes content, b;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < COUNT(forms); i++) {
		content = (struct bytes){ (uint8_t *)forms[i].bytes, forms[i].len, 0 };
		b = framed(&content, 1, forms[i].records);
		rc = read_all(&b, 0, NULL, NULL, NULL);
		if (rc != (forms[i].good ? 0 : -CST_ERR_DAMAGED))
			fail_msg("form %zu: %d", i, rc);
		if (!rc)
			assert_canonical(&b, 1);
		bytes_free(&b);
	}
}

static long failing_read(void *data, void *buf, size_t size)
{
	struct piecewise *s = data;

	return s->at >= s->len ? -77 : piecewise_read(s, buf, size);
}

static long failing_once(void *data, void *buf, size_t size)
{
	struct piecewise *s = data;

	return s->piece++ ? piecewise_read(s, buf, size) : -79;
}

static int failing_write(void *data, const void *p, size_t len)
{
	unsigned int *left = data;

	(void)p;
	(void)len;
	return (*left)-- ? 0 : -78;
}

/* Errors of the caller's functions come back, and stay. */
static void test_callbacks(void **state)
{
	struct bytes b = random_file(4, 5, 30000);
	struct piecewise s = { b.p, b.len / 2, 0, 5000 };
	struct cst_count_record rec;
	struct cst_count_reader *r;
	struct cst_count_writer *w;
	unsigned int left, n;
	int rc;

	(void)state;
	assert_int_equal(cst_count_reader_new(&r, failing_read, &s), 0);
	while ((rc = cst_count_read(r, &rec)) == 1)
		;
	assert_int_equal(rc, -77);
	assert_int_equal(cst_count_read(r, &rec), -77);
	assert_int_equal(cst_count_reader_place(r, NULL), b.len / 2);
	cst_count_reader_free(r);
	/* after an error nothing more is read, though the next call of the function would succeed */
	s = (struct piecewise){ b.p, b.len, 0, 0 };
	assert_int_equal(cst_count_reader_new(&r, failing_once, &s), 0);
	assert_int_equal(cst_count_read(r, &rec), -79);
	assert_int_equal(cst_count_read(r, &rec), -79);
	assert_int_equal(s.piece, 1);
	cst_count_reader_free(r);
	bytes_free(&b);
	for (n = 0; n < 3; n++) {
		left = n;
		rc = 0;
		assert_int_equal(cst_count_writer_new(&w, failing_write, &left), 0);
		assert_int_equal(cst_count_write(w, &limits[0]), 0);
		assert_int_equal(cst_count_writer_end(w), -78);
		assert_int_equal(cst_count_write(w, &limits[1]), -78);
		assert_int_equal(cst_count_writer_end(w), -78);
		cst_count_writer_free(w);
	}
	assert_int_equal(cst_count_reader_new(&r, NULL, NULL), -CST_ERR_INVAL);
	assert_int_equal(cst_count_writer_new(&w, NULL, NULL), -CST_ERR_INVAL);
	cst_count_reader_free(NULL);
	cst_count_writer_free(NULL);
}

static void test_random(void **state)
{
	unsigned int run;
	struct bytes b;

	(void)state;
	for (run = 0; run < 500; run++) {
		b = random_file(run % 20, run, 1 + run % 50);
		assert_canonical(&b, run % 100);
		bytes_free(&b);
	}
}

/* Blocks are as long as they can be, and records in one piece. */
static void test_blocks(void **state)
{
	struct bytes parts[2], b;
	char name[300];
	unsigned int i, n, records;
	uint8_t size;

	(void)state;
	/* at the end of a record, and inside of one */
	for (i = 4; i < 6; i++) {
		parts[0] = (struct bytes){ (uint8_t *)"\1" "\1a\0" "\1b\0", i, 0 };
		parts[1] = (struct bytes){ (uint8_t *)"\1a\0" "\1b\0" + i - 1, 7 - i, 0 };
		b = framed(parts, 2, 2);
		assert_int_equal(read_all(&b, 0, NULL, NULL, NULL), -CST_ERR_DAMAGED);
		bytes_free(&b);
	}
	/* the first block is full, or one byte less is free than the next record has */
	for (n = 0; n < 6; n++) {
		memset(parts, 0, sizeof(parts));
		bytes_put(&parts[0], "\2", 1);
		for (records = 0; parts[0].len < 32768 - 100 - n; records++) {
			name[0] = 2 + 4 * 3;
			name[1] = (char)(records >> 8);
			name[2] = (char)records;
			name[3] = name[4] = 0;
			memcpy(name + 5, "\0\0", 2);
			size = (uint8_t)(32768 - n - parts[0].len - 8 < 100 ?
					 32768 - n - parts[0].len - 8 : 80);
			name[7] = (char)size;
			memset(name + 8, 'x', size);
			bytes_put(&parts[0], name, 8u + size);
		}
		size = (uint8_t)(32768 - n - parts[0].len - 8);
		if (parts[0].len < 32768 - n) {
			name[1] = (char)(records >> 8);
			name[2] = (char)records;
			name[7] = (char)size;
			memset(name + 8, 'x', size);
			bytes_put(&parts[0], name, 8u + size);
			records++;
		}
		assert_int_equal(parts[0].len, 32768 - n);
		/* a segment of 5 bytes */
		bytes_put(&parts[1], "\1\0\0\0\0", 5);
		b = framed(parts, 2, records + 1);
		assert_int_equal(read_all(&b, 0, NULL, NULL, NULL), n < 5 ? 0 : -CST_ERR_DAMAGED);
		if (n < 5)
			assert_canonical(&b, 0);
		bytes_free(&b);
		bytes_free(&parts[0]);
		bytes_free(&parts[1]);
	}
}

/* A record that is refused, and one without a count, leave no trace. */
static void test_left_out(void **state)
{
	const struct cst_count_record all[] = {
		TOTAL("a", 0), TOTAL("b", 1), TOTAL("b", 1), BINARY(0, 1, 1, 0, 0, "x"),
		RANGE(0, 0, 1, 0, 0, 0), RANGE(0, 0, 1, 4, 4, 1), NOT_TAKEN(0, 4, 4, 0),
		EDGE(0, 4, 4, 0), ENTRY(0, 4, 0),
		NODE(0, CST_COUNT_ROOT, NONE, 0, OUTSIDE, 0, 0, 0),
	};
	const struct cst_count_record kept[] = {
		TOTAL("b", 1), BINARY(0, 1, 1, 0, 0, "x"), RANGE(0, 0, 1, 4, 4, 1),
		NODE(0, CST_COUNT_ROOT, NONE, 0, OUTSIDE, 0, 0, 0),
	};
	struct bytes b = file_of(kept, COUNT(kept)), same = { 0 };
	struct cst_count_writer *w;
	size_t i;

	(void)state;
	assert_int_equal(cst_count_writer_new(&w, bytes_write, &same), 0);
	for (i = 0; i < COUNT(all); i++)
		assert_int_equal(cst_count_write(w, &all[i]), i == 2 ? -CST_ERR_INVAL : 0);
	assert_int_equal(cst_count_writer_end(w), 0);
	assert_int_equal(cst_count_writer_end(w), -CST_ERR_INVAL);
	assert_int_equal(cst_count_write(w, &all[9]), -CST_ERR_INVAL);
	cst_count_writer_free(w);
	assert_int_equal(same.len, b.len);
	assert_memory_equal(same.p, b.p, b.len);
	bytes_free(&same);
	bytes_free(&b);
}

/* A binary's number fits 32 bits, and the last one means none. */
static void test_binary_numbers(void **state)
{
	struct cst_count_record rec = { .kind = CST_COUNT_BINARY,
					.binary = { .id_kind = CST_COUNT_ID_BUILD, .id_len = 2, .id = { 1, 1 }, .name = "x" } };
	struct count_state s = { .kind = CST_COUNT_BINARY, .binaries = CST_COUNT_NO_BINARY - 1, .id_kind = CST_COUNT_ID_BUILD,
				 .id_len = 2, .id = { 1, 0 } };

	(void)state;
	assert_int_equal(cst_count_check(&s, &rec), 0);
	s.binaries++;
	assert_int_equal(cst_count_check(&s, &rec), -CST_ERR_INVAL);
	assert_string_equal(s.what, "more binaries than there are numbers for");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_binary_numbers),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_callbacks),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
