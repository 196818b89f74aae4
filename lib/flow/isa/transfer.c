/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfer.c - instructions to which data trace can belong: all that load or store, with those that load the program
 * counter.
 */
#include "flow/isa/rows.h"

#define A32_RFE_MASK 0xfe500000u
#define A32_RFE 0xf8100000u

int cst_isa_is_transfer(enum cst_isa isa, uint32_t op, unsigned int flags)
{
	struct cst_insn in = { .size = 4, .type = CST_INSN_OTHER };

	if (isa == CST_ISA_A32 && (op & A32_RFE_MASK) == A32_RFE)
		return 1;
	if (isa == CST_ISA_T32 || isa == CST_ISA_TEE)
		in.size = (uint8_t)cst_t32_size((uint16_t)(op >> 16));
	if (isa == CST_ISA_TEE) {
		/* handler calls and CHKA have encodings of LDM and STM in T32; the other encodings load and store, too */
		if (in.size == 2 && ((op & 0xf8000000) == 0xc0000000 || (op & 0xff000000) == 0xca000000))
			return 0;
		isa = CST_ISA_T32;
	}
	cst_isa_memory(&in, isa, op, CST_ISA_LOAD_P0 | CST_ISA_STORE_P0 | (flags & CST_ISA_M_PROFILE));
	return in.type != CST_INSN_OTHER;
}
