/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_fields.c - all fields of PTM elements after a reset and of the address that waits; which
 * states go on alike.
 */
#include "protocols/ptm/ptm.h"
#include "unit/lib/element_text.h"

#define PTM_ASYNC 0, 0, 0, 0, 0, 0x80
/* an I-sync at 0x8000: reason, NS and Hyp are in its information byte */
#define ISYNC(info) 0x08, 0x00, 0x80, 0, 0, info
#define PERIODIC 0x01
#define OVERFLOW 0x41
#define NS 0x08
#define HYP 0x02

enum { CID4 = 3 << 14, VMID_ON = 1 << 30 };

static struct cst_config config(uint32_t cr, unsigned int minor)
{
	struct cst_etmv3_regs regs = {
		.cr = cr, .ccer = 1u << 23 | 1u << 26 | 1u << 28 | 1u << 29, .idr = 0x411cf300 | minor << 4, .traceidr = 0x13,
	};
	struct cst_config cfg;

	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	return cfg;
}

/* Nothing of the trace before is left after a reset, nor after a restart. */
static void test_reset(void **state)
{
	static const uint8_t before[] = { PTM_ASYNC, ISYNC(PERIODIC | NS | HYP), 1, 2, 3, 4, 0x3c, 7, 0x80 };
	static const uint8_t after[] = { PTM_ASYNC, ISYNC(PERIODIC | NS | HYP), 1, 2, 3, 4, 0x80 };
	static const char *const want[] = {
		"0:nosync(2 error0 f0) 6:on(0 f0) 6:ctx(el2 sec1 a32 cid4030201 vmid0 has1 f14 is0) "
		"6:addr(8000 is0 f10) 16:atoms(1 1 1) 16:end(7)",
		"0:nosync(2 error0 f80) 6:on(0 f0) 6:ctx(el2 sec1 a32 cid4030201 vmid0 has1 f14 is0) "
		"6:addr(8000 is0 f10) 16:atoms(1 1 1) 16:end(7)",
		"100:nosync(2 error0 f80) 0:on(0 f0) 0:ctx(el2 sec1 a32 cid0 vmid0 has0 f14 is0) 0:addr(8000 "
		"is0 f10) 6:atoms(1 1 1) 6:end(7)",
	};
	struct cst_config cfg = config(CID4 | VMID_ON, 1);
	struct element_feed f;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		element_feed_new(&f, &cst_protocol_ptm, &cfg);
		element_feed_bytes(&f, before, sizeof(before));
		*f.text = 0;
		if (i < 2) {
			f.ops->parser_init(f.parser, &cfg, NULL);
			f.ops->stage_reset(f.stage, CST_UNSYNC_RESET, (int)i);
			element_feed_bytes(&f, after, sizeof(after));
		} else {
			/* with a configuration without Context IDs; the A-sync is not fed again */
			cfg.cid_bytes = 0;
			f.ops->stage_restart(f.stage, 100);
			element_feed_take(&f);
			element_feed_bytes(&f, BYTES(ISYNC(PERIODIC | NS | HYP), 0x80));
		}
		element_feed_end(&f);
		element_feed_free(&f);
		assert_string_equal(f.text, want[i]);
	}
}

/* Takes all elements of these bytes. */
static void state_after(struct element_feed *f, const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	element_feed_new(f, &cst_protocol_ptm, cfg);
	element_feed_bytes(f, p, len);
}

static int is_same(const struct element_feed *a, const struct element_feed *b)
{
	return cst_ptm_stage_digest(a->stage, 0) == cst_ptm_stage_digest(b->stage, 0);
}

#define PAIR(same, ...) { same, { PTM_ASYNC, __VA_ARGS__ }, sizeof((const uint8_t[]){ PTM_ASYNC, __VA_ARGS__ }) }

/*
 * Stages that go on alike, and others: the first of each group is compared with the others. What was traced before the
 * last I-sync makes no difference, unless it is not traced again.
 */
