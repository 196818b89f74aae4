/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_reconfigure.c - a trace unit that is set up anew: the old configuration decodes until the next
 * synchronisation of the stream, the new one from there on. Here they differ in the size of the context ID.
 */
#include "frames.h"
#include "unit/lib_decode.h"

/* nop; b -4: a loop of two instructions at 0 */
static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };

#define CONTEXT_4(id) 0x81, 0xb0, (id), 0x11, 0x22, 0x33
#define CONTEXT_1(id) 0x81, 0xb0, (id)
#define ADDRESS 0x95, 0x00

#define V7_ASYNC 0, 0, 0, 0, 0, 0x80
/* ETMCR.CONTEXTIDsize */
#define CID_BYTES_4 (3u << 14)
#define CID_BYTES_1 (1u << 14)
/* bytes of an A-sync and an I-sync of either size */
#define V7_OLD 16
#define V7_NEW 13

static const uint8_t stream[] = {
	SYNC, CONTEXT_4(1), ADDRESS, 0xf7,		/* 0: old */
	SYNC, CONTEXT_4(2), ADDRESS, 0xf7,		/* 23: a synchronisation like others */
	CONTEXT_4(3), ADDRESS, 0xf7,			/* 46: still old */
	SYNC, 0x04, CONTEXT_1(4), ADDRESS, 0xf7, 0xf7,	/* 55: new */
};

static struct cst_config small_config(uint32_t max_spec)
{
	struct cst_config cfg = etm_config(4, max_spec);

	cfg.cid_bytes = 1;
	return cfg;
}

struct result {
	uint32_t ids[16];	/* of contexts */
	unsigned int nr_ids, ranges, configs, nosync;
	uint64_t config_index;
	uint16_t config_flags;
	struct cst_stats stats;
};

static void take(struct result *r, enum cst_stop why, const struct cst_generic *g, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (g[i].kind == CST_GEN_PE_CONTEXT)
			r->ids[r->nr_ids++] = g[i].context_id;
		r->ranges += g[i].kind == CST_GEN_RANGE;
		r->nosync += g[i].kind == CST_GEN_NO_SYNC;
	}
	if (why != CST_STOP_CONFIG)
		return;
	assert_true(n > 0);
	assert_int_equal(g[n - 1].kind, CST_GEN_NO_SYNC);
	assert_int_equal(g[n - 1].num, CST_UNSYNC_RESET);
	r->config_index = g[n - 1].index;
	r->config_flags = g[n - 1].flags;
	r->configs++;
}

static void drain(struct result *r, struct cst_decoder *dec)
{
	struct cst_generic out[16];
	struct cst_pull p;
	int n;

	while ((n = cst_decoder_pull(dec, out, 16, &p))) {
		assert_true(n >= 0);
		take(r, p.why, out, n);
	}
}

