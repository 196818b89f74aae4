/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_worst_case.c - input made to waste time: each of these streams must be decoded at a bounded cost
 * per byte, whatever numbers it holds and however large the image is.
 */
#include "unit/lib_decode.h"
#include "unit/seeds.h"

#define NOP 0xd503201fu
#define START SYNC, 0x81, 0x30, 0x9a, 0x00, 0x00, 0, 0

struct stream {
	uint8_t *p;
	size_t n, cap;
};

static void put(struct stream *s, const uint8_t *p, size_t n)
{
	while (s->n + n > s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1 << 16;
		s->p = realloc(s->p, s->cap);
		assert_non_null(s->p);
	}
	memcpy(s->p + s->n, p, n);
	s->n += n;
}

static void repeat(struct stream *s, size_t times, const uint8_t *p, size_t n)
{
	while (times--)
		put(s, p, n);
}

static void put_address(struct stream *s, uint8_t header, uint32_t addr)
{
	unsigned int low = header & 1 ? 1 : 2;

	put(s, (const uint8_t[]){ header, addr >> low & 0x7f, low == 2 ? addr >> 9 & 0x7f : addr >> 8 & 0xff,
				  addr >> 16, addr >> 24 }, 5);
}

/*
 * Decodes and frees the stream; fails when it takes too long. The same instructions take up to twice `limit`, by where the
 * linker places them and whether another thread shares the core. Sanitized builds get more time.
 */
static struct cst_stats timed(const char *what, const struct cst_config *cfg, struct cst_space *space,
			      struct stream *s, double limit)
{
	static struct cst_generic out[1024];
	double start = processor_seconds(), took;
	struct cst_decoder *dec;
	struct cst_stats stats;
	int pass;

	limit *= getenv("SANITIZED") ? 10 : 2;
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	cst_decoder_set_space(dec, space);
	assert_int_equal(cst_decoder_feed(dec, s->p, s->n, 0), 0);
	for (pass = 0; pass < 2; pass++) {
		while (cst_decoder_pull(dec, out, 1024, NULL) > 0) {
			if (processor_seconds() - start > limit)
				fail_msg("%s: over %.1f s for %zu bytes", what, limit, s->n);
		}
		cst_decoder_end(dec);
	}
	took = processor_seconds() - start;
	stats = *cst_decoder_stats(dec);
	print_message("%s: %.2f s for %zu bytes, %.0f ns a byte\n", what, took, s->n, took * 1e9 / s->n);
	if (took > limit)
		fail_msg("%s: %.1f s", what, took);
	assert_true(stats.bytes == s->n);
	cst_decoder_free(dec);
	free(s->p);
	memset(s, 0, sizeof(*s));
	return stats;
}

/* 64 MB that never synchronise. */
static void test_unsynced(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	struct stream s = { NULL, 0, 0 };
	struct cst_stats stats;
	uint8_t *block = malloc(1 << 20);

	(void)state;
	assert_non_null(block);
	memset(block, 0x80, 1 << 20);
	repeat(&s, 64, block, 1 << 20);
	stats = timed("64 MB of 0x80", &cfg, NULL, &s, 2);
	assert_int_equal(stats.unsynced, 64 << 20);
	memset(block, 0, 1 << 20);
	repeat(&s, 64, block, 1 << 20);
	timed("64 MB of zeros", &cfg, NULL, &s, 2);
	free(block);
}

/* 4 MB of 0x80, each of which may end an A-sync, as the pieces that a listing has of unsynchronised bytes. */
static void list_unsynced(const char *what, const struct cst_config *cfg)
{
	const double limit = getenv("SANITIZED") ? 20 : 4, start = processor_seconds();
	const size_t size = 4 << 20;
	uint8_t *block = malloc(size);
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	size_t at = 0;

	assert_non_null(block);
	memset(block, 0x80, size);
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, block, size, 0), 0);
	cst_decoder_end(dec);
	for (; cst_decoder_next_packet(dec, &pkt, &p); at += pkt.size)
		if (processor_seconds() - start > limit)
			fail_msg("%s: over %.1f s for %zu of %zu bytes", what, limit, at, size);
	assert_true(at == size);
	cst_decoder_free(dec);
	free(block);
}

