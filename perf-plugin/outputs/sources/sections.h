/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sections.h - the DWARF sections of an ELF file in memory: expanded if they are compressed, relocated if the file is not
 * linked, and put together for libdw, which gets no file and no name of one: so it opens none.
 */
#ifndef CSTRACE_OUTPUTS_SOURCES_SECTIONS_H
#define CSTRACE_OUTPUTS_SOURCES_SECTIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dwarf_section {
	SECTION_INFO,
	SECTION_TYPES,
	SECTION_ABBREV,
	SECTION_ADDR,
	SECTION_ARANGES,
	SECTION_LINE,
	SECTION_LINE_STR,
	SECTION_STR,
	SECTION_STR_OFFSETS,
	SECTION_RANGES,
	SECTION_RNGLISTS,
	SECTION_CU_INDEX,
	NR_SECTIONS,
};

/* Why sections are not there. */
enum sections_lack {
	SECTIONS_FINE,
	SECTIONS_NONE,		/* the file has no DWARF */
	SECTIONS_DAMAGED,
	SECTIONS_LEFT_OUT,	/* compressed with zstd, and built without it (NO_ZSTD) */
	SECTIONS_PACKING,	/* compressed in an unknown way */
	SECTIONS_LARGE,		/* they would expand to more than EXPAND_RATIO times their size */
	SECTIONS_NO_DESCRIPTOR,	/* /dev/null, which stands for the file that is put together, cannot be opened */
};

struct contents {
	const uint8_t *p;	/* NULL: there is no such section */
	size_t size;
	uint8_t *own;		/* memory of `p` to be freed; NULL: it is a part of the file */
};

struct sections {
	struct contents v[NR_SECTIONS];
	int class;		/* ELFCLASS32 or ELFCLASS64 */
	uint8_t order;		/* ELFDATA2LSB or ELFDATA2MSB */
	uint16_t machine;
	uint64_t bytes;		/* of all of them, expanded */
};

/* Limit of the size of expanded sections, as a multiple of their size in the file, and what small ones may have. */
#define EXPAND_RATIO	64u
#define EXPAND_SMALL	(64u << 10)

/* Returns the address of a section by its name, for a file that is not linked. */
typedef uint64_t (*section_address)(const void *data, const char *name);

/*
 * Reads the sections of a file in memory, which must stay. `split`: those of split DWARF (.debug_info.dwo). `address` is for
 * files that are not linked.
 */
enum sections_lack sections_read(struct sections *s, const void *data, size_t size, bool split, section_address address,
				 const void *address_data);
void sections_free(struct sections *s);
/* Makes a section a copy that may be changed. */
void contents_own(struct contents *c);
/* "it has no DWARF" and the like: what a lack means, behind the name of the file. */
const char *sections_lack_text(enum sections_lack lack);

/* expand.c: expands a section that has SHF_COMPRESSED or, `old`, a name .zdebug. */
enum sections_lack section_expand(struct contents *c, bool old, int class, bool big);

/* skeleton.c: attributes by which libdw would open split DWARF itself get these codes, which mean nothing to it. */
#define HIDDEN_DWO_NAME		0x75u
#define HIDDEN_GNU_DWO_NAME	0x217fu
#define HIDDEN_GNU_DWO_ID	0x217eu
/* `split`: those of split DWARF. Returns false if the tables of abbreviations are damaged. */
bool skeletons_hide(struct sections *s, bool split);

/* A Dwarf of libdw, and what it is made from. */
struct made {
	Elf *elf;
	Dwarf *dwarf;
	char names[512];	/* of the sections */
};

/* Puts sections together, with the names of split DWARF or without. */
enum sections_lack sections_make(const struct sections *s, bool split, struct made *m);
void made_free(struct made *m);

#endif
