/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rows.h - the tables that classify instructions, and how they are searched.
 */
#ifndef CST_LIB_FLOW_ISA_ROWS_H
#define CST_LIB_FLOW_ISA_ROWS_H

#include <cstrace/isa.h>

enum isa_row_flags {
	ROW_COND = 1,	/* its encoding is conditional */
	ROW_LINK = 2,	/* pushes a return address */
	ROW_SWITCH = 4,	/* the target is in the other one of A32 and T32 */
	ROW_SVC = 8,
	ROW_IT = 16,
	ROW_TEE = 32,	/* switches between T32 and ThumbEE */
};

/* Instructions with (opcode & mask) == match. In a table the first match wins. */
struct isa_row {
	uint32_t mask;
	uint32_t match;
	uint8_t type;		/* enum cst_insn_type */
	uint8_t subtype;	/* enum cst_insn_subtype */
	uint8_t flags;		/* enum isa_row_flags */
	uint8_t disp;		/* where the displacement is: an enumeration of each instruction set */
};

/* Last row of every table, which matches every instruction. */
#define ROW_REST { 0, 0, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0 }

static inline const struct isa_row *isa_find(const struct isa_row *row, uint32_t opcode)
{
	while ((opcode & row->mask) != row->match)
		row++;
	return row;
}

/* Bits hi:lo of v. */
static inline uint32_t isa_bits(uint32_t v, unsigned hi, unsigned lo)
{
	return (v >> lo) & (0xffffffffu >> (31 - (hi - lo)));
}

/* The low `width` bits of v as a signed number. */
static inline int32_t isa_sext(uint32_t v, unsigned width)
{
	uint32_t sign = 1u << (width - 1);

	v &= 2 * sign - 1;
	return (int32_t)(v ^ sign) - (int32_t)sign;
}

/* Sets all that does not depend on the operands; the instruction sets add displacement and instruction set state. */
static inline void isa_fill(struct cst_insn *insn, const struct isa_row *row, enum cst_isa isa,
			    unsigned size)
{
	insn->size = (uint8_t)size;
	insn->type = row->type;
	insn->subtype = row->subtype;
	insn->cond = !!(row->flags & ROW_COND);
	insn->link = !!(row->flags & ROW_LINK);
	insn->next_isa = (uint8_t)isa;
	insn->it_count = 0;
	insn->is_svc = !!(row->flags & ROW_SVC);
	insn->disp = 0;
}

void cst_isa_a64(struct cst_insn *insn, uint32_t opcode);
void cst_isa_a32(struct cst_insn *insn, uint32_t opcode);
void cst_isa_t32(struct cst_insn *insn, uint32_t opcode, uint64_t pc, unsigned flags);
/* A32, T32: classifies loads and stores that are P0 instructions by `flags`, unless they have another type. */
void cst_isa_memory(struct cst_insn *insn, enum cst_isa isa, uint32_t opcode, unsigned int flags);
void cst_isa_tee(struct cst_insn *insn, uint32_t opcode, uint64_t pc, unsigned flags);

#endif
