/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * align.h - aligns two sequences of executed instructions, a trace and the other side (Tarmac text or another trace), in
 * memory that does not depend on their lengths.
 *
 * The trace is put in, the other side is asked for. Instructions match if address, instruction set, and the result of their
 * condition are equal, as far as both sides know it; other fields that differ are a difference of this instruction. A side may
 * have gaps: what the other side executed there is counted by the cause of the gap and is no difference. Behind a gap the nearest
 * place is taken at which the following instructions match up to the next gap or for 32,768 instructions, but for a few edits; if
 * there is none, the one at which most match. When they stop matching, and all of them since the gap would also match at a later
 * place of the other side together with the next instructions, then the gap was longer, and that is no difference. Behind a loss
 * it was longer too if up to a million instructions matched and the next ones differ again and again: these are looked for as
 * behind the gap. A gap where tracing was off is tight if the trace shows nowhere what would be missing in it; where two sequences
 * continue together over tight gaps for 1,024 instructions, or to the end of both, but for a few edits, these are differences, and no
 * gap is longer (follow.c). A piece of the trace behind a gap of filters or between two AUX records that is not found on the other side
 * is taken to be in a loss of that side, if it has one there.
 * Everything else is a difference. Both sides are then aligned again where the fewest instructions are left out.
 */
#ifndef CSTRACE_OUTPUTS_COMPARE_ALIGN_H
#define CSTRACE_OUTPUTS_COMPARE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALIGN_UNKNOWN 0xff	/* of result, el, security */

/* Why instructions may be missing before an instruction. */
enum align_gap {
	GAP_NONE,
	GAP_BEGIN,	/* the beginning of the side */
	GAP_FILTERED,	/* tracing was off: filters, exception levels that are not traced */
	GAP_OVERFLOW,
	GAP_DISCARD,
	GAP_ERROR,	/* bad packets, up to the next synchronisation */
	GAP_NO_CODE,
	GAP_ADDRESS,	/* an address or a path is not traced */
	GAP_BUFFER,	/* between two AUX records */
	GAP_END,	/* behind the end of the side */
	NR_GAPS
};

enum align_flags {
	/* An exception was taken at the instruction: a model prints it as started, a trace does not show it as executed. */
	ALIGN_STARTED = 1,
	ALIGN_HAS_OPCODE = 2,
};

struct align_insn {
	uint64_t addr;
	uint64_t pos;		/* place in its file, for the caller */
	uint32_t opcode;
	uint32_t where;		/* more of the place, for the caller */
	uint8_t size;
	uint8_t isa;		/* enum cst_isa */
	uint8_t result;		/* enum insn_result, ALIGN_UNKNOWN */
	uint8_t el, security;	/* or ALIGN_UNKNOWN */
	uint8_t gap;		/* enum align_gap: what is before it */
	uint8_t flags;		/* enum align_flags */
	uint8_t reserved;
};

enum align_field { FIELD_OPCODE = 1, FIELD_RESULT = 2, FIELD_EL = 4, FIELD_SECURITY = 8 };

/* A difference. */
struct align_diff {
	unsigned int fields;	/* enum align_field: a matching instruction differs in these; 0: instructions are left out */
	uint64_t only_trace, only_other; /* instructions that are left out */
	uint64_t trace, other;	/* number of the first one on each side, for align_trace() and align_other() */
};

struct align_counts {
	uint64_t equal;		/* instructions, in all fields that both sides know */
	uint64_t changed;	/* matching instructions that differ in a field */
	uint64_t only_trace, only_other; /* in differences */
	uint64_t started;	/* of the other side, at which an exception was taken */
	uint64_t differences;
	/* Not in differences: instructions of the other side in gaps of the trace, by exception level (4: unknown), and vice versa. */
	uint64_t missing[NR_GAPS][5];
	uint64_t extra[NR_GAPS];
	uint8_t els;		/* bit per exception level that the trace has */
};

struct align_ops {
	/* The next instruction of the other side: 1; 0 the end; negative: passed on. */
	int (*next)(void *source, struct align_insn *insn);
	void *source;
	unsigned int ignore;	/* enum align_field: not compared */
	void *data;
	/* A difference; align_trace() and align_other() give the instructions around it. Not 0: passed on. */
	int (*difference)(void *data, const struct align_diff *diff);
};

struct align;

struct align *align_new(const struct align_ops *ops);
void align_free(struct align *al);
/* The next instruction of the trace. 0, or what a callback returned. */
int align_put(struct align *al, const struct align_insn *insn);
/* The trace ends. As align_put(). */
int align_end(struct align *al);
const struct align_counts *align_counts(const struct align *al);

/* An instruction near a difference by its number; NULL: it is not kept, or not read yet. */
const struct align_insn *align_trace(const struct align *al, uint64_t number);
const struct align_insn *align_other(const struct align *al, uint64_t number);

#endif
