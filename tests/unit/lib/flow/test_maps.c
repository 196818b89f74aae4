/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_flow_maps.c - execution that alternates between maps of code: what the walk has learned about one map is not used
 * in another one.
 */
#include <inttypes.h>

#include "unit/lib_decode.h"

/* In step, EL0 64-bit non-secure. */
#define START SYNC, 0x81, 0x30
#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, (a) >> 24 & 0xff
#define EXCEPTION(a) 0x06, 0x1d, AT(a)

struct range {
	uint64_t addr, end;
	uint32_t n_insn, section, sect_off;
};

/* The ranges of a trace are `want`, however the trace is fed. */
static void expect(const struct cst_config *cfg, struct cst_space *space, const uint8_t *p, size_t len, const struct range *want,
		   unsigned int n_want)
{
	static struct decoded d;
	unsigned int i, n = 0;

	decode_bytes(cfg, space, p, len, &d);
	for (i = 0; i < d.n; i++) {
		const struct cst_generic *g = &d.gen[i];

		if (g->kind != CST_GEN_RANGE)
			continue;
		if (n == n_want || g->addr != want[n].addr || g->end != want[n].end || g->n_insn != want[n].n_insn ||
		    g->section != want[n].section || g->sect_off != want[n].sect_off)
			fail_msg("range %u is %" PRIx64 "-%" PRIx64 " of %u instructions, section %u, offset %x", n, g->addr, g->end,
				 g->n_insn, g->section, g->sect_off);
		n++;
	}
	assert_int_equal(n, n_want);
}

/*
 * A return is the last branch before an exception, whose instructions are in another section than the return. The address of
 * the handler is no target of the return: the section of the return has other code at the handler's offset.
 */
static void test_exception_in_other_section(void **state)
{
	static const uint32_t callee[] = {
		0xd503201f,	/* 1000 nop */
		0xd65f03c0,	/* 1004 ret */
		0xd503201f,	/* 1008 nop */
		0xd503201f,	/* 100c nop */
		0x14000000,	/* 1010 b 1010 */
	};
	static const uint32_t caller[] = {
		0x97fffc00,	/* 2000 bl 1000 */
		0xd503201f,	/* 2004 nop */
		0x14000000,	/* 2008 b 2008 */
	};
	static const struct range want[] = {
		{ 0x2000, 0x2004, 1, 2, 0 }, { 0x1000, 0x1008, 2, 1, 0 }, { 0x2004, 0x2008, 1, 2, 4 }, { 0x2008, 0x200c, 1, 2, 8 },
		{ 0x2000, 0x2004, 1, 2, 0 }, { 0x1000, 0x1008, 2, 1, 0 }, { 0x1008, 0x1014, 3, 1, 8 },
	};
	const struct cst_config cfg = etm_config(4, 0);
	struct cst_section *sec;
	struct program pr;

	(void)state;
	program_map(&pr, 0x1000, callee, sizeof(callee));
	assert_int_equal(cst_section_new(&sec, pr.img, caller, sizeof(caller), NULL), 0);
	assert_int_equal(cst_space_map(pr.space, 0x2000, sizeof(caller), sec, 0), 0);
	expect(&cfg, pr.space,
	       BYTES(START, AT(0x2000), 0xf7, 0xf7, EXCEPTION(0x2008), AT(0x2008), 0xf7, AT(0x2000), 0xf7, 0xf7, AT(0x1008), 0xf7),
	       want, sizeof(want) / sizeof(want[0]));
	cst_image_free(pr.img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exception_in_other_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
