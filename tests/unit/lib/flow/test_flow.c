/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_flow.c - the walk through code in memory: blocks and maps that are replaced under it,
 * borders of maps, and one range for each branch of a source address. Listings have the rest.
 */
#include <inttypes.h>

#include "decoder/tree/decoder_int.h"
#include "unit/lib_decode.h"

/* A64 at 0x1000. */
static const uint32_t code[] = {
	0xd503201f,	/* 1000 nop */
	0x54000040,	/* 1004 b.eq 100c */
	0xd503201f,	/* 1008 nop */
	0x94000003,	/* 100c bl 1018 */
	0xd503201f,	/* 1010 nop */
	0xd65f03c0,	/* 1014 ret */
	0xd503201f,	/* 1018 nop */
	0xd65f03c0,	/* 101c ret */
	0xd63f0000,	/* 1020 blr x0 */
	0xd5033fdf,	/* 1024 isb */
	0xd69f03e0,	/* 1028 eret */
	0xd4000001,	/* 102c svc #0 */
	0x17fffff4,	/* 1030 b 1000 */
	0xd503203f,	/* 1034 yield */
	0xd61f0000,	/* 1038 br x0 */
	0xd503201f,	/* 103c nop */
};

/* In step, EL0 64-bit non-secure, at 0x1000. */
#define START SYNC, 0x81, 0x30, 0x9a, 0x00, 0x08, 0, 0
#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, (a) >> 24 & 0xff
#define CTX "nosync 1 0; ctx 0; "

static void describe(const struct cst_generic *g, char *s, size_t n)
{
	if (g->kind == CST_GEN_RANGE)
		snprintf(s, n, "%" PRIx64 "-%" PRIx64 " %u%c", g->addr, g->end, g->n_insn,
			 !(g->flags & CST_GF_WAYPOINT) ? '.' : g->flags & CST_GF_EXEC ? 'E' : 'N');
	else if (g->kind == CST_GEN_NACC)
		snprintf(s, n, "nacc %" PRIx64 " %x", g->addr, g->num);
	else if (g->kind == CST_GEN_EXCEPTION)
		snprintf(s, n, "exc %" PRIx64, g->end);
	else if (g->kind == CST_GEN_PE_CONTEXT)
		snprintf(s, n, "ctx %u", g->el);
	else if (g->kind == CST_GEN_ADDR_UNKNOWN || g->kind == CST_GEN_NO_SYNC)
		snprintf(s, n, g->kind == CST_GEN_NO_SYNC ? "nosync 1 %u" : "lost %u", g->error);
	else
		snprintf(s, n, g->kind == CST_GEN_EO_TRACE ? "end" : "kind %u", g->kind);
}

static struct decoded last;

static void expect_in(struct cst_space *space, const struct cst_config *cfg, const uint8_t *p, size_t len,
		      const char *want)
{
	char got[4096] = "", one[128];
	unsigned int i;

	decode_bytes(cfg, space, p, len, &last);
	for (i = 0; i < last.n; i++) {
		describe(&last.gen[i], one, sizeof(one));
		if (i)
			strcat(got, "; ");
		strcat(got, one);
	}
	assert_string_equal(got, want);
}

static void expect(const struct cst_config *cfg, const uint8_t *p, size_t len, const char *want)
{
	struct program pr;

	program_map(&pr, 0x1000, code, sizeof(code));
	expect_in(pr.space, cfg, p, len, want);
	cst_image_free(pr.img);
}

/* What is known of a call's block is void once the cache was emptied: another block may be in its place. */
static void test_stack_of_blocks(void **state)
{
	static const uint32_t calls[] = {
		0x94000004,	/* 1000 bl 1010 */
		0x14000003,	/* 1004 b 1010 */
		0xd503201f, 0xd503201f,
		0x54000040,	/* 1010 b.eq 1018 */
		0x14000000,	/* 1014 b 1014 */
		0xd65f03c0,	/* 1018 ret */
	};
	static const uint8_t first[] = { START, 0xf7 }, rest[] = { 0xf7, 0xf7, 0xf7, 0xf6, 0xf7, 0xf7 };
	static const uint64_t ranges[] = { 0x1000, 0x1010, 0x1018, 0x1004, 0x1010, 0x1014, 0x1014 };
	struct cst_config cfg = etm_config(4, 0);
	unsigned int emptied, part, k;
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct program pr;
	int n, i;

	(void)state;
	for (emptied = 0; emptied < 2; emptied++) {
		program_map(&pr, 0x1000, calls, sizeof(calls));
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_space(dec, pr.space);
		for (part = k = 0; part < 2; part++) {
			if (part && emptied)
				cst_section_renew(pr.sec, calls, sizeof(calls));
			assert_int_equal(cst_decoder_feed(dec, part ? rest : first, part ? sizeof(rest) : sizeof(first), 0), 0);
			while ((n = cst_decoder_pull(dec, out, 40, NULL)))
				for (i = 0; i < n; i++)
					if (out[i].kind == CST_GEN_RANGE) {
						assert_true(k < sizeof(ranges) / sizeof(ranges[0]));
						assert_int_equal(out[i].addr, ranges[k]);
						assert_int_equal(out[i].end, ranges[k++] + 4);
					}
		}
		assert_int_equal(k, sizeof(ranges) / sizeof(ranges[0]));
		assert_int_equal(cst_decoder_stats(dec)->atoms_lost, 0);
		cst_decoder_free(dec);
		cst_image_free(pr.img);
	}
}

