/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - the code of a binary for branch lists: addresses as lists have them, and the P0
 * instruction at or behind each place. Each instruction is decoded once, however many lists lead
 * over it.
 */
#ifndef CSTRACE_COUNTING_BRANCHLISTS_CODE_H
#define CSTRACE_COUNTING_BRANCHLISTS_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include <cstrace/isa.h>

#include "machine/images/dso.h"

struct list_code {
	const struct dso *dso;
	bool a64;
	bool unlinked;	/* a kernel module: addresses are those of its section .text */
	struct dso_text text;
	/* [1]: of T32; by place: the P0 instruction at or behind it, plus 1; 0: not looked for */
	uint32_t *next[2];
	size_t nr[2];
};

/*
 * False: the file is not here, or has no code that lists can have. *c is to be freed in either
 * case.
 */
bool list_code_open(struct list_code *c, struct dso *d);
void list_code_free(struct list_code *c);

/* Converts between the address that a list has and the file offset. False: no code is there. */
bool list_code_offset(const struct list_code *c, uint64_t vaddr, uint64_t *offset);
bool list_code_vaddr(const struct list_code *c, uint64_t offset, uint64_t *vaddr);

/*
 * Finds the first P0 instruction at or behind an offset: any branch, ISB, TSTART. False: there is
 * none before the end of the code.
 */
bool list_code_next(struct list_code *c, uint64_t offset, bool t32, uint64_t *at,
		    struct cst_insn *insn);
/*
 * Finds the target of a direct branch. False: it is not in this code, or, in a file that is not
 * linked, not known: *relocated.
 */
bool list_code_target(const struct list_code *c, uint64_t at, const struct cst_insn *insn,
		      uint64_t *to, bool *relocated);

#endif
