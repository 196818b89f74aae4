/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * address.h - the numbers that a profile gives for places in a file.
 *
 * Counts are kept by file offset. Each reader has a rule of its own for the address that a number stands for:
 *
 * | reader                  | address                                                                    |
 * |-------------------------|----------------------------------------------------------------------------|
 * | AutoFDO 0.20 and later  | number - offset + vaddr of the executable PT_LOAD that holds this file offset |
 * | AutoFDO up to 0.19      | number + vaddr of the first PT_LOAD; in a file without one, number         |
 * | llvm-profgen, perf2bolt | number                                                                     |
 *
 * A file without program headers, such as a kernel module, has addresses within each section only. AutoFDO takes the
 * section .text for the segment of such a file.
 */
#ifndef CSTRACE_PROFILE_ADDRESS_H
#define CSTRACE_PROFILE_ADDRESS_H

#include "images/dso.h"
#include "profile/counts.h"

enum profile_base {
	PROFILE_OFFSET,		/* file offsets: AutoFDO 0.20 and later */
	PROFILE_FIRST_LOAD,	/* vaddr minus vaddr of the first PT_LOAD: AutoFDO up to 0.19 */
	PROFILE_VADDR,		/* vaddr: llvm-profgen, perf2bolt */
};

struct profile_address {
	const struct dso *dso;
	enum profile_base base;
	uint64_t first_vaddr;	/* of the first PT_LOAD */
	bool code_at_zero;	/* number 0 is a place of code, not the file's header */
	bool unlinked;		/* the file has no program headers */
	struct dso_text text;	/* unlinked: its section .text */
};

void profile_address_init(struct profile_address *a, const struct dso *dso, enum profile_base base);

/* The number for a file offset. */
uint64_t profile_address(const struct profile_address *a, uint64_t offset);

/* What the reader has no address for: ranges, and branches by their source, outside of .text. */
struct profile_removed {
	size_t ranges, edges;
	uint64_t executed;	/* how often the ranges were executed */
};

/*
 * Removes from the counts what the numbers cannot say. In a file without program headers that is what ran outside of
 * .text; branches from .text to there leave the binary. Where 0 is a place of code, branches that leave the binary
 * are removed: their target 0 would be read as that place, and readers use their targets only. False: out of memory.
 */
bool profile_address_limit(const struct profile_address *a, struct binary *b, struct profile_removed *removed);

#endif
