/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip_itm.c - random trace of an ITM and its DWT, decoded: every element comes back, and after damage
 * every element from the next synchronisation on. The model knows nothing of the decoder.
 */
#include "unit/lib/sw_roundtrip.h"
#include "itm_enc.h"

#define ITM_TCR(id, prescale) ((uint32_t)(id) << 16 | (uint32_t)(prescale) << 8 | 1u << 4 | 1)
#define BYTES_OF_BYTE 1	/* what a synchronisation's place is counted in */

/* `all`: each synchronisation is followed by packets that make the state known. */
static void encode(struct sw_trace *t, struct cst_config *cfg, uint64_t seed, int all)
{
	unsigned int id = 1 + seed % 0x6f, parts, n, code = 0;
	struct cst_itm_regs regs = { 0 };
	struct itm_enc e;
	size_t i;

	itm_enc_init(&e, t, seed);
	while (1u << 2 * code < e.prescale)
		code++;
	regs.tcr = ITM_TCR(id, code);
	cfg->struct_size = 0;
	assert_int_equal(cst_config_itm(cfg, &regs), 0);
	for (parts = rng_range(&e.rng, 1, 6); parts; parts--) {
		itm_enc_sync(&e, all);
		for (n = rng_range(&e.rng, 0, 60); n; n--)
			itm_enc_step(&e);
	}
	for (i = 0; i < t->n_el; i++)
		t->el[i].trace_id = id;
}

static void exact(uint64_t seed)
{
	struct sw_trace t = { 0 };
	struct cst_config cfg;
	struct rng rng;

	rng_seed(&rng, ~seed);
	encode(&t, &cfg, seed, seed & 1);
	sw_test_exact(&cfg, &t, &rng);
	sw_trace_free(&t);
}

static void lossy(uint64_t seed)
{
	struct sw_trace t = { 0 };
	struct cst_config cfg;
	struct rng rng;

	rng_seed(&rng, seed << 32 ^ seed);
	encode(&t, &cfg, seed + 1000000, 1);
	cfg.itm_sync = seed % 3;
	sw_test_cut(&cfg, &t, &rng, BYTES_OF_BYTE);
	sw_test_damage(&cfg, &t, &rng, BYTES_OF_BYTE);
	sw_trace_free(&t);
}

static void test_exact(void **state)
{
	(void)state;
	sw_for_seeds(exact);
}

static void test_lossy(void **state)
{
	(void)state;
	sw_for_seeds(lossy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_lossy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
