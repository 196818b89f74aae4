/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_ELF_BUILD_H
#define TESTS_ELF_BUILD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A small ELF64 file: one code segment that maps all of it, a loop of two instructions at its symbol
 * _text, more symbols behind it, and a build-id of 20 times the byte `id`. Without `code` its text
 * section is empty, as in a file of debug information.
 */
#define ELF_SIZE	0x800u
#define ELF_CODE_OFFSET	0x400u
#define ELF_CODE_VADDR	0x10400u
#define ELF_FIRST_VADDR	0x10000u

void elf_build(uint8_t image[ELF_SIZE], uint16_t machine, uint8_t id, bool code);

#endif
