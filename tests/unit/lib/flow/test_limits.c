/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_flow_limits.c - how long a range may be before the code counts as another one than what was executed
 * (flow_int.h): ranges at each limit, and those that are too long.
 */
#include <inttypes.h>

#include "unit/lib_decode.h"

#define NOP 0xd503201fu
#define B_HERE 0x14000000u
#define B_EQ_NEXT 0x54000020u

/* EL0 64-bit non-secure, at 0x10000. */
#define START SYNC, 0x81, 0x30, 0x9a, 0x00, 0x00, 0x01, 0x00
#define CODE_AT 0x10000u

/* The trace has one range, of `n_insn` instructions from the first one on; 0: none, and the code contradicts the trace. */
static void expect(const struct cst_config *cfg, struct cst_space *space, const uint8_t *p, size_t len, unsigned int n_insn)
{
	static struct decoded d;
	unsigned int i, n = 0;

	decode_pieces(cfg, space, p, len, 0, &d);
	for (i = 0; i < d.n; i++)
		if (d.gen[i].kind == CST_GEN_RANGE) {
			n++;
			assert_int_equal(d.gen[i].addr, CODE_AT);
			assert_int_equal(d.gen[i].n_insn, n_insn);
			assert_int_equal(d.gen[i].end, CODE_AT + 4 * (uint64_t)n_insn);
		}
	assert_int_equal(n, n_insn != 0);
	assert_int_equal(d.stats.image_conflicts, !n_insn);
}

/* A range of 2^20 instructions without a branch before its end; with a block more it is no code. */
static void test_range(void **state)
{
	const struct cst_config cfg = etm_config(4, 0);
	const unsigned int most = 1u << 20, block = (BLK_SPAN + BLK_MORE) / 4;
	struct program pr;
	unsigned int more, i;
	uint32_t *code;

	(void)state;
	code = malloc((most + block) * sizeof(*code));
	assert_non_null(code);
	for (more = 0; more <= block; more += block) {
		for (i = 0; i < most + more - 1; i++)
			code[i] = NOP;
		code[i] = B_HERE;
		program_map(&pr, CODE_AT, code, (most + more) * sizeof(*code));
		expect(&cfg, pr.space, BYTES(START, 0xf7), more ? 0 : most);
		cst_image_free(pr.img);
	}
	free(code);
}

/* A Source Address element that names a branch with 8191 others before it, and the next one. */
static void test_passed(void **state)
{
	const struct cst_config cfg = ete_config(1, 0);
	uint32_t code[8200];
	struct program pr;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(code) / sizeof(code[0]); i++)
		code[i] = B_EQ_NEXT;
	program_map(&pr, CODE_AT, code, sizeof(code));
	for (k = 8190; k <= 8193; k++) {
		const uint32_t at = CODE_AT + 4 * k;
		const uint8_t trace[] = { START, 0xb6, at >> 2 & 0x7f, at >> 9 & 0x7f, at >> 16 & 0xff, at >> 24 };

		expect(&cfg, pr.space, trace, sizeof(trace), k <= 8191 ? k + 1 : 0);
	}
	cst_image_free(pr.img);
}

/* Code of which each instruction is in a map of its own, that no block fits into: 17408 instructions, and one more. */
static void test_maps(void **state)
{
	const struct cst_config cfg = etm_config(4, 0);
	const unsigned int most = BLK_SPAN + BLK_MORE;
	const uint32_t branch = B_HERE, nops[4] = { NOP, NOP, NOP, NOP };
	struct cst_section *sec;
	struct program pr;
	unsigned int n, i;

	(void)state;
	for (n = most; n <= most + 1; n++) {
		program_map(&pr, CODE_AT + 4 * (n - 1), &branch, sizeof(branch));
		assert_int_equal(cst_section_new(&sec, pr.img, nops, sizeof(nops), NULL), 0);
		for (i = 0; i < n - 1; i++)
			assert_int_equal(cst_space_map(pr.space, CODE_AT + 4 * i, 4, sec, 0), 0);
		expect(&cfg, pr.space, BYTES(START, 0xf7), n == most ? n : 0);
		cst_image_free(pr.img);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_passed),
		cmocka_unit_test(test_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
