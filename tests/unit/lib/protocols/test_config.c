/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_config.c - trace unit registers to decoder configuration: versions, what is reserved, what
 * cannot be decoded. tests/data/tables/config-bits.txt has each bit.
 */
#include "unit/lib_decode.h"

static struct cst_config made(const struct cst_etmv4_regs *regs, int ete, int want)
{
	struct cst_config cfg = { 0 };

	memset(&cfg, 0xa5, sizeof(cfg));
	cfg.struct_size = 0;
	assert_int_equal(cst_config_etmv4(&cfg, regs, ete, CST_PROFILE_A), want);
	return cfg;
}

/* The same registers of an ETE 1.0. */
static struct cst_config made_ete(const struct cst_etmv4_regs *etmv4)
{
	struct cst_etmv4_regs regs = *etmv4;

	regs.idr1 = 0x4100fff0;
	regs.devarch = 0x47705a13;
	return made(&regs, 1, 0);
}

static void test_versions(void **state)
{
	struct cst_etmv4_regs regs = { .traceidr = 0xffffff90 };
	unsigned int minor;

	(void)state;
	for (minor = 0; minor < 16; minor++) {
		regs.idr1 = 0x4100f000 | 4 << 8 | minor << 4 | 0xf;
		regs.devarch = 0;
		assert_int_equal(made(&regs, 0, minor > 6 ? -CST_ERR_VERSION : 0).version, 0x40 | minor);
		regs.devarch = 0x47705a13 | minor << 16;
		assert_int_equal(made(&regs, 1, minor > 3 ? -CST_ERR_VERSION : 0).version, 0x50 | minor);
	}
	regs.idr1 = 3 << 8;
	made(&regs, 0, -CST_ERR_VERSION);
	/* not captured: the oldest */
	regs.devarch = 0;
	assert_int_equal(made(&regs, 1, 0).version, 0x50);
	regs.devarch = 0x47704a13;	/* an ETMv4, and TRCIDR1 says 3.0 */
	made(&regs, 1, -CST_ERR_VERSION);
	regs.devarch = 0x47703a13;	/* neither */
	made(&regs, 1, -CST_ERR_VERSION);
	regs.devarch = 0;
	regs.idr1 = 0xfff;
	assert_int_equal(made(&regs, 1, 0).protocol, CST_PROTO_ETE);
	regs.idr1 = 4 << 8;
	assert_int_equal(made(&regs, 0, 0).protocol, CST_PROTO_ETMV4);
	assert_int_equal(made(&regs, 0, 0).trace_id, 0x10);
}

/* Recorders call an ETMv4 an ETE, and the other way round: TRCDEVARCH and TRCIDR1 say what it is. */
static void test_registers_decide(void **state)
{
	static const struct {
		uint32_t devarch, idr1;
		int recorded;
		uint8_t version;	/* 0: refused */
	} rows[] = {
		{ 0x47724a13, 0x4100f420, 1, 0x42 },	/* a phone with Linux 5.10 */
		{ 0x47724a13, 0x4100f420, 0, 0x42 },
		{ 0x47724a13, 0x4100fff0, 1, 0x42 },	/* TRCIDR1 refers to TRCDEVARCH */
		{ 0x47724a13, 0, 1, 0x42 },		/* TRCIDR1 was not captured */
		{ 0x47774a13, 0x4100fff0, 1, 0 },	/* no ETMv4.7 */
		{ 0, 0x4100f440, 1, 0x44 },
		{ 0, 0x4100fff0, 1, 0x50 },
		{ 0, 0x4100fff0, 0, 0x50 },
		{ 0, 0, 1, 0x50 },
		{ 0, 0, 0, 0 },
		{ 0x47715a13, 0x4100fff0, 0, 0x51 },
		{ 0x47715a13, 0x4100f430, 1, 0x51 },
	};
	struct cst_etmv4_regs regs = { .traceidr = 0x10 };
	struct cst_config cfg = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		regs.devarch = rows[i].devarch;
		regs.idr1 = rows[i].idr1;
		cfg = made(&regs, rows[i].recorded, rows[i].version ? 0 : -CST_ERR_VERSION);
		if (!rows[i].version)
			continue;
		assert_int_equal(cfg.version, rows[i].version);
		assert_int_equal(cfg.protocol, rows[i].version >= 0x50 ? CST_PROTO_ETE : CST_PROTO_ETMV4);
		assert_int_equal(cst_etmv4_is_ete(&regs, rows[i].recorded), rows[i].version >= 0x50);
	}
}