static void test_unsynced_listing(void **state)
{
	const struct cst_etmv3_regs ptm = { .idr = 0x411cf310 }, etmv3 = { .idr = 0x410cf250 };
	const struct cst_itm_regs itm = { 0 };
	struct cst_config cfg = etm_config(4, 0);

	(void)state;
	list_unsynced("ETMv4", &cfg);
	assert_int_equal(cst_config_etmv3(&cfg, &etmv3, CST_PROFILE_A), 0);
	list_unsynced("ETMv3", &cfg);
	assert_int_equal(cst_config_ptm(&cfg, &ptm), 0);
	list_unsynced("PTM", &cfg);
	assert_int_equal(cst_config_itm(&cfg, &itm), 0);
	list_unsynced("ITM", &cfg);
}

/* Images without a branch: every atom looks for one as far as a range may go. */
static void test_no_branches(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	struct stream s = { NULL, 0, 0 };
	const size_t atoms = seeds_wanted(20000), loops = seeds_wanted(4000);
	const size_t zeros = seeds_wanted(8000);
	size_t size = 64 << 20, i;
	uint32_t *nops = malloc(size);
	struct cst_stats stats;
	struct program pr;

	(void)state;
	assert_non_null(nops);
	for (i = 0; i < size / 4; i++)
		nops[i] = NOP;
	program_map(&pr, 0, nops, size);
	put(&s, BYTES(START));
	for (i = 0; i < atoms; i++) {
		put_address(&s, 0x9a, i * 0x9e3779b1u & (size - 1));
		put(&s, BYTES(0xf7));
	}
	stats = timed("atoms in 64 MB of NOPs", &cfg, pr.space, &s, 3);
	assert_true(stats.image_conflicts + stats.nacc == atoms);
	/* a branch at the end of each 3.9 MB, taken to itself */
	for (i = 1000000; i < size / 4; i += 1000000)
		nops[i - 1] = 0x14000000 | (-999999 & 0x3ffffff);
	cst_image_free(pr.img);
	program_map(&pr, 0, nops, size);
	put(&s, BYTES(START));
	repeat(&s, loops, BYTES(0xd4));
	stats = timed("loops over 3.9 MB of NOPs", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.ranges, loops * 24);
	cst_image_free(pr.img);

	/* T32: zeros are instructions, too */
	memset(nops, 0, size);
	program_map(&pr, 0, nops, size);
	put(&s, BYTES(SYNC, 0x81, 0x20));
	for (i = 0; i < zeros; i++) {
		put_address(&s, 0x9b, i * 0x9e3779b1u & (size - 1) & ~1u);
		put(&s, BYTES(0xf7));
	}
	stats = timed("atoms in 64 MB of T32 zeros", &cfg, pr.space, &s, 5);
	assert_true(stats.image_conflicts + stats.nacc == zeros);
	cst_image_free(pr.img);
	free(nops);
}

/* Blocks end where their map does: in maps that are shorter, instructions are walked one by one. */
static void test_short_maps(void **state)
{
	static uint32_t nops[BLK_SPAN / 4];
	const uint32_t size = 1 << 20, len = 64, atoms = seeds_wanted(2000);
	struct cst_config cfg = etm_config(4, 0);
	struct stream s = { NULL, 0, 0 };
	struct cst_stats stats;
	struct program pr;
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		nops[i] = NOP;
	program_map(&pr, 0, nops, len);
	for (i = len; i < size; i += len)
		assert_int_equal(cst_space_map(pr.space, i, len, pr.sec, 0), 0);
	put(&s, BYTES(START));
	for (i = 0; i < atoms; i++) {
		put_address(&s, 0x9a, i * 0x9e3779b1u & (size - 1));
		put(&s, BYTES(0xf7));
	}
	stats = timed("atoms in NOPs in maps of 64 bytes", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.image_conflicts + stats.nacc, atoms);
	cst_image_free(pr.img);
}

