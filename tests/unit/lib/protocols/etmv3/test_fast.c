/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv3_fast.c - ETMv3 trace on its fast ways (a range for each instruction, and joined ones) and on the careful
 * ones: seeded packets of every kind, into code, out of it and back, damaged ones among them, must make the same
 * elements when all input is there, when it comes byte by byte, and when packets are listed.
 */
#include "unit/lib/ways.h"

enum {
	SEEDS = 10000,
	PACKETS = 60,
	CODE_AT = 0x8000,
	T32_INSNS = 32,
	A32_AT = CODE_AT + 2 * T32_INSNS,
	A32_INSNS = 16,
};

/* T32: IT blocks of every size, one torn by a branch, calls, returns, ISB; then A32. */
static const struct {
	uint16_t t32[T32_INSNS];
	uint32_t a32[A32_INSNS];
} code = {
	{
		0xbf00, 0xbf08, 0x3001, 0xbf0c, 0x4608, 0x4610,	/* nop; it eq: add; ite eq: mov, mov */
		0xf000, 0xf808, 0xd0f6,				/* bl 8020; beq 8000 */
		0xbf01, 0x3001, 0x3002, 0x3003, 0x4718,		/* itttt eq: add, add, add, bx r3 */
		0x4798, 0xe7ef,					/* blx r3; b 8000 */
		0xbf00, 0xf3bf, 0x8f6f, 0xbf08, 0x4770,		/* 8020: nop; isb; it eq: bx lr */
		0xe92d, 0x4010, 0xbd10,				/* push.w; pop {r4, pc} */
		0xbf04, 0x4718, 0x3001,				/* itt eq: bx r3, add */
		0xf001, 0xffe3, 0x4778, 0xbf00, 0xbf00,		/* bl a000; bx pc; nop; nop */
	},
	{
		/* nop; bl; bne; bx r3; blx r3; addeq; isb; b; nop; bl; bxeq lr; addne; bl a000; ldr pc; bx lr; nop */
		0xe1a00000, 0xeb000005, 0x1afffffc, 0xe12fff13, 0xe12fff33, 0x02800001, 0xf57ff06f, 0xeafffff7,
		0xe1a00000, 0xeb000002, 0x012fff1e, 0x12800001, 0xeb0007de, 0xe590f000, 0xe12fff1e, 0xe1a00000,
	},
};

/* In the code, mostly, with bit 0 for T32; or where there is none. */
static uint32_t some_address(struct rng *rng)
{
	if (!rng_below(rng, 12))
		return 0xa000 | rng_below(rng, 2);
	if (rng_below(rng, 3))
		return (CODE_AT + 2 * rng_below(rng, T32_INSNS)) | 1;
	return A32_AT + 4 * rng_below(rng, A32_INSNS);
}

static void put_cycles(struct rng *rng, struct sample *s)
{
	gbuf_u8(&s->trace, 0x80 | rng_below(rng, 128));
	gbuf_u8(&s->trace, rng_below(rng, 128));
}

static void put_branch(struct rng *rng, struct sample *s)
{
	uint32_t addr = some_address(rng);
	unsigned int thumb = addr & 1, n = 1 + rng_below(rng, 5), k, c;

	addr >>= thumb ? 1 : 2;
	gbuf_u8(&s->trace, 1 | (addr & 0x3f) << 1 | (n > 1 ? 0x80 : 0));
	addr >>= 6;
	for (k = 1; k < n; k++, addr >>= 7) {
		c = k < n - 1 ? 0x80 : 0;
		if (k < 4)
			gbuf_u8(&s->trace, (addr & (s->cfg.alt_branch && !c ? 0x3f : 0x7f)) | c);
		else
			gbuf_u8(&s->trace, thumb ? 0x10 | (addr & 15) : 0x08 | (addr & 7));
	}
}

