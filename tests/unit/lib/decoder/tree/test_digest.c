/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tree_digest.c - digests of decoders' states: equal states give equal elements, and what makes a difference for later
 * elements makes one for the digest.
 */
#include "unit/lib/digest_check.h"
#include "unit/lib/index_gen.h"

/* Random trace, from the synchronisations in it. */
static void random_trace(void **state)
{
	struct cut_sums sums = { 0 };
	struct gen_buffer g;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		gen_open(&g, seed, seed & 1, 20000);
		check_cuts(&g.b, &sums);
		gen_close(&g);
	}
	print_message("%llu of %llu states equal, then %llu elements\n", (unsigned long long)sums.equal,
		      (unsigned long long)sums.tried, (unsigned long long)sums.elements);
	assert_true(sums.equal > sums.tried / 2);
	assert_true(sums.elements > 100000);
}

/* ---- what makes a difference --------------------------------------------------------------------- */

/* 0: bl 8; 4: b 0; 8: ret; 0xc: cbz x0, 0 */
static const uint32_t code[] = { 0x94000002, 0x17ffffff, 0xd65f03c0, 0xb4ffffa0 };

#define BEGIN SYNC, 0x81, 0x30, 0x95, 0x00

struct tried {
	uint8_t p[64];
	size_t len;
};
#define TRACE(...) { { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }) }