/* A branch leads to a map that replaced another one, in which its target was searched before. */
static void test_map_replaced(void **state)
{
	static const uint32_t from[] = { 0x14000400 };	/* 1000 b 2000 */
	static const uint32_t to[] = {
		0x17fffc00,	/* 2000 b 1000 */
		0x17fffbff,	/* 2004 b 1000 */
	};
	/* first the branch leads to 2000; then the code at 2004 is executed, and the branch leads to 2000 again, twice */
	static const uint8_t trace[] = { START, 0xf7, 0xf7, AT(0x2004), 0xf7, 0xf7, 0xf7, 0xf7, 0xf7 };
	static const uint64_t want[] = { 0x1000, 0x2000, 0x2004, 0x1000, 0x2000, 0x1000, 0x2000 };
	const size_t cut = sizeof((uint8_t[]){ START }) + 2;
	struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[40];
	struct cst_section *sec;
	struct cst_decoder *dec;
	struct program pr;
	unsigned int part, k = 0;
	int n, i;

	(void)state;
	program_map(&pr, 0x1000, from, sizeof(from));
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, pr.space);
	for (part = 0; part < 2; part++) {
		assert_int_equal(cst_section_new(&sec, pr.img, to, sizeof(to), NULL), 0);
		assert_int_equal(cst_space_map(pr.space, 0x2000, sizeof(to), sec, 0), 0);
		assert_int_equal(cst_decoder_feed(dec, part ? trace + cut : trace, part ? sizeof(trace) - cut : cut, 0), 0);
		while ((n = cst_decoder_pull(dec, out, 40, NULL)))
			for (i = 0; i < n; i++)
				if (out[i].kind == CST_GEN_RANGE) {
					assert_true(k < sizeof(want) / sizeof(want[0]));
					assert_int_equal(out[i].section, want[k] < 0x2000 ? pr.sec->id : sec->id);
					assert_int_equal(out[i].addr, want[k++]);
				}
	}
	assert_int_equal(k, sizeof(want) / sizeof(want[0]));
	/* the tags of such searches begin anew after the last one */
	dec->flow.cache.map_tag = UINT32_MAX;
	cst_decoder_set_space(dec, NULL);
	cst_decoder_set_space(dec, pr.space);
	assert_in_range(dec->flow.cache.map_tag, 1, 2);
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

/* A range for each branch on the path of a Source Address element. */
static void test_split_source_address(void **state)
{
	static const uint32_t branches[] = { 0xd503201f, 0x54000040, 0x54000041, 0xd503201f, 0x34000040, 0x14000000 };
	struct cst_config cfg = ete_config(1, 0);
	struct program pr;

	(void)state;
	cfg.split_source = 1;
	/* the call is the second branch, the one before it was not taken */
	expect(&cfg, BYTES(START, 0xb6, 0x03, 0x08, 0, 0, 0xdb), CTX "1000-1008 2N; 1008-1010 2E; 1018-1020 2E; 1010-1018 2E; end");
	assert_int_equal(last.stats.branches, 3);
	/* the only branch; the instruction after a branch, which is none itself; one without a branch before it */
	expect(&cfg, BYTES(START, 0xb6, 0x01, 0x08, 0, 0, 0xf7), CTX "1000-1008 2E; 100c-1010 1E; end");
	expect(&cfg, BYTES(START, 0xb6, 0x02, 0x08, 0, 0, 0xf7), CTX "1000-1008 2N; 1008-100c 1.; 100c-1010 1E; end");
	expect(&cfg, BYTES(START, 0xb6, 0x00, 0x08, 0, 0, 0xf7), CTX "1000-1004 1.; 1004-1008 1E; end");
	assert_int_equal(last.stats.image_conflicts, 0);
	/* over several branches: all but the last one were not taken */
	program_map(&pr, 0x1000, branches, sizeof(branches));
	expect_in(pr.space, &cfg, BYTES(START, 0xb6, 0x05, 0x08, 0, 0), CTX "1000-1008 2N; 1008-100c 1N; 100c-1014 2N; 1014-1018 1E; end");
	assert_int_equal(last.stats.branches, 1);
	cst_image_free(pr.img);
	expect(&cfg, BYTES(START, 0xb6, 0x07, 0x08, 0, 0, 0xf7), CTX "lost 15; end");
	assert_int_equal(last.stats.image_conflicts, 1);
	/* a path that does not exist has no ranges: to the middle of an instruction, and to where no code is */
	expect(&cfg, BYTES(START, 0xb5, 0x07), CTX "lost 15; end");
	expect(&cfg, BYTES(START, AT(0x103c), 0xb6, 0x20, 0x08, 0, 0), CTX "103c-1040 1.; nacc 1040 2; end");
}

