/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_ptm_fast.c - PTM trace on its fast way and on the careful ones: seeded packets of every kind, into code, out of
 * it and back, damaged ones among them, must make the same elements when all input is there, when it comes byte by
 * byte, and when packets are listed.
 */
#include "unit/lib/ways.h"

enum {
	SEEDS = 10000,
	PACKETS = 60,
	CODE_AT = 0x8000,
	CODE_INSNS = 16,
};

/*
 * 8000 nop; 8004 bl 8020; 8008 bne 8000; 800c bx r3; 8010 blx r3; 8014 nop; 8018 isb; 801c b 8000;
 * 8020 nop; 8024 bl 8034; 8028 bx lr; 802c nop; 8030 bl a000; 8034 ldr pc, [r0]; 8038 bx lr; 803c nop
 */
static const uint32_t code[CODE_INSNS] = {
	0xe1a00000, 0xeb000005, 0x1afffffc, 0xe12fff13, 0xe12fff33, 0xe1a00000, 0xf57ff06f, 0xeafffff7,
	0xe1a00000, 0xeb000002, 0xe12fff1e, 0xe1a00000, 0xeb0007f2, 0xe590f000, 0xe12fff1e, 0xe1a00000,
};

static void put_cycles(struct rng *rng, struct sample *s, unsigned int first)
{
	unsigned int more = rng_below(rng, 3) ? 0 : 1 + rng_below(rng, 2);

	if (!s->cfg.cycle_count)
		return;
	gbuf_u8(&s->trace, first | rng_below(rng, 16) << 2 | (more ? 0x40 : 0));
	for (; more; more--)
		gbuf_u8(&s->trace, rng_below(rng, 128) | (more > 1 ? 0x80 : 0));
}

/* In the code, mostly; or where there is none. */
static uint32_t some_address(struct rng *rng)
{
	return rng_below(rng, 8) ? CODE_AT + 4 * rng_below(rng, CODE_INSNS) : 0xa000 + 4 * rng_below(rng, 4);
}

static void put_address(struct rng *rng, struct sample *s)
{
	uint32_t a = some_address(rng) >> 2;
	unsigned int n = 1 + rng_below(rng, 5), k;

	/* A32, without exception bytes but for a few */
	gbuf_u8(&s->trace, 1 | (a & 0x3f) << 1 | (n > 1 ? 0x80 : 0));
	a >>= 6;
	for (k = 1; k < n; k++, a >>= 7) {
		if (k == 4)
			gbuf_u8(&s->trace, 0x08 | (a & 7));
		else if (k == n - 1)
			gbuf_u8(&s->trace, a & 0x3f);
		else
			gbuf_u8(&s->trace, 0x80 | (a & 0x7f));
	}
}

static void put_isync(struct rng *rng, struct sample *s, unsigned int reason)
{
	unsigned int k;

	gbuf_u8(&s->trace, 0x08);
	gbuf_u32(&s->trace, some_address(rng));
	gbuf_u8(&s->trace, 0x01 | reason << 5 | (rng_below(rng, 20) ? 0 : 0x08));
	if (reason)
		put_cycles(rng, s, rng_below(rng, 4) ? 0 : 0x80);
	for (k = 0; k < s->cfg.cid_bytes; k++)
		gbuf_u8(&s->trace, k ? 0 : rng_below(rng, 2));
}

static void put_async(struct sample *s, unsigned int zeros)
{
	gbuf_zero(&s->trace, zeros);
	gbuf_u8(&s->trace, 0x80);
}

static void put_timestamp(struct rng *rng, struct sample *s)
{
	unsigned int n = 1 + rng_below(rng, s->cfg.ts64 ? 9 : 7), k;

	gbuf_u8(&s->trace, 0x42 | (rng_below(rng, 2) << 2));
	for (k = 1; k < n; k++)
		gbuf_u8(&s->trace, 0x80 | rng_below(rng, 128));
	/* the two highest bits of a seventh byte are reserved */
	gbuf_u8(&s->trace, rng_below(rng, n < 7 ? 128 : s->cfg.ts64 || !rng_below(rng, 8) ? 256 : 64));
	put_cycles(rng, s, 0);
}

static void put_atoms(struct rng *rng, struct sample *s)
{
	if (s->cfg.cycle_count)
		put_cycles(rng, s, 0x80 | rng_below(rng, 2) << 1);
	else
		gbuf_u8(&s->trace, 0x80 | rng_below(rng, 64) << 1);
}

