/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf_w.h - writes small AArch64 ELF files: one code section in one segment, symbols, a build-id.
 */
#ifndef CSTRACE_TESTS_GEN_ELF_W_H
#define CSTRACE_TESTS_GEN_ELF_W_H

#include "util.h"

#define ELFW_TEXT 0x1000u	/* where the code stands in the file */

struct elfw_symbol {
	const char *name;
	uint64_t value, size;
};

/* a call out of a relocatable file */
struct elfw_reloc {
	uint64_t offset;
	const char *name;
};

struct elfw {
	int relocatable;	/* a module: addresses count from the sections */
	int plt;		/* a module: .plt, which its loader fills, before .text */
	uint64_t vaddr;		/* of the code; shared: what is mapped at offset 0 begins at 0 */
	const uint8_t *text;
	size_t len;
	const uint8_t *build_id;	/* 20 bytes; NULL: none */
	const struct elfw_symbol *sym;
	int nsym;
	const struct elfw_reloc *rel;
	int nrel;
};

void elfw_write(const struct elfw *e, struct gbuf *out);
/* a copy of memory, as /proc/kcore gives it: one segment for each piece */
struct elfw_piece {
	uint64_t vaddr;
	const uint8_t *p;
	size_t len;
};

void elfw_core(const struct elfw_piece *pieces, int n, struct gbuf *out);

#endif
