/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random.h - seeded random programs and their execution.
 *
 * A program is a few sections of real opcodes: user code per thread (the same addresses hold
 * different code in different threads) and one kernel shared by all. Running it makes random
 * decisions at conditional and indirect branches, takes exceptions and switches threads; the flow
 * says what happened.
 */
#ifndef CSTRACE_TESTS_GEN_RANDOM_H
#define CSTRACE_TESTS_GEN_RANDOM_H

#include <stddef.h>

#include "flow.h"

#define PROG_ALL_THREADS 0xffffffffu

struct prog_opts {
	uint64_t seed;
	uint8_t user_isas;	/* bit mask 1 << enum flow_isa */
	uint8_t kernel_isa;
	uint8_t kernel_traced;
	uint8_t threads;	/* 1.. */
	uint8_t sections;	/* user sections of a thread */
	uint8_t newest, pauth, tx, mprofile;
	uint8_t ia32;		/* everything below 4 GiB */
	uint8_t sec;
	uint8_t reset;		/* PE reset among the exceptions */
	uint16_t section_insns;
	uint32_t first_tid, tid_step;
	/* per mille of instructions */
	uint16_t p_irq, p_trap, p_off;
	uint16_t p_switch;	/* per mille of kernel entries */
};

struct prog_region {
	uint32_t tid;		/* PROG_ALL_THREADS: the kernel */
	uint8_t el;
	uint8_t isa;
	uint64_t va;
	const uint8_t *bytes;
	size_t len;
};

struct prog;

void prog_opts_init(struct prog_opts *o);
struct prog *prog_new(const struct prog_opts *o);
void prog_free(struct prog *p);
size_t prog_regions(const struct prog *p, const struct prog_region **regions);
/* executes about n instructions; more calls go on where the last one stopped */
void prog_run(struct prog *p, uint64_t n, void (*emit)(void *ctx, const struct flow_rec *r),
	      void *ctx);
/* the callback tu_sink.insn wants, with ctx = the program */
int prog_insn_at(void *prog, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el,
		 struct flow_rec *out);

#endif