/* Code on both sides of a border between maps, and of the top of the address space. */
static void test_borders(void **state)
{
	static const uint32_t nops[4] = { 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_section *sec;
	struct program pr;

	(void)state;
	program_map(&pr, 0x1000, code, sizeof(code));
	assert_int_equal(cst_section_new(&sec, pr.img, nops, sizeof(nops), NULL), 0);
	assert_int_equal(cst_space_map(pr.space, 0xff0, 16, sec, 0), 0);
	expect_in(pr.space, &cfg, BYTES(START, AT(0xff8), 0xf6, 0xf7), CTX "ff8-1008 4N; 1008-1010 2E; end");
	assert_int_equal(last.gen[2].section, 0);	/* of no single section */
	assert_int_equal(last.gen[3].section, 1);
	assert_int_equal(last.gen[3].sect_off, 8);
	/* so is the way that the reference decoder takes to an exception */
	cfg.as_reference = 1;
	expect_in(pr.space, &cfg, BYTES(START, AT(0xff8), 0x06, 0x1d, AT(0x1018)),
		  CTX "ff8-1018 8E; exc 1018; end");
	assert_int_equal(last.gen[2].section, 0);
	cfg.as_reference = 0;
	/* the branch 1030 -> 1000, in the last bytes there are: the target wraps */
	assert_int_equal(cst_space_map(pr.space, 0xffffffffffffffd0ull, 0x30, pr.sec, 0x10), 0);
	expect_in(pr.space, &cfg, BYTES(SYNC, 0x81, 0x30, 0x9d, 0x7c, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf7),
		  CTX "fffffffffffffff0-fffffffffffffff4 1E; end");
	expect_in(pr.space, &cfg, BYTES(SYNC, 0x81, 0x30, 0x9d, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf7),
		  CTX "fffffffffffffffc-0 1.; nacc 0 2; end");
	cst_image_free(pr.img);
}

/* Code that is asked for at each kind of element, where decoding stops until it is there. */
static void test_code_on_demand(void **state)
{
	static const uint32_t a32[] = {
		0xe1a00000, 0xe1a00000, 0xeb000002, 0xe1a00000,	/* 8000 nop; nop; bl 8018; nop */
		0xe12fff13, 0xe1a00000, 0xe1a00000, 0xe12fff1e,	/* 8010 bx r3; nop; nop; bx lr */
	};
	const struct cst_etmv3_regs regs = {
		.ccer = 1u << 23 | 1u << 26, .idr = 0x411cf310, .traceidr = 0x10
	};
	const struct cst_config ete = ete_config(1, 0);
	struct cst_config ptm = { 0 };
	struct program pr;

	(void)state;
	/* an exception before the instructions that ran: did a transaction start there? */
	expect(&ete, BYTES(START, 0xdb, 0x06, 0x1d, AT(0x1014)),
	       CTX "1000-1008 2E; 100c-1010 1E; lost 15; exc 1014; end");
	/* I-sync, waypoint update to 8004; atom; branch address */
	assert_int_equal(cst_config_ptm(&ptm, &regs), 0);
	program_map(&pr, 0x8000, a32, sizeof(a32));
	decode_bytes(&ptm, pr.space, BYTES(0, 0, 0, 0, 0, 0x80, 0x08, 0, 0x80, 0, 0, 0x21,
					   0x72, 0x03, 0x80, 0x07), &last);
	assert_int_equal(last.stats.ranges, 3);
	cst_image_free(pr.img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_of_blocks),
		cmocka_unit_test(test_map_replaced),
		cmocka_unit_test(test_split_source_address),
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_code_on_demand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
