/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * out.h - the flow file: one buffer per thread, written in stretches.
 *
 * A stretch is what one thread executes without leaving the traced region: it begins with
 * FLOW_CONTEXT and FLOW_ON and ends with FLOW_OFF. Stretches of several threads follow each other
 * in the file; each gets the next of the modelled CPUs and a start time at which both the CPU
 * and the thread are free.
 */
#ifndef CSTRACE_TESTS_QEMU_OUT_H
#define CSTRACE_TESTS_QEMU_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "flow.h"

#define OUT_MAX_CPUS 64

/* Exception types of the A profile, as the trace has them. */
enum {
	EXC_CALL = 2, EXC_TRAP = 3, EXC_INST_DEBUG = 6, EXC_INST_FAULT = 0xb, EXC_DATA_FAULT = 0xc,
	EXC_IRQ = 0xe,
};

struct stretch {
	struct flow_rec *rec;
	size_t n, max;
	size_t insns;		/* since FLOW_ON */
	uint32_t tid;
	int on;			/* tracing is on at the end of what is buffered */
	int open;		/* ... and at the end of what is in the file */
	int cpu;
	uint64_t clock;
};

struct out_options {
	const char *path;
	unsigned int cpus;
};

int out_init(const struct out_options *o);

/* Append to the buffer of a thread; the first instruction after FLOW_OFF brings FLOW_ON with it. */
struct flow_rec *out_insn(struct stretch *s, const struct flow_rec *r);
/* ... and FLOW_OFF; @isa is the one of the code at @pc, the preferred return address. */
void out_exception(struct stretch *s, uint32_t num, uint64_t pc, uint8_t isa);
void out_map(struct stretch *s, uint32_t pid, uint32_t file, uint64_t start, uint64_t len,
	     uint64_t offset);

/* Write what is buffered; the stretch goes on when tracing is on. */
void out_flush(struct stretch *s);

uint64_t out_insns(void);	/* written so far */
void out_close(void);

#endif
