/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt_int.h - what perf2bolt gets of a binary's counts, for both kinds of its lines. */
#ifndef CSTRACE_OUTPUTS_PROFILE_BOLT_INT_H
#define CSTRACE_OUTPUTS_PROFILE_BOLT_INT_H

#include "machine/images/elf_facts.h"
#include "outputs/profile/lines.h"
#include "outputs/profile/address.h"

struct bolt_branch {
	uint64_t to;		/* file offset; CST_COUNT_OUTSIDE: it leaves the binary */
	uint64_t from;		/* address for BOLT; 0: it comes from outside */
	uint64_t count;
};

struct bolt_counts {
	const struct flat *flat;
	const struct profile_address *where;
	struct elf_part stub[ELF_MAX_STUBS];
	size_t nr_stubs;
	struct bolt_branch *branches;	/* entries by target, then the others by source, target */
	size_t nr_branches;
};

void bolt_counts_init(struct bolt_counts *c, const struct flat *f, const struct profile_address *w);
void bolt_counts_free(struct bolt_counts *c);

/* True for a place in a stub of the linker. */
bool bolt_in_stub(const struct bolt_counts *c, uint64_t offset);

/* The target of a branch as BOLT's address, 0 outside. */
static inline uint64_t bolt_target(const struct bolt_counts *c, const struct bolt_branch *b)
{
	return b->to == CST_COUNT_OUTSIDE ? 0 : profile_address(c->where, b->to);
}

/*
 * Writes a line of numbers: `n` addresses, a count, and what is behind it. perf2bolt refuses the
 * whole file if a count has more than 63 bits.
 */
void bolt_put(struct lines *l, char kind, const uint64_t *addresses, size_t n, uint64_t times,
	      const char *behind);

#endif
