/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_cond.c - results of conditional instructions: conditions and flags, ranges without a search,
 * and more instructions than are kept. Listings cond-* have the rest.
 */
#include <inttypes.h>

#include "unit/lib_decode.h"

#define CODE_AT 0x8000

/* In step, EL0 32-bit non-secure, A32 or T32 at CODE_AT. */
#define A32 SYNC, 0x81, 0x20, 0x9a, 0x00, 0x40, 0, 0
#define ATOM_E 0xf7
/* a conditional instruction with a key; the flags of a key below 8 */
#define INSN(key) 0x6c, key
#define FLAGS(key, nzcv) 0x6e, (key) << 4 | (nzcv)
/* a result is final with the atom after it */
#define END ATOM_E

enum { ALL = 7, LOADS = 1, STORES = 2 };

static struct cst_config config(unsigned int mode)
{
	struct cst_config cfg = etm_config(2, 0);

	cfg.cond_trace = 1;
	cfg.cond_mode = mode;
	cfg.cond_keys = 128;
	cfg.cond_flags = 1;
	return cfg;
}

/* Ranges as "offsets", results as "key:instruction" with + or - if it was executed or not, - for no instruction. */
static void describe(const struct decoded *d, char *s, size_t size)
{
	size_t used = 0;
	unsigned int i;

	s[0] = 0;
	for (i = 0; i < d->n; i++) {
		const struct cst_generic *g = &d->gen[i];

		if (g->kind == CST_GEN_RANGE)
			used += (size_t)snprintf(s + used, size - used, " [%" PRIx64 "-%" PRIx64 "]", g->addr - CODE_AT,
						 g->end - CODE_AT);
		else if (g->kind == CST_GEN_COND && !(g->num & CST_COND_INSN))
			used += (size_t)snprintf(s + used, size - used, " %" PRIu64 ":none", g->end);
		else if (g->kind == CST_GEN_COND)
			used += (size_t)snprintf(s + used, size - used, " %" PRIu64 ":%" PRIx64 "%s", g->end, g->addr - CODE_AT,
						 g->num & CST_COND_PASSED ? "+" : g->num & CST_COND_FAILED ? "-" : "?");
		assert_true(used < size);
	}
}

static struct decoded last;

static void expect(const struct cst_config *cfg, const void *code, size_t size, const uint8_t *p, size_t len, const char *want)
{
	char got[2048];
	struct program pr;

	program_map(&pr, CODE_AT, code, size);
	/* on demand, each word of long code would be a map */
	if (size < 1024)
		decode_bytes(cfg, pr.space, p, len, &last);
	else
		decode_pieces(cfg, pr.space, p, len, 0, &last);
	describe(&last, got, sizeof(got));
	assert_string_equal(got, want);
	cst_image_free(pr.img);
}

/* For each condition the values of the flags N, Z, C, V with which it holds, one bit for each value (DDI 0487, F1.3.1). */
static void test_conditions(void **state)
{
	static const uint16_t holds[14] = {
		0xf0f0, 0x0f0f,		/* EQ, NE: Z */
		0xcccc, 0x3333,		/* CS, CC: C */
		0xff00, 0x00ff,		/* MI, PL: N */
		0xaaaa, 0x5555,		/* VS, VC: V */
		0x0c0c, 0xf3f3,		/* HI, LS: C and not Z */
		0xaa55, 0x55aa,		/* GE, LT: N = V */
		0x0a05, 0xf5fa,		/* GT, LE: N = V and not Z */
	};
	const struct cst_config cfg = config(ALL);
	unsigned int cond, flags, i, seen;

	(void)state;
	for (cond = 0; cond < 14; cond++)
		for (flags = 0; flags < 16; flags++) {
			const uint32_t code[] = { 0x01a00000 | cond << 28, 0xeafffffe };	/* mov<c> r0, r0; b . */
			const uint8_t trace[] = { A32, INSN(1), ATOM_E, FLAGS(1, flags), END };
			char want[64];

			snprintf(want, sizeof(want), " [0-8] 1:0%c [4-8]", holds[cond] >> flags & 1 ? '+' : '-');
			expect(&cfg, code, sizeof(code), trace, sizeof(trace), want);
			for (i = seen = 0; i < last.n; i++)
				if (last.gen[i].kind == CST_GEN_COND) {
					seen++;
					assert_int_equal(last.gen[i].isa, CST_ISA_A32);
					assert_int_equal(last.gen[i].num >> CST_COND_FLAGS_SHIFT & 15, flags);
				}
			assert_int_equal(seen, 1);
		}
}