/* The new configuration is given after `at` bytes; the input comes in pieces. */
static void run(struct result *r, const struct cst_config *old, const struct cst_config *new, size_t at,
		size_t piece)
{
	struct cst_decoder *dec;
	struct program pr;
	size_t pos = 0, n;

	memset(r, 0, sizeof(*r));
	program_map(&pr, 0, loop, sizeof(loop));
	assert_int_equal(cst_decoder_new(&dec, old), 0);
	cst_decoder_set_space(dec, pr.space);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
	while (pos < sizeof(stream)) {
		if (pos == at && new)
			assert_int_equal(cst_decoder_reconfigure(dec, new), 0);
		n = pos < at ? at - pos : sizeof(stream) - pos;
		n = n < piece ? n : piece;
		assert_int_equal(cst_decoder_feed(dec, stream + pos, n, pos), 0);
		drain(r, dec);
		pos += n;
	}
	cst_decoder_end(dec);
	drain(r, dec);
	r->stats = *cst_decoder_stats(dec);
	if (new)
		assert_int_equal(cst_decoder_config(dec)->cid_bytes, new->cid_bytes);
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

static void test_old_until_sync(void **state)
{
	struct cst_config old = etm_config(4, 0), new = small_config(0);
	struct result r;
	size_t piece, at;

	(void)state;
	for (piece = 1; piece <= sizeof(stream); piece = piece < 20 ? piece + 1 : piece * 2)
		for (at = 36; at <= 56; at++) {	/* after the second A-sync, before the third is complete */
			run(&r, &old, &new, at, piece);
			assert_int_equal(r.configs, 1);
			assert_int_equal(r.config_index, 55);
			assert_int_equal(r.nosync, 2);
			assert_int_equal(r.nr_ids, 4);
			assert_int_equal(r.ids[0], 0x33221101);
			assert_int_equal(r.ids[1], 0x33221102);
			assert_int_equal(r.ids[2], 0x33221103);
			assert_int_equal(r.ids[3], 4);
			assert_int_equal(r.ranges, 5);
			assert_int_equal(r.stats.bad_packets, 0);
			assert_int_equal(r.stats.uncommitted, 0);
			assert_int_equal(r.stats.resyncs, 0);
			/* all of the old stream was seen: the target of its last branch, too */
			assert_true(r.config_flags & CST_GF_NEXT);
			assert_false(r.config_flags & CST_GF_DOUBTFUL);
		}
}

/* Given earlier, it is the second A-sync that it holds from: what follows does not fit it. */
static void test_next_sync_counts(void **state)
{
	struct cst_config old = etm_config(4, 0), new = small_config(0);
	struct result r;

	(void)state;
	run(&r, &old, &new, 22, sizeof(stream));
	assert_int_equal(r.configs, 1);
	assert_int_equal(r.config_index, 23);
	assert_int_equal(r.ids[0], 0x33221101);
	/* until the next A-sync, where both agree again */
	assert_int_equal(r.stats.resyncs, 1);
	assert_int_equal(r.nr_ids, 2);
	assert_int_equal(r.ids[1], 4);
	/* without a new one everything but the last part is right */
	run(&r, &old, NULL, 22, sizeof(stream));
	assert_int_equal(r.configs, 0);
	assert_int_equal(r.ids[2], 0x33221103);
	assert_true(r.nr_ids < 4 || r.ids[3] != 4);
}

static void test_reset_is_a_synchronisation(void **state)
{
	static const uint8_t bytes[] = { SYNC, CONTEXT_1(7), ADDRESS, 0xf7 };
	struct cst_config old = etm_config(4, 0), new = small_config(0), other = new;
	struct result r = { .nr_ids = 0 };
	struct cst_decoder *dec;
	struct program pr;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	assert_int_equal(cst_decoder_new(&dec, &old), 0);
	cst_decoder_set_space(dec, pr.space);
	assert_int_equal(cst_decoder_feed(dec, stream, 23, 0), 0);
	drain(&r, dec);
	assert_int_equal(cst_decoder_reconfigure(dec, &new), 0);
	assert_int_equal(cst_decoder_config(dec)->cid_bytes, 4);
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_config(dec)->cid_bytes, 1);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 100), 0);
	drain(&r, dec);
	assert_int_equal(r.configs, 1);
	assert_int_equal(r.config_index, 100);
	assert_int_equal(r.ids[1], 7);
	other.trace_id++;
	assert_int_equal(cst_decoder_reconfigure(dec, &other), -CST_ERR_INVAL);
	other.protocol = CST_PROTO_NONE;
	assert_int_equal(cst_decoder_reconfigure(dec, &other), -CST_ERR_PROTOCOL);
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

/* A listing sees the same packets. */
static void test_listing(void **state)
{
	struct cst_config old = etm_config(4, 0), new = small_config(0);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	unsigned int contexts = 0, small = 0;
	int pulled;

	(void)state;
	for (pulled = 0; pulled < 2; pulled++) {
		assert_int_equal(cst_decoder_new(&dec, &old), 0);
		assert_int_equal(cst_decoder_feed(dec, stream, sizeof(stream), 0), 0);
		while (cst_decoder_next_packet(dec, &pkt, &p)) {
			if (pkt.type == CST_PKT_CONTEXT) {
				contexts++;
				small += pkt.cid == 4;
			}
			if (pkt.index == 46)
				assert_int_equal(cst_decoder_reconfigure(dec, &new), 0);
			/* the A-sync has just put the new one into effect */
			if (pkt.index == 55)
				assert_int_equal(cst_decoder_reconfigure(dec, &old), -CST_ERR_BUSY);
			while (pulled && cst_decoder_pull(dec, out, 16, NULL))
				;
		}
		cst_decoder_free(dec);
	}
	assert_int_equal(contexts, 8);
	assert_int_equal(small, 2);
}

