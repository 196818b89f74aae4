/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_isa.c - classification of assembled instruction forms (isa/forms.txt) and of operand fields.
 *
 * test_isa --classify reads lines "a64|a32|t32|t32m hex-address hex-opcode" and prints for each
 * "address class target", for comparison with a disassembler. With l after the set, loads and stores count.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/isa.h>

struct form {
	enum cst_isa isa;
	unsigned flags;
	uint64_t pc;
	uint32_t opcode;
	struct cst_insn want;
	const char *text;
};

static const struct form forms[] = {
#include "unit/lib/flow/isa/forms.h"
};

static void check_form(const struct form *f, const char *text)
{
	struct cst_insn got;

	memset(&got, 0xa5, sizeof(got));
	cst_isa_classify(&got, f->isa, f->opcode, f->pc, f->flags);
	if (got.size != f->want.size || got.type != f->want.type || got.subtype != f->want.subtype ||
	    got.cond != f->want.cond || got.link != f->want.link || got.next_isa != f->want.next_isa ||
	    got.it_count != f->want.it_count || got.is_svc != f->want.is_svc || got.disp != f->want.disp)
		fail_msg("isa %d opcode %08x \"%s\": size %d type %d sub %d cond %d link %d next %d it %d svc %d disp %d",
			 f->isa, f->opcode, text, got.size, got.type, got.subtype, got.cond, got.link,
			 got.next_isa, got.it_count, got.is_svc, got.disp);
}

static void test_forms(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		check_form(&forms[i], forms[i].text);
}

/* ThumbEE: handler calls in the place of LDM and STM, the rest as T32; ENTERX and LEAVEX in either. */
static void test_thumbee(void **state)
{
	static const struct form tee[] = {
		{ CST_ISA_T32, CST_ISA_THUMBEE, 0, 0xf3bf8f1f, { 4, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 4 }, "enterx" },
		{ CST_ISA_TEE, CST_ISA_THUMBEE, 0, 0xf3bf8f0f, { 4, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, 0, CST_ISA_T32, 0, 0, 4 }, "leavex" },
		{ CST_ISA_T32, 0, 0, 0xf3bf8f1f, { 4, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0, CST_ISA_T32, 0, 0, 0 }, "no enterx" },
		{ CST_ISA_TEE, 0, 0, 0xc0010000, { 2, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 0 }, "hbp #0, #1" },
		{ CST_ISA_TEE, 0, 0, 0xc2010000, { 2, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 0 }, "hb #1" },
		{ CST_ISA_TEE, 0, 0, 0xc3010000, { 2, CST_INSN_INDIRECT, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 0 }, "hbl #1" },
		{ CST_ISA_TEE, 0, 0, 0xc5210000, { 2, CST_INSN_INDIRECT, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 0 }, "hblp #9, #1" },
		{ CST_ISA_TEE, 0, 0, 0xc7ff0000, { 2, CST_INSN_INDIRECT, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 0 }, "hblp #31, #31" },
		{ CST_ISA_TEE, 0, 0, 0xca010000, { 2, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 0 }, "chka" },
		{ CST_ISA_TEE, 0, 0, 0xd07f0000, { 2, CST_INSN_BRANCH, CST_INSN_PLAIN, 1, 0, CST_ISA_TEE, 0, 0, 258 }, "beq" },
		{ CST_ISA_TEE, 0, 0, 0xf000f800, { 4, CST_INSN_BRANCH, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 4 }, "bl" },
		{ CST_ISA_TEE, 0, 0, 0xf000e800, { 4, CST_INSN_BRANCH, CST_INSN_LINK, 0, 1, CST_ISA_A32, 0, 0, 4 }, "blx" },
		{ CST_ISA_TEE, 0, 0, 0xbf080000, { 2, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 1, 0, 0 }, "it eq" },
	};
	unsigned i, next;

	(void)state;
	for (i = 0; i < sizeof(tee) / sizeof(tee[0]); i++) {
		struct form f = tee[i];

		check_form(&f, f.text);
		/* the halfword after a 16-bit instruction does not matter */
		for (next = 1; f.want.size == 2 && next < 0x10000; next <<= 1) {
			f.opcode = tee[i].opcode | next;
			check_form(&f, f.text);
		}
	}
}

