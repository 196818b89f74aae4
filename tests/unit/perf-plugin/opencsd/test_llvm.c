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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_client),
		cmocka_unit_test(test_v7_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
