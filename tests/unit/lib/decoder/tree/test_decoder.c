/* SPDX-License-Identifier: BSD-3-Clause */
/* test_decoder.c - how decoders are made and reset: configurations that are refused, and what a reset leaves of the trace before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/cstrace.h>

#include "unit/lib_decode.h"

/* Values of a configuration that no trace unit has, one at a time: a decoder is neither made nor changed with them. */
static void test_invalid_config(void **state)
{
	const struct cst_config good = etm_config(4, 0);
	const struct {
		size_t offset;
		uint8_t greatest;
	} rows[] = {
		{ offsetof(struct cst_config, profile), CST_PROFILE_M }, { offsetof(struct cst_config, trace_id), 0x7f },
		{ offsetof(struct cst_config, cid_bytes), 4 }, { offsetof(struct cst_config, vmid_bytes), 4 },
		{ offsetof(struct cst_config, cc_bits), 32 }, { offsetof(struct cst_config, qsupp), 3 },
		{ offsetof(struct cst_config, cond_mode), 7 }, { offsetof(struct cst_config, checks), 31 },
		{ offsetof(struct cst_config, atom_per_insn), 0 },
	};
	/* contexts with every ID there can be */
	static const uint8_t bytes[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0x81, 0xf1, 1, 2, 3, 4, 5, 6, 7, 8, 0xf7 };
	struct cst_decoder *dec, *other;
	struct cst_generic out[40];
	unsigned int i, value;
	struct cst_config cfg;
	int err;

	(void)state;
	assert_int_equal(cst_decoder_new(&dec, &good), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (value = 0; value < 256; value++) {
			const int expected = value > rows[i].greatest ? -CST_ERR_INVAL : 0;

			cfg = good;
			((uint8_t *)&cfg)[rows[i].offset] = (uint8_t)value;
			err = cst_decoder_new(&other, &cfg);
			assert_int_equal(err, expected);
			if (!err) {
				assert_int_equal(cst_decoder_feed(other, bytes, sizeof(bytes), 0), 0);
				while (cst_decoder_pull(other, out, 40, NULL) > 0)
					;
				cst_decoder_free(other);
			}
			if (cfg.trace_id == good.trace_id)
				assert_int_equal(cst_decoder_reconfigure(dec, &cfg), expected);
		}
	cst_decoder_free(dec);
}

/*
 * A reset decoder emits what a new one does: the instruction set of a context before the first address is not that of the
 * trace before the reset.
 */
static void test_reset_isa(void **state)
{
	static const uint8_t t32[] = { SYNC, 0x83, 0x00, 0x10, 0, 0, 0x20, 0xf7 }, context[] = { SYNC, 0x81, 0x20, 0xf7 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[40];
	struct cst_decoder *dec;
	uint8_t isa[2];
	int fresh, n;

	(void)state;
	for (fresh = 0; fresh < 2; fresh++) {
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		if (!fresh) {
			assert_int_equal(cst_decoder_feed(dec, t32, sizeof(t32), 0), 0);
			while (cst_decoder_pull(dec, out, 40, NULL) > 0)
				;
			cst_decoder_reset(dec, CST_UNSYNC_RESET);
		}
		assert_int_equal(cst_decoder_feed(dec, context, sizeof(context), 0), 0);
		n = cst_decoder_pull(dec, out, 40, NULL);
		while (n && out[n - 1].kind != CST_GEN_PE_CONTEXT)
			n--;
		assert_true(n > 0);
		isa[fresh] = out[n - 1].isa;
		cst_decoder_free(dec);
	}
	assert_int_equal(isa[0], isa[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_invalid_config),
		cmocka_unit_test(test_reset_isa),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
