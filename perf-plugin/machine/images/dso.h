/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dso.h - the files that were mapped while the trace was recorded: recorded identity, the file found for it on this
 * machine, its segments and symbols. Files are opened when they are first needed.
 */
#ifndef CSTRACE_MACHINE_IMAGES_DSO_H
#define CSTRACE_MACHINE_IMAGES_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "machine/finder/build_id.h"

enum dso_state {
	DSO_UNTRIED,
	DSO_LOADED,
	DSO_MISSING,		/* no file was found */
	DSO_REFUSED,		/* a file was found and refused */
};

enum dso_kind {
	DSO_FILE,
	DSO_VMLINUX,		/* kernel text, mapped by the addresses of its segments */
	DSO_MODULE,		/* kernel module, which must be linked before use */
	DSO_KCORE,		/* copy of kernel memory */
	/* not in a file that can be found by path or build-id: */
	DSO_ANON,		/* no file name: generated code, stack, heap */
	DSO_JIT,		/* code that a jitdump file describes */
	DSO_BPF,		/* BPF program or trampoline, for which the kernel made a symbol at run time */
	DSO_PATCH,		/* bytes that the kernel wrote to its own code */
};

struct dso_segment {
	uint64_t offset, vaddr, filesz;
	bool exec;
};

struct dso_symbol_entry {
	uint64_t offset;	/* in the file */
	uint64_t vaddr;
	uint64_t size;
	uint64_t limit;		/* file offset of the end of its section; 0: unknown */
	const char *name;	/* in the mapped file, or in `names` */
	uint8_t bind;		/* 0 global, 1 local, 2 weak */
};

struct archive;
struct cst_section;
struct dso_table;
struct finder;
struct finding;
struct function_table;
struct jitdump;

/* Maximum size of a code section. Maps beyond it cannot be code of a file. */
#define DSO_MAX_EXTENT	(2ull * UINT32_MAX)

struct dso {
	char *path;		/* as recorded */
	uint32_t number;	/* index in the table, from 0 */
	struct dso_table *table;	/* the table: the host's or a guest's; NULL: none */
	struct build_id recorded;
	bool id_of_header;	/* `recorded` is from the file's header, not from the records that name the file */
	uint8_t kind;		/* enum dso_kind */
	uint8_t state;		/* enum dso_state */
	uint8_t trouble;	/* enum dso_trouble: why a file was refused */
	struct {
		bool is_elf;
		bool own_data;		/* `data` is on the heap */
		uint16_t machine;	/* ELF e_machine */
		char *file;		/* the file that was opened or refused */
		const uint8_t *data;
		size_t size;
		struct build_id found;	/* build-id note of `file` */
		struct dso_segment *segs;
		size_t nr_segs;
	} image;
	struct {
		bool by_name;		/* found by its base name only */
		/* without --symfs: found at its recorded path on this machine */
		bool from_host;
		/* file of the input: of a package, a snapshot or a perf.data directory */
		bool from_input;
		/* places where files that belong to it are searched; set when it is loaded */
		const struct finder *finder;
		struct finding *debug;	/* its debug file; NULL until needed */
	} where;
	struct {
		bool symbols_read;
		bool exported_only;	/* the symbols are those of .dynsym: the file is stripped */
		struct dso_symbol_entry *syms;
		size_t nr_syms;
		char *names;
		/* indices of the symbols sorted by name; NULL until needed */
		uint32_t *name_order;
		struct function_table *functions; /* functions.h; NULL until needed */
		struct stub_table *stubs;	/* stubs.h; NULL until needed */
	} symbols;
	struct {
		/*
		 * DSO_MODULE: only places in the file matter; it is not linked, and has no
		 * addresses
		 */
		bool by_offset;
		/* DSO_MODULE: recorded position of .text, if there is one */
		struct module_text {
			bool known;
			uint64_t in_file;	/* an offset in .text */
			/* the same position, relative to the address of the module */
			uint64_t in_memory;
		} text;
		/* DSO_MODULE: section used for its memory until the file is read */
		struct cst_section *unlinked;
	} module;
	struct {
		/* DSO_FILE: of a zip archive, its members; NULL: it is none, or was not asked */
		struct archive *members;
		struct dso *archive;	/* DSO_FILE: a member of this archive; NULL: of none */
	} zip;
	struct {
		bool made_later;	/* DSO_BPF: the kernel made it while tracing */
		struct jitdump *jit;	/* DSO_JIT */
	} made;
	uint64_t extent;	/* end of the highest file range that was mapped, to DSO_MAX_EXTENT */
	struct {
		/* recorded address: DSO_VMLINUX: of the symbol ref_sym; DSO_MODULE: of its code */
		uint64_t ref_addr;
		char ref_sym[16];
	} kernel;
	struct dso_counts {
		uint64_t used;		/* number of requests for its code by the decoder */
		/* with a time filter: part of it was in the filter's times */
		bool shown;
		uint64_t insns;		/* instructions decoded in it, if a consumer counts them */
		uint64_t nacc;		/* addresses at which its code was needed and is missing */
		uint64_t nacc_bytes;	/* bytes of trace that were not decoded because of that */
		uint64_t conflicts;	/* atoms that contradict its code */
	} counts;
	struct {
		/*
		 * DSO_FILE: a process has memory without a file in place of its text (map.memory)
		 */
		bool copied;
		/* code was decoded in a process that has; it was taken for a copy */
		bool assumed;
	} copy;
	struct cst_section *section;
	struct dso *next;	/* hash chain */
};

