/* SPDX-License-Identifier: BSD-3-Clause */
/* test_stm.c - STPv2: what is left after a reset and a new configuration. */
#include "unit/lib_decode.h"

#define STM_ASYNC 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f
#define STM_BINARY 0x0f, 0x30	/* VERSION 3 */
#define STM_START STM_ASYNC, STM_BINARY

static struct cst_config stm_config(void)
{
	struct cst_stm_regs regs = { .tcsr = 0x00100007 };
	struct cst_config cfg;

	assert_int_equal(cst_config_stm(&cfg, &regs), 0);
	assert_int_equal(cfg.trace_id, 0x10);
	return cfg;
}

/* After a reset nothing of before holds; a new configuration begins at an ASYNC. */
static void test_reset(void **state)
{
	static const uint8_t first[] = { STM_START, 0x41, 0xc1, 0xc1 }, second[] = { STM_START, 0x1c };
	static const uint8_t half[] = { 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0, 0x00,
					0xc3, 0x05 };
	struct cst_config cfg = stm_config();
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_pull p;

	(void)state;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, first, sizeof(first), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[1].num, CST_SW_ID);
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 100), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	assert_int_equal(out[1].num, 0);
	assert_int_equal(out[1].payload, 1);
	assert_int_equal(cst_decoder_reconfigure(dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 200), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, &p), 1);
	assert_int_equal(p.why, CST_STOP_CONFIG);
	assert_int_equal(out[0].kind, CST_GEN_NO_SYNC);
	assert_int_equal(out[0].index, 200);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 1);
	assert_int_equal(out[0].payload, 1);
	/* one that ends within a byte: the rest of it belongs to the next packet */
	assert_int_equal(cst_decoder_reconfigure(dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, half, sizeof(half), 300), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, &p), 1);
	assert_int_equal(p.why, CST_STOP_CONFIG);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 1);
	assert_int_equal(out[0].payload, 5);
	assert_int_equal(cst_decoder_stats(dec)->bad_packets, 0);
	cst_decoder_free(dec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
