/* SPDX-License-Identifier: BSD-3-Clause */
/* test_scan.c - timestamps, breaks and barriers that cst_tree_scan() finds without decoding, however the input is cut. */
#include "frames.h"
#include "unit/lib_decode.h"

#define MAX_FOUND 16
#define CONTEXT_4(id) 0x81, 0xb0, (id), 0x11, 0x22, 0x33
#define CONTEXT_1(id) 0x81, 0xb0, (id)
#define ADDRESS 0x95, 0x00

struct list {
	struct cst_scan v[MAX_FOUND];
	unsigned int n;
};

static void scan(struct cst_tree *tree, struct list *l)
{
	struct cst_scan found;

	while (cst_tree_scan(tree, &found)) {
		assert_true(l->n < MAX_FOUND);
		l->v[l->n++] = found;
	}
}

static void feed(struct cst_tree *tree, const uint8_t *data, size_t len, size_t piece, uint64_t offset, struct list *l)
{
	size_t at, n;

	for (at = 0; at < len; at += n) {
		n = len - at < piece ? len - at : piece;
		assert_int_equal(cst_tree_feed(tree, data + at, n, offset + at), 0);
		scan(tree, l);
	}
}

static void check(const struct list *l, unsigned int i, enum cst_scan_kind kind, uint8_t id, uint64_t index, uint64_t ts)
{
	assert_true(i < l->n);
	assert_int_equal(l->v[i].kind, kind);
	assert_int_equal(l->v[i].trace_id, id);
	assert_int_equal(l->v[i].index, index);
	if (kind == CST_SCAN_TIMESTAMP)
		assert_int_equal(l->v[i].ts, ts);
}

static void test_raw(void **state)
{
	/* zero is no time */
	static const uint8_t bytes[] = { SYNC, 0x81, 0x30, 0x95, 0x00, 0xf7, 0x02, 0x00, 0xf7, 0x02, 0x07, 0xf7, 0x02, 0x09, 0xf7 };
	const size_t end = 100 + sizeof(bytes);
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec;
	struct cst_tree *tree;
	struct list l;
	size_t piece;

	(void)state;
	cfg.trace_id = 0x10;
	for (piece = 1; piece <= sizeof(bytes); piece++) {
		l.n = 0;
		assert_int_equal(cst_tree_new(&tree, CST_TREE_RAW, 0), 0);
		assert_int_equal(cst_tree_add(tree, &cfg, &dec), 0);
		feed(tree, bytes, sizeof(bytes), piece, 100, &l);
		assert_int_equal(l.n, 2);
		check(&l, 0, CST_SCAN_TIMESTAMP, 0x10, end - 6, 7);
		check(&l, 1, CST_SCAN_TIMESTAMP, 0x10, end - 3, 9);
		assert_int_equal(cst_decoder_stats(dec)->elements, 0);
		cst_tree_free(tree);
	}
}

/* What a program cannot have been interrupted without. */
static void test_breaks(void **state)
{
	static const struct {
		uint8_t bytes[16];
		size_t len;
		unsigned int breaks, times;
	} rows[] = {
		{ { 0xf7, 0x02, 0x2a }, 3, 0, 1 },
		{ { 0xf7, 0x81, 0x30, 0x02, 0x2a }, 5, 0, 1 },		/* a context */
		{ { 0xf7, 0x04, 0x02, 0x2a }, 4, 1, 1 },			/* Trace On */
		{ { 0xf7, 0x06, 0x1d, 0x95, 0x00, 0x02, 0x2a }, 7, 1, 1 },	/* exception */
		{ { 0xf7, 0x05, 0x02, 0x2a }, 4, 2, 0 },			/* overflow; no packets until an A-sync */
	};
	static const uint8_t start[] = { SYNC, 0x81, 0x30, ADDRESS };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec;
	struct cst_tree *tree;
	uint8_t bytes[64];
	struct list l;
	size_t i, len;

	(void)state;
	cfg.trace_id = 0x10;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		len = sizeof(start) + rows[i].len;
		memcpy(bytes, start, sizeof(start));
		memcpy(bytes + sizeof(start), rows[i].bytes, rows[i].len);
		assert_int_equal(cst_tree_new(&tree, CST_TREE_RAW, 0), 0);
		assert_int_equal(cst_tree_add(tree, &cfg, &dec), 0);
		l.n = 0;
		feed(tree, bytes, len, len, 0, &l);
		assert_int_equal(l.n, rows[i].breaks + rows[i].times);
		if (rows[i].breaks)
			check(&l, 0, CST_SCAN_BREAK, 0x10, sizeof(start) + 1, 0);
		if (rows[i].times)
			check(&l, rows[i].breaks, CST_SCAN_TIMESTAMP, 0x10, len - 2, 0x2a);
		cst_tree_free(tree);
	}
}

