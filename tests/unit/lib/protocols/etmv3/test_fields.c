/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_fields.c - all fields of ETMv3 elements after a reset, of the address that waits and of what
 * an exception cancels; what an index may skip.
 */
#include "protocols/etmv3/etmv3.h"
#include "unit/lib/element_text.h"

#define ASYNC3 0, 0, 0, 0, 0, 0x80
/* an I-sync at 0x8000: reason, NS, AltISA and Hyp are in its information byte */
#define ISYNC(info) 0x08, info, 0x00, 0x80, 0, 0
#define PERIODIC 0x01
#define OVERFLOW 0x41
#define NS 0x08
#define HYP 0x02

enum { VALUE = 1 << 2, ADDRESS = 1 << 3, CID4 = 3 << 14, VMID_ON = 1 << 30 };

static struct cst_config config(uint32_t cr, unsigned int minor, enum cst_profile profile)
{
	struct cst_etmv3_regs regs = {
		.cr = cr, .ccer = 1u << 26 | 1u << 28 | 1u << 29, .idr = 2u << 8 | minor << 4 | 1u << 20, .traceidr = 0x10,
	};
	struct cst_config cfg;

	assert_int_equal(cst_config_etmv3(&cfg, &regs, profile), 0);
	return cfg;
}

/* Nothing of the trace before is left after a reset, nor after a restart. */
static void test_reset(void **state)
{
	static const uint8_t before[] = { ASYNC3, 0x08, 1, 2, 3, 4, PERIODIC | NS | HYP, 0x00, 0x80, 0, 0, 0x3c, 7, 0x26, 0x10, 0x55, 0x84 };
	static const uint8_t after[] = { ASYNC3, 0x08, 1, 2, 3, 4, PERIODIC, 0x00, 0x80, 0, 0, 0x02, 0x84 };
	static const char *const want[] = {
		"0:nosync(2 error0 f0) 6:on(0 f0) 6:ctx(el0 sec0 a32 cid4030201 vmid0 has5 f14 is0) "
		  "6:addr(8000 is0 f10) 16:data(num2 @0 0 bytes0 tag0) 17:atoms(1 1 1) 17:end(7)",
		"0:nosync(2 error0 f80) 6:on(0 f0) 6:ctx(el0 sec0 a32 cid4030201 vmid0 has5 f14 is0) "
		  "6:addr(8000 is0 f10) 16:data(num2 @0 0 bytes0 tag0) 17:atoms(1 1 1) 17:end(7)",
		"21:atoms(1 1 1) 100:nosync(2 error0 f80) 0:on(0 f0) 0:ctx(el0 sec0 a32 cid4030201 vmid0 has5 "
		  "f14 is0) 0:addr(8000 is0 f10) 10:data(num2 @0 0 bytes0 tag0) 11:atoms(1 1 1) 11:end(7)",
	};
	struct cst_config cfg = config(CID4 | VMID_ON | VALUE | ADDRESS, 5, CST_PROFILE_A);
	struct element_feed f;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		element_feed_new(&f, &cst_protocol_etmv3, &cfg);
		element_feed_bytes(&f, before, sizeof(before));
		*f.text = 0;
		if (i < 2) {
			f.ops->parser_init(f.parser, &cfg, NULL);
			f.ops->stage_reset(f.stage, CST_UNSYNC_RESET, (int)i);
			element_feed_bytes(&f, after, sizeof(after));
		} else {
			/* it begins at the A-sync, which is not fed again */
			f.ops->stage_restart(f.stage, 100);
			element_feed_take(&f);
			element_feed_bytes(&f, after + 6, sizeof(after) - 6);
		}
		element_feed_end(&f);
		element_feed_free(&f);
		assert_string_equal(f.text, want[i]);
	}
}

/* A value that comes late, after a reset, is not of the place that waited before it. */
static void test_late_after_reset(void **state)
{
	struct cst_config cfg = config(VALUE | ADDRESS, 5, CST_PROFILE_A);
	static const uint8_t before[] = {
		ASYNC3, ISYNC(0x21), 0x84, 0x26, 0x10, 0x55, 0x74, 0x20, 0x84
	};
	static const uint8_t after[] = { ASYNC3, ISYNC(0x21), 0x84, 0x24, 0x77, 0x84 };
	struct cst_generic out[64];
	struct cst_decoder *dec;
	unsigned int late = 0;
	int i, n;

	(void)state;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, before, sizeof(before), 0), 0);
	while (cst_decoder_pull(dec, out, 64, NULL) > 0)
		;
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, after, sizeof(after), 0x100), 0);
	while ((n = cst_decoder_pull(dec, out, 64, NULL)) > 0)
		for (i = 0; i < n; i++)
			if (out[i].kind == CST_GEN_DATA && out[i].num & CST_DATA_LATE) {
				late++;
				assert_int_equal(out[i].num & CST_DATA_ADDR, 0);
			}
	assert_int_equal(late, 1);
	cst_decoder_free(dec);
}

/* P-headers that an index skips: in synchronisation, within the bytes given, and not right behind zeros. */
static void test_skip(void **state)
{
	const struct protocol *pr = &cst_protocol_etmv3;
	static const uint8_t bytes[] = { 0x84, 0xc8, 0x86, 0x0c, 0x84 };
	struct cst_config cfg = config(0, 5, CST_PROFILE_A);
	struct element_feed f;

	(void)state;
	element_feed_new(&f, pr, &cfg);
	assert_int_equal((pr->skip)(f.parser, bytes, 5), 0);
	element_feed_bytes(&f, BYTES(ASYNC3, ISYNC(PERIODIC)));
	/* the I-sync ended with a zero */
	assert_int_equal((pr->skip)(f.parser, bytes, 5), 0);
	element_feed_bytes(&f, BYTES(0x84));
	assert_int_equal((pr->skip)(f.parser, bytes, 5), 3);
	assert_int_equal((pr->skip)(f.parser, bytes, 2), 2);
	assert_int_equal((pr->skip)(f.parser, bytes, 0), 0);
	assert_int_equal((pr->skip)(f.parser, bytes + 3, 2), 0);
	element_feed_free(&f);
}

