/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind.h - unwind tables of a file in memory: where functions begin and end, also in stripped files (.eh_frame; Linux
 * Standard Base, "Exception Frames"), and the landing pads of C++ exceptions (the language-specific data area, LSDA).
 * Damaged tables end the reading; what was read before is returned.
 */
#ifndef CSTRACE_MACHINE_IMAGES_UNWIND_H
#define CSTRACE_MACHINE_IMAGES_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

/* A frame description entry (FDE): code that unwinds by one table. */
struct unwind_entry {
	uint64_t start, end;	/* file offsets of the code */
	uint64_t lsda;		/* file offset of its LSDA; 0: none */
	uint64_t vaddr;		/* of `start` */
	bool part;		/* a frame exists at its first instruction: a part of another function (NAME.cold) */
};

struct unwind {
	struct unwind_entry *v;	/* sorted by start */
	size_t nr, cap;
	uint64_t entry;		/* file offset at which the program begins; UINT64_MAX: none */
	bool big, elf64;	/* byte order and size of words in the tables */
};

/* Reads the FDEs and the entry point of a loaded ELF file. */
void unwind_read(struct unwind *u, const struct dso *d);
void unwind_free(struct unwind *u);
/* Finds the entry point alone, a file offset. False: there is none. */
bool unwind_entry(const struct dso *d, uint64_t *entry);

/*
 * Finds the file offset at which execution continues when the call at file offset `site` throws. False: the exception
 * leaves the function.
 */
bool unwind_landing_pad(const struct unwind *u, const struct dso *d, uint64_t site, uint64_t *pad);

#endif
