/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * t32.c - T32 instructions (Arm ARM F3.1; Armv8-M ARM C2 for the low overhead loops). The first
 * halfword is in bits 31:16.
 */
#include "flow/isa/rows.h"

enum {
	DISP_NONE,
	IMM8,		/* B<c>: 23:16 */
	IMM11,		/* B: 26:16 */
	IMM5_I,		/* CBZ: 25, 23:19; forward */
	BRANCH20,	/* B<c>.W: S:J2:J1:imm6:imm11 */
	BRANCH24,	/* B.W, BL, BLX: S:I1:I2:imm10:imm11 */
	LOOP_END,	/* LE: imm10:immA backward */
	LOOP_SKIP,	/* WLS: the same forward */
	NEXT,		/* the instruction after it */
	FUTURE,		/* BF: 26:23; the branch point, forward */
};

enum {
	PC_AHEAD = 4,
};

static const struct isa_row narrow[] = {
	/* SVC and UDF use the conditions 111x of B<c>. */
	{ 0xff000000, 0xdf000000, CST_INSN_OTHER, CST_INSN_PLAIN, ROW_SVC, 0 },
	{ 0xff000000, 0xde000000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	/* B<c>, B */
	{ 0xf0000000, 0xd0000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM8 },
	{ 0xf8000000, 0xe0000000, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, IMM11 },
	/* CBZ, CBNZ */
	{ 0xf5000000, 0xb1000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM5_I },
	/* BX LR and BXNS LR; other BX, BXNS; BLX, BLXNS */
	{ 0xfff80000, 0x47700000, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	{ 0xff800000, 0x47000000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xff800000, 0x47800000, CST_INSN_INDIRECT, CST_INSN_LINK, ROW_LINK, 0 },
	/* POP {..., PC} */
	{ 0xff000000, 0xbd000000, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	/* MOV PC, LR; MOV PC, ADD PC */
	{ 0xffff0000, 0x46f70000, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	{ 0xfd870000, 0x44870000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	/* WFE, WFI */
	{ 0xffef0000, 0xbf200000, CST_INSN_WFX, CST_INSN_PLAIN, 0, 0 },
	/* Hints have mask 0000; the others are IT. */
	{ 0xff0f0000, 0xbf000000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	{ 0xff000000, 0xbf000000, CST_INSN_OTHER, CST_INSN_PLAIN, ROW_IT, 0 },
	ROW_REST
};

static const struct isa_row wide[] = {
	/* BL, B.W */
	{ 0xf800d000, 0xf000d000, CST_INSN_BRANCH, CST_INSN_LINK, ROW_LINK, BRANCH24 },
	{ 0xf800d000, 0xf0009000, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, BRANCH24 },
	/* BLX (immediate) */
	{ 0xf800d001, 0xf000c000, CST_INSN_BRANCH, CST_INSN_LINK, ROW_LINK | ROW_SWITCH, BRANCH24 },
	/* ISB, DSB, DMB; WFE.W, WFI.W; BXJ; SUBS PC, LR and ERET: in the conditions 111x of B<c>.W */
	{ 0xfffffff0, 0xf3bf8f60, CST_INSN_ISB, CST_INSN_PLAIN, 0, 0 },
	{ 0xfffffff0, 0xf3bf8f40, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	{ 0xfffffff0, 0xf3bf8f50, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	{ 0xfffffffe, 0xf3af8002, CST_INSN_WFX, CST_INSN_PLAIN, 0, 0 },
	{ 0xfff0d000, 0xf3c08000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xfff0d000, 0xf3d08000, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	/* The rest of 111x, then B<c>.W */
	{ 0xfb80d000, 0xf3808000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	{ 0xf800d000, 0xf0008000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, BRANCH20 },
	/* TBB, TBH */
	{ 0xfff0ffe0, 0xe8d0f000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	/* RFEDB, RFEIA */
	{ 0xffd00000, 0xe8100000, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	{ 0xffd00000, 0xe9900000, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	/* POP.W {..., PC}; LDM {..., PC} */
	{ 0xffffa000, 0xe8bd8000, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	{ 0xfe508000, 0xe8108000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	/* LDR PC: [SP], #imm; imm12; literal; imm8; register */
	{ 0xffffff00, 0xf85dfb00, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	{ 0xfff0f000, 0xf8d0f000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xff7ff000, 0xf85ff000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xfff0f800, 0xf850f800, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xfff0ffc0, 0xf850f000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	/* CP15 ISB, DSB, DMB */
	{ 0xffff0fff, 0xee070f95, CST_INSN_ISB, CST_INSN_PLAIN, 0, 0 },
	{ 0xffff0fff, 0xee070f9a, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	{ 0xffff0fff, 0xee070fba, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

#define LEAVEX 0xf3bf8f0fu
#define ENTERX 0xf3bf8f1fu

/* Armv7 with ThumbEE: LEAVEX and ENTERX, which have no effect in the state that they lead to. */
static const struct isa_row wide_tee[] = {
	{ 0xffffffff, LEAVEX, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_TEE, NEXT },
	{ 0xffffffff, ENTERX, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_TEE, NEXT },
	ROW_REST
};

/* ThumbEE has handler calls where T32 has LDM and STM: HBP, HB; HBL, HBLP (DDI 0406, A9.5). */
static const struct isa_row narrow_tee[] = {
	{ 0xff000000, 0xc0000000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xff000000, 0xc2000000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xff000000, 0xc3000000, CST_INSN_INDIRECT, CST_INSN_LINK, ROW_LINK, 0 },
	{ 0xfc000000, 0xc4000000, CST_INSN_INDIRECT, CST_INSN_LINK, ROW_LINK, 0 },
	ROW_REST
};

/* M profile: instructions that differ; after ROW_REST, `wide` is searched. */
static const struct isa_row wide_m[] = {
	/* LE LR falls through when its count ends; LE without a count always branches. */
	{ 0xfffff001, 0xf00fc001, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, LOOP_END },
	{ 0xfffff001, 0xf02fc001, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, LOOP_END },
	/* LETP LR */
	{ 0xfffff001, 0xf01fc001, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, LOOP_END },
	/* WLS, WLSTP: skip the loop if the count is zero */
	{ 0xfff0f001, 0xf040c001, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, LOOP_SKIP },
	{ 0xffc0f001, 0xf000c001, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, LOOP_SKIP },
	/* DLS, DLSTP, LCTP begin or end a loop without a branch: bits 26:23 are 0, which those of BF are not */
	{ 0xff80d001, 0xf000c001, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	/* BFL; BF, BFX, BFLX, BFCSEL */
	{ 0xf800f001, 0xf000c001, CST_INSN_OTHER, CST_INSN_FUTURE, 0, FUTURE },
	{ 0xf800f001, 0xf000e001, CST_INSN_OTHER, CST_INSN_FUTURE, 0, FUTURE },
	/* CLRM, which would be an LDM from PC */
	{ 0xffff0000, 0xe89f0000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	/* BLX (immediate) is undefined, since there is no A32 state. */
	{ 0xf800d001, 0xf000c000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

/* Returns the displacement from the instruction's address + 4. */
static int32_t displacement(unsigned kind, uint32_t op)
{
	uint32_t s = isa_bits(op, 26, 26), j1 = isa_bits(op, 13, 13), j2 = isa_bits(op, 11, 11);
	uint32_t low = isa_bits(op, 10, 0) << 1;

	switch (kind) {
	case IMM8:
		return isa_sext(op >> 16, 8) * 2;
	case IMM11:
		return isa_sext(op >> 16, 11) * 2;
	case IMM5_I:
		return (int32_t)(isa_bits(op, 25, 25) << 6 | isa_bits(op, 23, 19) << 1);
	case BRANCH20:
		return isa_sext(s << 20 | j2 << 19 | j1 << 18 | isa_bits(op, 21, 16) << 12 | low, 21);
	case BRANCH24:
		return isa_sext(s << 24 | (j1 == s) << 23 | (j2 == s) << 22 |
				isa_bits(op, 25, 16) << 12 | low, 25);
	case LOOP_END:
		return -(int32_t)(isa_bits(op, 10, 1) << 2 | j2 << 1);
	case LOOP_SKIP:
		return (int32_t)(isa_bits(op, 10, 1) << 2 | j2 << 1);
	case FUTURE:
		return (int32_t)(isa_bits(op, 26, 23) << 1);
	default:
		return 0;
	}
}

void cst_isa_t32(struct cst_insn *insn, uint32_t opcode, uint64_t pc, unsigned flags)
{
	unsigned size = cst_t32_size((uint16_t)(opcode >> 16));
	const struct isa_row *row;

	if (size == 2) {
		row = isa_find(narrow, opcode);
	} else {
		int m_profile = !!(flags & CST_ISA_M_PROFILE);

		row = isa_find(m_profile ? wide_m : wide, opcode);
		if (m_profile && !row->mask)
			row = isa_find(wide, opcode);
		if (flags & CST_ISA_THUMBEE && row->type == CST_INSN_OTHER)
			row = isa_find(wide_tee, opcode);
	}
	isa_fill(insn, row, CST_ISA_T32, size);
	if (row->flags & ROW_IT)
		insn->it_count = (uint8_t)cst_t32_it_count((uint16_t)(opcode >> 16));
	if (row->disp == DISP_NONE)
		return;
	insn->disp = displacement(row->disp, opcode) + PC_AHEAD;
	if (row->flags & ROW_TEE)
		insn->next_isa = opcode == ENTERX ? CST_ISA_TEE : CST_ISA_T32;
	if (row->flags & ROW_SWITCH) {
		/* A32 code is word aligned. */
		insn->disp -= (int32_t)(pc & 2);
		insn->next_isa = CST_ISA_A32;
	}
}

void cst_isa_tee(struct cst_insn *insn, uint32_t opcode, uint64_t pc, unsigned flags)
{
	const struct isa_row *row = isa_find(narrow_tee, opcode);

	if (row->mask) {
		isa_fill(insn, row, CST_ISA_TEE, 2);
		return;
	}
	cst_isa_t32(insn, opcode, pc, flags | CST_ISA_THUMBEE);
	if (insn->next_isa == CST_ISA_T32 && opcode != LEAVEX)
		insn->next_isa = CST_ISA_TEE;
}
