/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.h - what a processor executed, one record per event.
 *
 * This is the meeting point of the test generators: a source of flows (the qemu-user plugin, the
 * seeded random program) writes these records, the trace-unit model reads them. Nothing in here is
 * taken from the decoder under test, so that a round trip is independent evidence.
 *
 * A flow file is FLOW_MAGIC, then records of struct flow_rec, little endian, 40 bytes each.
 */
#ifndef CSTRACE_TESTS_GEN_FLOW_H
#define CSTRACE_TESTS_GEN_FLOW_H

#include <stdint.h>

#define FLOW_MAGIC "CSTFLOW1"

/* FLOW_EXC of M profile: the exception follows another one without a return between; `pc` is this */
#define FLOW_TAIL_CHAIN 0xfffffffeu

enum flow_kind {
	FLOW_INSN = 1,	/* one executed instruction at pc; next = address executed next */
	FLOW_EXC,	/* exception num; pc = preferred return address, next = first address of the handler, 0 if it is not traced */
	FLOW_CONTEXT,	/* tid/el/sec/isa take effect from the next instruction */
	FLOW_OFF,	/* tracing stops here (entry to a prohibited region, e.g. the kernel in a user-only trace) */
	FLOW_ON,	/* tracing starts again; the next instruction is the first one traced */
	FLOW_MAP,	/* image file number num is mapped: pc = start, next = length, aux = file offset; tid = process */
	FLOW_TCOMMIT,	/* the open transaction was committed by the instruction before this record */
	FLOW_TFAIL,	/* the open transaction failed; execution goes on at next */
};

enum flow_class {
	FLOW_OTHER,	/* not a P0 element */
	FLOW_DIRECT,	/* direct branch */
	FLOW_INDIRECT,	/* indirect branch */
	FLOW_ISB,
	FLOW_WFX,	/* WFI, WFE (P0 only with TRCIDR2.WFXMODE) */
	FLOW_TSTART,
	FLOW_LOAD,	/* P0 only when the trace unit is told so */
	FLOW_STORE,
};

enum flow_flags {
	FLOW_TAKEN = 1,	/* atom E: the branch was taken, the instruction passed its condition */
	FLOW_COND = 2,	/* of what is no branch: whether it passed is not known */
	FLOW_LINK = 4,	/* branch with link */
	FLOW_RET = 8,	/* return */
	FLOW_ERET = 16,	/* exception return */
};

enum flow_isa { FLOW_A32, FLOW_T32, FLOW_A64 };

struct flow_rec {
	uint8_t kind;		/* enum flow_kind */
	uint8_t isa;		/* enum flow_isa */
	uint8_t size;		/* bytes of the instruction */
	uint8_t klass;		/* enum flow_class */
	uint8_t flags;		/* enum flow_flags */
	uint8_t el;		/* exception level 0..3 */
	uint8_t sec;		/* 0 secure, 1 non-secure, 2 root, 3 realm */
	uint8_t cpu;
	uint32_t tid;		/* context ID */
	uint32_t num;		/* FLOW_INSN with FLOW_COND: the condition, 0..13 */
	uint64_t pc;
	uint64_t next;
	uint64_t aux;		/* FLOW_INSN: time in ticks when not 0 */
};

#endif
