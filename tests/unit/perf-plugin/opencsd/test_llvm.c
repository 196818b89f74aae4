/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_llvm.c - the C interface of OpenCSD as llvm-profgen uses it (llvm_client.h): what it creates is
 * accepted, and what it decodes is what the library decodes of the same trace. With libopencsd it is compared by
 * tests/interop/opencsd-llvm.sh. And what configurations are accepted whose registers are not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interop/llvm_client.h"

enum { SEEDS = 60 };

static void compare(uint64_t seed, enum lc_kind kind, const struct lc_out *a, const struct lc_out *b)
{
	size_t i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (a->v[i].a != b->v[i].a || a->v[i].b != b->v[i].b || a->v[i].kind != b->v[i].kind)
			fail_msg("seed %u, kind %u: %zu. is %llx to %llx, by the library %llx to %llx", (unsigned int)seed, kind, i,
				 (unsigned long long)a->v[i].a, (unsigned long long)a->v[i].b,
				 (unsigned long long)b->v[i].a, (unsigned long long)b->v[i].b);
	if (a->n != b->n)
		fail_msg("seed %u, kind %u: %zu, by the library %zu", (unsigned int)seed, kind, a->n, b->n);
}

static size_t count(const struct lc_out *o, enum lc_item_kind kind)
{
	size_t n = 0, i;

	for (i = 0; i < o->n; i++)
		n += o->v[i].kind == kind;
	return n;
}

/* All three trees exist at once, as the client makes them; each trace twice. */
static void test_client(void **state)
{
	struct lc_out ours[LC_KINDS] = { { 0 } }, native = { 0 };
	dcd_tree_handle_t tree[LC_KINDS];
	size_t ranges = 0, data = 0;
	unsigned int kind, round;
	struct lc_case c;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= SEEDS; seed++) {
		lc_make(seed, seed & 1, &c);
		for (kind = 0; kind < LC_KINDS; kind++) {
			tree[kind] = lc_tree(&c, kind, &ours[kind]);
			if (!tree[kind])
				fail_msg("seed %u: tree %u is refused", (unsigned int)seed, kind);
		}
		for (kind = 0; kind < LC_KINDS; kind++) {
			native.n = 0;
			lc_native(&c, kind, &native);
			for (round = 0; round < 2; round++) {
				ours[kind].n = 0;
				assert_true(lc_decode(tree[kind], c.trace[kind].p, c.trace[kind].len));
				compare(seed, kind, &ours[kind], &native);
			}
			ranges += count(&native, LC_RANGE);
			data += count(&native, LC_DATA);
			assert_int_equal(count(&native, LC_MISSING), 0);
			ocsd_destroy_dcd_tree(tree[kind]);
		}
		lc_free(&c);
	}
	/* of two of the three trees each, and not of a stream that was given up */
	assert_true(ranges > 2 * SEEDS * LC_INSNS / 20 && data > 2 * SEEDS * LC_PACKETS / 10);
	for (kind = 0; kind < LC_KINDS; kind++)
		free(ours[kind].v);
	free(native.v);
}

/* No registers of an ETMv4 are refused, as the reference refuses none: of any version, or that contradict each other. */
static void test_versions(void **state)
{
	static const struct {
		uint32_t idr0, idr1, configr;
		int flags;
	} cases[] = {
		{ 0, 0, 0, OCSD_CREATE_FLG_FULL_DECODER },
		{ 0, 0, 0, OCSD_CREATE_FLG_PACKET_PROC },
		{ 0, 0, 0x1800, OCSD_CREATE_FLG_FULL_DECODER },	/* timestamps, return stack */
		{ 0, 0x400, 0, OCSD_CREATE_FLG_FULL_DECODER },
		{ 0, 0x4100f4f0, 0, OCSD_CREATE_FLG_FULL_DECODER },	/* later than any */
		{ 0, 0x300, 0, OCSD_CREATE_FLG_FULL_DECODER },
		{ 0, 0x300, 0x700, OCSD_CREATE_FLG_FULL_DECODER },
		{ 0, 0, 0x700, OCSD_CREATE_FLG_FULL_DECODER },	/* conditional instructions */
		{ 0, 0, 0x6, OCSD_CREATE_FLG_FULL_DECODER },	/* loads and stores as P0 */
		{ 0, 0, 0x700, OCSD_CREATE_FLG_PACKET_PROC },
		{ 0, 0, 0x6, OCSD_CREATE_FLG_PACKET_PROC },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const ocsd_etmv4_cfg cfg = {
			.reg_idr0 = cases[i].idr0, .reg_idr1 = cases[i].idr1, .reg_configr = cases[i].configr,
			.reg_traceidr = 0x10, .arch_ver = ARCH_V8, .core_prof = profile_CortexM,
		};
		dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
		ocsd_err_t err;
		unsigned char id;

		assert_non_null(t);
		err = ocsd_dt_create_decoder(t, OCSD_BUILTIN_DCD_ETMV4I, cases[i].flags, &cfg, &id);
		if (err)
			fail_msg("case %zu: error %d", i, err);
		ocsd_destroy_dcd_tree(t);
	}
}

/* The same of an ETMv3 and of a PTM, by ETMIDR: none, each other's, later than any. */
static void test_v7_versions(void **state)
{
	static const uint32_t idr[] = { 0, 0x410cf250, 0x410cf310, 0x410cf1f0, 0x410cf450, 0x410cf2f0 };
	dcd_tree_handle_t t;
	unsigned char id;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * sizeof(idr) / sizeof(idr[0]); i++) {
		const ocsd_etmv3_cfg etm = { .reg_idr = idr[i / 2], .reg_trc_id = 0x10, .arch_ver = ARCH_V7 };
		const ocsd_ptm_cfg ptm = { .reg_idr = idr[i / 2], .reg_trc_id = 0x10, .arch_ver = ARCH_V7 };

		t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
		assert_int_equal(ocsd_dt_create_decoder(t, i % 2 ? OCSD_BUILTIN_DCD_PTM : OCSD_BUILTIN_DCD_ETMV3,
							OCSD_CREATE_FLG_FULL_DECODER, i % 2 ? (const void *)&ptm : &etm,
							&id), OCSD_OK);
		assert_int_equal(id, 0x10);
		ocsd_destroy_dcd_tree(t);
	}
}

/* TRCDEVARCH of an ETE decoder: none, ETE 1.1, later than any, an ETMv4.2 (metadata of phones), none of Arm's. */
static void test_ete_versions(void **state)
{
	static const uint32_t devarch[] = { 0, 0x47715a13, 0x47745a13, 0x47706a13, 0x47724a13, 0x47701a13 };
	/* synchronisation, an event, TRACE ON; header 07 is an exception return of an ETMv4 only */
	static const uint8_t trace[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04, 0x07, 0x71 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(devarch) / sizeof(devarch[0]); i++) {
		const ocsd_ete_cfg cfg = { .reg_devarch = devarch[i], .reg_traceidr = 0x10, .arch_ver = ARCH_AA64,
					   .core_prof = profile_CortexA };
		dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
		ocsd_decode_stats_t *stats;
		unsigned char id;
		uint32_t used;

		assert_int_equal(ocsd_dt_create_decoder(t, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id),
				 OCSD_OK);
		assert_false(OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace, &used)));
		assert_int_equal(ocsd_dt_get_decode_stats(t, id, &stats), OCSD_OK);
		assert_int_equal(stats->bad_header_errs + stats->bad_sequence_errs, i < 4);
		ocsd_destroy_dcd_tree(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_client),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_v7_versions),
		cmocka_unit_test(test_ete_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
