/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - which A32 and T32 instructions load or store (Arm ARM F3.1, F4.1; Armv8-M ARM C2): with
 * TRCCONFIGR.INSTP0 they are P0 instructions. What transfers in both directions (SWP) counts as either.
 * Preloads, cache maintenance and TT transfer no data. Loads of the program counter are classified as branches before
 * these tables are searched.
 *
 * Rows carry in `type` what the instruction does; tables end with ROW_REST, whose type is 0.
 */
#include "flow/isa/rows.h"

enum { NONE, LOADS, STORES, BOTH };
_Static_assert((int)CST_INSN_OTHER == (int)NONE, "ROW_REST does neither");

#define ROW(mask, match, what) { mask, match, what, 0, 0, 0 }

/*
 * LDC, STC, VLDR, VSTR, VLDM, VSTM: bits 27:25 = 110. `m` and `v` are mask and value of bits 31:28, which are the
 * condition in A32 and 1110 or 1111 in T32.
 */
#define COPROCESSOR_ROWS(m, v) \
	ROW((m) | 0x0fe00000, (v) | 0x0c400000, NONE),	/* MCRR, MRRC, VMOV of two registers */ \
	ROW((m) | 0x0fe00000, (v) | 0x0c000000, NONE),	/* not allocated; VMOV of two lanes */ \
	ROW((m) | 0x0ff00000, (v) | 0x0c100000, NONE), \
	ROW((m) | 0x0e100000, (v) | 0x0c100000, LOADS), \
	ROW((m) | 0x0e100000, (v) | 0x0c000000, STORES)

static const struct isa_row a32_conditional[] = {
	/* Media instructions are encoded as LDR and STR (register) with bit 4 set. */
	ROW(0x0e000010, 0x06000010, NONE),
	ROW(0x0c100000, 0x04100000, LOADS),
	ROW(0x0c100000, 0x04000000, STORES),
	/* LDM, POP; STM, PUSH */
	ROW(0x0e100000, 0x08100000, LOADS),
	ROW(0x0e100000, 0x08000000, STORES),
	/* LDRH, STRH; LDRSB and LDRD; LDRSH, STRD */
	ROW(0x0e1000f0, 0x001000b0, LOADS),
	ROW(0x0e1000f0, 0x000000b0, STORES),
	ROW(0x0e0000f0, 0x000000d0, LOADS),
	ROW(0x0e1000f0, 0x001000f0, LOADS),
	ROW(0x0e1000f0, 0x000000f0, STORES),
	/* SWP, SWPB */
	ROW(0x0fb000f0, 0x01000090, BOTH),
	/* LDREX, LDA and their kind; STREX, STL */
	ROW(0x0f9000f0, 0x01900090, LOADS),
	ROW(0x0f9000f0, 0x01800090, STORES),
	COPROCESSOR_ROWS(0, 0),
	ROW_REST
};

/* With condition 1111, coprocessors 8 to 13 are vector arithmetic (VCMLA, VCADD, VDOT). */
#define VECTOR_ROWS \
	ROW(0xfe000c00, 0xfc000800, NONE), \
	ROW(0xfe000e00, 0xfc000c00, NONE)

static const struct isa_row a32_unconditional[] = {
	/* VLD1 to VLD4, VST1 to VST4 */
	ROW(0xff300000, 0xf4200000, LOADS),
	ROW(0xff300000, 0xf4000000, STORES),
	/* SRS */
	ROW(0xfe500000, 0xf8400000, STORES),
	/* LDC2, STC2 */
	VECTOR_ROWS,
	COPROCESSOR_ROWS(0xf0000000, 0xf0000000),
	ROW_REST
};

/* First halfword in bits 31:16. */
static const struct isa_row t32_narrow[] = {
	/* LDR (literal) */
	ROW(0xf8000000, 0x48000000, LOADS),
	/* register offset: STR, STRH, STRB; the other five load */
	ROW(0xfe000000, 0x50000000, STORES),
	ROW(0xfe000000, 0x52000000, STORES),
	ROW(0xfe000000, 0x54000000, STORES),
	ROW(0xf0000000, 0x50000000, LOADS),
	/* immediate offset: words and bytes; halfwords and from SP */
	ROW(0xe8000000, 0x68000000, LOADS),
	ROW(0xe8000000, 0x60000000, STORES),
	ROW(0xe8000000, 0x88000000, LOADS),
	ROW(0xe8000000, 0x80000000, STORES),
	/* LDM, STM; POP, PUSH */
	ROW(0xf8000000, 0xc8000000, LOADS),
	ROW(0xf8000000, 0xc0000000, STORES),
	ROW(0xfe000000, 0xbc000000, LOADS),
	ROW(0xfe000000, 0xb4000000, STORES),
	ROW_REST
};

/* M profile: instructions that transfer no data, encoded among the loads and stores of t32_wide. */
static const struct isa_row t32_wide_m[] = {
	ROW(0xffffffff, 0xe97fe97f, NONE),	/* SG */
	ROW(0xfff0f03f, 0xe840f000, NONE),	/* TT, TTA, TTT, TTAT */
	ROW(0xffff0000, 0xe89f0000, NONE),	/* CLRM */
	ROW(0xffbf0e00, 0xec9f0a00, NONE),	/* VSCCLRM */
	ROW_REST
};

static const struct isa_row t32_wide[] = {
	/* single register: preloads (loads to PC of less than a word), sizes that are not allocated, then the transfers */
	ROW(0xfe50f000, 0xf810f000, NONE),
	ROW(0xfe700000, 0xf8700000, NONE),
	ROW(0xff700000, 0xf8600000, NONE),
	ROW(0xfe100000, 0xf8100000, LOADS),
	ROW(0xff100000, 0xf8000000, STORES),
	/* VLD1 to VLD4, VST1 to VST4 */
	ROW(0xff300000, 0xf9200000, LOADS),
	ROW(0xff300000, 0xf9000000, STORES),
	/* two registers, exclusive, acquire and release; several registers, SRS */
	ROW(0xfe500000, 0xe8500000, LOADS),
	ROW(0xfe500000, 0xe8400000, STORES),
	ROW(0xfe500000, 0xe8100000, LOADS),
	ROW(0xfe500000, 0xe8000000, STORES),
	COPROCESSOR_ROWS(0xf0000000, 0xe0000000),
	VECTOR_ROWS,
	COPROCESSOR_ROWS(0xf0000000, 0xf0000000),
	ROW_REST
};

#define COND_NONE 0xfu

void cst_isa_memory(struct cst_insn *insn, enum cst_isa isa, uint32_t opcode, unsigned int flags)
{
	const struct isa_row *row;

	if (!(flags & (CST_ISA_LOAD_P0 | CST_ISA_STORE_P0)) || insn->type != CST_INSN_OTHER)
		return;
	if (isa == CST_ISA_A32)
		row = opcode >> 28 == COND_NONE ? a32_unconditional : a32_conditional;
	else
		row = insn->size == 2 ? t32_narrow : t32_wide;
	if (row == t32_wide && flags & CST_ISA_M_PROFILE && isa_find(t32_wide_m, opcode)->mask)
		return;
	row = isa_find(row, opcode);
	if (row->type & LOADS && flags & CST_ISA_LOAD_P0)
		insn->type = CST_INSN_LOAD;
	else if (row->type & STORES && flags & CST_ISA_STORE_P0)
		insn->type = CST_INSN_STORE;
}
