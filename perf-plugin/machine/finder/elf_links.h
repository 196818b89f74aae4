/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf_links.h - how an ELF file and its debug files name each other: build-ids, .gnu_debuglink, .gnu_debugaltlink. What is
 * read is bounded, whatever sizes the headers state.
 */
#ifndef CSTRACE_MACHINE_FINDER_ELF_LINKS_H
#define CSTRACE_MACHINE_FINDER_ELF_LINKS_H

#include <gelf.h>

#include "machine/finder/build_id.h"

struct elf_links {
	struct build_id id;	/* length 0: none */
	const char *debug;	/* file name in .gnu_debuglink; NULL: none. This and `alt` point into the file */
	uint32_t debug_crc;	/* CRC-32 of that file */
	const char *alt;	/* file name in .gnu_debugaltlink; NULL: none */
	struct build_id alt_id;
	bool lines;		/* it has DWARF: .debug_info or .debug_line that are not empty */
	bool symbols;		/* it has .symtab that is not empty */
	uint16_t machine;	/* ELF e_machine */
};

/*
 * Opens a file in memory, which libelf does not write to. NULL: it is not an ELF file. Memory that
 * libelf is refused until it is closed ends the process: libelf does not always report it.
 */
Elf *elf_links_open(const void *data, size_t size);
void elf_links_close(Elf *elf);
/* Reads the build-id alone. False: there is none. */
bool elf_links_id(Elf *elf, const void *data, size_t size, struct build_id *id);
/* Reads a file in memory. False: it is not an ELF file. */
bool elf_links_read(const void *data, size_t size, struct elf_links *l);
/* Reads the build-id of an open file, which the caller keeps; `path` is its name. */
bool elf_file_build_id(int fd, size_t size, const char *path, struct build_id *id);
/* Finds the first section of this name. */
bool elf_links_section(Elf *elf, const char *name, GElf_Shdr *sh);
/* Returns the first table of symbols of this type (SHT_SYMTAB, SHT_DYNSYM). NULL: there is none. */
Elf_Scn *elf_links_symbols(Elf *elf, uint32_t type, GElf_Shdr *sh);
/* True if two files have the same executable segments: a file and what was split off it have. */
bool elf_links_same_layout(Elf *a, Elf *b);

#endif
