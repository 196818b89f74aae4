/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_unsynced.c - trace without a synchronisation point, for longer than a packet's size can be: each byte is in one
 * packet, in order, and the first A-sync behind it begins the trace.
 */
#include "unit/lib_decode.h"

#define LENGTH 200001

static uint8_t in[LENGTH + 64];

/* Feeds `len` bytes, of which `lost` are a loss, in pieces of `piece`; a last A-sync is the last packet. */
static void check(const struct cst_config *cfg, size_t len, size_t lost, size_t async, size_t piece)
{
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_pull got;
	uint64_t at = 0, n = 0;
	size_t fed = 0, k;

	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	for (;;) {
		while (cst_decoder_next_packet(dec, &pkt, &got) && got.why == CST_STOP_PACKET) {
			assert_int_equal(pkt.index, at);
			assert_true(pkt.size > 0);
			assert_int_equal(cst_decoder_packet_role(dec, &pkt), at < len ? CST_ROLE_NOT_SYNC : CST_ROLE_ASYNC);
			at += pkt.size;
			n++;
			while (cst_decoder_pull(dec, out, 16, NULL))
				;
		}
		if (fed == len + async)
			break;
		k = len + async - fed < piece ? len + async - fed : piece;
		assert_int_equal(cst_decoder_feed(dec, in + fed, k, fed), 0);
		fed += k;
	}
	assert_int_equal(at, len + async);
	assert_int_equal(cst_decoder_stats(dec)->unsynced, lost);
	assert_true(n > len / 65536);
	cst_decoder_free(dec);
}

static const size_t pieces[] = { LENGTH + 64, 65535, 65536, 70000, 999, 64 };

static void check_all(const struct cst_config *cfg, uint8_t garbage, const uint8_t *async, size_t size)
{
	static const size_t lengths[] = { 1, 65534, 65535, 65536, 65537, 131070, 131071, LENGTH };
	size_t i, k;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memset(in, garbage, lengths[i]);
		memcpy(in + lengths[i], async, size);
		for (k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++)
			check(cfg, lengths[i], lengths[i], size, pieces[k]);
	}
}

static void etmv4(void **state)
{
	struct cst_config cfg = etm_config(2, 0);

	(void)state;
	check_all(&cfg, 0x55, BYTES(ASYNC));
}

/*
 * The driver of the TRBE writes 256 Ignore packets before the trace where the hardware may overwrite it. They are no loss,
 * unless other bytes precede them.
 */
static void padding(void **state)
{
	static const uint8_t async[] = { ASYNC };
	static const struct {
		size_t before, other, after, lost, lost_without;
	} rows[] = {
		{ 256, 0, 0, 0, 256 }, { 1, 0, 0, 0, 1 }, { 70000, 0, 0, 0, 70000 }, { 256, 1, 10, 11, 267 }, { 0, 3, 256, 259, 259 },
		{ 13, 70000, 0, 70000, 70013 },
	};
	struct cst_config ete = ete_config(1, 0), old = etm_config(2, 0);
	size_t i, k, len;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		len = rows[i].before + rows[i].other + rows[i].after;
		memset(in, 0x70, len);
		memset(in + rows[i].before, 0x55, rows[i].other);
		memcpy(in + len, async, sizeof(async));
		for (k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++) {
			check(&ete, len, rows[i].lost, sizeof(async), pieces[k]);
			check(&old, len, rows[i].lost_without, sizeof(async), pieces[k]);
		}
	}
}

static void etmv4_data(void **state)
{
	const struct cst_etmv4_regs regs = { .configr = 3 << 16, .traceidr = 0x10, .idr0 = 3 << 3, .idr1 = 4u << 8 | 2 << 4,
					     .idr2 = 8 | 4 << 15 | 4 << 20 };
	struct cst_config cfg = { 0 };

	(void)state;
	assert_int_equal(cst_config_etmv4_data(&cfg, &regs, CST_PROFILE_R), 0);
	check_all(&cfg, 0x55, BYTES(ASYNC));
}

static void etmv3_and_ptm(void **state)
{
	const struct cst_etmv3_regs regs = { .idr = 2u << 8 | 5 << 4, .traceidr = 0x10 };
	const struct cst_etmv3_regs ptm = { .idr = 0x411cf310, .traceidr = 0x13 };
	struct cst_config cfg = { 0 };

	(void)state;
	assert_int_equal(cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), 0);
	check_all(&cfg, 0x55, BYTES(0, 0, 0, 0, 0, 0x80));
	assert_int_equal(cst_config_ptm(&cfg, &ptm), 0);
	check_all(&cfg, 0x55, BYTES(0, 0, 0, 0, 0, 0x80));
}

static void software(void **state)
{
	const struct cst_itm_regs itm = { .tcr = 0x00100001 };
	const struct cst_stm_regs stm = { .tcsr = 0x00100001 };
	struct cst_config cfg = { 0 };

	(void)state;
	assert_int_equal(cst_config_itm(&cfg, &itm), 0);
	cfg.itm_sync = CST_ITM_SYNC_PACKET;
	check_all(&cfg, 0x55, BYTES(0, 0, 0, 0, 0, 0x80));
	assert_int_equal(cst_config_stm(&cfg, &stm), 0);
	check_all(&cfg, 0x55, BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etmv4),
		cmocka_unit_test(padding),
		cmocka_unit_test(etmv4_data),
		cmocka_unit_test(etmv3_and_ptm),
		cmocka_unit_test(software),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