/* The address among the elements that were not taken. */
static void test_queued_address(void **state)
{
	static const uint8_t isync[] = { ISYNC(PERIODIC) };
	struct cst_config cfg = config(0, 5, CST_PROFILE_A);
	struct element_feed f;
	struct cst_packet pkt;
	uint64_t addr = 1;

	(void)state;
	element_feed_new(&f, &cst_protocol_etmv3, &cfg);
	element_feed_bytes(&f, BYTES(ASYNC3));
	assert_int_equal(cst_etmv3_stage_address(f.stage, &addr), 0);
	memset(&pkt, 0, sizeof(pkt));
	assert_int_equal(f.ops->parse(f.parser, isync, isync + sizeof(isync), &pkt), sizeof(isync));
	f.ops->stage_packet(f.stage, &pkt);
	/* Trace On is before it */
	assert_int_equal(cst_etmv3_stage_address(f.stage, &addr), -1);
	assert_non_null(f.ops->stage_take(f.stage));
	assert_int_equal(cst_etmv3_stage_address(f.stage, &addr), 1);
	assert_int_equal(addr, 0x8000);
	element_feed_take(&f);
	assert_int_equal(cst_etmv3_stage_address(f.stage, &addr), 0);
	/* an atom that waits for what may cancel it */
	element_feed_bytes(&f, BYTES(0x84));
	assert_int_equal(cst_etmv3_stage_address(f.stage, &addr), -1);
	element_feed_free(&f);
}

/* After a loss a parser is as one that begins there. */
static void test_parser_after_loss(void **state)
{
	static const struct {
		uint8_t p[40], n;
	} rows[] = {
		{ { ASYNC3, ISYNC(OVERFLOW), ISYNC(PERIODIC) }, 18 },
		/* a reserved header; an A-sync whose first zero, or all of them, were taken by a damaged packet */
		{ { ASYNC3, ISYNC(PERIODIC), 0x10, ASYNC3, ISYNC(PERIODIC) }, 25 },
		{ { ASYNC3, ISYNC(PERIODIC), 0x3c, 0x00, 0, 0, 0, 0, 0x80, ISYNC(PERIODIC) }, 25 },
		{ { ASYNC3, ISYNC(PERIODIC), 0x08, PERIODIC, 0, 0, 0, 0, 0x80, ISYNC(PERIODIC) }, 25 },
	};
	struct cst_config cfg = config(0, 5, CST_PROFILE_A);
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_same_parsers(&cst_protocol_etmv3, &cfg, rows[i].p, rows[i].n, BYTES(ASYNC3, ISYNC(PERIODIC)));
}

/* An instruction waits behind as many elements as there is room for; what would cancel it later comes too late. */
static void test_long_wait(void **state)
{
	static const struct {
		unsigned int events, atoms, findings;
	} rows[] = { { ETMV3_HELD - 1, 0, 0 }, { ETMV3_HELD, 1, 1 }, { 2 * ETMV3_HELD, 1, 1 } };
	static const uint8_t begin[] = { ASYNC3, ISYNC(PERIODIC), 0x84 }, end[] = { 0x8d, 0x46, 0x3c };
	struct cst_config cfg = config(0, 5, CST_PROFILE_A);
	uint8_t bytes[sizeof(begin) + 2 * ETMV3_HELD + sizeof(end)];
	const struct cst_element *e;
	struct element_feed f;
	struct cst_packet pkt;
	size_t i, at, len;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int kinds[CST_EL_COND_FLUSH + 1] = { 0 };

		memcpy(bytes, begin, sizeof(begin));
		memset(bytes + sizeof(begin), 0x0c, rows[i].events);
		len = sizeof(begin) + rows[i].events;
		memcpy(bytes + len, end, sizeof(end));
		len += sizeof(end);
		element_feed_new(&f, &cst_protocol_etmv3, &cfg);
		memset(&pkt, 0, sizeof(pkt));
		for (at = 0; at < len; at += pkt.size) {
			pkt.size = (uint16_t)f.ops->parse(f.parser, bytes + at, bytes + len, &pkt);
			assert_true(pkt.size > 0);
			pkt.index = at;
			f.ops->stage_packet(f.stage, &pkt);
			while ((e = f.ops->stage_take(f.stage)))
				kinds[e->kind]++;
		}
		element_feed_free(&f);
		if (kinds[CST_EL_EVENT] != rows[i].events || kinds[CST_EL_ATOMS] != rows[i].atoms ||
		    kinds[CST_EL_FINDING] != rows[i].findings || kinds[CST_EL_EXCEPTION] != 1)
			fail_msg("%u events: %u, %u atoms, %u findings, %u exceptions", rows[i].events, kinds[CST_EL_EVENT],
				 kinds[CST_EL_ATOMS], kinds[CST_EL_FINDING], kinds[CST_EL_EXCEPTION]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_late_after_reset),
		cmocka_unit_test(test_parser_after_loss),
		cmocka_unit_test(test_long_wait),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_queued_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