static void put_packet(struct rng *rng, struct sample *s)
{
	static const uint8_t alone[] = { 0x0c, 0x66, 0x76, 0x76 };
	unsigned int kind;

	switch (rng_below(rng, 24)) {
	case 0:
		put_isync(rng, s, 0);
		break;
	case 1:
	case 2:
		put_isync(rng, s, 1 + !rng_below(rng, 6));
		break;
	case 3:
		/* too few zeros, as many as there must be, and more than a packet has */
		kind = rng_below(rng, 16);
		put_async(s, !kind ? 1 + rng_below(rng, 4) : kind == 1 ? 58 + rng_below(rng, 12) :
								       5 + rng_below(rng, 8));
		break;
	case 4:
	case 5:
		put_timestamp(rng, s);
		break;
	case 6:
		gbuf_u8(&s->trace, alone[rng_below(rng, sizeof(alone))]);
		break;
	case 7:
		/* whatever it is */
		if (rng_below(rng, 4) == 0)
			gbuf_u8(&s->trace, rng_below(rng, 256));
		break;
	case 8:
	case 9:
	case 10:
	case 11:
	case 12:
	case 13:
		put_address(rng, s);
		put_cycles(rng, s, 0);
		break;
	default:
		put_atoms(rng, s);
	}
}

static struct cst_config some_config(struct rng *rng, unsigned int cycles)
{
	struct cst_etmv3_regs regs = {
		.cr = cycles << 12 | rng_below(rng, 2) << 29 | (rng_below(rng, 6) ? 0 : 1u << 14) | 1u << 28,
		.ccer = 1u << 23 | 1u << 26 | rng_below(rng, 2) << 29 | rng_below(rng, 2) << 28 | 1u << 22,
		.idr = 0x411cf310, .traceidr = 0x13,
	};
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	return cfg;
}

static void make(struct sample *s, unsigned int seed)
{
	static const unsigned int stops[] = {
		0, 0, 0, CST_STOP_TIMESTAMP, CST_STOP_TRACE_ON, CST_STOP_EXCEPTION | CST_STOP_CONTEXT,
	};
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, seed);
	memset(s, 0, sizeof(*s));
	/* a new configuration must be one that makes packets of the same form: only the stack is another */
	s->cfg = some_config(&rng, seed & 1);
	s->cfg.strict = rng_below(&rng, 4) == 0;
	s->cfg.as_reference = rng_below(&rng, 4) == 0;
	s->next = s->cfg;
	s->next.ret_stack = !s->cfg.ret_stack;
	s->stop_mask = stops[rng_below(&rng, sizeof(stops) / sizeof(stops[0]))];
	put_async(s, 5);
	put_isync(&rng, s, 1);
	for (i = 0; i < PACKETS; i++)
		put_packet(&rng, s);
	if (rng_below(&rng, 3) == 0)
		s->renew = 1 + rng_below(&rng, (uint32_t)s->trace.len - 1);
}

static void test_ways(void **state)
{
	static struct result whole;
	unsigned int seed, i, seen[256] = { 0 };
	uint64_t stack = 0, lost = 0, nacc = 0;
	struct program pr;
	struct sample s;

	(void)state;
	program_map(&pr, CODE_AT, code, sizeof(code));
	for (seed = 0; seed < SEEDS; seed++) {
		make(&s, seed);
		compare_ways(seed, &s, pr.space, &whole);
		for (i = 0; i < whole.n; i++)
			seen[whole.gen[i].kind]++;
		stack += whole.stats.stack_empty;
		lost += whole.stats.atoms_lost;
		nacc += whole.stats.nacc;
		gbuf_free(&s.trace);
	}
	cst_image_free(pr.img);
	/* all of it came to pass, and often */
	assert_true(seen[CST_GEN_RANGE] > 20 * SEEDS);
	assert_true(seen[CST_GEN_TRACE_ON] > SEEDS && seen[CST_GEN_TIMESTAMP] > SEEDS);
	assert_true(seen[CST_GEN_EXCEPTION_RET] > SEEDS / 2 && seen[CST_GEN_NO_SYNC] > SEEDS);
	assert_true(stack > SEEDS / 10 && lost > SEEDS && nacc > SEEDS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
