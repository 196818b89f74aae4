/* SPDX-License-Identifier: BSD-3-Clause */
/* prog.h - random programs made of real opcodes: inside of random.c, prog_*.c. */
#ifndef CSTRACE_TESTS_GEN_PROG_H
#define CSTRACE_TESTS_GEN_PROG_H

#include "flow.h"
#include "util.h"

/* what the random processor does at an instruction besides what its class says */
enum prog_what { PROG_PLAIN, PROG_SVC, PROG_ERET, PROG_TCOMMIT };

enum prog_need {
	PROG_USER = 1,		/* only below the kernel */
	PROG_KERNEL = 2,
	PROG_NEW = 4,		/* newest architecture only */
	PROG_TX = 8,		/* transactional memory */
	PROG_PAUTH = 0x10,
	PROG_IT_LAST = 0x20,	/* T32: may be the last one of an IT block */
	PROG_NOT_M = 0x40,	/* not on M profile cores */
	PROG_M = 0x80,
};

struct prog_insn {
	uint64_t pc;
	uint64_t target;	/* of a direct branch */
	uint32_t op;
	uint8_t size, isa, klass, flags;
	uint8_t tisa;		/* instruction set at the target */
	uint8_t what;
	uint8_t cond;		/* with FLOW_COND, of A32 and in IT blocks */
	uint8_t inside_it;	/* not a place to branch to */
	uint8_t kind;		/* index into the table of its instruction set */
};

struct prog_kind {
	uint32_t op;
	uint8_t size, klass, flags, what;
	/* how operands and displacement are put in; private to each table */
	uint8_t form;
	uint8_t need;
	uint16_t weight;
};

struct prog_isa {
	const struct prog_kind *kinds;
	int nkinds;
	/*
	 * displacement range from pc; 0: not a direct branch. other: the branch changes between A32
	 * and T32
	 */
	int (*reach)(const struct prog_kind *k, uint64_t pc, int64_t *lo, int64_t *hi, int *other);
	uint32_t (*encode)(const struct prog_kind *k, struct rng *r, uint64_t pc, uint64_t target);
};

extern const struct prog_isa prog_a64, prog_a32, prog_t32;

#endif