/* The address, and an exception that may cancel the last instruction. */
static void put_exception(struct rng *rng, struct sample *s)
{
	uint32_t addr = some_address(rng);
	unsigned int thumb = addr & 1, k;

	addr >>= thumb ? 1 : 2;
	gbuf_u8(&s->trace, 0x81 | (addr & 0x3f) << 1);
	for (k = 1, addr >>= 6; k < 4; k++, addr >>= 7)
		gbuf_u8(&s->trace, 0x80 | (addr & 0x7f));
	gbuf_u8(&s->trace, (thumb ? 0x10 | (addr & 15) : 0x08 | (addr & 7)) | (s->cfg.alt_branch ? 0x40 : 0x80));
	/* NS, exception, cancel */
	gbuf_u8(&s->trace, rng_below(rng, 2) | rng_below(rng, 16) << 1 | rng_below(rng, 2) << 5);
}

static void put_isync(struct rng *rng, struct sample *s, unsigned int reason, int cycles)
{
	unsigned int k;

	gbuf_u8(&s->trace, cycles ? 0x70 : 0x08);
	if (cycles)
		put_cycles(rng, s);
	for (k = 0; k < s->cfg.cid_bytes; k++)
		gbuf_u8(&s->trace, rng_below(rng, 2));
	gbuf_u8(&s->trace, 0x01 | reason << 5 | (rng_below(rng, 20) ? 0x08 : rng_below(rng, 16)));
	gbuf_u32(&s->trace, some_address(rng));
}

static void put_timestamp(struct rng *rng, struct sample *s)
{
	unsigned int n = 1 + rng_below(rng, 8), k;

	gbuf_u8(&s->trace, 0x42 | rng_below(rng, 2) << 2);
	for (k = 1; k < n && k < 7; k++)
		gbuf_u8(&s->trace, 0x80 | rng_below(rng, 128));
	gbuf_u8(&s->trace, rng_below(rng, n < 7 ? 128 : 64));
}

static void put_packet(struct rng *rng, struct sample *s)
{
	static const uint8_t alone[] = { 0x0c, 0x66, 0x76, 0x76 };
	unsigned int k;

	switch (rng_below(rng, 40)) {
	case 0:
	case 1:
		put_isync(rng, s, 0, 0);
		break;
	case 2:
	case 3:
	case 4:
		put_isync(rng, s, 1 + rng_below(rng, 6) / 5, s->cfg.cycle_count && rng_below(rng, 2));
		break;
	case 5:
		gbuf_zero(&s->trace, 3 + rng_below(rng, 5));
		gbuf_u8(&s->trace, 0x80);
		break;
	case 6:
	case 7:
		put_timestamp(rng, s);
		break;
	case 8:
		put_exception(rng, s);
		break;
	case 9:
		gbuf_u8(&s->trace, alone[rng_below(rng, sizeof(alone))]);
		break;
	case 10:
		gbuf_u8(&s->trace, s->cfg.cid_bytes ? 0x6e : 0x66);
		for (k = 0; k < s->cfg.cid_bytes; k++)
			gbuf_u8(&s->trace, rng_below(rng, 2));
		break;
	case 11:
		if (!rng_below(rng, 8))
			gbuf_u8(&s->trace, rng_below(rng, 256));
		break;
	case 12:
	case 13:
	case 14:
	case 15:
	case 16:
		put_branch(rng, s);
		break;
	default:
		/* few of them reserved */
		do {
			k = 0x80 | rng_below(rng, 64) << 1;
		} while (k == 0x80 && rng_below(rng, 20));
		gbuf_u8(&s->trace, k);
	}
}

