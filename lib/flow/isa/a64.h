/* SPDX-License-Identifier: BSD-3-Clause */
/* a64.h - the group of A64 instructions that has all P0 instructions. Inline for the decoding of blocks. */
#ifndef CST_LIB_FLOW_ISA_A64_H
#define CST_LIB_FLOW_ISA_A64_H

#include <stdint.h>

/* True for "Branches, Exception Generating and System instructions" (Arm ARM C4.1): bits 28:26 are 101. */
static inline int a64_is_branch_group(uint32_t opcode)
{
	return (opcode & 0x1c000000u) == 0x14000000u;
}

#endif