/* Each ID has what it would have alone, and a barrier is everybody's. */
static void test_frames(void **state)
{
	static const uint8_t start[] = { SYNC, 0x81, 0x30, ADDRESS, 0xf7 };
	static const uint8_t one[] = { 0x02, 0x07, 0xf7 }, two[] = { 0x02, 0x05, 0x04 };
	struct frames_opts o = { .seed = 3, .p_repeat = 100, .p_null = 100 };
	struct cst_config cfg = etm_config(4, 0);
	unsigned int i, at[2], barriers;
	struct cst_decoder *dec;
	struct cst_tree *tree;
	struct frames fr;
	struct gbuf b;
	struct list l;
	size_t piece;

	(void)state;
	memset(&b, 0, sizeof(b));
	frames_init(&fr, &o, &b);
	frames_put(&fr, 0x10, start, sizeof(start));
	frames_put(&fr, 0x22, start, sizeof(start));
	frames_put(&fr, 0x11, start, sizeof(start));
	frames_put(&fr, 0x22, one, 3);
	frames_put(&fr, 0x10, one, 3);
	frames_put(&fr, 0x11, two, 3);
	frames_flush(&fr);
	frames_barrier(&fr);
	frames_put(&fr, 0x10, start, sizeof(start));
	frames_put(&fr, 0x10, one, 3);
	frames_flush(&fr);
	for (piece = 1; piece <= b.len; piece++) {
		assert_int_equal(cst_tree_new(&tree, CST_TREE_FRAMES, CST_FRAME_RESET_4X), 0);
		for (i = 0; i < 2; i++) {
			cfg.trace_id = (uint8_t)(0x10 + i);
			assert_int_equal(cst_tree_add(tree, &cfg, &dec), 0);
		}
		l.n = 0;
		feed(tree, b.p, b.len, piece, 0, &l);
		memset(at, 0, sizeof(at));
		for (barriers = i = 0; i < l.n; i++) {
			if (l.v[i].kind == CST_SCAN_BARRIER) {
				assert_int_equal(l.v[i].trace_id, CST_ID_UNKNOWN);
				assert_int_equal(at[0], 1);
				assert_int_equal(at[1], 2);
				barriers++;
				continue;
			}
			assert_true(l.v[i].trace_id == 0x10 || l.v[i].trace_id == 0x11);
			if (l.v[i].trace_id == 0x11) {
				check(&l, i, at[1] ? CST_SCAN_BREAK : CST_SCAN_TIMESTAMP, 0x11, l.v[i].index, 5);
				at[1]++;
			} else {
				check(&l, i, CST_SCAN_TIMESTAMP, 0x10, l.v[i].index, 7);
				at[0]++;
			}
		}
		assert_int_equal(barriers, 1);
		assert_int_equal(at[0], 2);
		assert_int_equal(at[1], 2);
		cst_tree_free(tree);
	}
	free(b.p);
}

/* A new configuration is that of the packets behind the next A-sync, and ends a stretch. */
static void test_reconfigure(void **state)
{
	static const uint8_t bytes[] = {
		SYNC, CONTEXT_4(1), ADDRESS, 0xf7,
		/* as a context ID of four bytes this would swallow the timestamp */
		SYNC, CONTEXT_1(4), 0x02, 0x2a, ADDRESS, 0xf7,
	};
	struct cst_config old = etm_config(4, 0), new = old;
	struct cst_decoder *dec;
	struct cst_tree *tree;
	unsigned int changed;
	struct list l;

	(void)state;
	new.cid_bytes = 1;
	for (changed = 0; changed < 2; changed++) {
		l.n = 0;
		assert_int_equal(cst_tree_new(&tree, CST_TREE_RAW, 0), 0);
		assert_int_equal(cst_tree_add(tree, &old, &dec), 0);
		feed(tree, bytes, 20, 20, 0, &l);
		assert_int_equal(l.n, 0);
		if (changed)
			assert_int_equal(cst_decoder_reconfigure(dec, &new), 0);
		feed(tree, bytes + 20, sizeof(bytes) - 20, sizeof(bytes), 20, &l);
		assert_int_equal(l.v[0].kind, CST_SCAN_BREAK);
		assert_int_equal(l.n, 1 + changed);
		if (changed)
			check(&l, 1, CST_SCAN_TIMESTAMP, old.trace_id, 23 + 14 + 3, 0x2a);
		cst_tree_free(tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_breaks),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_reconfigure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
