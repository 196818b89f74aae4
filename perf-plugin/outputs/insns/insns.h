/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insns.h - the instructions of a range, one by one: address, opcode, and whether the condition held. What reads single
 * instructions (Tarmac text, comparisons) is made of it; samples and counts need ranges only.
 */
#ifndef CSTRACE_OUTPUTS_INSNS_INSNS_H
#define CSTRACE_OUTPUTS_INSNS_INSNS_H

#include "session/decode/stream.h"
#include "session/decode/locate.h"

/* What became of an instruction that was reached. */
enum insn_result {
	INSN_PASSED,	/* executed; also a branch of A64 that was not taken because it has no condition */
	INSN_FAILED,	/* its condition failed */
	INSN_EITHER,	/* A32 and T32: it has a condition, and the trace does not show the result */
};

struct insn {
	uint64_t addr;
	uint32_t opcode;	/* a 16-bit instruction in bits 15:0; T32 of 32 bits: first halfword << 16 | second */
	uint8_t size;		/* bytes: 2 or 4 */
	uint8_t isa;		/* enum cst_isa */
	uint8_t result;		/* enum insn_result */
};

/* T32: how far an IT block reaches into the next range. Of one stream; zero at first. */
struct insn_it {
	uint64_t next;		/* where the range ended */
	uint8_t left;		/* instructions of the IT block behind it */
};

#define INSN_CODE 4096u

/* Reads a range. It is large: keep one for each stream or run. */
struct insns {
	const struct stream *s;
	const struct cst_generic *g;
	struct insn_it *it;
	uint64_t addr;		/* of the next instruction */
	uint64_t code_at;	/* address of code[0] */
	size_t code_len;
	bool all_known;		/* the protocol shows each instruction's result (ETMv3, IHI 0014Q 7.3) */
	uint8_t code[INSN_CODE];
};

/* Begins with a CST_GEN_RANGE of the batch that `s` is about. */
void insns_begin(struct insns *in, const struct stream *s, const struct cst_generic *range, struct insn_it *it);
/* The next instruction; false: the range is done, or its code cannot be read any more (insns_left() is not 0 then). */
bool insns_next(struct insns *in, struct insn *insn);
/* Bytes of the range that were not read. */
static inline uint64_t insns_left(const struct insns *in)
{
	return in->g->end - in->addr;
}

#endif
