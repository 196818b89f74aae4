/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * make.h - makes branch lists of counts: one for each range, from its first instruction to the P0
 * instruction that ends it. So lists of equal counts are equal, whatever order the ranges were
 * executed in, and a file of them does not grow with the length of the trace.
 *
 * A list ends behind an ISB inside of a range, too: simpleperf's reader does not find the
 * instruction behind one.
 */
#ifndef CSTRACE_COUNTING_BRANCHLISTS_MAKE_H
#define CSTRACE_COUNTING_BRANCHLISTS_MAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct branch_lists;
struct model;

/* What the lists do not say of the counts. */
struct list_silence {
	/* indirect branches whose target is in the binary: they have no targets any more */
	uint64_t indirect;
	/* direct branches that leave their binary: lists do not say where they led */
	uint64_t leaving;
	/* executions of instructions behind the last branch: exceptions, ends of the trace */
	uint64_t cut;
	/* executions of ranges that a return, or another binary, led to: now as any other */
	uint64_t arrived;
	/* executions of ranges that are two lists, or more, since an ISB is inside */
	uint64_t divided;
	/* executions of ranges that have no address in lists: a module's outside of .text */
	uint64_t placeless;
	/* executions of ranges behind the first 2^31 branches of all lists */
	uint64_t beyond;
	/* instructions in no ELF file, and of binaries whose files are not here */
	uint64_t elsewhere, missing;
	const char *missing_name;	/* one of them */
};

/*
 * Makes lists of the binaries of a model of all counts; `only`: of the one with this number;
 * UINT32_MAX: of all.
 */
void lists_make(struct branch_lists *l, const struct model *m, uint32_t only,
		struct list_silence *s);
/* Prints it, in lines that begin with "cstrace COMMAND: ". */
void list_silence_print(const struct list_silence *s, const char *command, FILE *out);

#endif