/* Barriers are waypoints only where they count as such. */
static void test_barriers(void **state)
{
	static const uint32_t ops[] = { 0xf57ff05f, 0xf57ff04f, 0xee070f9a, 0xee070fba };
	struct cst_insn insn;
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++) {
		cst_isa_classify(&insn, CST_ISA_A32, ops[i], 0, 0);
		assert_int_equal(insn.type, CST_INSN_BARRIER);
		assert_int_equal(cst_insn_is_p0(&insn, 0), 0);
		assert_int_equal(cst_insn_is_p0(&insn, CST_ISA_BARRIER_P0), 1);
	}
}

/* Every A32 form with each condition: only the condition changes; 1111 is another instruction. */
static void test_a32_conditions(void **state)
{
	unsigned i, cond;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].isa != CST_ISA_A32 || forms[i].opcode >> 28 == 0xf)
			continue;
		for (cond = 0; cond < 15; cond++) {
			struct form f = forms[i];

			f.opcode = (f.opcode & 0x0fffffff) | cond << 28;
			f.want.cond = cond < 14;
			check_form(&f, f.text);
		}
	}
}

/* The halfword after a 16-bit instruction does not matter. */
static void test_t32_next_halfword(void **state)
{
	unsigned i, next;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct form f = forms[i];

		for (next = 1; f.isa == CST_ISA_T32 && f.want.size == 2 && next < 0x10000; next = 2 * next + 1) {
			f.opcode = forms[i].opcode | next;
			check_form(&f, f.text);
		}
	}
}

static void test_fields(void **state)
{
	struct cst_insn insn;
	unsigned r, s;

	(void)state;
	for (r = 0; r < 32; r++) {
		cst_isa_classify(&insn, CST_ISA_A64, 0xd65f0000 | r << 5, 0, 0);
		assert_int_equal(insn.subtype, CST_INSN_RET);
		cst_isa_classify(&insn, CST_ISA_A64, 0xd63f0000 | r << 5, 0, 0);
		assert_true(insn.type == CST_INSN_INDIRECT && insn.link);
		for (s = 0; s < 32; s++) {
			cst_isa_classify(&insn, CST_ISA_A64, 0xd71f0800 | r << 5 | s, 0, 0);
			assert_true(insn.type == CST_INSN_INDIRECT && insn.subtype == CST_INSN_PLAIN && !insn.link);
			cst_isa_classify(&insn, CST_ISA_A64, 0xd73f0c00 | r << 5 | s, 0, 0);
			assert_true(insn.type == CST_INSN_INDIRECT && insn.subtype == CST_INSN_LINK && insn.link);
		}
		/* RETAA with another register than 31 in 9:5, BR with something in 4:0: not allocated */
		cst_isa_classify(&insn, CST_ISA_A64, (0xd65f0bff & ~(31u << 5)) | r << 5, 0, 0);
		assert_int_equal(insn.type, r == 31 ? CST_INSN_INDIRECT : CST_INSN_OTHER);
		cst_isa_classify(&insn, CST_ISA_A64, 0xd61f0000 | r, 0, 0);
		assert_int_equal(insn.type, r ? CST_INSN_OTHER : CST_INSN_INDIRECT);
	}
	/* ERET, ERETAA, TEXIT: bits 4:0 are fixed */
	for (r = 0; r < 3; r++)
		for (s = 0; s < 32; s++) {
			static const uint32_t returns[3] = { 0xd69f03e0, 0xd69f0bff, 0xd6ff03e0 };

			cst_isa_classify(&insn, CST_ISA_A64, returns[r] ^ s, 0, 0);
			assert_int_equal(insn.type, s ? CST_INSN_OTHER : CST_INSN_INDIRECT);
		}
	/* POP.W {..., PC}: any other register but SP may be in the list */
	for (r = 0; r < 15; r++) {
		cst_isa_classify(&insn, CST_ISA_T32, 0xe8bd8000 | 1u << r, 0, 0);
		assert_int_equal(insn.subtype, r == 13 ? CST_INSN_PLAIN : CST_INSN_IMPLIED_RET);
	}
	for (r = 0; r < 16; r++) {
		cst_isa_classify(&insn, CST_ISA_A32, 0xe12fff10 | r, 0, 0);
		assert_int_equal(insn.subtype, r == 14 ? CST_INSN_IMPLIED_RET : CST_INSN_PLAIN);
		cst_isa_classify(&insn, CST_ISA_T32, (0x4700u | r << 3) << 16, 0, 0);
		assert_int_equal(insn.subtype, r == 14 ? CST_INSN_IMPLIED_RET : CST_INSN_PLAIN);
		/* B<c>: conditions 1110 and 1111 are UDF and SVC, MSR and BXJ in the wide form */
		cst_isa_classify(&insn, CST_ISA_T32, (0xd000u | r << 8) << 16, 0, 0);
		assert_int_equal(insn.type, r < 14 ? CST_INSN_BRANCH : CST_INSN_OTHER);
		cst_isa_classify(&insn, CST_ISA_T32, 0xf0008000 | r << 22, 0, 0);
		assert_int_equal(insn.type == CST_INSN_BRANCH, r < 14);
	}
}

