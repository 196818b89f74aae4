/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * classify.h - what kind of instruction a line of disassembly is.
 *
 * Only the text counts, never the opcode: the decoder's own opcode tables must not be able to
 * confirm themselves.
 */
#ifndef CSTRACE_TESTS_QEMU_CLASSIFY_H
#define CSTRACE_TESTS_QEMU_CLASSIFY_H

#include <stdint.h>

#include "flow.h"

enum insn_special {
	INSN_PLAIN,
	INSN_SVC,
	INSN_BREAK,	/* BRK, BKPT */
	INSN_UNKNOWN,	/* the disassembler has no name for it */
	INSN_NO_CODE,	/* executed by the emulator itself, no bytes behind it */
};

struct insn {
	uint64_t pc;
	uint64_t target;	/* FLOW_DIRECT */
	uint8_t target_isa;
	uint8_t size;
	uint8_t isa;
	uint8_t klass;
	uint8_t flags;		/* FLOW_COND, FLOW_LINK, FLOW_RET, FLOW_ERET as far as they are static */
	uint8_t special;
	uint8_t it_len;		/* IT: how many instructions it covers */
	uint8_t tail;		/* last one of its translation block */
};

/* Fill klass, flags, target, special and it_len from @text; isa is set already. */
void classify(struct insn *in, const char *text);

#endif
