/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_KO_BUILD_H
#define TESTS_KO_BUILD_H

/* Relocatable AArch64 ELF files, as kernel modules are: sections of code, symbols, relocations. */
#include "perfdata_build.h"

struct ko_section {
	const char *name;
	const uint32_t *code;	/* NULL: one byte, as the loader's own sections have in the file */
	size_t words;
	uint64_t align;		/* 0: 4 */
	bool data;		/* not executable */
};

struct ko_symbol {
	const char *name;
	unsigned int section;	/* from 1; 0: undefined */
	uint64_t value;
};

/* Relocations all belong to section 1. */
struct ko_reloc {
	uint64_t offset;
	unsigned int symbol;	/* from 0 */
	uint32_t type;
	int64_t addend;
};

struct ko {
	const struct ko_section *sec;
	size_t nr_sec;
	const struct ko_symbol *sym;
	size_t nr_sym;
	const struct ko_reloc *rel;
	size_t nr_rel;
};

/* The sections get the numbers 1 to nr_sec. */
void ko_build(struct pdb *out, const struct ko *ko);

#endif