static uint64_t digest_of(const struct cst_config *cfg, const struct tried *tr)
{
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct cst_tree *t;
	struct program pr;
	uint64_t digest;

	program_map(&pr, 0, code, sizeof(code));
	assert_int_equal(cst_tree_new(&t, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(t, cfg, &dec), 0);
	cst_decoder_set_space(dec, pr.space);
	/* so that all have the same offset at the end */
	assert_int_equal(cst_tree_feed(t, tr->p, tr->len, 1000 - tr->len), 0);
	while (cst_tree_pull(t, out, 64, NULL))
		;
	digest = cst_tree_digest(t);
	assert_int_not_equal(digest, 0);
	cst_tree_free(t);
	cst_image_free(pr.img);
	return digest;
}

static void differences(void **state)
{
	static const struct tried tried[] = {
		TRACE(BEGIN), TRACE(SYNC), TRACE(ASYNC), TRACE(SYNC, 0x81, 0x30), TRACE(SYNC, 0x81, 0x31, 0x95, 0x00),
		TRACE(SYNC, 0x81, 0x10, 0x95, 0x00), TRACE(SYNC, 0x81, 0x30, 0x95, 0x02), TRACE(SYNC, 0x81, 0x30, 0x96, 0x00, 0x00),
		/* the return stack has an entry, and another one; the target of a return is not known yet */
		TRACE(BEGIN, 0xf7), TRACE(BEGIN, 0xf7, 0x95, 0x00, 0xf7), TRACE(BEGIN, 0x95, 0x02, 0xf7),
		/* incomplete packets */
		TRACE(BEGIN, 0x95), TRACE(BEGIN, 0x02), TRACE(BEGIN, 0x02, 0x81), TRACE(BEGIN, 0x00, 0x00),
	};
	/* the first of each is equal to the others */
	static const struct tried same[][3] = {
		{ TRACE(BEGIN, 0x95, 0x03, 0xf6), TRACE(0xf7, 0xf7, BEGIN, 0x95, 0x03, 0xf6),
		  TRACE(SYNC, 0x81, 0x31, 0x95, 0x02, 0xf7, BEGIN, 0x95, 0x03, 0xf6) },
		{ TRACE(BEGIN, 0xf7), TRACE(BEGIN, 0xf7, BEGIN, 0xf7), TRACE(0x9b, 0x12, BEGIN, 0xf7) },
	};
	struct cst_config cfg = etm_config(4, 0);
	size_t i, k;

	(void)state;
	cfg.ret_stack = 1;
	for (i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
		for (k = 0; k < sizeof(tried) / sizeof(tried[0]); k++)
			if ((digest_of(&cfg, &tried[i]) == digest_of(&cfg, &tried[k])) != (i == k))
				fail_msg("states %zu and %zu", i, k);
	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		for (k = 1; k < 3; k++)
			if (digest_of(&cfg, &same[i][0]) != digest_of(&cfg, &same[i][k]))
				fail_msg("state %zu, trace %zu", i, k);
}

/* Two inputs that a tree of frames has used up are equal only with the same trace ID and the same begin of a frame. */
static void frames(void **state)
{
	static const uint8_t one[] = { 0x21, 0xf7, 0xf6, 0xf7, 0xf6, 0xf7, 0xf6, 0xf7, 0xf6, 0xf7, 0xf6, 0xf7, 0xf6, 0xf7, 0xf6, 0, 0xf6, 0x12 };
	uint8_t other[sizeof(one)];
	const struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[64];
	struct cst_decoder *dec;
	uint64_t digest[4];
	struct cst_tree *t;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		memcpy(other, one, sizeof(one));
		other[0] = i == 1 ? 0x23 : other[0];
		other[17] += i == 2;
		assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
		assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
		assert_int_equal(cst_tree_feed(t, other, sizeof(one), i == 3 ? 16 : 0), 0);
		while (cst_tree_pull(t, out, 64, NULL))
			;
		digest[i] = cst_tree_digest(t);
		assert_int_not_equal(digest[i], 0);
		cst_tree_free(t);
	}
	for (i = 1; i < 4; i++)
		assert_int_not_equal(digest[i], digest[0]);
}

static uint64_t digest_in(enum cst_tree_format format, unsigned int flags, const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct cst_tree *t;
	uint64_t digest;

	assert_int_equal(cst_tree_new(&t, format, flags), 0);
	assert_int_equal(cst_tree_add(t, cfg, &dec), 0);
	assert_int_equal(cst_tree_feed(t, p, len, 0x1000 - len), 0);
	while (cst_tree_pull(t, out, 64, NULL))
		;
	digest = cst_tree_digest(t);
	assert_int_not_equal(digest, 0);
	cst_tree_free(t);
	return digest;
}

/* Whether the boundary of frames is known, and where a nibble that is left over has its byte. */
static void boundaries(void **state)
{
	static const uint8_t sync[] = { 0xff, 0xff, 0xff, 0x7f }, noise[] = { 0x11, 0x11, 0x11, 0x11 };
	static const uint8_t stm[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x30, 0x03 };
	struct cst_config cfg = etm_config(4, 0);

	(void)state;
	assert_int_not_equal(digest_in(CST_TREE_FRAMES, CST_FRAME_FSYNC, &cfg, sync, 4),
			     digest_in(CST_TREE_FRAMES, CST_FRAME_FSYNC, &cfg, noise, 4));
	assert_int_equal(digest_in(CST_TREE_FRAMES, CST_FRAME_FSYNC, &cfg, sync, 4), digest_in(CST_TREE_FRAMES, CST_FRAME_FSYNC, &cfg, sync, 4));
	memset(&cfg, 0, sizeof(cfg));
	cfg.protocol = CST_PROTO_STM;
	cfg.trace_id = 0x10;
	assert_int_not_equal(digest_in(CST_TREE_RAW, 0, &cfg, stm, 12), digest_in(CST_TREE_RAW, 0, &cfg, stm, 13));
	assert_int_not_equal(digest_in(CST_TREE_RAW, 0, &cfg, stm, 12), digest_in(CST_TREE_RAW, 0, &cfg, stm, 4));
	assert_int_equal(digest_in(CST_TREE_RAW, 0, &cfg, stm, 12), digest_in(CST_TREE_RAW, 0, &cfg, stm, 12));
}

/* No digest: state that is not traced again, input that was not used up, the end of the trace. */
static void none(void **state)
{
	static const uint8_t begin[] = { BEGIN };
	static const struct {
		uint8_t cond, data, checks, some;
	} cases[] = { { 0, 0, 0, 1 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, CST_CHECK_UNDEFINED, 0 } };
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	struct cst_tree *t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cfg = etm_config(4, 0);
		cfg.cond_trace = cases[i].cond;
		cfg.data_addr = cases[i].data;
		cfg.checks = cases[i].checks;
		assert_int_equal(cst_tree_new(&t, CST_TREE_RAW, 0), 0);
		assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
		assert_int_equal(!cst_tree_digest(t), !cases[i].some);
		assert_int_equal(cst_tree_feed(t, begin, sizeof(begin), 0), 0);
		assert_int_equal(cst_tree_digest(t), 0);
		while (cst_tree_pull(t, out, 64, NULL))
			;
		assert_int_equal(!cst_tree_digest(t), !cases[i].some);
		cst_tree_end(t);
		assert_int_equal(cst_tree_digest(t), 0);
		cst_tree_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_trace),
		cmocka_unit_test(differences),
		cmocka_unit_test(frames),
		cmocka_unit_test(boundaries),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