static void make(struct sample *s, unsigned int seed)
{
	static const unsigned int stops[] = { 0, 0, 0, 0, CST_STOP_TIMESTAMP, CST_STOP_TRACE_ON, CST_STOP_CONTEXT };
	struct cst_etmv3_regs regs = { .ccer = 1u << 26 | 1u << 22, .idr = 0x4100f250, .traceidr = 0x13 };
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, seed);
	memset(s, 0, sizeof(*s));
	regs.cr = (seed & 1) << 12 | (rng_below(&rng, 4) ? 0 : 1u << 14) | 1u << 28;
	regs.ccer |= rng_below(&rng, 2) << 28;
	regs.idr |= rng_below(&rng, 2) << 20;
	assert_int_equal(cst_config_etmv3(&s->cfg, &regs, CST_PROFILE_A), 0);
	s->cfg.strict = rng_below(&rng, 4) == 0;
	s->cfg.as_reference = rng_below(&rng, 16) == 0;
	s->cfg.insn_ranges = rng_below(&rng, 2);
	s->next = s->cfg;
	s->stop_mask = stops[rng_below(&rng, sizeof(stops) / sizeof(stops[0]))];
	gbuf_zero(&s->trace, 5);
	gbuf_u8(&s->trace, 0x80);
	put_isync(&rng, s, 1, 0);
	for (i = 0; i < PACKETS; i++)
		put_packet(&rng, s);
	if (rng_below(&rng, 3) == 0)
		s->renew = 1 + rng_below(&rng, (uint32_t)s->trace.len - 1);
}

static void test_ways(void **state)
{
	static struct result whole;
	unsigned int seed, i, seen[256] = { 0 }, joined = 0, torn = 0;
	uint64_t lost = 0, nacc = 0;
	struct program pr;
	struct sample s;

	(void)state;
	program_map(&pr, CODE_AT, &code, sizeof(code));
	for (seed = 0; seed < SEEDS; seed++) {
		make(&s, seed);
		compare_ways(seed, &s, pr.space, &whole);
		for (i = 0; i < whole.n; i++) {
			seen[whole.gen[i].kind]++;
			if (whole.gen[i].kind == CST_GEN_RANGE) {
				joined += whole.gen[i].n_insn > 1;
				torn += !(whole.gen[i].flags & CST_GF_EXEC) && !whole.gen[i].last_type;
			}
		}
		lost += whole.stats.atoms_lost;
		nacc += whole.stats.nacc;
		gbuf_free(&s.trace);
	}
	cst_image_free(pr.img);
	/* all of it came to pass, and often */
	assert_true(seen[CST_GEN_RANGE] > 5 * SEEDS && joined > SEEDS && torn > SEEDS);
	assert_true(seen[CST_GEN_TRACE_ON] > SEEDS && seen[CST_GEN_TIMESTAMP] > SEEDS);
	assert_true(seen[CST_GEN_CYCLE_COUNT] > SEEDS / 4 && seen[CST_GEN_EXCEPTION] > SEEDS / 4);
	assert_true(seen[CST_GEN_NO_SYNC] > SEEDS && lost > SEEDS && nacc > SEEDS / 4);
}

/* Other code is mapped while the target of an indirect branch is to come: it is in that code, not in the old one. */
static void test_remap(void **state)
{
	/* nop; bx r3; 8008: nop; b 8000 */
	static const uint32_t before[] = { 0xe1a00000, 0xe12fff13, 0xe1a00000, 0xeafffffb };
	/* 8008: b 8000 */
	static const uint32_t after[] = { 0xe1a00000, 0xe12fff13, 0xeafffffc, 0xe1a00000 };
	/* A-sync; I-sync at 8000; EE, branch to 8008, EE, twice; EE, and a context ID, which shows that they ran */
	static const uint8_t first[] = { 0, 0, 0, 0, 0, 0x80, 0x08, 0x01, 0x29, 0x00, 0x80, 0x00, 0x00,
					 0x88, 0x85, 0x80, 0x01, 0x88, 0x88, 0x85, 0x80, 0x01, 0x88, 0x88, 0x6e, 0x01 };
	/* branch to 8008, E, EE */
	static const uint8_t then[] = { 0x85, 0x80, 0x01, 0x84, 0x88, 0x6e, 0x01 };
	struct cst_etmv3_regs regs = { .cr = 1u << 14, .idr = 0x4100f250, .traceidr = 0x13 };
	struct cst_section *sec;
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	struct program pr;
	int join, n, i, ranges;

	(void)state;
	for (join = 0; join <= 1; join++) {
		program_map(&pr, CODE_AT, before, sizeof(before));
		assert_int_equal(cst_section_new(&sec, pr.img, after, sizeof(after), NULL), 0);
		assert_int_equal(cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), 0);
		cfg.insn_ranges = !join;
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_space(dec, pr.space);
		assert_int_equal(cst_decoder_feed(dec, first, sizeof(first), 0), 0);
		while (cst_decoder_pull(dec, out, 64, NULL) > 0)
			;
		assert_int_equal(cst_decoder_stats(dec)->insns, 10);
		assert_int_equal(cst_space_map(pr.space, CODE_AT, sizeof(after), sec, 0), 0);
		assert_int_equal(cst_decoder_feed(dec, then, sizeof(then), sizeof(first)), 0);
		for (ranges = 0; (n = cst_decoder_pull(dec, out, 64, NULL)) > 0;)
			for (i = 0; i < n; i++)
				if (out[i].kind == CST_GEN_RANGE) {
					assert_int_equal(out[i].section, cst_section_id(sec));
					ranges++;
				}
		assert_int_equal(ranges, join ? 2 : 3);
		assert_int_equal(cst_decoder_stats(dec)->insns, 13);
		cst_decoder_free(dec);
		cst_image_free(pr.img);
	}
}

