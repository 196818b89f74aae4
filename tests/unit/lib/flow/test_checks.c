/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_flow_checks.c - what a decoder with checks takes for trace of another program (enum cst_check): each of them, and
 * the trace next to it that is sound.
 */
#include "unit/lib_decode.h"

/* A64 at 0x1000. */
static const uint32_t code[] = {
	0xd503201f,	/* 1000 nop */
	0x14000003,	/* 1004 b 1010 */
	0xd503201f,	/* 1008 nop */
	0x00000000,	/* 100c udf #0 */
	0xd503201f,	/* 1010 nop */
	0xd61f0000,	/* 1014 br x0 */
	0x14000001,	/* 1018 b 101c */
	0x54000040,	/* 101c b.eq 1024 */
	0x17fffff8,	/* 1020 b 1000 */
	0x17fffff7,	/* 1024 b 1000 */
};

#define ADDRESS(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, 0, 0
#define START(a) SYNC, 0x81, 0x30, ADDRESS(a)

/* Ranges up to the end, or up to where decoding stops because the image is not the program's. */
static void expect_of(struct cst_config cfg, unsigned int checks, int stops, unsigned int ranges, const uint8_t *p, size_t len)
{
	static struct decoded d;
	unsigned int i, stopped = 0;
	struct program pr;

	cfg.checks = (uint8_t)checks;
	program_map(&pr, 0x1000, code, sizeof(code));
	decode_bytes(&cfg, pr.space, p, len, &d);
	for (i = 0; i < d.n; i++)
		stopped += d.gen[i].kind == CST_GEN_NO_SYNC && d.gen[i].num == CST_UNSYNC_BAD_IMAGE;
	assert_int_equal(stopped, stops);
	assert_int_equal(d.stats.ranges, ranges);
	cst_image_free(pr.img);
}

static void expect(unsigned int checks, int stops, unsigned int ranges, const uint8_t *p, size_t len)
{
	expect_of(etm_config(4, 0), checks, stops, ranges, p, len);
}

#define N_DIRECT START(0x1000), 0xf6, 0xf7, 0x70
#define N_INDIRECT START(0x1010), 0xf6, 0xf7, 0x70
#define N_TO_NEXT START(0x1018), 0xf6, 0xf7, 0x70

/* An atom N of an unconditional branch. */
static void test_not_taken(void **state)
{
	(void)state;
	expect(0, 0, 2, BYTES(N_DIRECT));
	expect(0, 0, 2, BYTES(N_INDIRECT));
	expect(0, 0, 2, BYTES(N_TO_NEXT));
	expect(CST_CHECK_N_DIRECT, 1, 0, BYTES(N_DIRECT));
	expect(CST_CHECK_N_DIRECT, 0, 2, BYTES(N_INDIRECT));
	expect(CST_CHECK_N_DIRECT, 0, 2, BYTES(N_TO_NEXT));
	expect(CST_CHECK_N_ANY, 1, 0, BYTES(N_DIRECT));
	expect(CST_CHECK_N_ANY, 1, 0, BYTES(N_INDIRECT));
	expect(CST_CHECK_N_ANY, 1, 0, BYTES(N_TO_NEXT));
}

/* After an atom N of a conditional branch, an address that is not the next instruction's. */
static void test_continue(void **state)
{
	(void)state;
	expect(0, 0, 2, BYTES(START(0x101c), 0xf6, ADDRESS(0x1024), 0xf7, 0x70));
	expect(CST_CHECK_CONTINUE, 1, 1, BYTES(START(0x101c), 0xf6, ADDRESS(0x1024), 0xf7, 0x70));
	expect(CST_CHECK_CONTINUE, 0, 2, BYTES(START(0x101c), 0xf6, ADDRESS(0x1020), 0xf7, 0x70));
	/* after an atom E it goes on anywhere */
	expect(CST_CHECK_CONTINUE, 0, 2, BYTES(START(0x101c), 0xf7, ADDRESS(0x1020), 0xf7, 0x70));
}

/* What comes between the atom N and the address may have led elsewhere. */
static void test_continue_elsewhere(void **state)
{
	static const struct {
		int ete;		/* 2: in a transaction */
		unsigned int ranges;
		uint8_t between[8];
		size_t len;
	} rows[] = {
		{ 0, 2, { 0x06, 0x1d, ADDRESS(0x1020) }, 7 },	/* an exception */
		{ 0, 2, { 0x07 }, 1 },				/* the return from one */
		{ 0, 3, { 0xac, 1 }, 2 },			/* Q: one instruction */
		{ 1, 3, { 0xb6, 0x08, 0x08, 0, 0 }, 5 },	/* Source Address: 1020 */
		{ 1, 2, { 0x0a }, 1 },				/* a transaction begins */
		{ 2, 2, { 0x0b }, 1 }, { 2, 2, { 0x06, 0x30, 0x70 }, 3 },	/* it ends, or fails */
	};
	static const uint8_t before[] = { START(0x101c), 0xf6 }, inside[] = { START(0x101c), 0x0a, 0xf6 }, after[] = { ADDRESS(0x1024), 0xf7, 0x70 };
	struct cst_config cfg;
	uint8_t bytes[64];
	unsigned int i;
	size_t len;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cfg = rows[i].ete ? ete_config(1, 0) : etm_config(4, 0);
		cfg.qsupp = 3;
		cfg.hold_transactions = 0;
		len = rows[i].ete == 2 ? sizeof(inside) : sizeof(before);
		memcpy(bytes, rows[i].ete == 2 ? inside : before, len);
		memcpy(bytes + len, rows[i].between, rows[i].len);
		len += rows[i].len;
		memcpy(bytes + len, after, sizeof(after));
		len += sizeof(after);
		expect_of(cfg, CST_CHECK_CONTINUE, 0, rows[i].ranges, bytes, len);
	}
}

/* UDF in a range; not behind its last instruction. */
static void test_undefined(void **state)
{
	(void)state;
	expect(0, 0, 1, BYTES(START(0x1008), 0xf7, 0x70));
	expect(CST_CHECK_UNDEFINED, 1, 0, BYTES(START(0x1008), 0xf7, 0x70));
	expect(CST_CHECK_UNDEFINED, 1, 0, BYTES(START(0x100c), 0xf7, 0x70));
	expect(CST_CHECK_UNDEFINED, 0, 1, BYTES(START(0x1010), 0xf7, 0x70));
	/* b 1010 has zeros in three bytes, too */
	expect(CST_CHECK_UNDEFINED, 0, 2, BYTES(START(0x1000), 0xf7, 0xf7, 0x70));
}

/* The word that is UDF in A64 is andeq r0, r0, r0 in A32. */
static void test_undefined_a32(void **state)
{
	static const uint32_t a32[] = { 0x00000000, 0xeafffffe };	/* andeq r0, r0, r0; b . */
	struct cst_config cfg = etm_config(4, 0);
	static struct decoded d;
	struct program pr;

	(void)state;
	cfg.checks = CST_CHECK_UNDEFINED;
	program_map(&pr, 0x1000, a32, sizeof(a32));
	decode_bytes(&cfg, pr.space, BYTES(SYNC, 0x81, 0x20, ADDRESS(0x1000), 0xf7, 0x70), &d);
	assert_int_equal(d.stats.ranges, 1);
	assert_int_equal(d.stats.insns, 2);
	assert_int_equal(d.stats.image_conflicts, 0);
	cst_image_free(pr.img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_taken),
		cmocka_unit_test(test_continue),
		cmocka_unit_test(test_continue_elsewhere),
		cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_undefined_a32),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