/* A32 code begins at multiples of four: an atom elsewhere is of no instruction, and nothing is walked for it. */
static void test_unaligned(void **state)
{
	const struct cst_etmv3_regs regs = { .idr = 0x411cf310 };
	const size_t size = 16 << 20;
	uint32_t *nops = malloc(size), i;
	struct stream s = { NULL, 0, 0 };
	struct cst_config cfg = { 0 };
	struct cst_stats stats;
	struct program pr;

	(void)state;
	assert_non_null(nops);
	for (i = 0; i < size / 4; i++)
		nops[i] = 0xe1a00000;
	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	program_map(&pr, 0, nops, size);
	put(&s, BYTES(0, 0, 0, 0, 0, 0x80));
	for (i = 0; i < 20000; i++)
		put(&s, BYTES(0x08, 0x02, (uint8_t)i, (uint8_t)(i >> 8), 0, 0x21, 0x80));
	stats = timed("atoms at A32 addresses that are not aligned", &cfg, pr.space, &s, 1);
	assert_int_equal(stats.image_conflicts, 20000);
	assert_int_equal(stats.insns, 0);
	cst_image_free(pr.img);
	free(nops);
}

/* Exception return addresses, source addresses and Q counts that lie far away. */
static void test_far_targets(void **state)
{
	struct cst_config cfg = ete_config(2, 0);
	struct stream s = { NULL, 0, 0 };
	const size_t times = seeds_wanted(8000);
	size_t size = 16 << 20, i;
	uint32_t *code = malloc(size);
	struct cst_stats stats;
	struct program pr;

	(void)state;
	assert_non_null(code);
	cfg.qsupp = 3;
	for (i = 0; i < size / 4; i++)
		code[i] = i & 1 ? 0x54000040 : NOP;	/* b.eq +8 */
	program_map(&pr, 0, code, size);
	put(&s, BYTES(START));
	for (i = 0; i < times; i++) {
		put_address(&s, 0x9a, i * 8);
		put_address(&s, 0xb6, size - 4);
	}
	stats = timed("far source addresses over branches", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.image_conflicts, times);
	for (i = 0; i < size / 4; i++)
		code[i] = NOP;
	cst_image_free(pr.img);
	program_map(&pr, 0, code, size);
	put(&s, BYTES(START));
	for (i = 0; i < times; i++) {
		put_address(&s, 0x9a, i * 8);
		put(&s, BYTES(0x06, 0x1d));
		put_address(&s, 0x9a, 0xfffffffc);
	}
	stats = timed("far exceptions", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.image_conflicts + stats.nacc, times);
	put(&s, BYTES(START));
	repeat(&s, times, BYTES(0xa5, 0x01, 0xff, 0xff, 0xff, 0xff, 0x0f));
	stats = timed("Q elements of 2^32 instructions", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.nopath, times);
	cst_image_free(pr.img);
	free(code);
}

/* One section executed as A64, A32 and T32 by turns. */
static void test_changing_isa(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	struct stream s = { NULL, 0, 0 };
	size_t size = 64 << 20;
	uint32_t *code = calloc(1, size);
	struct program pr;

	(void)state;
	assert_non_null(code);
	code[0] = 0x14000000;
	program_map(&pr, 0, code, size);
	put(&s, BYTES(SYNC));
	repeat(&s, 20000, BYTES(0x81, 0x30, 0x95, 0x00, 0xf7, 0x81, 0x20, 0x95, 0x00, 0xf7, 0x96, 0x00, 0xf7));
	timed("A64, A32 and T32 in turn", &cfg, pr.space, &s, 5);
	cst_image_free(pr.img);
	free(code);
}

