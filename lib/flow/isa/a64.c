/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * a64.c - A64 instructions (Arm ARM C4.1, "Branches, Exception Generating and System instructions").
 */
#include "flow/isa/a64.h"
#include "flow/isa/rows.h"

enum {
	DISP_NONE,
	IMM26,		/* 25:0 */
	IMM19,		/* 23:5 */
	IMM14,		/* 18:5 */
	IMM9,		/* 13:5 */
};

/* All instructions of the table are of one group. Common ones are first. */
static const struct isa_row rows[] = {
	/* B.cond, BC.cond */
	{ 0xff000000, 0x54000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM19 },
	/* CBZ, CBNZ */
	{ 0x7e000000, 0x34000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM19 },
	/* BL */
	{ 0xfc000000, 0x94000000, CST_INSN_BRANCH, CST_INSN_LINK, ROW_LINK, IMM26 },
	/* B */
	{ 0xfc000000, 0x14000000, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, IMM26 },
	/* TBZ, TBNZ */
	{ 0x7e000000, 0x36000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM14 },
	/* RET */
	{ 0xfffffc1f, 0xd65f0000, CST_INSN_INDIRECT, CST_INSN_RET, 0, 0 },
	/* BR */
	{ 0xfffffc1f, 0xd61f0000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	/* BLR */
	{ 0xfffffc1f, 0xd63f0000, CST_INSN_INDIRECT, CST_INSN_LINK, ROW_LINK, 0 },
	/* SVC */
	{ 0xffe0001f, 0xd4000001, CST_INSN_OTHER, CST_INSN_PLAIN, ROW_SVC, 0 },
	/* ISB, DSB, DMB, DSB nXS */
	{ 0xfffff0ff, 0xd50330df, CST_INSN_ISB, CST_INSN_PLAIN, 0, 0 },
	{ 0xfffff0ff, 0xd503309f, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	{ 0xfffff0ff, 0xd50330bf, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	{ 0xfffff3ff, 0xd503323f, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	/* WFE, WFI */
	{ 0xffffffdf, 0xd503205f, CST_INSN_WFX, CST_INSN_PLAIN, 0, 0 },
	/* WFET, WFIT */
	{ 0xffffffc0, 0xd5031000, CST_INSN_WFX, CST_INSN_PLAIN, 0, 0 },
	/* TSTART */
	{ 0xffffffe0, 0xd5233060, CST_INSN_TSTART, CST_INSN_PLAIN, 0, 0 },
	/* ERET; ERETAA, ERETAB; TEXIT */
	{ 0xffffffff, 0xd69f03e0, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	{ 0xfffffbff, 0xd69f0bff, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	{ 0xfffffbff, 0xd6ff03e0, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	/* RETAASPPCR, RETABSPPCR; with register 31: RETAA, RETAB */
	{ 0xfffffbe0, 0xd65f0be0, CST_INSN_INDIRECT, CST_INSN_RET, 0, 0 },
	/* RETAASPPC, RETABSPPC */
	{ 0xffc0001f, 0x5500001f, CST_INSN_INDIRECT, CST_INSN_RET, 0, 0 },
	/* BRAA, BRAB; BRAAZ, BRABZ */
	{ 0xfffff800, 0xd71f0800, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0xfffff81f, 0xd61f081f, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	/* BLRAA, BLRAB; BLRAAZ, BLRABZ */
	{ 0xfffff800, 0xd73f0800, CST_INSN_INDIRECT, CST_INSN_LINK, ROW_LINK, 0 },
	{ 0xfffff81f, 0xd63f081f, CST_INSN_INDIRECT, CST_INSN_LINK, ROW_LINK, 0 },
	/* Compare and branch: conditions 10x are not allocated in any of its forms. */
	{ 0x7ec00000, 0x74800000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	/* CB<cc> of 32-bit registers; CBB<cc>, CBH<cc>; CB<cc> of 64-bit registers; CB<cc> immediate */
	{ 0xff00c000, 0x74000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM9 },
	{ 0xff008000, 0x74008000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM9 },
	{ 0xff00c000, 0xf4000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM9 },
	{ 0x7f004000, 0x75000000, CST_INSN_BRANCH, CST_INSN_PLAIN, ROW_COND, IMM9 },
	ROW_REST
};

static int32_t displacement(unsigned kind, uint32_t op)
{
	static const struct {
		uint8_t lo, width;
	} field[] = {
		[IMM26] = { 0, 26 }, [IMM19] = { 5, 19 }, [IMM14] = { 5, 14 }, [IMM9] = { 5, 9 },
	};

	return kind == DISP_NONE ? 0 : isa_sext(op >> field[kind].lo, field[kind].width) * 4;
}

void cst_isa_a64(struct cst_insn *insn, uint32_t opcode)
{
	static const struct isa_row rest = ROW_REST;
	const struct isa_row *row = &rest;

	if (a64_is_branch_group(opcode))
		row = isa_find(rows, opcode);
	isa_fill(insn, row, CST_ISA_A64, 4);
	insn->disp = displacement(row->disp, opcode);
}
