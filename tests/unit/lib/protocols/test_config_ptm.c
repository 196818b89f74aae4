/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_config_ptm.c - what the registers of a PTM turn on (IHI 0035B, ETMCR, ETMCCER, ETMIDR): a feature that was not
 * implemented is off, whatever ETMCR has in its bit.
 */
#include "unit/lib_decode.h"

enum { BROADCAST = 1 << 8, CYCLES = 1 << 12, CID1 = 1 << 14, CID2 = 2 << 14, CID4 = 3 << 14, STACK = 1 << 29, VMID = 1 << 30 };
enum { HAS_STACK = 1 << 23, BARRIERS = 1 << 24, HAS_VIRT = 1 << 26, BINARY_TS = 1 << 28, TS64 = 1 << 29 };

static struct cst_config made(uint32_t cr, uint32_t ccer, unsigned int minor)
{
	struct cst_etmv3_regs regs = { .cr = cr, .ccer = ccer, .idr = 3u << 8 | minor << 4, .traceidr = 0x93 };
	struct cst_config cfg;

	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	assert_int_equal(cfg.protocol, CST_PROTO_PTM);
	assert_int_equal(cfg.trace_id, 0x13);
	assert_int_equal(cfg.version, 0x10 | minor);
	return cfg;
}

static void test_features(void **state)
{
	static const struct {
		uint32_t cr, ccer;
		uint8_t minor, broadcast, cycles, cid, stack, barriers, virt, vmid, ts64, gray;
	} rows[] = {
		{ 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
		{ BROADCAST, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1 },
		{ CYCLES, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1 },
		{ CID1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1 },
		{ CID2, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 1 },
		{ CID4, 0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 1 },
		{ STACK, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
		{ 0, HAS_STACK, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
		{ STACK, HAS_STACK, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1 },
		{ 0, BARRIERS, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1 },
		{ VMID, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
		{ 0, HAS_VIRT, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1 },
		{ VMID, HAS_VIRT, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1 },
		{ 0, BINARY_TS, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ 0, TS64, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1 },
		/* PFT 1.0: Gray code of 48 bits */
		{ 0, BINARY_TS | TS64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
	};
	struct cst_config cfg;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cfg = made(rows[i].cr, rows[i].ccer, rows[i].minor);
		assert_int_equal(cfg.branch_broadcast, rows[i].broadcast);
		assert_int_equal(cfg.cycle_count, rows[i].cycles);
		assert_int_equal(cfg.cid_bytes, rows[i].cid);
		assert_int_equal(cfg.ret_stack, rows[i].stack);
		assert_int_equal(cfg.barrier_p0, rows[i].barriers);
		assert_int_equal(cfg.virt_ext, rows[i].virt);
		assert_int_equal(cfg.vmid_bytes, rows[i].vmid);
		assert_int_equal(cfg.ts64, rows[i].ts64);
		assert_int_equal(cfg.ts_gray, rows[i].gray);
	}
}

/* Major version 3 is that of a PTM, and 1.0 and 1.1 are known. */
static void test_versions(void **state)
{
	struct cst_etmv3_regs regs = { .idr = 2u << 8 | 1 << 4 };
	struct cst_config cfg;

	(void)state;
	assert_int_equal(cst_config_ptm(&cfg, &regs), -CST_ERR_VERSION);
	regs.idr = 4u << 8;
	assert_int_equal(cst_config_ptm(&cfg, &regs), -CST_ERR_VERSION);
	regs.idr = 3u << 8 | 2 << 4;
	assert_int_equal(cst_config_ptm(&cfg, &regs), -CST_ERR_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