static void test_same(void **state)
{
	static const struct {
		int same;	/* 2: the first of a group */
		uint8_t p[64];
		size_t len;
	} cases[] = {
		PAIR(2, ISYNC(PERIODIC), 1, 2, 3, 4), PAIR(1, ISYNC(PERIODIC), 1, 2, 3, 4, 0x80), PAIR(1, ISYNC(0x21), 1, 2, 3, 4),
		PAIR(0, ISYNC(PERIODIC), 1, 2, 3, 5), PAIR(0, ISYNC(PERIODIC | NS), 1, 2, 3, 4), PAIR(0, ISYNC(PERIODIC | HYP), 1, 2, 3, 4),
		PAIR(0, 0x80), PAIR(0, ISYNC(PERIODIC), 1, 2, 3, 4, 0x20), PAIR(0, ISYNC(PERIODIC), 1, 2, 3, 4, 0x3c, 0),
		PAIR(2, ISYNC(PERIODIC), 1, 2, 3, 4, 0x3c, 7), PAIR(1, 0x3c, 8, ISYNC(PERIODIC), 1, 2, 3, 4, 0x3c, 7),
		PAIR(0, ISYNC(PERIODIC), 1, 2, 3, 4, 0x3c, 8),
	};
	struct cst_config cfg = config(CID4 | VMID_ON, 1);
	struct element_feed first, f;
	size_t i, of = 0;

	(void)state;
	state_after(&first, &cfg, cases[0].p, cases[0].len);
	for (i = 1; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].same == 2) {
			element_feed_free(&first);
			state_after(&first, &cfg, cases[i].p, cases[i].len);
			of = i;
			continue;
		}
		state_after(&f, &cfg, cases[i].p, cases[i].len);
		if (is_same(&first, &f) != cases[i].same)
			fail_msg("case %zu, compared with %zu", i, of);
		element_feed_free(&f);
	}
	/* after the end, with elements that were not taken, and before the first packet */
	state_after(&f, &cfg, cases[of].p, cases[of].len);
	assert_int_equal(is_same(&first, &f), 1);
	f.ops->stage_end(f.stage);
	assert_int_equal(is_same(&first, &f), 0);
	element_feed_take(&f);
	assert_int_equal(is_same(&first, &f), 0);
	element_feed_free(&f);
	state_after(&f, &cfg, NULL, 0);
	assert_int_equal(is_same(&first, &f), 0);
	element_feed_free(&f);
	element_feed_free(&first);
}

/* The address among the elements that were not taken. */
static void test_queued_address(void **state)
{
	static const uint8_t isync[] = { ISYNC(PERIODIC) };
	struct cst_config cfg = config(0, 1);
	struct element_feed f;
	struct cst_packet pkt;
	uint64_t addr = 1;

	(void)state;
	state_after(&f, &cfg, BYTES(PTM_ASYNC));
	assert_int_equal(cst_ptm_stage_address(f.stage, &addr), 0);
	memset(&pkt, 0, sizeof(pkt));
	assert_int_equal(f.ops->parse(f.parser, isync, isync + sizeof(isync), &pkt), sizeof(isync));
	f.ops->stage_packet(f.stage, &pkt);
	/* Trace On is before it */
	assert_int_equal(cst_ptm_stage_address(f.stage, &addr), -1);
	assert_non_null(f.ops->stage_take(f.stage));
	assert_int_equal(cst_ptm_stage_address(f.stage, &addr), 1);
	assert_int_equal(addr, 0x8000);
	element_feed_take(&f);
	assert_int_equal(cst_ptm_stage_address(f.stage, &addr), 0);
	element_feed_free(&f);
}

/* After a loss a parser is as one that begins there. */
static void test_parser_after_loss(void **state)
{
	static const struct {
		uint8_t p[40], n;
	} rows[] = {
		{ { PTM_ASYNC, ISYNC(OVERFLOW), ISYNC(PERIODIC) }, 18 },
		/* a reserved header; zeros that no A-sync has; an A-sync whose first zero was taken by a damaged packet */
		{ { PTM_ASYNC, ISYNC(PERIODIC), 0x20, PTM_ASYNC, ISYNC(PERIODIC) }, 25 },
		{ { PTM_ASYNC, ISYNC(PERIODIC), 0, 0, 0x11, PTM_ASYNC, ISYNC(PERIODIC) }, 27 },
		{ { PTM_ASYNC, ISYNC(PERIODIC), 0x3c, 0x00, 0, 0, 0, 0, 0x80, ISYNC(PERIODIC) }, 25 },
	};
	struct cst_config cfg = config(0, 1);
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_same_parsers(&cst_protocol_ptm, &cfg, rows[i].p, rows[i].n, BYTES(PTM_ASYNC, ISYNC(PERIODIC)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_parser_after_loss),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_queued_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
