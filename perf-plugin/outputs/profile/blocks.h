/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocks.h - basic blocks of the code of a binary, with their executions and those of the ways between them.
 *
 * A block begins behind every branch, at every target of a branch and at the begin of each part of the code. A call ends
 * a block as well; execution then continues through to the next one when it returns. Code that was never executed is read
 * where its instruction set is known: A64 by the file, A32 and T32 by mapping symbols. Other bytes may be data.
 */
#ifndef CSTRACE_OUTPUTS_PROFILE_BLOCKS_H
#define CSTRACE_OUTPUTS_PROFILE_BLOCKS_H

#include <cstrace/isa.h>

#include "counting/counts/model.h"
#include "outputs/profile/predicated.h"
#include "outputs/sources/source.h"

/* Code that is looked at; sorted, without overlaps. */
struct code_part {
	uint64_t begin, end;	/* file offsets */
};

/*
 * What the code holds, by mapping symbols: by offset, each up to the next one. Without any, A32 and
 * T32 code is known where it was executed.
 */
struct code_kinds {
	const struct source_mapping *v;
	size_t n;
};

struct block {
	uint64_t begin, end;
	uint64_t count;		/* executions */
	uint64_t through;	/* of these, those that came from the block before it without a jump, or by a return to it */
	uint64_t jump;		/* offset of its last instruction if that was executed and is an unconditional jump to a block; else 0 */
	uint32_t jump_to;	/* this block */
	bool t32;		/* as it was executed */
};

/* A jump inside of the code: no call, no return. */
struct block_jump {
	uint32_t to, from;	/* indexes of blocks */
	uint64_t count;
};

/* A conditional branch. */
struct block_branch {
	uint64_t offset;
	uint64_t taken, not_taken;
	bool executed;
};

struct blocks {
	struct block *v;
	struct block_jump *jumps;	/* by `to`, `from` */
	struct block_branch *branches;	/* by offset */
	size_t n, nr_jumps, nr_branches;
	struct predicated_list predicated;	/* in executed code */
};

/* Finds the blocks of `code` in the file of `b`. */
void blocks_init(struct blocks *bs, const struct model_binary *b, const struct code_part *code,
		 size_t n, const struct code_kinds *kinds);
void blocks_free(struct blocks *bs);

/*
 * Reads the instruction at a file offset; its address is the offset. `opcode`: T32 of 32 bits as first halfword << 16 |
 * second. Returns false without the code.
 */
bool blocks_insn(const struct model_binary *b, bool t32, uint64_t offset, struct cst_insn *insn, uint32_t *opcode);
/* The instruction set of a binary whose file was found. */
enum cst_isa blocks_isa(const struct model_binary *b, bool t32);
/* True for a branch that has two directions. Calls and returns under a condition have none. */
bool blocks_is_conditional(const struct cst_insn *insn);
bool blocks_is_return(const struct cst_insn *insn);
/* How often the conditional branch at a file offset was taken and not taken. `executed` is false. */
struct block_branch blocks_branch(const struct model_binary *b, uint64_t offset);

/* What the trace shows of instructions to which execution came. */
struct block_share {
	bool executed;		/* one of them is executed whenever execution comes to it */
	/* of one of them it is not known whether it was executed, or what its effect was */
	bool untraced;
	uint64_t taken;		/* executions of those under a condition, where they are known */
};

/* Looks at the instructions of [begin, end), a part of an executed block. */
struct block_share blocks_share(const struct blocks *bs, const struct model_binary *b, size_t block,
				uint64_t begin, uint64_t end);

/* Returns the index of the block that has an offset; SIZE_MAX: none. */
size_t blocks_at(const struct blocks *bs, uint64_t offset);

#endif
