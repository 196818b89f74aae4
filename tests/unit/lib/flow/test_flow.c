/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_flow.c - rules of the instruction flow, each on a few hand-assembled bytes: what an analyzer must
 * say about them is written next to them. Every stream is decoded whole and byte by byte.
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
	switch (g->kind) {
	case CST_GEN_RANGE:
		snprintf(s, n, "%" PRIx64 "-%" PRIx64 " %u%c", g->addr, g->end, g->n_insn,
			 !(g->flags & CST_GF_WAYPOINT) ? '.' : g->flags & CST_GF_EXEC ? 'E' : 'N');
		break;
	case CST_GEN_NOPATH:
		snprintf(s, n, "nopath %" PRIx64 "-%" PRIx64 " %u", g->addr, g->end, g->n_insn);
		break;
	case CST_GEN_NACC:
		snprintf(s, n, "nacc %" PRIx64 " %x", g->addr, g->num);
		break;
	case CST_GEN_EXCEPTION:
		if (g->flags & CST_GF_RET_ADDR)
			snprintf(s, n, "exc %x %" PRIx64 "%s", g->num, g->end,
				 g->flags & CST_GF_BR_TARGET ? " target" : "");
		else
			snprintf(s, n, "exc %x tail", g->num);
		break;
	case CST_GEN_EXCEPTION_RET:
		snprintf(s, n, "eret");
		break;
	case CST_GEN_NO_SYNC:
		snprintf(s, n, "nosync %u %u", g->num, g->error);
		break;
	case CST_GEN_TRACE_ON:
		snprintf(s, n, "on %u", g->num);
		break;
	case CST_GEN_EO_TRACE:
		snprintf(s, n, "end");
		break;
	case CST_GEN_PE_CONTEXT:
		snprintf(s, n, "ctx %u", g->el);
		break;
	case CST_GEN_TIMESTAMP:
		snprintf(s, n, "time %" PRIu64, g->addr);
		break;
	case CST_GEN_CYCLE_COUNT:
		snprintf(s, n, "cycles %u", g->cc);
		break;
	case CST_GEN_EVENT:
		snprintf(s, n, "event %x", g->num);
		break;
	case CST_GEN_SYNC_MARKER:
		snprintf(s, n, "marker");
		break;
	case CST_GEN_INSTRUMENTATION:
		snprintf(s, n, "ite %u %" PRIx64, g->el, g->addr);
		break;
	case CST_GEN_MEMTRANS:
		snprintf(s, n, "trans %u", g->num);
		break;
	case CST_GEN_ADDR_UNKNOWN:
		snprintf(s, n, "lost %u", g->error);
		break;
	default:
		snprintf(s, n, "kind %u", g->kind);
	}
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

