/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_config_bits.c - the configuration that each bit of the registers of a trace unit makes, against
 * tests/data/tables/config-bits.txt: of some units, the whole configuration, and for each register and bit what changes when
 * that bit is turned.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cstrace/config.h>

#include "unit/golden_text.h"

static char text[1 << 18];
static size_t used;

static void put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, fmt, ap);
	va_end(ap);
	assert_true(used < sizeof(text));
}

#define FIELDS(F)									\
	F(protocol) F(profile) F(version) F(trace_id) F(ia64) F(cid_bytes) F(vmid_bytes) F(cc_bits) F(commopt) F(trans_p0)	\
	F(qsupp) F(wfx_p0) F(ret_stack) F(cycle_count) F(branch_broadcast) F(cond_trace) F(load_p0) F(store_p0) F(cond_mode)	\
	F(cond_flags) F(cond_keys) F(p0_keys) F(data_trace) F(ts_marker) F(vmid_is_cid2) F(max_spec) F(atom_per_insn)		\
	F(barrier_p0) F(data_addr) F(data_value) F(data_only) F(alt_branch) F(virt_ext) F(ts64) F(ts_gray) F(ts_prescale)	\
	F(q_off)	\
	F(max_queue) F(hold_transactions) F(as_reference) F(strict) F(insn_ranges) F(split_source) F(checks)

struct made {
	int rc;
	struct cst_config cfg;
};

/* The fields in which `m` is not as `base`. */
static void put_changes(const struct made *base, const struct made *m)
{
	if (m->rc != base->rc)
		put(" result %d", m->rc);
#define PUT(name) if (m->cfg.name != base->cfg.name) put(" %s %u", #name, (unsigned int)m->cfg.name);
	FIELDS(PUT)
#undef PUT
	put("\n");
}

typedef int (*make_fn)(struct cst_config *cfg, const void *regs);

static int etmv4(struct cst_config *cfg, const void *regs)
{
	return cst_config_etmv4(cfg, regs, 0, CST_PROFILE_A);
}

static int etmv4_recorded_as_ete(struct cst_config *cfg, const void *regs)
{
	return cst_config_etmv4(cfg, regs, 1, CST_PROFILE_A);
}

static int etmv4_r(struct cst_config *cfg, const void *regs)
{
	return cst_config_etmv4(cfg, regs, 0, CST_PROFILE_R);
}

static int etmv4_m(struct cst_config *cfg, const void *regs)
{
	return cst_config_etmv4(cfg, regs, 0, CST_PROFILE_M);
}

static int etmv4_data(struct cst_config *cfg, const void *regs)
{
	return cst_config_etmv4_data(cfg, regs, CST_PROFILE_R);
}

static int etmv3(struct cst_config *cfg, const void *regs)
{
	return cst_config_etmv3(cfg, regs, CST_PROFILE_A);
}

static int etmv3_m(struct cst_config *cfg, const void *regs)
{
	return cst_config_etmv3(cfg, regs, CST_PROFILE_M);
}

static int ptm(struct cst_config *cfg, const void *regs)
{
	return cst_config_ptm(cfg, regs);
}

static int stm(struct cst_config *cfg, const void *regs)
{
	return cst_config_stm(cfg, regs);
}

static int itm(struct cst_config *cfg, const void *regs)
{
	return cst_config_itm(cfg, regs);
}

/* `n` registers, in the order of their struct. */
static void put_unit(const char *name, make_fn make, const uint32_t *regs, size_t n, const char *const *names)
{
	static const struct made none;
	struct {
		size_t struct_size;
		uint32_t v[12];
	} changed = { 0 };
	struct made base, m;
	unsigned int bit;
	size_t r;

	memset(&base, 0, sizeof(base));
	memcpy(changed.v, regs, n * sizeof(*regs));
	base.rc = make(&base.cfg, &changed);
	put("-- %s:", name);
	put_changes(&none, &base);
	for (r = 0; r < n; r++)
		for (bit = 0; bit < 32; bit++) {
			memcpy(changed.v, regs, n * sizeof(*regs));
			changed.v[r] ^= 1u << bit;
			memset(&m, 0, sizeof(m));
			m.rc = make(&m.cfg, &changed);
			if (m.rc == base.rc && !memcmp(&m.cfg, &base.cfg, sizeof(m.cfg)))
				continue;
			put("%s.%u:", names[r], bit);
			put_changes(&base, &m);
		}
}

static void bits(void **state)
{
	static const char *const names4[] = { "TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCIDR9",
					      "TRCIDR10", "TRCIDR11", "TRCIDR12", "TRCIDR13", "TRCDEVARCH" };
	static const char *const names3[] = { "ETMCR", "ETMCCER", "ETMIDR", "ETMTRACEIDR" };
	static const char *const names_stm[] = { "STMTCSR", "STMSPFEAT1R", "STMSPFEAT3R", "STMDEVID", "STMHEFEAT1R" };
	static const char *const names_itm[] = { "ITM_TCR" };
	/* an application core, little and much of it enabled; one with all that R and M profile may have; an ETE */
	static const uint32_t core[12] = { 0x18c1, 0x10, 0x28000ea1, 0x4100f423, 0x488, 0, 0, 0, 0, 0, 0, 0 };
	static const uint32_t much[12] = { 0xd8d9, 0x14, 0x28c19ea1, 0x4100f443, 0xd0001088, 8, 0, 0, 0, 0, 0, 0x47724a13 };
	static const uint32_t real[12] = { 0x30ffe, 0x11, 0x08c1dfff, 0x4100f400, 0x06029084, 4, 8, 4, 6, 9, 2, 0 };
	static const uint32_t ete[12] = { 0x18d9, 0x1a, 0x28c1cea1, 0x4100fff3, 0xc0001088, 0, 0, 0, 0, 0, 0, 0x47735a13 };
	static const uint32_t v3[4] = { 0x1000c10c, 0x30500000, 0x4114f250, 0x12 }, v3_old[4] = { 0xc000, 0, 0x4104f230, 0x13 };
	static const uint32_t pft[4] = { 0x3000d100, 0x35000000, 0x411cf310, 0x15 };
	static const uint32_t stm_regs[5] = { 0x00170004, 0x00d10b1, 0x7f, 0x10000, 0 }, itm_regs[1] = { 0x00150117 };

	(void)state;
	put_unit("ETMv4, A profile", etmv4, core, 12, names4);
	put_unit("the same, recorded as ETE", etmv4_recorded_as_ete, core, 12, names4);
	put_unit("ETMv4.4 with much of what there is", etmv4, much, 12, names4);
	put_unit("ETMv4, R profile, with data trace", etmv4_r, real, 12, names4);
	put_unit("ETMv4, M profile", etmv4_m, real, 12, names4);
	put_unit("the data trace stream", etmv4_data, real, 12, names4);
	put_unit("ETE", etmv4_recorded_as_ete, ete, 12, names4);
	put_unit("ETMv3.5", etmv3, v3, 4, names3);
	put_unit("ETMv3.3", etmv3, v3_old, 4, names3);
	put_unit("ETMv3, M profile", etmv3_m, v3, 4, names3);
	put_unit("PFT 1.1", ptm, pft, 4, names3);
	put_unit("STM", stm, stm_regs, 5, names_stm);
	put_unit("ITM", itm, itm_regs, 1, names_itm);
	golden_text("tests/data/tables/config-bits.txt", text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
