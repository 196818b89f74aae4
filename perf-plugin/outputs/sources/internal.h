/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - what the files of this room share: an open file with DWARF. */
#ifndef CSTRACE_OUTPUTS_SOURCES_INTERNAL_H
#define CSTRACE_OUTPUTS_SOURCES_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/intmap.h"
#include "base/strings.h"
#include "outputs/sources/low_rows.h"
#include "outputs/sources/sections.h"
#include "outputs/sources/source.h"
#include "outputs/sources/split.h"

/* A part of the file that has addresses. */
struct part {
	uint64_t offset, size;
	uint64_t addr;		/* as in the DWARF */
};

/* Addresses as in the DWARF. */
struct span {
	Dwarf_Addr begin, end;
};

struct spans {
	struct span *v;		/* sorted; no two overlap */
	size_t nr, cap;
};

/* Code of the units that share a line table: the ranges that they state, without those of code that the linker discarded. */
struct unit_code {
	bool stated;		/* it states any */
	struct spans code;
};

struct unit_range {
	Dwarf_Addr begin, end;
	Dwarf_Die cu;
};

/* Bytes of an ELF file. */
struct image {
	const uint8_t *p;
	size_t size;
	bool own;		/* expanded: on the heap */
	Elf *elf;
};

struct source {
	char *path;
	char *debug_path;	/* of `debug` */
	const struct dso *dso;	/* NULL: none */
	struct image program;
	struct image debug;	/* the file with the DWARF if it is another one */
	struct image shared;	/* what it shares with others (dwz) */
	struct sections sections, shared_sections;
	struct made made, shared_made;
	struct split *split;	/* NULL until a skeleton is seen */
	uint64_t delta;		/* an address of the DWARF is one of the program plus this */
	struct {
		struct section_base {	/* of a file that is not linked; sorted by name */
			const char *name;
			uint64_t base;	/* its addresses are offsets in the file */
		} *bases;
		size_t nr_bases, cap_bases;
	} unlinked;
	struct {
		struct part *parts;	/* sorted by offset */
		size_t nr_parts, cap_parts;
		struct part *by_addr;	/* the same, sorted by address */
		/*
		 * code of the units by address, made when .debug_aranges, which clang does not
		 * write, has not an address
		 */
		struct unit_range *ranges;
		size_t nr_ranges, cap_ranges;
		bool ranges_made;
		/* struct Dwarf_Die.addr: struct unit_code, made when the unit is looked up first */
		struct intmap units;
	} index;
	struct {
		/* names of source files that were put together here, by the pointer to libdw's */
		struct intmap names;
		struct strings split_names;	/* of source files in split DWARF */
	} named;
	struct spans code;	/* executable sections of a linked file; without section headers its executable segments */
	uint64_t steps;		/* ranges that may still be read: a damaged file uses some of them several times */
	struct source_row last;	/* of the last place */
	struct {
		/* it has code where linkers leave the lines of discarded code */
		bool is_low;
		bool low_read;
		struct low_rows low;	/* then its rows, read when they are needed */
	} lows;
};

/* False: the address is in no part of the file. */
bool source_offset_of(const struct source *l, Dwarf_Addr addr, uint64_t *offset);
/* False for an address at which no code is, as 0, where linkers put the DWARF of sections that they discard. */
bool source_in_code(const struct source *l, Dwarf_Addr addr);
/* As dwarf_ranges(), with a bound of all calls for the file. */
ptrdiff_t source_ranges(struct source *l, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *begin, Dwarf_Addr *end);
/* Returns the next unit after *cu, NULL at first; false at the end. */
bool source_next_unit(struct source *l, Dwarf_CU **cu, Dwarf_Die *die);

/* True for a file that has low code: l->low has its rows. Without memory the run ends. */
bool source_is_low(struct source *l);

/*
 * names.c: the name of a source file; one that is relative is below the directory of the
 * compilation.
 */
const char *source_name(struct source *l, Dwarf_Die *cu, const char *file);
/* The same for a name that does not stay. */
const char *source_name_kept(struct source *l, Dwarf_Die *cu, const char *file);
void source_names_free(struct source *l);

#endif
