/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_decoder.c - how decoders are made and reset: configurations that are refused, and that a
 * reset leaves nothing of the trace before.
 */
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
		{ offsetof(struct cst_config, q_off), 3 },
	};
	/* contexts with every ID there can be */
	static const uint8_t bytes[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0x81, 0xf1, 1, 2, 3, 4, 5, 6, 7, 8, 0xf7 };
	struct cst_decoder *dec, *other;
	struct cst_generic out[40];
	unsigned int i, value;
	struct cst_config cfg = { 0 };
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

#define V7_ASYNC 0, 0, 0, 0, 0, 0x80
#define V7_ISYNC(info) 0x08, info, 0x00, 0x80, 0, 0	/* ETMv3 */
#define PTM_ISYNC(info) 0x08, 0x00, 0x80, 0, 0, info
#define STM_START 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0f, 0x30
#define B(...) { { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }) }

/*
 * Trace before and after a reset, which leaves nothing of the former; so does a new configuration,
 * but for the instruction set, which a context before the first address has.
 */
static const struct {
	uint8_t protocol, reset_alone;
	struct {
		uint8_t p[64];
		size_t len;
	} before, after;
} resets[] = {
	/* IDs, what is not committed, an exception without its address; an instruction set */
	{ CST_PROTO_ETMV4, 0,
	  B(SYNC, 0x81, 0xd2, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0x2d, 0x01, 0x00, 0x05,
	    SYNC, 0xf7, 0x06, 0x1d),
	  B(SYNC, 0x81, 0x31, 0x04, 0xf7, 0x2d, 0x01, 0xf7) },
	{ CST_PROTO_ETMV4, 1, B(SYNC, 0x83, 0x00, 0x10, 0, 0, 0x20, 0xf7, 0x2d, 0x01),
	  B(SYNC, 0x81, 0x20, 0xf7, 0x2d, 0x01) },
	/* state, IDs, an address of data; a place that waits, and a value without a place */
	{ CST_PROTO_ETMV3, 0, B(V7_ASYNC, V7_ISYNC(0x2b), 0x3c, 7, 0x26, 0x10, 0x55, 0x84),
	  B(V7_ASYNC, V7_ISYNC(0x01), 0x02, 0x84) },
	{ CST_PROTO_ETMV3, 0, B(V7_ASYNC, V7_ISYNC(0x21), 0x84, 0x26, 0x10, 0x55, 0x74, 0x20, 0x84),
	  B(V7_ASYNC, V7_ISYNC(0x21), 0x84, 0x24, 0x77, 0x84) },
	{ CST_PROTO_PTM, 0, B(V7_ASYNC, PTM_ISYNC(0x0b), 0x3c, 7, 0x80),
	  B(V7_ASYNC, PTM_ISYNC(0x0b), 0x80) },
	/* a page, an overflow, a part of a global timestamp; a master and a channel */
	{ CST_PROTO_ITM, 0, B(V7_ASYNC, 0x28, 0x70, 0x94, 0xd6, 0xe8, 0xc8, 0x07),
	  B(V7_ASYNC, 0x09, 0xaa, 0x94, 0x05, 0x30) },
	{ CST_PROTO_STM, 0, B(STM_START, 0x41, 0xc1, 0xc1), B(STM_START, 0x1c) },
};

static struct cst_config config_of(unsigned int protocol)
{
	const struct cst_etmv3_regs v3 = { .cr = 0xc | 1u << 30, .ccer = 1u << 26, .idr = 0x250 };
	const struct cst_etmv3_regs ptm = { .cr = 1u << 30, .ccer = 1u << 26, .idr = 0x411cf310 };
	const struct cst_itm_regs itm = { .tcr = 0x00140001 };
	const struct cst_stm_regs stm = { .tcsr = 0x00100007 };
	struct cst_config cfg = etm_config(4, 8);

	if (protocol == CST_PROTO_ETMV3)
		assert_int_equal(cst_config_etmv3(&cfg, &v3, CST_PROFILE_A), 0);
	else if (protocol == CST_PROTO_PTM)
		assert_int_equal(cst_config_ptm(&cfg, &ptm), 0);
	else if (protocol == CST_PROTO_ITM)
		assert_int_equal(cst_config_itm(&cfg, &itm), 0);
	else if (protocol == CST_PROTO_STM)
		assert_int_equal(cst_config_stm(&cfg, &stm), 0);
	return cfg;
}

static void feed(struct cst_decoder *dec, const uint8_t *p, size_t len)
{
	assert_int_equal(cst_decoder_feed(dec, p, len, 0), 0);
}

/* Pulls everything. Returns the number of elements behind the last loss of synchronisation. */
static unsigned int pull_all(struct cst_decoder *dec, struct cst_generic *last)
{
	struct cst_generic out[40];
	unsigned int k = 0;
	int n, i;

	while ((n = cst_decoder_pull(dec, out, 40, NULL)) > 0)
		for (i = 0; i < n; i++) {
			last[k++] = out[i];
			if (out[i].kind == CST_GEN_NO_SYNC)
				k = 0;
			assert_true(k < 40);
		}
	return k;
}

/* The same element, or, behind a new configuration, one of the same text. */
static int is_same(const struct cst_generic *a, const struct cst_generic *b, unsigned int how)
{
	char one[300], other[300];

	cst_generic_text(a, one, sizeof(one));
	cst_generic_text(b, other, sizeof(other));
	return a->index == b->index && (how == 1 ? !memcmp(a, b, sizeof(*a)) : !strcmp(one, other));
}

/* After a reset, and after a new configuration, a decoder emits what a new one does. */
static void test_reset(void **state)
{
	struct cst_generic want[40], got[40];
	unsigned int i, how, n, k;

	(void)state;
	for (i = 0; i < sizeof(resets) / sizeof(resets[0]); i++)
		for (how = n = 0; how < (resets[i].reset_alone ? 2 : 3); how++) {
			const struct cst_config cfg = config_of(resets[i].protocol);
			struct cst_decoder *dec;

			assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
			if (how)
				feed(dec, resets[i].before.p, resets[i].before.len);
			pull_all(dec, got);
			if (how == 1)
				cst_decoder_reset(dec, CST_UNSYNC_RESET);
			else if (how == 2)
				assert_int_equal(cst_decoder_reconfigure(dec, &cfg), 0);
			feed(dec, resets[i].after.p, resets[i].after.len);
			k = pull_all(dec, how ? got : want);
			n = how ? n : k;
			if (!n || k != n)
				fail_msg("row %u, %u: %u elements, not %u", i, how, k, n);
			while (how && k--)
				if (!is_same(&got[k], &want[k], how))
					fail_msg("row %u, %u: element %u differs", i, how, k);
			cst_decoder_free(dec);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_invalid_config),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
