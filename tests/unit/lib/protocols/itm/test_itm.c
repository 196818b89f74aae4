/* SPDX-License-Identifier: BSD-3-Clause */
/* test_itm.c - ITM: losses in the log; what is left after a reset and a new configuration. */
#include <cstrace/log.h>

#include "unit/lib_decode.h"

#define ITM_ASYNC 0x00, 0x00, 0x00, 0x00, 0x00, 0x80
#define ASYNC_BYTES 6

static struct cst_config itm_config(uint32_t tcr)
{
	struct cst_itm_regs regs = { .tcr = 0x00140001 | tcr };
	struct cst_config cfg;

	assert_int_equal(cst_config_itm(&cfg, &regs), 0);
	assert_int_equal(cfg.trace_id, 0x14);
	return cfg;
}

/* Losses are told to the log; they stand before what comes after them. */
static void test_loss(void **state)
{
	static const uint8_t bytes[] = { ITM_ASYNC, 0x70, 0x09, 0xaa, 0x70 };
	struct cst_config cfg = itm_config(0);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_log *log;

	(void)state;
	assert_int_equal(cst_log_new(&log, 16), 0);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_log(dec, log);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	while (cst_decoder_pull(dec, out, 16, NULL))
		;
	assert_int_equal(cst_log_count_finding(log, 0x14, CST_FIND_OVERFLOW), 2);
	assert_int_equal(cst_log_at(log, 0)->index, ASYNC_BYTES);
	assert_int_equal(cst_log_at(log, 1)->index, ASYNC_BYTES + 3);
	assert_int_equal(cst_decoder_stats(dec)->overflows, 2);
	/* what was not taken before a reset is gone, and so is what the overflow would have flagged */
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, BYTES(ITM_ASYNC, 0x09, 0xbb), 0x100), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	assert_int_equal(out[1].payload, 0xbb);
	assert_int_equal(out[1].num, 0);
	cst_decoder_free(dec);
	cst_log_free(log);
}

/* After a reset nothing of before holds. */
static void test_reset(void **state)
{
	static const uint8_t first[] = { ITM_ASYNC, 0x28, 0x70, 0x94, 0xd6, 0xe8, 0xc8, 0x07 };
	static const uint8_t second[] = { ITM_ASYNC, 0x09, 0xaa, 0x94, 0x05, 0x30 };
	const struct cst_config cfg = itm_config(0);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_pull p;

	(void)state;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, first, sizeof(first), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 1);
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 100), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 3);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	assert_int_equal(out[1].channel, 1);
	assert_int_equal(out[1].num, 0);
	assert_int_equal(out[2].ts, 3);
	assert_int_equal(cst_decoder_reconfigure(dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 200), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, &p), 1);
	assert_int_equal(p.why, CST_STOP_CONFIG);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[1].ts, 3);
	cst_decoder_free(dec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
