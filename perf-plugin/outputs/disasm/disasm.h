/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * disasm.h - the text of instructions, by libcapstone. The library is loaded by disasm_new(), so that commands without
 * texts do not pay for it; without it (NO_CAPSTONE=1, or not installed) instructions have no texts.
 */
#ifndef CSTRACE_OUTPUTS_DISASM_DISASM_H
#define CSTRACE_OUTPUTS_DISASM_DISASM_H

#include <stdbool.h>
#include <stdint.h>

#include <cstrace/types.h>

#define DISASM_TEXT 96	/* the longest text with its 0 */

struct disasm;

/* True if the program was made with libcapstone. */
bool disasm_available(void);
/* NULL: there are no texts; *why says so in words, static. One thread at a time. */
struct disasm *disasm_new(const char **why);
void disasm_free(struct disasm *d);
/*
 * "b.ne 0x10b0" of the opcode at `addr`: T32 of 32 bits as first halfword << 16 | second. "" of what libcapstone
 * does not know. Valid until the next call.
 */
const char *disasm_text(struct disasm *d, enum cst_isa isa, enum cst_profile profile, uint64_t addr, uint32_t opcode,
			unsigned int size);

#endif