static void test_return_stack(void **state)
{
	struct cst_config cfg = etm_config(4, 0);

	(void)state;
	/* call, return without an address: it comes from the stack */
	expect(&cfg, BYTES(START, 0xf7, 0xf7, 0xf7, 0xf7),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; 1010-1018 2E; end");
	assert_int_equal(last.stats.stack_empty, 0);
	/* a second return finds it empty: what follows is lost until an address, and counted */
	expect(&cfg, BYTES(START, 0xc0, 0xdb, AT(0x1030), 0xf7),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; 1010-1018 2E; lost 0; 1030-1034 1E; end");
	assert_int_equal(last.stats.stack_empty, 1);
	assert_int_equal(last.stats.atoms_lost, 2);
	/* the gap is reported once, though atoms of another packet are lost in it, too */
	expect(&cfg, BYTES(START, 0xc0, 0xdb, 0xf7, AT(0x1030), 0xf7),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; 1010-1018 2E; lost 0; 1030-1034 1E; end");
	assert_int_equal(last.stats.atoms_lost, 3);
	/* an address takes the place of the stack's top, which stays there */
	expect(&cfg, BYTES(START, 0xff, AT(0x1018), 0xf7, 0xf7),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; 1018-1020 2E; 1010-1018 2E; end");
	/* BLR pushes its own return address first */
	expect(&cfg, BYTES(START, AT(0x1020), 0xf7, 0xf7), CTX "1020-1024 1E; 1024-1028 1E; end");
	/* a call that is not taken pushes nothing; a mispredicted one did */
	cfg = etm_config(4, 8);
	expect(&cfg, BYTES(START, AT(0x100c), 0xf7, 0x30, AT(0x1018), 0xdb, 0x2d, 0x03),
	       CTX "100c-1010 1N; lost 15; 1018-1020 2E; 1010-1018 2E; end");
	/* nor one that was not taken, as it was traced first */
	expect(&cfg, BYTES(START, AT(0x100c), 0xf6, 0x30, 0xdb, 0x2d, 0x03), CTX "100c-1010 1E; 1018-1020 2E; lost 0; end");
	assert_int_equal(last.stats.stack_empty, 1);
	/* Trace Info: the pending pop comes first, then the stack is empty and takes nothing until an address */
	cfg = etm_config(4, 0);
	expect(&cfg, BYTES(START, 0xff, 0x01, 0x00, 0xf7),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; 1010-1018 2E; end");
	expect(&cfg, BYTES(START, 0xdb, 0x01, 0x00, 0xdb),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; lost 0; end");
	assert_int_equal(last.stats.stack_empty, 1);
	assert_int_equal(last.stats.atoms_lost, 1);
	expect(&cfg, BYTES(START, 0xf7, 0x01, 0x00, 0xdb, 0xf7),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; lost 0; end");
	expect(&cfg, BYTES(START, 0xf7, 0x01, 0x00, AT(0x100c), 0xdb, 0xf7),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; 1010-1018 2E; end");
	/* Trace On empties it */
	expect(&cfg, BYTES(START, 0xdb, 0x04, 0x80, AT(0x1018), 0xdb),
	       CTX "1000-1008 2E; 100c-1010 1E; on 0; 1018-1020 2E; lost 0; end");
	/* switched off */
	cfg.ret_stack = 0;
	expect(&cfg, BYTES(START, 0xc0), CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; lost 0; end");
	assert_int_equal(last.stats.stack_empty, 0);
	assert_int_equal(last.stats.atoms_lost, 1);
}

/* Sixteen calls are kept, the oldest is overwritten. */
static void test_stack_depth(void **state)
{
	static const uint32_t calls[2] = { 0x94000000, 0xd65f03c0 };	/* bl . ; ret */
	struct cst_config cfg = etm_config(4, 0);
	uint8_t bytes[64] = { START };
	struct program pr;
	struct decoded d;
	size_t n = sizeof((uint8_t[]){ START });

	(void)state;
	bytes[n++] = 0xd0;		/* twenty calls */
	bytes[n++] = 0x9a;		/* to the return */
	bytes[n++] = 1;
	bytes[n++] = 8;
	n += 2;
	bytes[n++] = 0xd4;		/* returns: each goes to the return again */
	program_map(&pr, 0x1000, calls, sizeof(calls));
	decode_bytes(&cfg, pr.space, bytes, n, &d);
	assert_int_equal(d.stats.ranges, 20 + 17);
	assert_int_equal(d.stats.stack_empty, 1);
	assert_int_equal(d.stats.atoms_lost, 24 - 17);
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
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

/* The tag of the cache of maps begins anew: entries of long ago are not of the space that has their tag now. */
static void test_tag_of_maps(void **state)
{
	static const uint32_t loop[] = { 0x14000000 };	/* 1000 b 1000 */
	const struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_section *sec;
	struct cst_space *other;
	struct program pr;
	uint32_t tag, section = 0;
	unsigned int part;
	int n, i;

	(void)state;
	program_map(&pr, 0x1000, loop, sizeof(loop));
	assert_int_equal(cst_section_new(&sec, pr.img, loop, sizeof(loop), NULL), 0);
	assert_int_equal(cst_space_new(&other, pr.img), 0);
	assert_int_equal(cst_space_map(other, 0x1000, sizeof(loop), sec, 0), 0);
	assert_int_equal(other->generation, pr.space->generation);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, pr.space);
	for (part = 0; part < 2; part++) {
		assert_int_equal(cst_decoder_feed(dec, BYTES(START, 0xf7), 0), 0);
		while ((n = cst_decoder_pull(dec, out, 16, NULL)))
			for (i = 0; i < n; i++)
				if (out[i].kind == CST_GEN_RANGE)
					section = out[i].section;
		assert_int_equal(section, part ? sec->id : pr.sec->id);
		tag = dec->flow.map_tag;
		dec->flow.map_tag = UINT32_MAX;
		do {
			cst_decoder_set_space(dec, other);
			assert_true(dec->flow.map_tag && dec->flow.map_tag <= tag);
		} while (dec->flow.map_tag != tag);
	}
	cst_decoder_free(dec);
	cst_space_free(other);
	cst_image_free(pr.img);
}

/* Instructions led to one address, and the trace says that execution was at another one: the image is not what ran. */
static void test_strayed(void **state)
{
	static const uint32_t transaction[] = { 0xd5233060, 0x54000041, 0xd503201f };	/* tstart x0; b.ne 100c; nop */
	struct cst_config cfg = etm_config(4, 0), ete = ete_config(1, 0);
	struct program pr;

	(void)state;
	expect(&cfg, BYTES(START, 0xf6, AT(0x1018), 0xf7), CTX "1000-1008 2N; lost 15; 1018-1020 2E; end");
	assert_int_equal(last.stats.image_conflicts, 1);
	expect(&cfg, BYTES(START, 0xf7, AT(0x1008), 0xf7), CTX "1000-1008 2E; lost 15; 1008-1010 2E; end");
	expect(&cfg, BYTES(START, 0xf7, 0x01, 0x00, 0x82, 2, 8, 0, 0, 0x30, 0xf7),
	       CTX "1000-1008 2E; ctx 0; lost 15; 1008-1010 2E; end");
	expect(&cfg, BYTES(START, 0xf7, 0x06, 0x5c, AT(0x1008)), CTX "1000-1008 2E; lost 15; exc e 1008 target; end");
	/* an exception before the instructions that ran has no place on their path */
	expect(&cfg, BYTES(START, 0xf7, 0x06, 0x1d, AT(0x1008)), CTX "1000-1008 2E; lost 15; exc e 1008; end");
	assert_int_equal(last.stats.image_conflicts, 1);
	assert_false(last.gen[4].flags & CST_GF_NEXT);
	/* a branch right before it has no atom */
	expect(&cfg, BYTES(START, 0x06, 0x1d, AT(0x1008)), CTX "lost 15; exc e 1008; end");
	expect(&cfg, BYTES(START, AT(0x1020), 0x06, 0x1d, AT(0x1028)), CTX "lost 15; exc e 1028; end");
	assert_int_equal(last.stats.image_conflicts, 1);
	/* the calls on such a path are not known to have happened */
	expect(&cfg, BYTES(START, 0xdb, 0x06, 0x1d, AT(0x1008), AT(0x1018), 0xdb),
	       CTX "1000-1008 2E; 100c-1010 1E; lost 15; exc e 1008; 1018-1020 2E; lost 0; end");
	/* the same address again, one address for another, and a popped address before the traced one contradict nothing */
	expect(&cfg, BYTES(START, 0xf6, AT(0x1008), 0xf7), CTX "1000-1008 2N; 1008-1010 2E; end");
	expect(&cfg, BYTES(START, AT(0x1038), AT(0x1018), 0xf7), CTX "1018-1020 2E; end");
	expect(&cfg, BYTES(START, 0xff, 0x01, 0x00, AT(0x1000), 0xf6),
	       CTX "1000-1008 2E; 100c-1010 1E; 1018-1020 2E; 1000-1008 2N; end");
	assert_int_equal(last.stats.image_conflicts, 0);
	/* behind the start of a transaction execution may continue without a packet that says so */
	program_map(&pr, 0x1000, transaction, sizeof(transaction));
	expect_in(pr.space, &ete, BYTES(START, 0xdb, AT(0x1004), 0xf6), CTX "1000-1004 1E; 1004-1008 1E; 1004-1008 1N; end");
	expect_in(pr.space, &ete, BYTES(START, 0xdb, 0x06, 0x1d, AT(0x1004)), CTX "1000-1004 1E; 1004-1008 1E; exc e 1004; end");
	assert_int_equal(last.stats.image_conflicts, 0);
	expect_in(pr.space, &ete, BYTES(START, 0xdb, AT(0x1000), 0xf7),
		  CTX "1000-1004 1E; 1004-1008 1E; lost 15; 1000-1004 1E; end");
	expect_in(pr.space, &cfg, BYTES(START, 0xdb, AT(0x1004), 0xf6),
		  CTX "1000-1004 1E; 1004-1008 1E; lost 15; 1004-1008 1N; end");
	cst_image_free(pr.img);
}

/* The reference decoder walks to the return address of an exception over branches, and from where a gap began. */
static void test_walk_to_exception(void **state)
{
	/* ittt eq; isbeq; moveq r0, r0; isbeq; b . */
	static const uint16_t t32[] = { 0xbf02, 0xf3bf, 0x8f6f, 0x4600, 0xf3bf, 0x8f6f, 0xe7fe };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_section *sec;
	struct program pr;

	(void)state;
	cfg.as_reference = 1;
	expect(&cfg, BYTES(START, 0x06, 0x1d, AT(0x1018)), CTX "1000-1018 6E; exc e 1018; end");
	assert_int_equal(last.gen[2].section, 1);
	assert_int_equal(last.gen[2].sect_off, 0);
	expect(&cfg, BYTES(START, AT(0x1008), 0x06, 0x1d, AT(0x1014)), CTX "1008-1014 3.; exc e 1014; end");
	assert_int_equal(last.gen[2].sect_off, 8);
	expect(&cfg, BYTES(START, 0x06, 0x1d, AT(0x1020)), CTX "1000-1020 8E; exc e 1020; end");
	/* in the middle of an instruction */
	expect(&cfg, BYTES(START, 0x06, 0x1d, 0x9b, 5, 0x10, 0, 0), CTX "lost 15; exc e 100a; end");
	/* code ends before it */
	expect(&cfg, BYTES(START, AT(0x1034), 0x06, 0x1d, AT(0x1048)), CTX "1034-1040 3.; nacc 1040 2; exc e 1048; end");
	/* from the end of the code that is there, and from the return whose target is not known */
	expect(&cfg, BYTES(START, AT(0x103c), 0xf7, 0x06, 0x1d, AT(0x1048)), CTX "103c-1040 1.; nacc 1040 2; nacc 1040 2; exc e 1048; end");
	expect(&cfg, BYTES(START, AT(0x1018), 0xf7, 0xf7, 0x06, 0x1d, AT(0x1024)), CTX "1018-1020 2E; lost 0; 1020-1024 1E; exc e 1024; end");

	/* code of two sections, and of two parts of one that do not follow each other */
	program_map(&pr, 0x1000, code, 0x10);
	assert_int_equal(cst_section_new(&sec, pr.img, code + 4, 0x10, NULL), 0);
	assert_int_equal(cst_space_map(pr.space, 0x1010, 0x10, sec, 0), 0);
	expect_in(pr.space, &cfg, BYTES(START, 0x06, 0x1d, AT(0x1018)), CTX "1000-1018 6E; exc e 1018; end");
	assert_int_equal(last.gen[2].section, 0);
	assert_int_equal(last.gen[2].sect_off, 0);
	cst_image_free(pr.img);
	program_map(&pr, 0x1000, code, 0x20);
	assert_int_equal(cst_space_unmap(pr.space, 0x1000, 0x1020), 0);
	assert_int_equal(cst_space_map(pr.space, 0x1000, 0x10, pr.sec, 0), 0);
	assert_int_equal(cst_space_map(pr.space, 0x1010, 0x10, pr.sec, 0x10), 0);
	expect_in(pr.space, &cfg, BYTES(START, 0x06, 0x1d, AT(0x1018)), CTX "1000-1018 6E; exc e 1018; end");
	assert_int_equal(last.gen[2].section, 1);
	assert_int_equal(cst_space_map(pr.space, 0x1010, 0x10, pr.sec, 0), 0);
	expect_in(pr.space, &cfg, BYTES(START, 0x06, 0x1d, AT(0x1018)), CTX "1000-1018 6E; exc e 1018; end");
	assert_int_equal(last.gen[2].section, 0);
	cst_image_free(pr.img);

	/* an IT block: it goes on behind a branch in it */
	program_map(&pr, 0, t32, sizeof(t32));
	expect_in(pr.space, &cfg, BYTES(SYNC, 0x81, 0x20, 0x96, 0x00, 0x06, 0x1d, 0x9b, 6, 0, 0, 0), CTX "0-c 4E; exc e c; end");
	assert_true(last.gen[2].flags & CST_GF_COND);
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
	/* the branch 1030 -> 1000, in the last bytes there are: the target wraps */
	assert_int_equal(cst_space_map(pr.space, 0xffffffffffffffd0ull, 0x30, pr.sec, 0x10), 0);
	expect_in(pr.space, &cfg, BYTES(SYNC, 0x81, 0x30, 0x9d, 0x7c, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf7),
		  CTX "fffffffffffffff0-fffffffffffffff4 1E; end");
	expect_in(pr.space, &cfg, BYTES(SYNC, 0x81, 0x30, 0x9d, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf7),
		  CTX "fffffffffffffffc-0 1.; nacc 0 2; end");
	cst_image_free(pr.img);
}

/* A P0 instruction inside an IT block: the block continues at the next address, also if that is traced, and nowhere else. */
static void test_address_in_it_block(void **state)
{
	static const uint8_t t32[] = {
		0x02, 0xbf,			/* 0 ittt eq */
		0xbf, 0xf3, 0x6f, 0x8f,		/* 2 isbeq */
		0x00, 0x46,			/* 6 moveq r0, r0 */
		0xbf, 0xf3, 0x6f, 0x8f,		/* 8 isbeq */
		0xfe, 0xe7,			/* c b c */
	};
	static const struct {
		uint8_t trace[4];
		size_t len;
		const char *range;
		int cond;
	} cases[] = {
		{ { 0xf7 }, 1, "6-c 2E", 1 },
		{ { 0x96, 0x03, 0xf7 }, 3, "6-c 2E", 1 },
		{ { 0x96, 0x04, 0xf7 }, 3, "lost 15; 8-c 1E", 0 },
	};
	struct cst_config cfg = etm_config(4, 0);
	struct program pr;
	uint8_t trace[64];
	char text[64];
	unsigned int i;

	(void)state;
	program_map(&pr, 0, t32, sizeof(t32));
	for (i = 0; i < 3; i++) {
		static const uint8_t first[] = { SYNC, 0x81, 0x20, 0x96, 0x00, 0xf7 };

		memcpy(trace, first, sizeof(first));
		memcpy(trace + sizeof(first), cases[i].trace, cases[i].len);
		snprintf(text, sizeof(text), CTX "0-6 2E; %s; end", cases[i].range);
		expect_in(pr.space, &cfg, trace, sizeof(first) + cases[i].len, text);
		assert_true(last.gen[2].flags & CST_GF_COND);
		assert_int_equal(!!(last.gen[last.n - 2].flags & CST_GF_COND), cases[i].cond);
	}
	cst_image_free(pr.img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_return_stack),
		cmocka_unit_test(test_stack_depth),
		cmocka_unit_test(test_stack_of_blocks),
		cmocka_unit_test(test_map_replaced), cmocka_unit_test(test_tag_of_maps),
		cmocka_unit_test(test_strayed), cmocka_unit_test(test_walk_to_exception),
		cmocka_unit_test(test_split_source_address),
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_address_in_it_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
