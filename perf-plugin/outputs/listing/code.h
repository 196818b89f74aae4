/* SPDX-License-Identifier: GPL-2.0-only */
/* code.h - instructions as text: their bytes, their disassembly and the code that a branch stack passed. */
#ifndef CSTRACE_OUTPUTS_LISTING_CODE_H
#define CSTRACE_OUTPUTS_LISTING_CODE_H

#include "outputs/disasm/disasm.h"
#include "outputs/listing/line.h"
#include "outputs/synth/ring.h"

/* The fields insnlen, insn and disasm of the instruction at `addr`. `d`: NULL without disasm. */
void code_insn(struct line *l, struct disasm *d, const struct stream *s, uint64_t addr, unsigned int size,
	       enum cst_isa isa);
/*
 * The fields brstackinsn and brstackdisasm: lines with the instructions from the oldest branch of the stack to the
 * sample at `ip`, which is in instruction set `isa`. Instructions of the oldest branch's own block are not known but for
 * the branch.
 */
void code_stack(struct line *l, struct disasm *d, const struct stream *s, const struct ring *r, uint64_t ip,
		enum cst_isa isa);

#endif