enum dso_trouble {
	DSO_FINE,
	DSO_NOT_FOUND,
	DSO_BUILD_ID,		/* the build-id differs */
	DSO_MACHINE,		/* not an Arm file */
	DSO_NO_CODE,		/* debug file with empty code sections */
	DSO_UNREADABLE,
	DSO_BAD_ELF,
	DSO_UNALIGNED,		/* file offset and address are not congruent */
	DSO_NO_PLACE,		/* module: the address of its code is not recorded */
	DSO_PACKED,		/* compressed, and cannot be decompressed */
	DSO_LEFT_OUT,		/* as PACKED, because this program was built without the library */
	DSO_UNPACKED_LARGE,	/* compressed, and larger than UNPACK_MAX */
	DSO_NOT_MAPPABLE,	/* its archive does not have it, or compressed or unaligned */
	DSO_NO_SYMBOL,		/* kernel image without the symbol whose address was recorded */
};

/* Returns the address of a symbol of a loaded ELF file. */
bool dso_symbol_address(struct dso *d, const char *name, uint64_t *vaddr);

/* Returns the link address of a kernel image without symbols, derived from its layout. Requires an equal build-id. */
bool dso_kernel_anchor(struct dso *d, const char *name, uint64_t *vaddr);

/* dso_elf.c: reads build-id, segments and machine of a mapped file. Returns enum dso_trouble. */
int dso_read_elf(struct dso *d);
/* Reads the symbols of the file; those of its debug file, if only that one has a symbol table (.symtab). */
void dso_read_symbols(struct dso *d);
/* Returns the offset of the next symbol that is not where symbol `i` is, at most `end`. */
uint64_t dso_next_symbol(const struct dso *d, size_t i, uint64_t end);

/*
 * dso_debug.c: returns what a search for the debug file of a loaded file gave. It is searched once. NULL: the file is not
 * loaded or not ELF.
 */
const struct finding *dso_debug_file(const struct dso *dso);
void dso_debug_free(struct dso *d);

/*
 * Prints why there is no code, and the remedy, in one line each. `perf`: perf made the recording, so its options may
 * help; `has_kcore`: --kcore was one of them.
 */
void dso_explain(const struct dso *d, bool perf, bool has_kcore, FILE *out);

/* Makes these bytes, which are on the heap, the code of a dso without a file. */
void dso_own(struct dso *d, uint8_t *bytes, size_t size);
/* Records and reports that a copy of its text in memory without a file is taken for its text. */
void dso_assume(struct dso *d);

/*
 * Orders files in listings by path, then by build-id and address, but not by pointers, so that the output is
 * deterministic.
 */
int dso_compare(const struct dso *a, const struct dso *b);
const char *dso_path(const struct dso *dso);		/* recorded path */
const char *dso_file(const struct dso *dso);		/* the file that was opened, NULL if none was found */
const uint8_t *dso_build_id(const struct dso *dso, size_t *len); /* of the file, else as recorded; NULL: unknown */
/*
 * Converts a file offset to an ELF virtual address (other files: the offset itself). False: it is in no loaded segment.
 */
bool dso_vaddr(const struct dso *dso, uint64_t offset, uint64_t *vaddr);
/* Converts an ELF virtual address to a file offset. False: it is in no segment. */
bool dso_offset(const struct dso *dso, uint64_t vaddr, uint64_t *offset);
/* True for a file that is a zip archive. */
bool dso_is_archive(const struct dso *dso);
/* True for a copy of kernel memory (kcore), whose offsets are not those of a program file. */
bool dso_is_memory(const struct dso *dso);
/* True for code of the kernel: its image, a copy of its memory, a module. The vDSO, which it provides, is a program's. */
bool dso_is_kernel(const struct dso *dso);
struct dso_text {
	uint64_t offset, size;	/* in the file */
	uint64_t vaddr;		/* of the section header: 0 in a kernel module */
};
/* Returns the section .text of a loaded ELF file. False: it has none. */
bool dso_text(const struct dso *dso, struct dso_text *text);
/*
 * Returns the section .text of an ELF file without program headers (a kernel module). False: it has them, or no .text.
 */
bool dso_unlinked_text(const struct dso *dso, struct dso_text *text);
/*
 * Returns name, start and size of the function at a file offset: its symbol, or stub (stubs.h). A symbol without a size extends to
 * the next symbol or function, at most to the end of its section; in a stripped file, which lacks symbols behind it, only if an
 * unwind table has its end. False: no function is known there.
 */
bool dso_symbol(const struct dso *dso, uint64_t offset, const char **name, uint64_t *sym_start,
		uint64_t *sym_size);

#endif