/* All values of a displacement field give all displacements, each once, in order. */
static void test_displacements(void **state)
{
	struct cst_insn insn;
	int32_t i;

	(void)state;
	for (i = -0x400; i < 0x400; i++) {
		uint32_t u = (uint32_t)i;

		cst_isa_classify(&insn, CST_ISA_T32, (0xe000 | (u & 0x7ff)) << 16, 0, 0);
		assert_int_equal(insn.disp, 2 * i + 4);
		cst_isa_classify(&insn, CST_ISA_A64, 0x74000000 | (u & 0x1ff) << 5, 0, 0);
		assert_int_equal(insn.disp, 4 * ((i & 0xff) - (i & 0x100)));
	}
	for (i = -0x2000; i < 0x2000; i++) {
		cst_isa_classify(&insn, CST_ISA_A64, 0x36000000 | ((uint32_t)i & 0x3fff) << 5, 0, 0);
		assert_int_equal(insn.disp, 4 * i);
	}
	for (i = -0x1000000; i < 0x1000000; i += 0x3ff) {
		uint32_t u = (uint32_t)i, s = u >> 31, i1 = u >> 23 & 1, i2 = u >> 22 & 1;
		uint32_t op = 0xf0009000 | s << 26 | (u >> 12 & 0x3ff) << 16 | !(i1 ^ s) << 13 |
			      !(i2 ^ s) << 11 | (u >> 1 & 0x7ff);

		cst_isa_classify(&insn, CST_ISA_T32, op, 0, 0);
		assert_int_equal(insn.disp, (i & ~1) + 4);
	}
}

static void test_unknown_isa(void **state)
{
	struct cst_insn insn;

	(void)state;
	cst_isa_classify(&insn, CST_ISA_UNKNOWN, 0x14000000, 0, 0);
	assert_int_equal(insn.type, CST_INSN_OTHER);
	assert_int_equal(insn.size, 4);
	assert_int_equal(insn.disp, 0);
}