/*
 * A range with `insns` conditional instructions and `n` elements, whose results are traced before its atom if `early` is set,
 * and a range with another one. The caller has as little room as it may give.
 */
static void check_most(unsigned int n, unsigned int insns, int early)
{
	static const uint8_t begin[] = { A32 }, ends[2][9] = {
		{ ATOM_E, FLAGS(1, 0), INSN(2), END, FLAGS(2, 0), END },
		{ FLAGS(1, 0), ATOM_E, INSN(2), END, FLAGS(2, 0), END },
	};
	const struct cst_config cfg = config(ALL);
	unsigned int i, k = 0, conds = 0, known = 0, ranges = 0, before = 0;
	struct cst_generic out[CST_PULL_MIN];
	struct cst_decoder *dec;
	struct program pr;
	uint8_t trace[256];
	uint32_t code[80];
	size_t len;
	int got;

	for (i = 0; i < n; i++)
		code[i] = i < insns ? 0x12800001 : 0xe2800001;	/* addne r0, r0, #1; add */
	code[n] = 0xeaffffff;			/* b to the next one */
	code[n + 1] = 0x12800001;
	code[n + 2] = 0xeafffffe;		/* b . */
	len = sizeof(begin);
	memcpy(trace, begin, len);
	for (i = 0; i < n; i++) {
		static const uint8_t insn[] = { INSN(1) };

		memcpy(trace + len, insn, sizeof(insn));
		len += sizeof(insn);
	}
	memcpy(trace + len, ends[early], sizeof(ends[early]));
	len += sizeof(ends[early]);
	program_map(&pr, CODE_AT, code, (n + 3) * 4);
	decode_bytes(&cfg, pr.space, trace, len, &last);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, pr.space);
	assert_int_equal(cst_decoder_feed(dec, trace, len, 0), 0);
	cst_decoder_end(dec);
	while ((got = cst_decoder_pull(dec, out, CST_PULL_MIN, NULL))) {
		assert_true(got > 0 && got <= CST_PULL_MIN);
		for (i = 0; i < (unsigned int)got; i++) {
			assert_true(k < last.n);
			assert_memory_equal(&out[i], &last.gen[k], sizeof(out[i]));
			k++;
			ranges += out[i].kind == CST_GEN_RANGE;
			if (out[i].kind != CST_GEN_COND)
				continue;
			if (out[i].num & CST_COND_INSN)
				assert_int_equal(out[i].addr, CODE_AT + 4 * (conds < n ? conds : n + 1));
			known += !!(out[i].num & CST_COND_INSN);
			before += !ranges;
			conds++;
		}
	}
	assert_int_equal(k, last.n);
	assert_int_equal(conds, n + 1);
	/* the instruction of the second range has its result in any case */
	assert_int_equal(known, n <= 64 ? n + 1 : 1);
	assert_int_equal(before, n <= 64 ? 0 : n - 64);
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

/*
 * 64 instructions wait for their results. Each further one makes the oldest one leave without a result, and its range is
 * unknown. Results wait for the range of their instructions.
 */
static void test_most(void **state)
{
	unsigned int n;

	(void)state;
	for (n = 63; n <= 67; n++) {
		check_most(n, n, 0);
		check_most(n, n, 1);
	}
	/* as many instructions as are kept, but not the same */
	check_most(65, 64, 0);
}

/* Ranges of more than 4096 instructions are not searched. */
static void test_long_range(void **state)
{
	const struct cst_config cfg = config(ALL);
	static uint32_t code[4097];
	unsigned int n, i;

	(void)state;
	for (n = 4096; n <= 4097; n++) {
		for (i = 0; i < n; i++)	/* addne; mov r0, r0; b . */
			code[i] = i == 1 ? 0x12800001 : i < n - 1 ? 0xe1a00000 : 0xeafffffe;
		expect(&cfg, code, n * 4, BYTES(A32, INSN(1), ATOM_E, FLAGS(1, 0), END),
		       n == 4096 ? " [0-4000] 1:4+ [3ffc-4000]" : " [0-4004] 1:none [4000-4004]");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_long_range),
		cmocka_unit_test(test_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