/* Values that the architecture reserves are named; those of real trace units are none. */
static void test_reserved(void **state)
{
	static const struct {
		int ete;
		uint32_t idr0, idr2;
		const char *fields;
	} sets[] = {
		{ 0, 0x28000ea1, 0x488, "" },
		{ 0, 0x28000ea1, 0x888, "" },
		{ 1, 0x28c1cea1, 0xd0001088, "" },
		{ 1, 0, 0, "" },
		{ 1, 0x28c1cea1, 0xd0000888, "TRCIDR2.VMIDSIZE=2 " },
		{ 1, 0x28c1cea1, 0xd0000c48, "TRCIDR2.CIDSIZE=2 TRCIDR2.VMIDSIZE=3 " },
		{ 1, 0x26c1ce21, 0xd0001084, "TRCIDR0.TRCCCI=0 TRCIDR0.TSSIZE=6 TRCIDR2.IASIZE=4 " },
		{ 0, 0x29002eab, 0x0c63, "TRCIDR0.INSTP0=1 TRCIDR0.TRCDATA=1 TRCIDR0.CONDTYPE=2 TRCIDR0.TSSIZE=9 "
		  "TRCIDR2.IASIZE=3 TRCIDR2.CIDSIZE=3 TRCIDR2.VMIDSIZE=3 " },
	};
	struct cst_reserved_field out[16];
	char text[400];
	unsigned int i, k, n;
	size_t at;

	(void)state;
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct cst_etmv4_regs regs = { .idr0 = sets[i].idr0, .idr2 = sets[i].idr2 };

		n = cst_config_etmv4_reserved(&regs, sets[i].ete, out, 16);
		for (k = at = 0, *text = 0; k < n; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s=%u ", out[k].name, out[k].value);
		assert_string_equal(text, sets[i].fields);
		assert_int_equal(cst_config_etmv4_reserved(&regs, sets[i].ete, out, 1), n > 0);
	}
}

/* Registers that contradict each other: packets can be listed, but nothing followed. */
static void test_unsupported(void **state)
{
	static const uint32_t refused[] = { 1 << 1, 1 << 2, 1 << 8, 7 << 8, 1 << 16, 1 << 17 };
	struct cst_etmv4_regs regs = { .idr1 = 4 << 8 | 3 << 4 };
	struct cst_config cfg = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		regs.configr = refused[i];
		made(&regs, 0, -CST_ERR_UNSUP);
		/* these fields are no longer there in ETE */
		made_ete(&regs);
	}
	/* reserved values, and P0 loads and stores where instructions may be A64 */
	regs.configr = 4 << 8;
	regs.idr0 = 1 << 6;
	made(&regs, 0, -CST_ERR_UNSUP);
	regs.configr = 7 << 8;
	regs.idr0 = 1 << 6 | 2 << 12;
	made(&regs, 0, -CST_ERR_UNSUP);
	regs.configr = 3 << 1;
	regs.idr0 = 3 << 1;
	made(&regs, 0, -CST_ERR_UNSUP);		/* A profile */
	regs.idr2 = 8;
	assert_int_equal(cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_R), -CST_ERR_UNSUP);
	regs.idr2 = 4;
	assert_int_equal(cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_R), 0);
	assert_true(cfg.load_p0 && cfg.store_p0 && !cfg.data_trace);
	/* data trace of nothing */
	regs.configr = 3 << 16;
	regs.idr0 = 3 << 3 | 3 << 1;
	assert_int_equal(cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_M), -CST_ERR_UNSUP);
	assert_int_equal(cfg.data_trace, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_registers_decide),
		cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
