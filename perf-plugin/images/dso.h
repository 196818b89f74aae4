/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dso.h - the files that were mapped while the trace was taken: identity as recorded, the file found
 * for it on this machine, its segments and symbols. Nothing is opened before it is needed.
 */
#ifndef CSTRACE_IMAGES_DSO_H
#define CSTRACE_IMAGES_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t len;
	uint8_t id[BUILD_ID_MAX];
};

enum dso_state {
	DSO_UNTRIED,
	DSO_LOADED,
	DSO_MISSING,		/* no file was found */
	DSO_REFUSED,		/* a file was found and must not be used */
};

enum dso_kind {
	DSO_FILE,
	DSO_VMLINUX,		/* kernel text: mapped by the addresses of its segments */
	DSO_MODULE,		/* kernel module: its file is not what ran */
	DSO_KCORE,		/* copy of kernel memory */
	/* Not in a file that a path or build-id finds: */
	DSO_ANON,		/* no file name: generated code, stack, heap */
	DSO_JIT,		/* code that a jitdump file describes */
	DSO_BPF,		/* BPF program, trampoline: a symbol that the kernel made while it ran */
	DSO_PATCH,		/* bytes that the kernel wrote over its own code */
};

struct dso_segment {
	uint64_t offset, vaddr, filesz;
	bool exec;
};

struct dso_symbol_entry {
	uint64_t offset;	/* in the file */
	uint64_t vaddr;
	uint64_t size;
	const char *name;	/* in the mapped file, or in names */
	uint8_t bind;		/* 0 global, 1 local, 2 weak */
};

struct cst_section;
struct jitdump;

/* As much as a code section can be. What is mapped beyond cannot be code of a file. */
#define DSO_MAX_EXTENT	(2ull * UINT32_MAX)

struct dso {
	char *path;		/* as recorded */
	uint32_t number;	/* in the table, from 0 */
	struct build_id recorded;
	bool id_of_header;	/* recorded is from the file's header, not from the records that name the file */
	uint8_t kind;		/* enum dso_kind */
	uint8_t state;		/* enum dso_state */
	uint8_t trouble;	/* enum dso_trouble: why a file was not used */
	bool is_elf;
	bool by_name;		/* found by its base name only */
	bool from_host;		/* without --symfs: found by its recorded path on this machine */
	bool from_input;	/* a file of the input: of a package, a snapshot, a perf.data directory */
	bool symbols_read;
	bool own_data;		/* data is on the heap */
	uint16_t machine;	/* ELF e_machine */
	uint64_t extent;	/* end of the highest file range that was mapped, to DSO_MAX_EXTENT */
	uint64_t ref_addr;	/* DSO_VMLINUX: recorded address of the symbol ref_sym; DSO_MODULE: of its code */
	char ref_sym[16];
	struct module_text {	/* DSO_MODULE: where its .text was, as far as the recorder says it */
		bool known;
		uint64_t in_file;	/* a place in .text */
		uint64_t in_memory;	/* the same place, from where the module was loaded */
	} text;
	char *file;		/* the file that was opened or refused */
	const uint8_t *data;
	size_t size;
	struct build_id found;	/* build-id note of `file` */
	struct dso_segment *segs;
	size_t nr_segs;
	struct dso_symbol_entry *syms;
	size_t nr_syms;
	char *names;
	uint32_t *name_order;	/* numbers of symbols in the order of their names; NULL until needed */
	uint64_t used;		/* times the decoder wanted its code */
	bool shown;		/* with a filter on time: some of it was let pass */
	uint64_t insns;		/* decoded in it, when a consumer counts them */
	uint64_t nacc;		/* places where code was wanted and is missing */
	uint64_t nacc_bytes;	/* of trace that was not decoded for it */
	uint64_t conflicts;	/* atoms that contradict its code */
	struct jitdump *jit;	/* DSO_JIT */
	struct cst_section *section;
	struct cst_section *unlinked;	/* DSO_MODULE: stands for its memory until its file was read */
	struct dso *next;	/* hash chain */
};

enum dso_trouble {
	DSO_FINE,
	DSO_NOT_FOUND,
	DSO_BUILD_ID,		/* build-id differs */
	DSO_MACHINE,		/* not for Arm */
	DSO_NO_CODE,		/* debug file: its code sections are empty */
	DSO_UNREADABLE,
	DSO_BAD_ELF,
	DSO_UNALIGNED,		/* file offset and address do not fit */
	DSO_NO_PLACE,		/* module: nothing tells where its code was in memory */
	DSO_PACKED,		/* compressed, and cannot be unpacked */
	DSO_LEFT_OUT,		/* the same, since this program was made without the library for it */
	DSO_UNPACKED_LARGE,	/* compressed, and unpacks to more than any such file */
	DSO_NO_MEMORY,		/* memory was refused while the file was read */
	DSO_NO_SYMBOL,		/* kernel image without the symbol that tells where it was loaded */
};

/* Files by the path of what they stand for. */
struct dso_places {
	struct dso_place {
		char *path;
		char *file;
		size_t number;
		bool taken;	/* by a record */
	} *v;
	size_t nr, cap;
	bool sorted;
};

/* 0, or ERR_NOMEM. */
int dso_places_add(struct dso_places *p, const char *path, const char *file);
void dso_places_free(struct dso_places *p);
/* The `nth` that was added for the path; NULL: there are no more. */
struct dso_place *dso_places_find(struct dso_places *p, const char *path, unsigned int nth);

