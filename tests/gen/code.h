/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code.h - a piece of random A64 code that runs at any address: its direct branches stay inside.
 * Going on from any of its instructions leads to the last one at some time, which is an indirect
 * branch; unconditional branches and calls go forward only.
 */
#ifndef CSTRACE_TESTS_GEN_CODE_H
#define CSTRACE_TESTS_GEN_CODE_H

#include "prog.h"

/* the first instructions of a kernel */
enum { CODE_ERET, CODE_ISB, CODE_RET, CODE_FREE };

struct code {
	struct prog_insn *in;	/* pc and target count from the start of the code */
	uint32_t n;
	uint8_t *bytes;		/* 4 for each instruction */
};

enum { CODE_USER, CODE_KERNEL };

struct code *code_new(struct rng *r, uint32_t insns, int kernel);
void code_free(struct code *c);
/* other instructions at one place: a NOP, a branch to another instruction, a branch out of the code */
void code_put_nop(struct code *c, uint32_t i);
void code_put_branch(struct code *c, uint32_t i, uint32_t to);
void code_put_call(struct code *c, uint32_t i, int64_t to);
struct code *code_copy(const struct code *c);

#endif