static void test_tree(void **state)
{
	struct cst_config old = etm_config(4, 0), new = small_config(0);
	struct result r = { .nr_ids = 0 };
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_tree *tree;
	struct cst_pull p;
	int n;

	(void)state;
	assert_int_equal(cst_tree_new(&tree, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(tree, &old, &dec), 0);
	assert_int_equal(cst_tree_reconfigure(tree, 0x11, &new), -CST_ERR_INVAL);
	assert_int_equal(cst_tree_reconfigure(tree, 0xff, &new), -CST_ERR_INVAL);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
	assert_int_equal(cst_tree_feed(tree, stream, sizeof(stream), 0), 0);
	while ((n = cst_tree_pull(tree, out, 16, &p))) {
		take(&r, p.why, out, n);
		if (r.nr_ids == 3 && !r.configs)
			assert_int_equal(cst_tree_reconfigure(tree, 0x10, &new), 0);
	}
	assert_int_equal(r.configs, 1);
	assert_int_equal(r.nr_ids, 4);
	assert_int_equal(r.ids[3], 4);
	cst_tree_free(tree);
}

/* `cr`: ETMCR */
static struct cst_config v7_config(int ptm, uint32_t cr)
{
	const struct cst_etmv3_regs v3 = { .traceidr = 0x13, .cr = cr, .idr = 0x410cf250 };
	const struct cst_etmv3_regs pft = { .traceidr = 0x13, .cr = cr, .idr = 0x411cf310, .ccer = 1u << 23 | 1u << 26 };
	struct cst_config cfg = { 0 };

	assert_int_equal(ptm ? cst_config_ptm(&cfg, &pft) : cst_config_etmv3(&cfg, &v3, CST_PROFILE_A), 0);
	return cfg;
}

/* ETMv3 and PTM have the size of the context ID in ETMCR. */
static void test_v7(void **state)
{
	static const uint8_t bytes[][V7_OLD + V7_NEW] = {
		{ V7_ASYNC, 0x08, 1, 0x11, 0x22, 0x33, 0x21, 0x00, 0x80, 0, 0,
		  V7_ASYNC, 0x08, 4, 0x21, 0x00, 0x80, 0, 0 },
		{ V7_ASYNC, 0x08, 0x00, 0x80, 0, 0, 0x21, 1, 0x11, 0x22, 0x33,
		  V7_ASYNC, 0x08, 0x00, 0x80, 0, 0, 0x21, 4 },
	};
	struct cst_config old = { 0 }, new = { 0 };
	struct cst_decoder *dec;
	struct result r;
	int ptm;

	(void)state;
	for (ptm = 0; ptm < 2; ptm++) {
		memset(&r, 0, sizeof(r));
		old = v7_config(ptm, CID_BYTES_4);
		new = v7_config(ptm, CID_BYTES_1);
		assert_int_equal(cst_decoder_new(&dec, &old), 0);
		assert_int_equal(cst_decoder_feed(dec, bytes[ptm], V7_OLD, 0), 0);
		drain(&r, dec);
		assert_int_equal(cst_decoder_reconfigure(dec, &new), 0);
		assert_int_equal(cst_decoder_feed(dec, bytes[ptm] + V7_OLD, V7_NEW, V7_OLD), 0);
		drain(&r, dec);
		cst_decoder_end(dec);
		drain(&r, dec);
		assert_int_equal(r.configs, 1);
		assert_int_equal(r.config_index, V7_OLD);
		assert_false(r.config_flags & CST_GF_DOUBTFUL);
		assert_int_equal(r.nosync, 2);
		assert_int_equal(r.nr_ids, 2);
		assert_int_equal(r.ids[0], 0x33221101);
		assert_int_equal(r.ids[1], 4);
		assert_int_equal(cst_decoder_stats(dec)->bad_packets, 0);
		assert_int_equal(cst_decoder_stats(dec)->resyncs, 0);
		cst_decoder_free(dec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_until_sync),
		cmocka_unit_test(test_next_sync_counts),
		cmocka_unit_test(test_reset_is_a_synchronisation),
		cmocka_unit_test(test_listing),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_v7),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
