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
#ifndef CSTRACE_OUTPUTS_PROFILE_ADDRESS_H
#define CSTRACE_OUTPUTS_PROFILE_ADDRESS_H

#include "machine/images/dso.h"
#include "outputs/profile/flat.h"

enum profile_base {
	PROFILE_OFFSET,		/* file offsets: AutoFDO 0.20 and later */
	PROFILE_FIRST_LOAD,	/* vaddr minus vaddr of the first PT_LOAD: AutoFDO up to 0.19 */
	PROFILE_VADDR,		/* vaddr: llvm-profgen, perf2bolt */
};

struct profile_address {
	const struct model_binary *binary;
	enum profile_base base;
	uint64_t first_vaddr;	/* of the first PT_LOAD */
	bool code_at_zero;	/* number 0 is code, not the file's header */
	bool unlinked;		/* the file has no program headers; false if there is no file */
	struct dso_text text;	/* unlinked: its section .text */
};

void profile_address_init(struct profile_address *a, const struct model_binary *b, enum profile_base base);

/* The same as profile_address(), for a base other than PROFILE_OFFSET. */
uint64_t profile_address_linked(const struct profile_address *a, uint64_t offset);

/* Returns the number for a file offset. */
static inline uint64_t profile_address(const struct profile_address *a, uint64_t offset)
{
	return a->base == PROFILE_OFFSET ? offset : profile_address_linked(a, offset);
}

/* Counts removed because the reader has no address for them: ranges, and branches by their source, outside of .text. */
struct profile_removed {
	size_t ranges, edges;
	uint64_t executed;	/* executions of the ranges */
};

/*
 * Removes the counts that have no number. In a file without program headers these are the counts outside of .text;
 * branches from .text to there leave the binary. If number 0 is code, branches that leave the binary are removed, since
 * readers would take their target 0 for that code, and use targets only.
 */
void profile_address_limit(const struct profile_address *a, struct flat *f,
			   struct profile_removed *removed);

#endif
