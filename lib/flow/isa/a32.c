/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * a32.c - A32 instructions (Arm ARM F4.1), one table per value of bits 27:25.
 */
#include "flow/isa/rows.h"

enum {
	DISP_NONE,
	IMM24,		/* 23:0, in words from the instruction's address + 8 */
	IMM24_H,	/* the same and a halfword by bit 24 */
};

/* Condition field 1111: unconditional instructions. */
static const struct isa_row unconditional[] = {
	/* BLX (immediate) */
	{ 0xfe000000, 0xfa000000, CST_INSN_BRANCH, CST_INSN_LINK, ROW_LINK | ROW_SWITCH, IMM24_H },
	/* RFE */
	{ 0xfe500000, 0xf8100000, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	/* ISB, DSB, DMB */
	{ 0xfff000f0, 0xf5700060, CST_INSN_ISB, CST_INSN_PLAIN, 0, 0 },
	{ 0xfff000f0, 0xf5700040, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	{ 0xfff000f0, 0xf5700050, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

/* 000: data processing (register), multiplies, extra loads and stores, miscellaneous */
static const struct isa_row data_register[] = {
	/* BX LR, other BX, BLX, BXJ */
	{ 0x0ff000ff, 0x0120001e, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	{ 0x0ff000f0, 0x01200010, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	{ 0x0ff000f0, 0x01200030, CST_INSN_INDIRECT, CST_INSN_LINK, ROW_LINK, 0 },
	{ 0x0ff000f0, 0x01200020, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	/* ERET */
	{ 0x0fffffff, 0x0160006e, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	/* Bits 24:23 = 10: compares have no destination, and bits 15:12 of miscellaneous instructions are none. */
	{ 0x0f800000, 0x01000000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	/* Multiplies, synchronisation, extra loads and stores: none writes the program counter. */
	{ 0x0e000090, 0x00000090, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	/* MOV PC, LR */
	{ 0x0fffffff, 0x01a0f00e, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	/* MOVS PC, SUBS PC and the like also restore the status register. */
	{ 0x0e10f000, 0x0010f000, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	{ 0x0e00f000, 0x0000f000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

/* 001: data processing (immediate), MSR (immediate), hints */
static const struct isa_row data_immediate[] = {
	/* WFE, WFI */
	{ 0x0ffffffe, 0x0320f002, CST_INSN_WFX, CST_INSN_PLAIN, 0, 0 },
	/* Bits 24:23 = 10: compares, MSR, hints; MOVW and MOVT cannot write the program counter. */
	{ 0x0f800000, 0x03000000, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 },
	/* SUBS PC, LR and the like */
	{ 0x0e10f000, 0x0210f000, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	{ 0x0e00f000, 0x0200f000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

/* 010: loads and stores, immediate offset */
static const struct isa_row load_immediate[] = {
	/* LDR PC, [SP], #imm */
	{ 0x0ffff000, 0x049df000, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	/* LDR PC, [...] */
	{ 0x0e50f000, 0x0410f000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

/* 011: loads and stores, register offset; media with bit 4 set */
static const struct isa_row load_register[] = {
	{ 0x0e50f010, 0x0610f000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

/* 100: block transfers */
static const struct isa_row block_transfer[] = {
	/* LDMIA SP!, {..., PC} without SP: POP */
	{ 0x0fffa000, 0x08bd8000, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, 0, 0 },
	/* LDM {..., PC}^ also restores the status register. */
	{ 0x0e508000, 0x08508000, CST_INSN_INDIRECT, CST_INSN_ERET, 0, 0 },
	{ 0x0e108000, 0x08108000, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

/* 101 */
static const struct isa_row branch[] = {
	{ 0x0f000000, 0x0a000000, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, IMM24 },
	{ 0x0f000000, 0x0b000000, CST_INSN_BRANCH, CST_INSN_LINK, ROW_LINK, IMM24 },
	ROW_REST
};

/* 110, 111: coprocessors, SVC */
static const struct isa_row coprocessor[] = {
	{ 0x0f000000, 0x0f000000, CST_INSN_OTHER, CST_INSN_PLAIN, ROW_SVC, 0 },
	/* CP15 ISB, DSB, DMB */
	{ 0x0fff0fff, 0x0e070f95, CST_INSN_ISB, CST_INSN_PLAIN, 0, 0 },
	{ 0x0fff0fff, 0x0e070f9a, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	{ 0x0fff0fff, 0x0e070fba, CST_INSN_BARRIER, CST_INSN_PLAIN, 0, 0 },
	ROW_REST
};

static const struct isa_row *const groups[8] = {
	data_register, data_immediate, load_immediate, load_register,
	block_transfer, branch, coprocessor, coprocessor
};

enum {
	COND_ALWAYS = 0xe,
	COND_NONE = 0xf,
	PC_AHEAD = 8,		/* the program counter that an instruction reads, minus its address */
};

void cst_isa_a32(struct cst_insn *insn, uint32_t opcode)
{
	unsigned cond = opcode >> 28;
	const struct isa_row *row = cond == COND_NONE ? unconditional : groups[isa_bits(opcode, 27, 25)];

	row = isa_find(row, opcode);
	isa_fill(insn, row, CST_ISA_A32, 4);
	insn->cond = cond < COND_ALWAYS;
	if (row->disp == DISP_NONE)
		return;
	insn->disp = isa_sext(opcode, 24) * 4 + PC_AHEAD;
	if (row->disp == IMM24_H) {
		insn->disp += 2 * (int32_t)isa_bits(opcode, 24, 24);
		insn->next_isa = CST_ISA_T32;
	}
}