/* A run over the border between two sections: a range ends there, as its offset is that in one section. */
static void test_border(void **state)
{
	static const uint32_t nops[] = { 0xe1a00000, 0xe1a00000, 0xe1a00000 };
	/* 800c: nop; b 8000 */
	static const uint32_t back[] = { 0xe1a00000, 0xeafffffa };
	/* A-sync; I-sync at 8000; 11 atoms E; a context ID, which shows that they ran */
	static const uint8_t trace[] = { 0, 0, 0, 0, 0, 0x80, 0x08, 0x01, 0x29, 0x00, 0x80, 0x00, 0x00,
					 0x88, 0x88, 0x88, 0x88, 0x88, 0x84, 0x6e, 0x01 };
	static const struct { uint64_t addr, end; int second; } want[] = {
		{ 0x8000, 0x800c, 0 }, { 0x800c, 0x8014, 1 }, { 0x8000, 0x800c, 0 }, { 0x800c, 0x8014, 1 }, { 0x8000, 0x8004, 0 },
	};
	static struct result whole;
	struct cst_etmv3_regs regs = { .cr = 1u << 14, .idr = 0x4100f250, .traceidr = 0x13 };
	struct sample s = { .renew = 0 };
	struct cst_section *sec;
	struct program pr;
	unsigned int i, n = 0;

	(void)state;
	program_map(&pr, CODE_AT, nops, sizeof(nops));
	assert_int_equal(cst_section_new(&sec, pr.img, back, sizeof(back), NULL), 0);
	assert_int_equal(cst_space_map(pr.space, CODE_AT + sizeof(nops), sizeof(back), sec, 0), 0);
	assert_int_equal(cst_config_etmv3(&s.cfg, &regs, CST_PROFILE_A), 0);
	gbuf_put(&s.trace, trace, sizeof(trace));
	compare_ways(0, &s, pr.space, &whole);
	for (i = 0; i < whole.n; i++) {
		const struct cst_generic *g = &whole.gen[i];

		if (g->kind != CST_GEN_RANGE)
			continue;
		assert_true(n < sizeof(want) / sizeof(want[0]));
		assert_int_equal(g->addr, want[n].addr);
		assert_int_equal(g->end, want[n].end);
		assert_int_equal(g->n_insn, (want[n].end - want[n].addr) / 4);
		assert_int_equal(g->section == cst_section_id(sec), want[n].second);
		assert_int_equal(g->sect_off, g->addr - CODE_AT - (want[n].second ? sizeof(nops) : 0));
		n++;
	}
	assert_int_equal(n, sizeof(want) / sizeof(want[0]));
	assert_int_equal(whole.stats.ranges, n);
	assert_int_equal(whole.stats.insns, 11);
	gbuf_free(&s.trace);
	cst_image_free(pr.img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_remap),
		cmocka_unit_test(test_border),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
