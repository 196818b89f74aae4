/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isa.h - waypoint classification: which instructions are P0 elements, and where they branch to (Arm ARM "ETE
 * instruction classification"; ETMv4 architecture; A64, A32, T32 and ThumbEE).
 */
#ifndef CSTRACE_ISA_H
#define CSTRACE_ISA_H

#include <cstrace/types.h>

CST_BEGIN

enum cst_insn_type {
	CST_INSN_OTHER,		/* not a waypoint */
	CST_INSN_BRANCH,	/* direct branch */
	CST_INSN_INDIRECT,	/* indirect branch, return, exception return */
	CST_INSN_ISB,
	CST_INSN_BARRIER,	/* DSB, DMB: P0 only with CST_ISA_BARRIER_P0 */
	CST_INSN_WFX,		/* WFI, WFE, WFIT, WFET: P0 only with TRCIDR2.WFXMODE */
	CST_INSN_TSTART,
	/* P0 only when the trace unit is programmed so (TRCCONFIGR.INSTP0); A32 and T32 */
	CST_INSN_LOAD,
	CST_INSN_STORE,
};

enum cst_insn_subtype {
	CST_INSN_PLAIN,
	CST_INSN_LINK,		/* branch with link */
	CST_INSN_RET,		/* A64 return */
	CST_INSN_ERET,		/* exception return */
	CST_INSN_IMPLIED_RET,	/* A32/T32: BX LR, MOV PC,LR, POP {..PC}, LDR PC,[SP],# */
	/*
	 * v8.1-M BF, BFL, BFX, BFLX, BFCSEL, of type OTHER: a hint that the instruction at `disp` is a branch. The
	 * processor may drop the hint at any time and execute that branch itself, so the atom is the branch's in either
	 * case (Armv8-M ARM B3.29).
	 */
	CST_INSN_FUTURE,
};

/* Choices of classification that depend on the trace unit or the caller. */
enum cst_isa_flags {
	CST_ISA_WFX_P0 = 1,	/* WFI/WFE count as waypoints */
	CST_ISA_M_PROFILE = 2,	/* v8.1-M low overhead loops exist; no A32 */
	CST_ISA_BARRIER_P0 = 4,	/* DSB and DMB count as waypoints (PTM: ETMCCER[24]) */
	CST_ISA_THUMBEE = 8,	/* Armv7: ENTERX and LEAVEX exist and switch between T32 and ThumbEE */
	CST_ISA_LOAD_P0 = 16,	/* loads count as waypoints */
	CST_ISA_STORE_P0 = 32,
	CST_ISA_RUNS = 64,	/* every instruction has an atom, not P0 instructions only (ETMv3) */
};

/* One classified instruction. */
struct cst_insn {
	uint8_t size;		/* bytes: 2 or 4 */
	uint8_t type;		/* enum cst_insn_type; WFX, LOAD and STORE only with their flag, else OTHER */
	uint8_t subtype;	/* enum cst_insn_subtype */
	uint8_t cond;		/* its encoding is conditional */
	uint8_t link;		/* pushes a return address (subtype LINK, or an indirect one with link) */
	uint8_t next_isa;	/* direct branch: instruction set at the target */
	uint8_t it_count;	/* T32 IT: number of following instructions made conditional, else 0 */
	uint8_t is_svc;		/* SVC (supervisor call): not a waypoint, but needed to classify exceptions */
	int32_t disp;		/* direct branch, subtype FUTURE: target minus the instruction's own address */
};

/*
 * Classifies the instruction `opcode` of instruction set `isa`. T32 and ThumbEE: a 16-bit instruction is in bits 31:16
 * with the following halfword (or 0) in bits 15:0, a 32-bit one is first halfword << 16 | second. A32 and A64: the
 * word. `pc` is the address of the instruction (only bit 1 matters: T32 BLX to A32 aligns it). Any instruction that is
 * not a waypoint is OTHER; the function does not fail. Pure.
 */
CST_API void cst_isa_classify(struct cst_insn *insn, enum cst_isa isa, uint32_t opcode, uint64_t pc,
			      unsigned flags);

/* True if an instruction of this enum cst_insn_type may lead elsewhere than to the next one. */
static inline int cst_insn_is_branch(unsigned int type)
{
	return type == CST_INSN_BRANCH || type == CST_INSN_INDIRECT;
}

/* True if the instruction is a waypoint: an atom says whether it was executed. */
static inline int cst_insn_is_p0(const struct cst_insn *insn, unsigned flags)
{
	return insn->type != CST_INSN_OTHER &&
	       (insn->type != CST_INSN_BARRIER || flags & CST_ISA_BARRIER_P0);
}

/*
 * True if the instruction may load or store (not: prefetch), so that data trace can belong to it. `opcode` as for
 * cst_isa_classify(); A32, T32 and ThumbEE, 0 for other instruction sets. Pure.
 */
CST_EXPERIMENTAL
CST_API int cst_isa_is_transfer(enum cst_isa isa, uint32_t opcode, unsigned flags);

/* Returns how many instructions a T32 IT instruction (one halfword) makes conditional; 0 for any other instruction. */
static inline unsigned cst_t32_it_count(uint16_t hw)
{
	return (hw & 0xff00) == 0xbf00 && hw & 15 ? 4 - (unsigned)__builtin_ctz(hw & 15u) : 0;
}

/* Size in bytes of a T32 instruction by its first halfword (Arm ARM F3.1: bits 15:11 >= 0b11101 is 32-bit). */
static inline unsigned cst_t32_size(uint16_t hw)
{
	return (hw >> 11) >= 0x1d ? 4 : 2;
}

CST_END

#endif
