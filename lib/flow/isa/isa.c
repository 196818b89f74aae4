/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isa.c - waypoint classification: choice of the instruction set.
 */
#include "flow/isa/rows.h"

void cst_isa_classify(struct cst_insn *insn, enum cst_isa isa, uint32_t opcode, uint64_t pc,
		      unsigned flags)
{
	static const struct isa_row rest = ROW_REST;

	switch (isa) {
	case CST_ISA_A64:
		cst_isa_a64(insn, opcode);
		break;
	case CST_ISA_A32:
		cst_isa_a32(insn, opcode);
		cst_isa_memory(insn, isa, opcode, flags);
		break;
	case CST_ISA_T32:
		cst_isa_t32(insn, opcode, pc, flags);
		cst_isa_memory(insn, isa, opcode, flags);
		break;
	case CST_ISA_TEE:
		cst_isa_tee(insn, opcode, pc, flags);
		break;
	default:
		isa_fill(insn, &rest, isa, 4);
		break;
	}
	if (insn->type == CST_INSN_WFX && !(flags & CST_ISA_WFX_P0))
		insn->type = CST_INSN_OTHER;
}
