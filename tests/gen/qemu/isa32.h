/* SPDX-License-Identifier: BSD-3-Clause */
/* isa32.h - A32 or T32: the plugin interface does not say which one a block is. */
#ifndef CSTRACE_TESTS_QEMU_ISA32_H
#define CSTRACE_TESTS_QEMU_ISA32_H

#include <stddef.h>
#include <stdint.h>

#include "flow.h"

/* Load the disassembler that the emulator uses; 0 or -1 when it is not there. */
int isa32_init(void);

/*
 * Which instruction set gives @text for the @len bytes at @pc: FLOW_A32, FLOW_T32, or -1 when
 * both do or neither does.
 */
int isa32_by_text(const void *bytes, size_t len, uint64_t pc, const char *text);

/* Length of the T32 instruction that starts with @bytes. */
size_t t32_size(const void *bytes);

#endif
