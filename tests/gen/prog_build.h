/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_build.h - the inside of a random program, shared by random.c and prog_build.c. */
#ifndef CSTRACE_TESTS_GEN_PROG_BUILD_H
#define CSTRACE_TESTS_GEN_PROG_BUILD_H

#include "prog.h"
#include "random.h"

#define PROG_SHADOW 24

struct prog_section {
	struct prog_insn *in;
	int n;
	/* halfword offset -> index of the instruction that starts there, -1: none */
	int32_t *at;
	uint8_t *bytes;
	uint32_t len;
	uint64_t va;
	uint32_t tid;
	uint8_t isa, el;
};

struct prog_place {
	uint64_t pc;
	uint8_t isa;
};

struct prog_thread {
	struct prog_place at;		/* where it goes on when it is scheduled */
	struct prog_place shadow[PROG_SHADOW];
	int depth;
};

struct prog {
	struct prog_opts o;
	struct rng rng;
	struct prog_section *sec;
	int nsec;
	struct prog_region *regions;

	/* the processor */
	struct prog_thread *threads;
	int cur;			/* running thread */
	struct prog_thread kernel;
	uint8_t el;
	uint8_t started;
	uint64_t left;
	struct prog_place pc;
	/* transaction */
	uint8_t tx;
	uint32_t tx_left;
	struct prog_place tx_resume;
	struct prog_thread tx_saved;
	void (*emit)(void *ctx, const struct flow_rec *r);
	void *ctx;
};

const struct prog_isa *prog_isa_of(uint8_t isa);
void prog_build(struct prog *p);
const struct prog_insn *prog_find(const struct prog *p, uint64_t pc, uint8_t isa, uint32_t tid,
				  uint8_t el);
/* some instruction a branch may go to */
const struct prog_insn *prog_pick(struct prog *p, uint32_t tid, uint8_t el, int a64);

#endif