static int classify(void)
{
	static const char *const types[] = {
		"other", "branch", "indirect", "isb", "barrier", "wfx", "tstart", "load", "store"
	};
	char isa[16];
	uint64_t pc;
	uint32_t opcode;

	while (scanf("%15s %" SCNx64 " %" SCNx32, isa, &pc, &opcode) == 3) {
		struct cst_insn insn;
		enum cst_isa set = !strncmp(isa, "a64", 3) ? CST_ISA_A64 : !strncmp(isa, "a32", 3) ? CST_ISA_A32 : CST_ISA_T32;

		cst_isa_classify(&insn, set, opcode, pc,
				 CST_ISA_WFX_P0 | (strchr(isa, 'm') ? CST_ISA_M_PROFILE : 0) |
				 (strchr(isa, 'l') ? CST_ISA_LOAD_P0 | CST_ISA_STORE_P0 : 0));
		printf("%" PRIx64 " %s%s%s", pc, types[insn.type], insn.link ? "+link" : "",
		       insn.subtype == CST_INSN_ERET ? "+eret" : insn.subtype == CST_INSN_FUTURE ? "+future" : "");
		if (insn.type == CST_INSN_BRANCH || insn.subtype == CST_INSN_FUTURE)
			printf(" %" PRIx64 "%s", (pc + (uint64_t)insn.disp) & (set == CST_ISA_A64 ? UINT64_MAX : UINT32_MAX),
			       insn.next_isa == set ? "" : " switch");
		putchar('\n');
	}
	return 0;
}