/* What is not speculative piles up between speculative elements. */
static void test_floods(void **state)
{
	static const uint32_t loop[] = { 0x14000000 };
	struct cst_config cfg = ete_config(2, 0xffffffff), deep = ete_config(2, 200);
	const size_t times = seeds_wanted(40000);
	struct stream s = { NULL, 0, 0 };
	struct program pr;
	struct cst_stats stats;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	put(&s, BYTES(START, 0xf7));
	repeat(&s, 8000, BYTES(0x02, 0x05));
	repeat(&s, times, BYTES(0x30));
	stats = timed("mispredicts after timestamps", &deep, pr.space, &s, 3);
	assert_int_equal(stats.resyncs, 0);

	put(&s, BYTES(START, 0xf7));
	repeat(&s, 8000, BYTES(0x02, 0x05));
	repeat(&s, times / 2, BYTES(0x95, 0x01, 0x30));
	stats = timed("mispredicts after addresses after timestamps", &deep, pr.space, &s, 3);
	assert_int_equal(stats.resyncs, 0);

	put(&s, BYTES(START));
	repeat(&s, 4000, BYTES(0xf7));
	repeat(&s, 4000, BYTES(0x02, 0x05));
	repeat(&s, 4000, BYTES(0x2e, 0x01));
	stats = timed("cancels of atoms before timestamps", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.resyncs, 0);

	put(&s, BYTES(ASYNC, 0x01, 0x04, 0xff, 0xff, 0xff, 0xff, 0x07, 0x81, 0x30, 0x95, 0x00));
	repeat(&s, 8000, BYTES(0x02, 0x05));
	repeat(&s, times, BYTES(0x2e, 0x01));
	timed("cancels of what was before the trace", &cfg, pr.space, &s, 3);

	put(&s, BYTES(START, 0xf7));
	repeat(&s, 8000, BYTES(0x02, 0x05));
	repeat(&s, times, BYTES(0x35));
	stats = timed("atoms and cancels after timestamps", &deep, pr.space, &s, 3);

	/* without speculation any number may come before the next atom */
	deep.max_spec = 0;
	put(&s, BYTES(START));
	repeat(&s, 300000, BYTES(0x02, 0x05));
	put(&s, BYTES(0xf7));
	stats = timed("timestamps", &deep, pr.space, &s, 3);
	assert_int_equal(stats.resyncs, 0);
	assert_int_equal(stats.ranges, 1);

	/* the queue runs full again and again */
	put(&s, BYTES(START));
	repeat(&s, 60, BYTES(SYNC, 0xf7));
	repeat(&s, 1000000, BYTES(0xf7));
	stats = timed("a queue that runs full", &cfg, pr.space, &s, 3);
	assert_true(stats.resyncs >= 1);
	assert_true(stats.unsynced + stats.uncommitted > 900000);

	/* many transactions that fail, made final at once */
	put(&s, BYTES(START));
	repeat(&s, 2700, BYTES(0x0a, 0xf7, 0x06, 0x31, 0x70));
	put(&s, BYTES(0x2d, 0x98, 0x2a));	/* 5400 */
	stats = timed("failed transactions", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.resyncs, 0);
	assert_int_equal(stats.trans_failed, 2700);

	/* one that never ends */
	put(&s, BYTES(START, 0x0a));
	repeat(&s, 500000, BYTES(0xf7));
	cfg.max_spec = 0;
	stats = timed("a transaction without end", &cfg, pr.space, &s, 3);
	assert_int_equal(stats.resyncs, 0);
	cst_image_free(pr.img);
}

/* ETMv3: what comes behind an atom that an exception may still cancel, and shows neither that it ran nor that not. */
static void test_undecided(void **state)
{
	static const uint8_t start[] = { 0, 0, 0, 0, 0, 0x80, 0x08, 0x29, 0x00, 0x80, 0x00, 0x00, 0x84 };
	static const struct {
		const char *what;
		uint8_t bytes[3], n;
	} aside[] = {
		{ "cycles", { 0xa0 }, 1 },
		{ "timestamps", { 0x42, 0x01 }, 2 },
		{ "timestamps and cycles", { 0x42, 0x01, 0xa0 }, 3 },
	};
	const struct cst_etmv3_regs regs = { .cr = 1u << 12 | 1u << 28, .ccer = 1u << 22, .idr = 0x4100f250 };
	static const uint32_t nop = 0xe1a00000;
	struct cst_config cfg = { 0 };
	struct program pr;
	struct stream s;
	unsigned int i;

	(void)state;
	assert_int_equal(cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), 0);
	program_map(&pr, 0x8000, &nop, sizeof(nop));
	for (i = 0; i < sizeof(aside) / sizeof(aside[0]); i++) {
		memset(&s, 0, sizeof(s));
		put(&s, start, sizeof(start));
		repeat(&s, 1 << 19, aside[i].bytes, aside[i].n);
		assert_int_equal(timed(aside[i].what, &cfg, pr.space, &s, 2).insns, 1);
	}
	cst_image_free(pr.img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undecided),
		cmocka_unit_test(test_unsynced),
		cmocka_unit_test(test_unsynced_listing),
		cmocka_unit_test(test_no_branches),
		cmocka_unit_test(test_short_maps),
		cmocka_unit_test(test_unaligned),
		cmocka_unit_test(test_far_targets),
		cmocka_unit_test(test_changing_isa),
		cmocka_unit_test(test_floods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
