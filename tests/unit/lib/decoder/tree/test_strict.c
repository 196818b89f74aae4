/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_strict.c - what is reserved in a packet is found where packets take the fast way, too: a
 * tolerant decoder tells of it and goes on, a strict one takes the packet for bad and starts anew.
 */
#include "unit/lib_decode.h"

/* An address in the fast way between atoms. */
static void test_fast_way(void **state)
{
	static const uint8_t in[] = {
		SYNC, 0x82, 0, 0, 0, 0, 0x31, 0xf7, 0x9a, 0x80, 0, 0, 0, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7,
		0xf7, 0xf7, 0xf7, 0xf7
	};
	static const uint8_t code[4] = { 0xc0, 0x03, 0x5f, 0xd6 };
	struct cst_config cfg = etm_config(6, 0);
	unsigned int strict;

	(void)state;
	cfg.ret_stack = 0;
	for (strict = 0; strict < 2; strict++) {
		struct cst_generic out[64];
		struct cst_section *sec;
		struct cst_decoder *dec;
		struct cst_space *space;
		struct cst_image *img;
		struct cst_log *log;

		cfg.strict = strict;
		assert_int_equal(cst_image_new(&img, 0), 0);
		assert_int_equal(cst_section_new(&sec, img, code, 4, NULL), 0);
		assert_int_equal(cst_space_new(&space, img), 0);
		assert_int_equal(cst_space_map(space, 0, 4, sec, 0), 0);
		assert_int_equal(cst_log_new(&log, 4), 0);
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_space(dec, space);
		cst_decoder_set_log(dec, log);
		assert_int_equal(cst_decoder_feed(dec, in, sizeof(in), 0), 0);
		while (cst_decoder_pull(dec, out, 64, NULL))
			;
		assert_int_equal(cst_log_count_finding(log, 0x10, CST_FIND_ETM_ADDRESS_BITS), 1);
		assert_int_equal(cst_log_count(log, 0x10, CST_LOG_ERROR), strict ? 2 : 0);
		assert_int_equal(cst_decoder_stats(dec)->bad_packets, strict);
		assert_int_equal(cst_decoder_stats(dec)->ranges, strict ? 1 : 2);
		cst_decoder_free(dec);
		cst_image_free(img);
		cst_log_free(log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fast_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
