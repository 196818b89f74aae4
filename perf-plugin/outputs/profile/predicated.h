/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * predicated.h - instructions whose effect depends on a condition that the trace does not show: A32
 * instructions under a condition, T32 instructions in an IT block, conditional selects and
 * compares.
 *
 * Trace has an atom for each branch, so it is known how often a call or a return under a condition
 * was executed. Of all other instructions it shows only that execution came to them.
 */
#ifndef CSTRACE_OUTPUTS_PROFILE_PREDICATED_H
#define CSTRACE_OUTPUTS_PROFILE_PREDICATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/isa.h>

/*
 * ITSTATE (Arm ARM, "Conditional execution"): 0 outside of an IT block, else the condition of the
 * next instruction in 7:4.
 */
typedef uint8_t it_state;

/* Returns the state behind an instruction of T32; `opcode` as for cst_isa_classify(). */
it_state it_state_next(it_state it, const struct cst_insn *insn, uint32_t opcode);

/*
 * True for a branch that is in an IT block under a condition: its encoding is that of an
 * unconditional one.
 */
bool it_state_is_condition(it_state it);

enum predicated_kind {
	PREDICATED_NOT,
	/* an IT instruction: it is executed, but only names the condition of others */
	PREDICATED_IT,
	PREDICATED_INSN,	/* executed under a condition that the trace does not show */
	/* conditional select or compare: executed; which of its two effects it had is not shown */
	PREDICATED_SELECT,
	/* a call or a return under a condition: its atoms show how often it was executed */
	PREDICATED_BRANCH,
};

/*
 * Returns what an instruction is, and in *cond its condition, if it has one. `it`: the state before
 * it, 0 but for T32.
 */
enum predicated_kind predicated_kind(enum cst_isa isa, const struct cst_insn *insn, uint32_t opcode,
				     it_state it,
				     unsigned int *cond);

/* A predicated instruction of the code. */
struct predicated {
	uint64_t offset;	/* in the file */
	uint64_t taken;		/* executions, if they are known */
	uint8_t kind;		/* enum predicated_kind */
	uint8_t size;		/* bytes */
	uint8_t cond;
	bool t32;
	/* executions are known: of a branch, and of what is under the same condition before it */
	bool known;
};

struct predicated_list {
	struct predicated *v;	/* by offset, A32 before T32 */
	size_t n, cap;
};

/* Adds an instruction, in any order. */
void predicated_add(struct predicated_list *l, const struct predicated *p);
/*
 * Sorts the list, and finds the instructions whose executions are those of the branch behind them.
 */
void predicated_finish(struct predicated_list *l);
/* Returns the first instruction of the list from an offset on. */
const struct predicated *predicated_from(const struct predicated_list *l, uint64_t offset);
/* Returns the instruction at an offset, NULL if that is not predicated. */
const struct predicated *predicated_at(const struct predicated_list *l, uint64_t offset, bool t32);

#endif