/* What data trace can belong to: loads and stores; ThumbEE has calls of handlers and CHKA in the place of some. */
static void test_transfers(void **state)
{
	static const struct {
		enum cst_isa isa;
		uint32_t op;
		int transfer;
	} rows[] = {
		{ CST_ISA_A32, 0xe5910000, 1 }, { CST_ISA_A32, 0xe5810000, 1 }, { CST_ISA_A32, 0xe8bd8000, 1 }, { CST_ISA_A32, 0xe1a00000, 0 },
		{ CST_ISA_A32, 0xeafffffe, 0 }, { CST_ISA_A32, 0xf8900a00, 1 }, { CST_ISA_A32, 0xf9b50a00, 1 },
		{ CST_ISA_T32, 0x68000000, 1 }, { CST_ISA_T32, 0xbd000000, 1 }, { CST_ISA_T32, 0xbf000000, 0 }, { CST_ISA_T32, 0xf8d10000, 1 },
		{ CST_ISA_T32, 0x74000000, 1 }, { CST_ISA_T32, 0xf3af8000, 0 }, { CST_ISA_T32, 0xc0010000, 1 }, { CST_ISA_T32, 0xc7ff0000, 1 }, { CST_ISA_T32, 0xca010000, 1 },
		{ CST_ISA_TEE, 0xc0010000, 0 }, { CST_ISA_TEE, 0xc7ff0000, 0 }, { CST_ISA_TEE, 0xc8010000, 1 }, { CST_ISA_TEE, 0xc9ff0000, 1 },
		{ CST_ISA_TEE, 0xca010000, 0 }, { CST_ISA_TEE, 0xcaff0000, 0 }, { CST_ISA_TEE, 0xcb010000, 1 }, { CST_ISA_TEE, 0xcfff0000, 1 },
		{ CST_ISA_TEE, 0x68000000, 1 }, { CST_ISA_TEE, 0xbf000000, 0 }, { CST_ISA_TEE, 0xf8d10000, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (cst_isa_is_transfer(rows[i].isa, rows[i].op, 0) != rows[i].transfer)
			fail_msg("%u 0x%08x", rows[i].isa, rows[i].op);
}

/*
 * The fields of an instruction do not decide what it does: each bit in `operands`, inverted alone, leaves the class, and
 * so does each bit of the halfword after a 16-bit instruction. The bits in `decides`, if any, make another instruction of it.
 */
static void test_loads_and_stores(void **state)
{
	static const struct {
		enum cst_isa isa;
		unsigned int flags;
		uint32_t op, operands;
		enum cst_insn_type type;
		uint32_t decides;
		const char *text;
	} rows[] = {
		{ CST_ISA_A32, 0, 0xe7800001, 0x018fff6f, CST_INSN_STORE, 0x00000010, "str r0, [r0, r1]" },
		{ CST_ISA_A32, 0, 0xe7900001, 0x018fff6f, CST_INSN_LOAD, 0x00000010, "ldr r0, [r0, r1]" },
		{ CST_ISA_A32, 0, 0xe6800010, 0x018fffef, CST_INSN_OTHER, 0x00000010, "pkhbt" },
		{ CST_ISA_A32, 0, 0xe5800000, 0x018fffff, CST_INSN_STORE, 0x00100000, "str r0, [r0]" },
		{ CST_ISA_A32, 0, 0xe9000001, 0x00afffff, CST_INSN_STORE, 0x00100000, "stmdb r0, {r0}" },
		{ CST_ISA_A32, 0, 0xe9100001, 0x002f7fff, CST_INSN_LOAD, 0x00100000, "ldmdb r0, {r0}" },
		{ CST_ISA_A32, 0, 0xe1c000b0, 0x004fff0f, CST_INSN_STORE, 0x00100000, "strh r0, [r0]" },
		{ CST_ISA_A32, 0, 0xe1d000b0, 0x004fff0f, CST_INSN_LOAD, 0x00100000, "ldrh r0, [r0]" },
		{ CST_ISA_A32, 0, 0xe1c000d0, 0x005fff0f, CST_INSN_LOAD, 0, "ldrd r0, [r0]" },
		{ CST_ISA_A32, 0, 0xe1c000f0, 0x004fff0f, CST_INSN_STORE, 0x00100000, "strd r0, [r0]" },
		{ CST_ISA_A32, 0, 0xe1d000f0, 0x004fff0f, CST_INSN_LOAD, 0x00100000, "ldrsh r0, [r0]" },
		{ CST_ISA_A32, 0, 0xe1900f9f, 0x006fff0f, CST_INSN_LOAD, 0x00100000, "ldrex r0, [r0]" },
		{ CST_ISA_A32, 0, 0xe1800f90, 0x006fff0f, CST_INSN_STORE, 0x00100000, "strex r0, r0, [r0]" },
		{ CST_ISA_A32, 0, 0xed900100, 0x00eff3ff, CST_INSN_LOAD, 0x00100000, "ldc p1, c0, [r0]" },
		{ CST_ISA_A32, 0, 0xed800100, 0x00eff3ff, CST_INSN_STORE, 0x00100000, "stc p1, c0, [r0]" },
		{ CST_ISA_A32, 0, 0xec400100, 0x001fffff, CST_INSN_OTHER, 0x00800000, "mcrr p1" },
		{ CST_ISA_A32, 0, 0xf4200000, 0x00cfffff, CST_INSN_LOAD, 0x00200000, "vld4.8" },
		{ CST_ISA_A32, 0, 0xf4000000, 0x00cfffff, CST_INSN_STORE, 0x00200000, "vst4.8" },
		{ CST_ISA_A32, 0, 0xf84d0500, 0x01afffff, CST_INSN_STORE, 0x00100000, "srsda" },
		{ CST_ISA_A32, 0, 0xfd900800, 0x00fff3ff, CST_INSN_OTHER, 0x00000800, "vcmla, vcadd" },
		{ CST_ISA_A32, 0, 0xfd900d00, 0x00fff1ff, CST_INSN_OTHER, 0x00000400 | 0x00000800, "vdot" },
		{ CST_ISA_A32, 0, 0xfd900100, 0x00eff3ff, CST_INSN_LOAD, 0x00100000, "ldc2 p1, c0, [r0]" },
		{ CST_ISA_T32, 0, 0x48000000, 0x07ff0000, CST_INSN_LOAD, 0, "ldr r0, label" },
		{ CST_ISA_T32, 0, 0x50000000, 0x01ff0000, CST_INSN_STORE, 0x08000000, "str r0, [r0, r0]" },
		{ CST_ISA_T32, 0, 0x52000000, 0x01ff0000, CST_INSN_STORE, 0x08000000, "strh r0, [r0, r0]" },
		{ CST_ISA_T32, 0, 0x54000000, 0x01ff0000, CST_INSN_STORE, 0x02000000, "strb r0, [r0, r0]" },
		{ CST_ISA_T32, 0, 0x56000000, 0x01ff0000, CST_INSN_LOAD, 0x02000000, "ldrsb r0, [r0, r0]" },
		{ CST_ISA_T32, 0, 0x58000000, 0x07ff0000, CST_INSN_LOAD, 0x08000000, "ldr r0, [r0, r0]" },
		{ CST_ISA_T32, 0, 0x60000000, 0x17ff0000, CST_INSN_STORE, 0x08000000, "str r0, [r0]" },
		{ CST_ISA_T32, 0, 0x68000000, 0x17ff0000, CST_INSN_LOAD, 0x08000000, "ldr r0, [r0]" },
		{ CST_ISA_T32, 0, 0x80000000, 0x17ff0000, CST_INSN_STORE, 0x08000000, "strh r0, [r0]" },
		{ CST_ISA_T32, 0, 0x88000000, 0x17ff0000, CST_INSN_LOAD, 0x08000000, "ldrh r0, [r0]" },
		{ CST_ISA_T32, 0, 0xc0000000, 0x07ff0000, CST_INSN_STORE, 0x08000000, "stm r0!" },
		{ CST_ISA_T32, 0, 0xc8000000, 0x07ff0000, CST_INSN_LOAD, 0x08000000, "ldm r0!" },
		{ CST_ISA_T32, 0, 0xb4000000, 0x01ff0000, CST_INSN_STORE, 0x08000000, "push" },
		{ CST_ISA_T32, 0, 0xbc000000, 0x00ff0000, CST_INSN_LOAD, 0x01000000, "pop" },
		{ CST_ISA_T32, 0, 0xf890f000, 0x018f0fff, CST_INSN_OTHER, 0x00001000, "pld [r0]" },
		{ CST_ISA_T32, 0, 0xf8700000, 0x018fffff, CST_INSN_OTHER, 0x00200000, "not allocated (load)" },
		{ CST_ISA_T32, 0, 0xf8600000, 0x008fffff, CST_INSN_OTHER, 0x00200000, "not allocated (store)" },
		{ CST_ISA_T32, 0, 0xf8900000, 0x012fffff, CST_INSN_LOAD, 0x00100000, "ldrb r0, [r0]" },
		{ CST_ISA_T32, 0, 0xf8c00000, 0x004fffff, CST_INSN_STORE, 0x00100000, "str.w r0, [r0]" },
		{ CST_ISA_T32, 0, 0xf9200000, 0x00cfffff, CST_INSN_LOAD, 0x00200000, "vld4.8" },
		{ CST_ISA_T32, 0, 0xf9000000, 0x00cfffff, CST_INSN_STORE, 0x00200000, "vst4.8" },
		{ CST_ISA_T32, 0, 0xe9500000, 0x00afffff, CST_INSN_LOAD, 0x00100000, "ldrd" },
		{ CST_ISA_T32, 0, 0xe9400000, 0x00afffff, CST_INSN_STORE, 0x00100000, "strd" },
		{ CST_ISA_T32, 0, 0xe8900000, 0x002f7fff, CST_INSN_LOAD, 0x00008000, "ldm.w r0" },
		{ CST_ISA_T32, 0, 0xe8800000, 0x012fffff, CST_INSN_STORE, 0x00100000, "stm.w r0" },
		{ CST_ISA_T32, 0, 0xe840f000, 0x000f0fff, CST_INSN_STORE, 0, "strex r15" },
		{ CST_ISA_T32, CST_ISA_M_PROFILE, 0xe840f000, 0x000f0fc0, CST_INSN_OTHER, 0x00000001, "tt r0, r0" },
		{ CST_ISA_T32, CST_ISA_M_PROFILE, 0xe840f000, 0x000f0fc0, CST_INSN_OTHER, 0x00000020, "tt r0, r0" },
		{ CST_ISA_T32, CST_ISA_M_PROFILE, 0xe840f000, 0x000f0fc0, CST_INSN_OTHER, 0x00001000, "tt r0, r0" },
		{ CST_ISA_T32, CST_ISA_M_PROFILE, 0xe97fe97f, 0, CST_INSN_OTHER, 0x00000001, "sg" },
		{ CST_ISA_T32, CST_ISA_M_PROFILE, 0xe89f0001, 0x0000ffff, CST_INSN_OTHER, 0x00010000, "clrm {r0}" },
		{ CST_ISA_T32, CST_ISA_M_PROFILE, 0xec9f0a01, 0x0040f1ff, CST_INSN_OTHER, 0x00010000, "vscclrm" },
		{ CST_ISA_T32, 0, 0xed900100, 0x00eff3ff, CST_INSN_LOAD, 0x00100000, "ldc p1, c0, [r0]" },
		{ CST_ISA_T32, 0, 0xed800100, 0x00eff3ff, CST_INSN_STORE, 0x00100000, "stc p1, c0, [r0]" },
		{ CST_ISA_T32, 0, 0xfd900800, 0x00fff3ff, CST_INSN_OTHER, 0x00000800, "vcmla, vcadd" },
		{ CST_ISA_T32, 0, 0xfd900d00, 0x00fff1ff, CST_INSN_OTHER, 0x00000400 | 0x00000800, "vdot" },
		{ CST_ISA_T32, 0, 0xf8d0f000, 0x000f0fff, CST_INSN_INDIRECT, 0x00001000, "ldr.w pc, [r0]" },
		{ CST_ISA_T32, 0, 0xf850f800, 0x000f07ff, CST_INSN_INDIRECT, 0x00001000, "ldr.w pc, [r0, #-0]" },
		{ CST_ISA_T32, 0, 0xf85ff000, 0x00800fff, CST_INSN_INDIRECT, 0x00001000, "ldr.w pc, label" },
	};
	size_t i;
	uint32_t bit;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const unsigned int flags = rows[i].flags | CST_ISA_LOAD_P0 | CST_ISA_STORE_P0;
		uint32_t operands;
		struct cst_insn insn;

		cst_isa_classify(&insn, rows[i].isa, rows[i].op, 0, flags);
		operands = rows[i].operands | (insn.size == 2 ? 0xffff : 0);
		if (insn.type != rows[i].type)
			fail_msg("isa %d 0x%08x \"%s\": type %d", rows[i].isa, rows[i].op, rows[i].text, insn.type);
		for (bit = 1; bit; bit <<= 1) {
			cst_isa_classify(&insn, rows[i].isa, rows[i].op ^ bit, 0, flags);
			if (operands & bit && insn.type != rows[i].type)
				fail_msg("isa %d 0x%08x (\"%s\" 0x%08x): type %d", rows[i].isa, rows[i].op ^ bit,
					 rows[i].text, rows[i].op, insn.type);
		}
		cst_isa_classify(&insn, rows[i].isa, rows[i].op ^ rows[i].decides, 0, flags);
		if (rows[i].decides && insn.type == rows[i].type)
			fail_msg("isa %d 0x%08x is no \"%s\", but has type %d, too", rows[i].isa, rows[i].op ^ rows[i].decides,
				 rows[i].text, insn.type);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_thumbee),
		cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_a32_conditions),
		cmocka_unit_test(test_t32_next_halfword),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_displacements),
		cmocka_unit_test(test_unknown_isa),
		cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_loads_and_stores),
	};

	if (argc == 2 && !strcmp(argv[1], "--classify"))
		return classify();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
