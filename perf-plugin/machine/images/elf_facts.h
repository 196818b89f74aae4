/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf_facts.h - the properties of an ELF file that tools which read our output depend on: symbols, debug information,
 * build-id, relocations, PLT stubs. The caller knows which tool needs which. A file without section headers has only
 * its build-id, which is also in a segment (PT_NOTE). Damaged sections count as missing. Memory does not depend on the
 * sizes that compressed sections claim.
 */
#ifndef CSTRACE_MACHINE_IMAGES_ELF_FACTS_H
#define CSTRACE_MACHINE_IMAGES_ELF_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

struct elf_facts {
	bool sections;		/* section headers */
	bool symtab;		/* .symtab has a function that is in the file */
	bool dynsym;		/* .dynsym has one */
	bool build_id;
	bool relocs;		/* linked with --emit-relocs: code sections have relocations */
	bool linked;		/* ET_EXEC or ET_DYN; false for a kernel module */
	/* a code segment's distance from the first segment's address is not its file offset: linked by lld, or a kernel image */
	bool apart;
	/*
	 * Lowest and highest DWARF version of the units in .debug_info; 0: no debug information. In a compressed
	 * section only the first unit is read.
	 */
	uint16_t dwarf_low, dwarf_high;
	bool dwarf_unread;	/* there is debug information whose version could not be read, as it is compressed */
	bool probes;		/* .pseudo_probe: source locations without DWARF */
	char debuglink[64];	/* file name in .gnu_debuglink, the file with the debug information; "": none */
};

/* Reads a file in memory. Returns false with all fields zero if it is not an ELF file. */
bool elf_facts_read(const void *data, size_t size, struct elf_facts *f);

/*
 * Reads the file that the decoder used for `d`. Returns false with all fields zero if there is none, or it is not ELF.
 */
bool dso_facts(const struct dso *d, struct elf_facts *f);

/* A part of a file. */
struct elf_part {
	uint64_t offset, size;
};

#define ELF_MAX_STUBS	8u

/*
 * Returns the PLT sections .plt, .iplt, .plt.got and .plt.sec and their number; 0 also for a file without section
 * headers.
 */
size_t dso_stubs(const struct dso *d, struct elf_part stubs[ELF_MAX_STUBS]);

#endif
