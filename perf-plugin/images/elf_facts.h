/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf_facts.h - what an ELF file holds for the tools that read our output: symbols, debug information,
 * build-id, relocations, stubs of the linker. Facts only: which reader needs which of them is with the caller.
 *
 * A file that was stripped of its section headers has none of them but the build-id, which a segment
 * (PT_NOTE) has, too. Damaged sections count as missing. Nothing here allocates in proportion to what a
 * compressed section claims to hold.
 */
#ifndef CSTRACE_IMAGES_ELF_FACTS_H
#define CSTRACE_IMAGES_ELF_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

struct elf_facts {
	bool sections;		/* section headers */
	bool symtab;		/* .symtab with a symbol of a function that is in the file */
	bool dynsym;		/* .dynsym with one */
	bool build_id;
	bool relocs;		/* linked with --emit-relocs: relocations of a code section were kept */
	bool linked;		/* ET_EXEC or ET_DYN; false for a kernel module */
	/*
	 * Lowest and highest DWARF version of the units in .debug_info; 0: no debug information. Of a
	 * compressed section only the first unit is read.
	 */
	uint16_t dwarf_low, dwarf_high;
	bool probes;		/* .pseudo_probe: places in the source without DWARF */
	char debuglink[64];	/* file name in .gnu_debuglink: where the debug information is; "" none */
};

/* Of a file in memory. False, and all zero, when it is not an ELF file. */
bool elf_facts_read(const void *data, size_t size, struct elf_facts *f);

/* Of the file that the decoder used for `d`. False, and all zero: none was found, or it is not an ELF file. */
bool dso_facts(const struct dso *d, struct elf_facts *f);

/* A part of a file. */
struct elf_part {
	uint64_t offset, size;
};

#define ELF_MAX_STUBS	8u

/*
 * Where the linker put the stubs through which other files are called: the sections .plt, .iplt, .plt.got and
 * .plt.sec. Returns their number; 0 as well when the file has no section headers.
 */
size_t dso_stubs(const struct dso *d, struct elf_part stubs[ELF_MAX_STUBS]);

#endif
