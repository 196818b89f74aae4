/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip_stm.c - random software trace as an STM sends it, decoded: every element comes back, and after
 * damage every element from the next synchronisation on. The model knows nothing of the decoder.
 *
 * `--write SEED FILE` writes a stream instead.
 */
#include "unit/lib/sw_roundtrip.h"
#include "stm_enc.h"

#define STM_TCSR(id) ((uint32_t)(id) << 16 | 7)
#define NIBBLES 2	/* of a byte: what a synchronisation's place is counted in */

static struct cst_config config(unsigned int id)
{
	struct cst_stm_regs regs = { .tcsr = STM_TCSR(id) };
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_stm(&cfg, &regs), 0);
	return cfg;
}

/* `plain`: only what another decoder understands: no packets that no STM sends, no Gray code (bits from 31 on). */
static void encode(struct sw_trace *t, uint64_t seed, unsigned int id, int plain)
{
	unsigned int parts, n;
	struct stm_enc e;
	size_t i;

	stm_enc_init(&e, t, seed);
	e.foreign = !plain && rng_pm(&e.rng, 300);
	e.gray &= !plain;
	for (parts = rng_range(&e.rng, 1, 6); parts; parts--) {
		stm_enc_sync(&e);
		for (n = rng_range(&e.rng, 0, 60); n; n--)
			stm_enc_step(&e);
	}
	stm_enc_end(&e);
	for (i = 0; i < t->n_el; i++)
		t->el[i].trace_id = id;
}

static void exact(uint64_t seed)
{
	unsigned int id = 1 + seed % 0x6f;
	struct cst_config cfg = config(id);
	struct sw_trace t = { 0 };
	struct rng rng;

	rng_seed(&rng, ~seed);
	encode(&t, seed, id, 0);
	sw_test_exact(&cfg, &t, &rng);
	sw_trace_free(&t);
}

static void lossy(uint64_t seed)
{
	unsigned int id = 1 + seed % 0x6f;
	struct cst_config cfg = config(id);
	struct sw_trace t = { 0 };
	struct rng rng;

	rng_seed(&rng, seed << 32 ^ seed);
	encode(&t, seed + 1000000, id, 0);
	sw_test_cut(&cfg, &t, &rng, NIBBLES);
	sw_test_damage(&cfg, &t, &rng, NIBBLES);
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

/* For another decoder: a stream as an STM sends it. */
static int write_stream(const char *seed, const char *name)
{
	struct sw_trace t = { 0 };
	FILE *f = fopen(name, "wb");
	int bad;

	encode(&t, strtoull(seed, NULL, 0), 0x10, 1);
	bad = !f || fwrite(t.out.p, 1, t.out.len, f) != t.out.len;
	if (f)
		bad |= fclose(f);
	sw_trace_free(&t);
	return bad;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_lossy),
	};

	if (argc == 4 && !strcmp(argv[1], "--write"))
		return write_stream(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
