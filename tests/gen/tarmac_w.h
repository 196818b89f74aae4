/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tarmac_w.h - a flow as Tarmac text: one IT or IS line for each executed instruction, an E line for each exception. The
 * text lists what was executed; it does not depend on the trace unit. The library's writer formats the lines.
 *
 * The time of a line is that of its instruction if the flow has times, otherwise the number of instructions so far; the
 * index counts the instructions of the CPU. An instruction that failed its condition is IS: branches that were not taken,
 * and others if the flow says so. Opcodes that nobody has are 0.
 */
#ifndef CSTRACE_TESTS_GEN_TARMAC_W_H
#define CSTRACE_TESTS_GEN_TARMAC_W_H

#include "flow.h"

struct tarmac_opts {
	void *ctx;
	/* the bytes of the instruction of a FLOW_INSN; 0: nobody has them */
	int (*bytes)(void *ctx, const struct flow_rec *r, uint8_t *bytes);
	uint8_t mprofile;
	uint8_t a32_kernel;	/* exceptions have the numbers of AArch32 */
	uint8_t conditions;	/* the flow says whether instructions passed that are no branches */
};

struct tarmac_w;

/* path NULL: returns NULL, which the other functions take for no file */
struct tarmac_w *tarmac_new(const char *path, const struct tarmac_opts *o);
void tarmac_flow(struct tarmac_w *t, const struct flow_rec *r);
/* 0, or -1 with errno */
int tarmac_close(struct tarmac_w *t);

#endif