/* The files that a package or snapshot contains beside its records. */
struct dso_bundle {
	struct dso_places images;	/* by recorded path */
	struct dso_places jitdumps;	/* by the path that was recorded, if one was */
	char *kcore, *kallsyms;		/* NULL: none */
};

void dso_bundle_free(struct dso_bundle *b);

struct dso_search {
	struct dso_bundle bundle;	/* before any other place */
	const char *symfs;
	const char *vmlinux;
	const char *buildid_dir;	/* NULL: ~/.debug */
	const char *kcore;		/* as the user named them; NULL: not, as are the next ones */
	const char *kallsyms;
	const char *jitdump;		/* files, separated by commas */
	const char *osrelease;		/* of the recorded machine; NULL unknown */
	bool force;
	bool other_recorder;		/* than perf, whose options do not help then */
	struct kernel_images *kernel;	/* to link modules with; NULL: none */
	struct symfs_index *index;	/* files under symfs, made when first needed */
};

struct dso_table {
	struct dso **bucket;
	size_t nr_buckets;
	struct dso **all;		/* in order of first appearance */
	size_t nr, cap;
	struct dso_search search;
};

void dso_table_init(struct dso_table *t);
void dso_table_free(struct dso_table *t);
/* The dso for a recorded path and build-id (len 0: none recorded). NULL: no memory. */
struct dso *dso_table_get(struct dso_table *t, const char *path, const struct build_id *id, bool kernel);

/* The same for a kernel module that was loaded at `addr`. */
struct dso *dso_table_get_module(struct dso_table *t, const char *path, const struct build_id *id,
				 uint64_t addr);
/* Does the kernel map a module by this name? */
bool dso_is_module(const char *path);
/* The first dso of this kind and path; NULL: none. */
struct dso *dso_table_find(const struct dso_table *t, const char *path, uint8_t kind);
/* A dso that no path finds: the caller fills it in. NULL: no memory. */
struct dso *dso_table_add(struct dso_table *t, const char *path, uint8_t kind);

/* A build-id that the file header gives for a path. */
void dso_table_set_build_id(struct dso_table *t, const char *path, const struct build_id *id);

/* Where a place in .text of a kernel module was, for all modules of a path. */
void dso_table_set_text(struct dso_table *t, const char *path, uint64_t in_file, uint64_t in_memory);

/* Find, check and map the file. True when its bytes are there; tries once. */
bool dso_load(struct dso_table *t, struct dso *d);
/* Address of a symbol of a loaded ELF file. */
bool dso_symbol_address(struct dso *d, const char *name, uint64_t *vaddr);

/* A kernel image without symbols: where it was linked, from what its layout says. Needs an equal build-id. */
bool dso_kernel_anchor(struct dso *d, const char *name, uint64_t *vaddr);

/* dso_elf.c: build-id, segments and machine of a mapped file; enum dso_trouble. */
int dso_read_elf(struct dso *d);
/* Of an open file that is not kept; `path` is its name. */
bool elf_file_build_id(int fd, size_t size, const char *path, struct build_id *id);
void dso_read_symbols(struct dso *d);

/* dso_find.c: the next file to try, by falling preference; false when there is none. */
struct dso_candidates {
	unsigned int step, sub;
	bool by_name;
	bool from_host;		/* this machine's file of the recorded path */
	bool from_input;
	char path[4096];
};
bool dso_next_candidate(struct dso_search *s, const struct dso *d, struct dso_candidates *c);

/* symfs_index.c: names and build-ids of the files below a directory. */
const char *symfs_by_build_id(struct dso_search *s, const struct build_id *id);
/* `nth` file with this base name. */
const char *symfs_by_name(struct dso_search *s, const char *name, unsigned int nth);
void symfs_index_free(struct symfs_index *ix);

bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Hex digits; `out` has room for 2 * BUILD_ID_MAX + 1. */
const char *build_id_text(const struct build_id *id, char *out);

/* Why there is no code, and what to do about it; one line each. */
/* `perf`: perf recorded it, and what its options do may help. */
void dso_explain(const struct dso *d, bool perf, FILE *out);

/* Order of files in listings: by path, then by build-id and place, never by where they lie in memory. */
int dso_compare(const struct dso *a, const struct dso *b);
const char *dso_path(const struct dso *dso);		/* as recorded */
const char *dso_file(const struct dso *dso);		/* the file that was opened, NULL if none was found */
const uint8_t *dso_build_id(const struct dso *dso, size_t *len); /* of the file, else as recorded; NULL unknown */
/* ELF virtual address of a file offset; false when it is not in a loaded segment (non-ELF: vaddr = offset). */
bool dso_vaddr(const struct dso *dso, uint64_t offset, uint64_t *vaddr);
/* A copy of kernel memory (kcore): offsets in it are places of no program file. */
bool dso_is_memory(const struct dso *dso);
/* File offset and vaddr of the first PT_LOAD segment; false when there is none (0 and 0 then). */
bool dso_first_load(const struct dso *dso, uint64_t *offset, uint64_t *vaddr);
struct dso_text {
	uint64_t offset, size;	/* in the file */
	uint64_t vaddr;		/* as the section header says: 0 in a kernel module */
};
/* The section .text of an ELF file without program headers (a kernel module). False: it has them, or no .text. */
bool dso_unlinked_text(const struct dso *dso, struct dso_text *text);
/* Name and start of the function symbol that covers a file offset; false when there is none. */
bool dso_symbol(const struct dso *dso, uint64_t offset, const char **name, uint64_t *sym_start,
		uint64_t *sym_size);

#endif
